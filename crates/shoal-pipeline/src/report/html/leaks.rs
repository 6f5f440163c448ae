//! What the promise does not cover.

use serde_json::Value;

use super::page::{Page, anchor, section, term};
use super::promise::overall;
use crate::markup::{Html, grouped, html, prose};

pub(super) fn leaks(page: &Page<'_>) -> Html {
    let all = said_once(page.leaks());
    let body = match all.is_empty() {
        true => html!(
            "<p>Nothing was found that the promises above do not cover. That does not mean that nobody can learn anything: what is true of most people in the \
             file can be guessed of anybody.</p>"
        ),
        false => {
            let one = |(kind, text): &(String, String)| {
                html!(
                    "<li><h3>{}</h3><p>{}. {}</p></li>\n",
                    title(kind),
                    prose(&capital(text)),
                    known_term(kind)
                )
            };
            html!(
                "<p>{}. Whoever decides about the release should know it. (A class is a crowd: all who publish the same.)</p><ul class=\"leaks\">{}</ul>",
                match overall(page) {
                    (true, words) => format!("{words}, and this is nevertheless true of the published file"),
                    (false, _) => "This is true of the published file".to_owned(),
                },
                all.iter().map(one).collect::<Html>()
            )
        }
    };
    section("leaks", "What can still be learnt?", body)
}

/// A link to what this kind of leak means, where that is written down.
fn known_term(kind: &str) -> Html {
    match crate::terms().any(|(known, _)| known == anchor(kind)) {
        true => term(kind, "What this means"),
        false => Html::default(),
    }
}

/// Kinds and texts; what is true of several columns is said once.
fn said_once(leaks: &[Value]) -> Vec<(String, String)> {
    // Stands for the name of the column. A name that holds it is not published as it is anyhow.
    const COLUMN: &str = "\u{0}";
    let mut said: Vec<(String, String, Vec<String>)> = Vec::new();
    for leak in leaks {
        let kind = leak["kind"].as_str().unwrap_or_default().to_owned();
        let name = leak["column"].as_str().map(|column| format!("`{column}`"));
        let text = leak["text"].as_str().unwrap_or_default().replace(COLUMN, "\u{fffd}");
        let text = name.as_ref().map_or_else(|| text.clone(), |name| text.replace(name, COLUMN));
        match said.iter_mut().find(|(_, other, _)| *other == text && text.contains(COLUMN)) {
            Some((_, _, columns)) => columns.extend(name),
            None => said.push((kind, text, name.into_iter().collect())),
        }
    }
    said.into_iter().map(|(kind, text, columns)| (kind, text.replace(COLUMN, &columns.join(", ")))).collect()
}

/// A heading for a kind of leak.
pub(super) fn title(kind: &str) -> String {
    let known = match kind {
        "best-guess" => "How well a sensitive value can be guessed",
        "one-value-classes" => "Crowds in which everybody has the same value",
        "no-condition" => "A sensitive column that nothing limits",
        "not-transparent" => "Crowds were made by looking at sensitive values",
        "left-out" => "Who is not in the file",
        "repeated-identifier" => "One person may have several records",
        "unique-values" => "Values that only one record has",
        "unique-combinations" => "Combinations of values that only one record has",
        "unique-sequences" => "Sequences that only one person has",
        "unique-transactions" => "Transactions that only one person has",
        "rare-items" => "Items that few have",
        "rare-numbers" => "Numbers of events that few have",
        "free-text" => "Free text is published",
        "names-people" => "A published column may name people",
        "kept-order" => "The order of the source is kept",
        "file-order" => "The order of some events is that of the source",
        "earlier-release" | "earlier-releases" => "The same people were published before",
        "nobody-recognized" => "Nobody of an earlier release was found",
        "absent-people" => "People who are not in it any more",
        "unknown-cohorts" => "Who was in the earlier release is not known",
        "says-nothing" => "The file says nothing",
        "paper-support" => "Crowds are counted as in the paper",
        other => return capital(&other.replace('-', " ")),
    };
    known.to_owned()
}

/// What the count of a leak counts.
pub(super) fn counted(kind: Option<&str>, count: u64, records: &str) -> String {
    let count = grouped(count);
    match kind.unwrap_or_default() {
        "best-guess" => format!("more often right than wrong for {count} {records}"),
        "one-value-classes" | "left-out" | "unique-values" | "unique-combinations" | "names-people" => {
            format!("{count} {records}")
        }
        "free-text" => format!("{count} different texts"),
        "rare-items" => format!("{count} items"),
        "unique-transactions" => format!("{count} transactions"),
        "unique-sequences" | "rare-numbers" => format!("{count} people"),
        "nobody-recognized" => format!("{count} earlier releases"),
        _ => count,
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
