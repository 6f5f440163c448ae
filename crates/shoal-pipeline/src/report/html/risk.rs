//! Risk before and after, against the thresholds that people use.

use super::adversary::one_in;
use super::page::{Page, section, table, term};
use super::svg::{Row, Series, chart};
use crate::markup::{Html, figure, grouped, html, percent};

/// A limit on the risk of the worst-off person, as the least crowd that keeps it.
struct Threshold {
    crowd: u64,
    name: String,
    source: String,
}

impl Threshold {
    fn row(&self) -> Row {
        let share = 1.0 / self.crowd as f64;
        Row::new(format!("limit: {}", self.name), Series::Limit, share, percent(share))
    }
}

pub(super) fn risk(page: &Page<'_>) -> Html {
    let body = if page.is_transactions() { of_items(page) } else { of_classes(page) };
    section("risk", "How high is the risk of being recognised?", body)
}

fn thresholds(page: &Page<'_>) -> Vec<Threshold> {
    let usual = [
        Threshold {
            crowd: 5,
            name: "0.2 = 1/5".to_owned(),
            source: "crowds of 5: often used where data go to known recipients under a contract".to_owned(),
        },
        Threshold {
            crowd: 11,
            name: "0.09 = 1/11".to_owned(),
            source: "crowds of 11: European Medicines Agency (policy 0070) and Health Canada for clinical data that are published; CMS shows no cell of fewer than \
                     11. 1/11 is 0.0909; whoever takes 0.09 to the letter needs crowds of 12"
                .to_owned(),
        },
    ];
    let asked = page.k().map(|k| Threshold {
        crowd: k,
        name: format!("1/{k} = {}", figure(1.0 / k as f64)),
        source: match usual.iter().find(|threshold| threshold.crowd == k) {
            Some(same) => format!("what was asked for in this release, and {}", same.source),
            None => "what was asked for in this release".to_owned(),
        },
    });
    // A limit that is also the one asked for is one limit.
    let usual = usual.into_iter().filter(|threshold| Some(threshold.crowd) != page.k());
    asked.into_iter().chain(usual).collect()
}

fn of_classes(page: &Page<'_>) -> Html {
    let risk = &page.report["risk"];
    let figure_of = |when: &str, what: &str| risk[when]["prosecutor"][what].as_f64();
    let (Some(highest), Some(mean)) = (figure_of("after", "highest"), figure_of("after", "mean")) else {
        return unseen();
    };
    let unit = page.unit();
    // 1 / a whole number, so that rounding gives it back.
    let smallest = if highest > 0.0 { (1.0 / highest).round() as u64 } else { 0 };
    let mut rows = Vec::new();
    for (when, series) in [("before", Series::Original), ("after", Series::Release)] {
        for (what, words) in [("highest", "worst-off person"), ("mean", "average")] {
            if let Some(share) = figure_of(when, what) {
                rows.push(Row::new(
                    format!("{when}: {words}"),
                    series,
                    share,
                    format!("{} ({})", figure(share), percent(share)),
                ));
            }
        }
    }
    let thresholds = thresholds(page);
    rows.extend(thresholds.iter().map(Threshold::row));
    let arithmetic = format!(
        "The smallest crowd has {smallest} {unit}, so the best guess at which one is a certain person's is 1 in {smallest} = {}.",
        figure(highest)
    );
    let before = match (
        figure_of("before", "highest"),
        risk["before"]["prosecutor"]["unique-records"].as_u64(),
    ) {
        (Some(before), Some(unique)) if unique > 0 => format!(
            " If the original quasi-identifiers were published, it would be {}: about {} {unit} are alone with theirs.",
            figure(before),
            grouped(unique)
        ),
        (Some(before), _) => {
            format!(" If the original quasi-identifiers were published, it would be {}.", figure(before))
        }
        _ => String::new(),
    };
    html!(
        "{}<p>{}{} Averaged over all {}, the risk is {} after anonymization.</p>\n{}{}<p class=\"note\">These are {} risks: of somebody who knows that the person is in the file. {}</p>",
        page.knows_more().map(|words| html!("<p>{}</p>", words)),
        arithmetic,
        before,
        unit,
        percent(mean),
        chart(title(page), &["Risk", "Chance"], &rows),
        // The file shows rows; where people are counted, who has several is known to the publisher only.
        compared(page, &thresholds, smallest, page.is_sequences() || !page.counts_people()),
        term("prosecutor", "prosecutor"),
        journalist(page)
    )
}

