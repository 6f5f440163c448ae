//! What was promised and what was found, a sentence each, in words for people who do not know the models.

use shoal_privacy::Seen;

use super::page::{Page, capital, section, table, term};
use crate::markup::{Html, html, prose};

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
        let found = if seen.holds().is_some() { seen.found().in_words() } else { "–".to_owned() };
        vec![
            term(seen.promise().term(), &seen.promise().name()),
            html!("{}", seen.column().unwrap_or("–")),
            html!("{}", seen.promise().asked().in_words()),
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

/// A promise and what was found of it.
pub(super) fn sentences(page: &Page<'_>, seen: &Seen) -> Sentences {
    let words = seen.promise().in_words(seen.column(), seen.found(), page.unit(), page.is_sequences());
    let found = match seen.holds() {
        Some(_) => capital(&words.1),
        None => "The file alone does not show it; only the publisher, who has the original, can check it."
            .to_owned(),
    };
    Sentences { promised: words.0, found }
}
