//! What an adversary achieved. `attacks` of the report are what adversaries measured; where none tried, the section tells what follows
//! from the sizes of the crowds.

use serde_json::Value;

use super::page::{Page, section, table, term};
use crate::markup::{Html, html, percent, prose};

pub(super) fn adversary(page: &Page<'_>) -> Html {
    let tried = &page.report["attacks"];
    let body = match tried["attacks"].as_array() {
        Some(attacks) if !attacks.is_empty() => html!(
            "{}{}{}{}",
            results(attacks),
            from_crowds(page),
            listed("What was noticed on the way", &tried["notes"]),
            listed("What was not tried", &tried["not-tried"])
        ),
        _ if page.house.is_none() => html!(
            "<p>These figures follow from the sizes of the crowds in the file. <code>shoal attack</code> plays the adversary with the original at hand.</p>{}",
            from_crowds(page)
        ),
        _ => html!(
            "<p>No attack was run on this file beside the verifier; these figures follow from the sizes of the crowds in it. <code>shoal attack</code> plays the adversary \
             with the original at hand.</p>{}",
            from_crowds(page)
        ),
    };
    section("adversary", "What does an adversary achieve?", body)
}

fn results(attacks: &[Value]) -> Html {
    let beaten = attacks.iter().filter(|attack| attack["beaten"] == Value::Bool(true)).count();
    let said = match beaten {
        0 => "An adversary tried what the promise is about; the original served to see who was found. None of these attacks got further than what was promised.".to_owned(),
        _ => format!("{beaten} of {} attacks got further than what was promised.", attacks.len()),
    };
    let share = |value: &Value| value.as_f64().map_or_else(|| "–".to_owned(), percent);
    let rows: Vec<Vec<Html>> = attacks
        .iter()
        .map(|attack| {
            let text = |key: &str| attack[key].as_str().unwrap_or_default();
            let how = match attack["how"]["kind"].as_str() {
                Some("exact") => "every case was looked at".to_owned(),
                Some(kind) => {
                    format!(
                        "{kind}, between {} and {}",
                        share(&attack["how"]["low"]),
                        share(&attack["how"]["high"])
                    )
                }
                None => "–".to_owned(),
            };
            let verdict =
                match (attack["promised"] == Value::Bool(true), attack["beaten"] == Value::Bool(true)) {
                    (_, true) => html!("<span class=\"verdict bad\">beats the bound</span>"),
                    (true, false) => html!("<span class=\"verdict good\">stays within the bound</span>"),
                    (false, false) => html!("nothing is promised"),
                };
            vec![
                match attack["column"].as_str() {
                    Some(column) => html!("{} (<code>{}</code>)", text("name"), column),
                    None => html!("{}", text("name")),
                },
                prose(text("question")),
                html!("{}", share(&attack["success"])),
                html!("{}", share(&attack["mean"])),
                html!("{}", share(&attack["bound"])),
                html!("{}", how),
                verdict,
            ]
        })
        .collect();
    let columns = [
        "Attack",
        "What is known and tried",
        "Success against the worst-off",
        "On average",
        "Bound",
        "How sure",
        "Verdict",
    ];
    html!("<p>{}</p>{}", said, table("Attacks and how far they got", &columns, &rows))
}

/// Sentences under a heading; nothing where there are none.
fn listed(title: &str, sentences: &Value) -> Html {
    let items: Html = sentences
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|sentence| html!("<li>{}</li>", prose(sentence)))
        .collect();
    match items.is_empty() {
        true => Html::default(),
        false => html!("<h3>{}</h3><ul>{}</ul>", title, items),
    }
}

/// What follows from the sizes of the crowds, in plain words.
fn from_crowds(page: &Page<'_>) -> Html {
    let unit = page.unit();
    let after = &page.report["risk"]["after"];
    if page.is_transactions() {
        let crowd = page.report["risk"]["smallest-crowd"]["after"].as_u64();
        let Some(crowd) = crowd else { return Html::default() };
        let items = page.known_items();
        return html!(
            "<ul><li>{}</li></ul>",
            format!(
                "Somebody who knows {items} of a transaction finds at least {crowd} {unit} that fit, and can only guess which one it is: 1 in {crowd}, or {}.",
                percent(1.0 / crowd.max(1) as f64)
            )
        );
    }
    let (Some(highest), Some(mean)) =
        (after["prosecutor"]["highest"].as_f64(), after["prosecutor"]["mean"].as_f64())
    else {
        return Html::default();
    };
    let marketer = after["marketer"].as_f64().unwrap_or(mean);
    let at_once = match page.counts_people() && !page.is_sequences() {
        true => format!("{} of the people", percent(marketer)),
        false => format!("{} of the {unit}", percent(marketer)),
    };
    let more = page.knows_more().map(|words| html!("<p>{}</p>", words));
    html!(
        "{}<ul><li>{}, at worst: {}. ({})</li><li>On average over all {}: {}.</li><li>{} finds {} at most. ({})</li></ul>",
        more,
        "Somebody who knows that a certain person is in the file, and all that the quasi-identifiers say of them, picks the right one of the crowd",
        one_in(highest),
        term("prosecutor", "prosecutor risk"),
        unit,
        one_in(mean),
        "Somebody who wants to recognise as many people as possible, no matter whom,",
        at_once,
        term("marketer", "marketer risk"),
    )
}

/// A chance as a person says it.
pub(super) fn one_in(chance: f64) -> String {
    match chance {
        chance if chance <= 0.0 => "never".to_owned(),
        chance if chance >= 1.0 => "always (100 %)".to_owned(),
        chance => {
            let one_in = 1.0 / chance;
            let exact = (one_in - one_in.round()).abs() < 1e-6;
            let digits = if exact || one_in >= 20.0 { 0 } else { 1 };
            format!("{}1 in {one_in:.digits$} ({})", if exact { "" } else { "about " }, percent(chance))
        }
    }
}
