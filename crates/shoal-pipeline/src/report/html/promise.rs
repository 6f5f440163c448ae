//! What was promised and what was found, a sentence each, in words for people who do not know the models.

use shoal_core::{Bound, Figure, Promise, Rule};
use shoal_privacy::{Finding, Seen};

use super::page::{Page, capital, in_words, section, table, term};
use crate::markup::{Html, figure, html, percent, prose};

/// A promise in two sentences.
pub(super) struct Sentences {
    pub promised: String,
    pub found: String,
}

pub(super) fn promises(page: &Page<'_>) -> Html {
    let one = |seen: &Seen| {
        let sentences = sentences(page, seen);
        html!(
            "<li><p><strong>Promised:</strong> {}</p><p><strong>Found:</strong> {} {}</p></li>\n",
            prose(&sentences.promised),
            prose(&sentences.found),
            verdict(seen)
        )
    };
    let listed: Html = page.promises.iter().map(one).collect();
    let row = |seen: &Seen| {
        let found = if seen.holds().is_some() { in_words(seen.found()) } else { "–".to_owned() };
        vec![
            term(term_of(seen.promise()), &seen.promise().name()),
            html!("{}", seen.column().unwrap_or("–")),
            html!("{}", in_words(&seen.promise().asked())),
            html!("{}", found),
            verdict(seen),
        ]
    };
    let rows: Vec<Vec<Html>> = page.promises.iter().map(row).collect();
    let body = html!(
        "<ul class=\"promises\">{}</ul>\n<p>{}</p>\n{}",
        listed,
        prose(&proof(page)),
        table(
            "Each promise with what was asked and what was found",
            &["Promise", "Column", "Asked", "Found", "Verdict"],
            &rows
        )
    );
    section("promise", "What was promised, and does it hold?", body)
}

/// Whether all promises hold, in words.
pub(super) fn overall(page: &Page<'_>) -> (bool, String) {
    let all = page.promises;
    let number = |holds| all.iter().filter(|seen| seen.holds() == holds).count();
    let (kept, broken) = (number(Some(true)), number(Some(false)));
    let words = match (all.len(), broken, number(None)) {
        (0, ..) => "Nothing was promised".to_owned(),
        (1, 0, 0) => "The promise holds".to_owned(),
        (2, 0, 0) => "Both promises hold".to_owned(),
        (number, 0, 0) => format!("All {number} promises hold"),
        (1, 0, _) => "The file alone does not show whether the promise holds".to_owned(),
        (number, 0, unseen) => {
            format!("{kept} of {number} promises hold; the file alone does not show the other {unseen}")
        }
        (1, ..) => "The promise is broken".to_owned(),
        (number, broken, _) => format!("{broken} of {number} promises are broken"),
    };
    (kept == all.len() && kept > 0, words)
}

/// How it was found out.
pub(super) fn proof(page: &Page<'_>) -> String {
    let compared = match page.is_transactions() {
        _ if page.house.is_none() => {
            "Whether the published values are true of the original, only the publisher can check."
        }
        true => {
            "It also compared the file with the original: every transaction is there once, and every published item is true of it."
        }
        false => {
            "It also compared the file with the original: every record is there at most once, and every published value is true of it."
        }
    };
    format!(
        "This was checked on the finished file, not on what the program meant to write: a verifier that does not know how the crowds were made read all \
         published {} back and judged each promise by what they say. {compared}",
        if page.is_sequences() { "events" } else { page.records() }
    )
}

fn verdict(seen: &Seen) -> Html {
    match seen.holds() {
        Some(true) => html!("<span class=\"verdict good\">holds</span>"),
        Some(false) => html!("<span class=\"verdict bad\">is broken</span>"),
        None => html!("<span class=\"verdict\">cannot be seen here</span>"),
    }
}

/// The section of `docs/terms.md` about a promise.
pub(super) fn term_of(promise: &Promise) -> &'static str {
    match promise {
        Promise::KAnonymity { .. } => "k-anonymity",
        Promise::PersonalK => "personal-k",
        Promise::MaxSuppressed { .. } => "suppressed",
        Promise::Itemsets { .. } => "km-anonymity",
        Promise::Complete { .. } => "complete-k-anonymity",
        Promise::Constraints { .. } => "k-anonymity-of-constraints",
        Promise::Confidence { .. } => "confidence",
        Promise::Knowledge { .. } => "partial-knowledge",
        Promise::LDiversity { .. } => "l-diversity",
        Promise::WellFormedLines
        | Promise::OrderOfValues
        | Promise::SetsOfTheDesign
        | Promise::PlacesForMembers
        | Promise::DifferentMembers => "promise",
        Promise::Values(rule) => match rule {
            Rule::Distinct { .. } => "distinct-l-diversity",
            Rule::Frequency { .. } => "frequency-l-diversity",
            Rule::Entropy { .. } => "entropy-l-diversity",
            Rule::Recursive { .. } => "recursive-l-diversity",
            Rule::Close { .. } => "t-closeness",
            Rule::Alike(_) => "beta-likeness",
        },
    }
}

/// A promise and what was found of it.
pub(super) fn sentences(page: &Page<'_>, seen: &Seen) -> Sentences {
    match seen {
        Seen::Judged(finding) => judged(page, finding),
        Seen::NotSeen { promise, column } => {
            let (promise, column) = (promise.clone(), column.clone());
            let nothing = Finding { promise, column, found: Figure::Nothing, holds: false };
            let found =
                "The file alone does not show it; only the publisher, who has the original, can check it.";
            Sentences { found: found.to_owned(), ..judged(page, &nothing) }
        }
    }
}