/// The risk to a person of whom the adversary does not know that they are in the file: the population is what the report took for it.
fn journalist(page: &Page<'_>) -> Html {
    let journalist = &page.report["risk"]["after"]["journalist"];
    let term = term("journalist", "journalist");
    match (journalist["population"].as_str(), journalist["highest"].as_f64()) {
        (Some("counts"), Some(highest)) => html!(
            "The {} risk, of somebody who knows only that the person is in the population that the publisher has counted, is {} at worst.",
            term,
            one_in(highest)
        ),
        (Some("sampling-fraction"), Some(highest)) => html!(
            "The {} risk, of somebody who knows only that the person is in the population of which {} are in the data, is about {} at worst.",
            term,
            percent(journalist["sampling-fraction"].as_f64().unwrap_or_default()),
            one_in(highest)
        ),
        _ => html!(
            "Where the file is a sample of a larger population that the adversary knows, the {} risk is lower; that population is not known here, so the two are taken to be the same.",
            term
        ),
    }
}

fn title(page: &Page<'_>) -> &'static str {
    match page.house {
        Some(_) => "Risk before and after, and limits that people use",
        None => "Risk, and limits that people use",
    }
}

/// Each threshold with the smallest crowd, and how many are below it where that is countable: where the crowds that the file shows
/// are those that are asked for.
fn compared(page: &Page<'_>, thresholds: &[Threshold], smallest: u64, countable: bool) -> Html {
    let below = |crowd: u64| {
        let small = page.facts.crowds.iter().filter(|(size, _)| u64::from(**size) < crowd);
        let people = small.map(|(size, number)| u64::from(*size) * number).sum();
        format!(" {} {} are in crowds of fewer than {crowd}", grouped(people), page.unit())
    };
    let row = |Threshold { crowd, name, source }: &Threshold| {
        let verdict = match smallest >= *crowd {
            true => html!("<span class=\"verdict good\">met</span>"),
            false => html!(
                "<span class=\"verdict bad\">not met</span>{}",
                if countable { below(*crowd) } else { String::new() }
            ),
        };
        let [crowd, smallest] = [*crowd, smallest].map(|number| html!("{}", number.to_string()));
        vec![html!("{}", name), crowd, html!("{}", source), smallest, verdict]
    };
    table(
        "Limits that people use",
        &["Limit", "Least crowd", "Who uses it", "Smallest crowd here", "Verdict"],
        &thresholds.iter().map(row).collect::<Vec<_>>(),
    )
}

/// Whose its records are, a file does not say.
fn unseen() -> Html {
    html!(
        "<p>The promise counts people, and the file does not say whose its records are. The publisher knows the risk.</p>"
    )
}

fn of_items(page: &Page<'_>) -> Html {
    let risk = &page.report["risk"];
    if risk["unit"] == "people" {
        return unseen();
    }
    let crowds = &risk["smallest-crowd"];
    let unit = page.unit();
    let items = page.known_items();
    let Some(after) = crowds["after"].as_u64() else {
        return html!(
            "<p>No published item can be known to anybody, so nobody can be recognised by one.</p>"
        );
    };
    let one_in = |crowd: u64| figure(1.0 / crowd.max(1) as f64);
    let mut rows = Vec::new();
    let mut before_words = String::new();
    if let Some(before) = crowds["before"].as_u64() {
        rows.push(Row::new(
            "before: worst-off person",
            Series::Original,
            1.0 / before.max(1) as f64,
            one_in(before),
        ));
        before_words =
            format!(" Before, the smallest crowd had {before}, or 1 in {before} = {}.", one_in(before));
    }
    rows.push(Row::new("after: worst-off person", Series::Release, 1.0 / after.max(1) as f64, one_in(after)));
    let thresholds = thresholds(page);
    rows.extend(thresholds.iter().map(Threshold::row));
    html!(
        "<p>{}</p>\n{}{}",
        format!(
            "Whoever knows {items} of a transaction finds a crowd of at least {after} {unit}, so the best guess at which one is a certain person's is 1 in {after} = {}.{before_words}",
            one_in(after)
        ),
        chart(title(page), &["Risk", "Chance"], &rows),
        // The crowds of the file are those of single items.
        compared(page, &thresholds, after, false)
    )
}
