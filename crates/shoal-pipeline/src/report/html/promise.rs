//! What was promised and what was found, a sentence each, in words for people who do not know the models.

use serde_json::Value;

use super::page::{Page, in_words, section, table, term};
use crate::markup::{Html, figure, html, percent, prose};

/// A promise in two sentences.
pub(super) struct Sentences {
    pub promised: String,
    pub found: String,
}

pub(super) fn promises(page: &Page<'_>) -> Html {
    let one = |promise: &Value| {
        let sentences = sentences(page, promise);
        html!(
            "<li><p><strong>Promised:</strong> {}</p><p><strong>Found:</strong> {} {}</p></li>\n",
            prose(&sentences.promised),
            prose(&sentences.found),
            verdict(promise)
        )
    };
    let listed: Html = page.promises().iter().map(one).collect();
    let rows: Vec<Vec<Html>> = page
        .promises()
        .iter()
        .map(|promise| {
            let name = promise["name"].as_str().unwrap_or_default();
            let column = promise["column"].as_str().unwrap_or("–");
            vec![
                term(name, name),
                html!("{}", column),
                html!("{}", in_words(&promise["asked"])),
                html!("{}", in_words(&promise["found"])),
                verdict(promise),
            ]
        })
        .collect();
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
    let all = page.promises();
    let broken = all.iter().filter(|promise| promise["holds"] != Value::Bool(true)).count();
    let words = match (all.len(), broken) {
        (0, _) => "Nothing was promised".to_owned(),
        (1, 0) => "The promise holds".to_owned(),
        (2, 0) => "Both promises hold".to_owned(),
        (number, 0) => format!("All {number} promises hold"),
        (1, _) => "The promise is broken".to_owned(),
        (number, broken) => format!("{broken} of {number} promises are broken"),
    };
    (broken == 0 && !all.is_empty(), words)
}

/// How it was found out.
pub(super) fn proof(page: &Page<'_>) -> String {
    let compared = match page.is_transactions() {
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

fn verdict(promise: &Value) -> Html {
    match promise["holds"] == Value::Bool(true) {
        true => html!("<span class=\"verdict good\">holds</span>"),
        false => html!("<span class=\"verdict bad\">is broken</span>"),
    }
}

/// A promise of any kind. One that is not known here is told with its own words.
pub(super) fn sentences(page: &Page<'_>, promise: &Value) -> Sentences {
    let name = promise["name"].as_str().unwrap_or_default();
    let column = promise["column"].as_str().unwrap_or_default();
    let (asked, found) = (in_words(&promise["asked"]), in_words(&promise["found"]));
    let unit = page.unit();
    let share = |value: &Value| value.as_f64().map_or_else(|| in_words(value), percent);
    let others = promise["asked"].as_u64().map_or_else(
        || "others".to_owned(),
        |k| {
            let others = k.saturating_sub(1);
            format!("{others} other{}", if others == 1 { "" } else { "s" })
        },
    );
    let smallest = format!("the smallest crowd in the published file has {found} {unit}.");
    let known = known_items(name);
    let (promised, found) = match name {
        "k-anonymity" if page.is_sequences() => (
            format!(
                "Nobody stands out by what is known of their events: whoever knows all of them, in order, finds at least {asked} people whose published \
                 events look the same."
            ),
            smallest,
        ),
        "k-anonymity" => (
            format!(
                "Nobody stands out by what others may know of them: everybody shares all published quasi-identifiers with at least {others}, so \
                 that every crowd has at least {asked} {unit}."
            ),
            smallest,
        ),
        "personal-k" => (
            "Everybody is in a crowd that is at least as large as they asked for themselves.".to_owned(),
            format!("{found}."),
        ),
        "distinct-l-diversity" => (
            format!(
                "Every crowd has at least {asked} different values of `{column}`, so that knowing the crowd does not give the value away."
            ),
            format!("the crowd with the fewest has {found} different values."),
        ),
        "frequency-l-diversity" => (
            format!(
                "In every crowd no value of `{column}` has more than {} of it.",
                share(&promise["asked"])
            ),
            format!("the largest share of one value in any crowd is {}.", share(&promise["found"])),
        ),
        "entropy-l-diversity" => (
            format!(
                "In every crowd the values of `{column}` are as mixed as {asked} equally frequent values."
            ),
            format!("the least mixed crowd is as mixed as {found} equally frequent values."),
        ),
        "recursive-l-diversity" => (
            format!(
                "In no crowd is the most frequent value of `{column}` much more frequent than the rarer ones together ({asked})."
            ),
            format!("the largest ratio in any crowd is {found}."),
        ),
        "t-closeness" => (
            format!(
                "In every crowd the values of `{column}` are distributed as in the whole file, up to a distance of {asked} (0 is the same, 1 is as different \
                 as can be)."
            ),
            format!("the crowd that differs most is at a distance of {found}."),
        ),
        "beta-likeness" => (
            format!(
                "No value of `{column}` is much more frequent in a crowd than in the whole file: at most {} times as frequent (β = {asked}).",
                promise["asked"].as_f64().map_or_else(|| asked.clone(), |beta| figure(1.0 + beta))
            ),
            format!("the value that comes nearest to this bound gains β = {found}."),
        ),
        "complete k-anonymity" => (
            format!(
                "Whoever knows any items of somebody's transaction, however many, finds at least {asked} {unit} that have them."
            ),
            smallest,
        ),
        "k-anonymity of constraints" => (
            format!(
                "Each set of items that the publisher listed as something others may know is in at least {asked} {unit}, or in none."
            ),
            format!("the smallest crowd for a listed set has {found} {unit}."),
        ),
        _ if known.is_some() => {
            let (items, of_share) = known.unwrap_or_default();
            let among = of_share.map_or_else(String::new, |share| {
                format!(
                    " among those that others may know (a share of {share} of all items, drawn at random)"
                )
            });
            (
                format!(
                    "Whoever knows up to {items} items of somebody's transaction{among} finds at least {asked} {unit} that have them."
                ),
                smallest,
            )
        }
        _ if name.starts_with("confidence(") => (
            format!(
                "In every crowd of people who look the same at most {} have one of the values of `{}` that the publisher listed as sensitive.",
                share(&promise["asked"]),
                name.trim_start_matches("confidence(").trim_end_matches(')')
            ),
            format!("the largest share in any crowd is {}.", share(&promise["found"])),
        ),
        _ if name.starts_with("(k") => {
            let gain = if name.contains('β') {
                ", and no sensitive value becomes more than β times as likely as before"
            } else {
                ""
            };
            let bound =
                if name.contains('C') { ", and no sensitive value becomes more likely than C" } else { "" };
            (
                format!(
                    "Whoever knows at most L events of somebody, in order, finds at least k people whom they fit{gain}{bound} ({asked})."
                ),
                format!("{found}."),
            )
        }
        _ => (format!("{name}: {asked}."), format!("{found}.")),
    };
    Sentences { promised, found: capital(&found) }
}

/// The m of k^m-anonymity, and the share of items that it is about.
fn known_items(name: &str) -> Option<(&str, Option<&str>)> {
    let rest = name.strip_prefix("k^")?;
    let (items, rest) = rest.split_once("-anonymity")?;
    Some((items, rest.strip_prefix(" of a share of ")))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