fn judged(page: &Page<'_>, finding: &Finding) -> Sentences {
    let (asked, found) = (in_words(&finding.promise.asked()), in_words(&finding.found));
    let unit = page.unit();
    let smallest = || format!("the smallest crowd in the published file has {found} {unit}.");
    let (promised, found) = match &finding.promise {
        Promise::KAnonymity { .. } if page.is_sequences() => (
            format!(
                "Nobody stands out by what is known of their events: whoever knows all of them, in order, finds at least {asked} people whose published \
                 events look the same."
            ),
            smallest(),
        ),
        Promise::KAnonymity { k } => (
            format!(
                "Nobody stands out by what others may know of them: everybody shares all published quasi-identifiers with at least {} other{}, so \
                 that every crowd has at least {asked} {unit}.",
                k.saturating_sub(1),
                if *k == 2 { "" } else { "s" }
            ),
            smallest(),
        ),
        Promise::PersonalK => (
            "Everybody is in a crowd that is at least as large as they asked for themselves.".to_owned(),
            format!("{found}."),
        ),
        Promise::Values(rule) => about_values(rule, finding),
        Promise::Complete { .. } => (
            format!(
                "Whoever knows any items of somebody's transaction, however many, finds at least {asked} {unit} that have them."
            ),
            smallest(),
        ),
        Promise::Constraints { .. } => (
            format!(
                "Each set of items that the publisher listed as something others may know is in at least {asked} {unit}, or in none."
            ),
            format!("the smallest crowd for a listed set has {found} {unit}."),
        ),
        Promise::Itemsets { m, share, .. } => {
            let among = share.map_or_else(String::new, |share| {
                format!(
                    " among those that others may know (a share of {share} of all items, drawn at random)"
                )
            });
            (
                format!(
                    "Whoever knows up to {m} items of somebody's transaction{among} finds at least {asked} {unit} that have them."
                ),
                smallest(),
            )
        }
        Promise::Confidence { about, c } => (
            format!(
                "In every crowd of people who look the same at most {} have one of the values of `{about}` that the publisher listed as sensitive.",
                percent(*c)
            ),
            format!("the largest share in any crowd is {}.", share(&finding.found)),
        ),
        Promise::Knowledge { bounds, .. } => {
            let is_gain = |bound: &Bound| matches!(bound, Bound::Gain(_));
            let gain = match bounds.iter().any(|of| is_gain(&of.bound)) {
                true => ", and no sensitive value becomes more than β times as likely as before",
                false => "",
            };
            let bound = match bounds.iter().all(|of| is_gain(&of.bound)) {
                true => "",
                false => ", and no sensitive value becomes more likely than C",
            };
            (
                format!(
                    "Whoever knows at most L events of somebody, in order, finds at least k people whom they fit{gain}{bound} ({asked})."
                ),
                format!("{found}."),
            )
        }
        Promise::MaxSuppressed { share } => (
            format!(
                "At most {} of the records of the source are left out or published as *.",
                percent(*share)
            ),
            format!("{found}."),
        ),
        promise @ (Promise::LDiversity { .. }
        | Promise::WellFormedLines
        | Promise::OrderOfValues
        | Promise::SetsOfTheDesign
        | Promise::PlacesForMembers
        | Promise::DifferentMembers) => (format!("{}: {asked}.", promise.name()), format!("{found}.")),
    };
    Sentences { promised, found: capital(&found) }
}

/// What classes may give away of a sensitive column, and what they do.
fn about_values(rule: &Rule, finding: &Finding) -> (String, String) {
    let column = finding.column.as_deref().unwrap_or_default();
    let (asked, found) = (in_words(&finding.promise.asked()), in_words(&finding.found));
    match rule {
        Rule::Distinct { .. } => (
            format!(
                "Every crowd has at least {asked} different values of `{column}`, so that knowing the crowd does not give the value away."
            ),
            format!("the crowd with the fewest has {found} different values."),
        ),
        Rule::Frequency { l } => (
            format!(
                "In every crowd no value of `{column}` has more than {} of it.",
                percent(1.0 / *l as f64)
            ),
            format!("the largest share of one value in any crowd is {}.", share(&finding.found)),
        ),
        Rule::Entropy { .. } => (
            format!(
                "In every crowd the values of `{column}` are as mixed as {asked} equally frequent values."
            ),
            format!("the least mixed crowd is as mixed as {found} equally frequent values."),
        ),
        Rule::Recursive { .. } => (
            format!(
                "In no crowd is the most frequent value of `{column}` much more frequent than the rarer ones together ({asked})."
            ),
            format!("the largest ratio in any crowd is {found}."),
        ),
        Rule::Close { .. } => (
            format!(
                "In every crowd the values of `{column}` are distributed as in the whole file, up to a distance of {asked} (0 is the same, 1 is as different \
                 as can be)."
            ),
            format!("the crowd that differs most is at a distance of {found}."),
        ),
        Rule::Alike(likeness) => (
            format!(
                "No value of `{column}` is much more frequent in a crowd than in the whole file: at most {} times as frequent (β = {asked}).",
                figure(1.0 + likeness.beta())
            ),
            format!("the value that comes nearest to this bound gains β = {found}."),
        ),
    }
}

fn share(found: &Figure) -> String {
    match found {
        Figure::Number(share) => percent(*share),
        Figure::Count(_) | Figure::Nothing | Figure::Words(_) => in_words(found),
    }
}
