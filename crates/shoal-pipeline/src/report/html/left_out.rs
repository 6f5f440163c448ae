//! Who is not in the file, and why.

use serde_json::Value;

use super::page::{Page, section, term};
use crate::leaks::LeakKind;
use crate::markup::{Html, grouped, html, percent, prose};

pub(super) fn left_out(page: &Page<'_>) -> Html {
    if page.house.is_none() {
        return unknown(page);
    }
    let (into, out, suppressed) =
        (page.count("records-in"), page.count("records-out"), page.count("records-suppressed"));
    let what = page.records();
    let missing = into.saturating_sub(out);
    let share = |part: u64| percent(part as f64 / into.max(1) as f64);
    let mut said = vec![match missing {
        0 => format!("All {} {what} of the source are in the published file.", grouped(into)),
        _ => format!(
            "{} of {} {what} ({}) are not in the published file.",
            grouped(missing),
            grouped(into),
            share(missing)
        ),
    }];
    // Starred records are in the file and say nothing.
    if suppressed > missing {
        let starred = suppressed - missing;
        said.push(format!(
            "{} ({}) are in it with * in place of their quasi-identifiers.",
            grouped(starred),
            share(starred)
        ));
    }
    let loss = |key: &str| page.report["loss"][key].as_u64().unwrap_or_default();
    if page.is_sequences() {
        said.push(format!(
            "{} of {} events are published; {} are left out, because publishing them would have made somebody stand out.",
            grouped(loss("events-out")),
            grouped(loss("events-in")),
            grouped(loss("events-suppressed"))
        ));
    }
    if page.is_transactions() && loss("items-suppressed") > 0 {
        said.push(format!(
            "{} items are not published, which occurred {} times.",
            grouped(loss("items-suppressed")),
            grouped(loss("occurrences-suppressed"))
        ));
    }
    let leak = page.leaks.iter().find(|leak| matches!(leak.kind, LeakKind::LeftOut { .. }));
    let why = leak.map_or_else(Html::default, |leak| html!("<p>{}.</p>", prose(&leak.text())));
    section(
        "left-out",
        "Who is left out, and why?",
        html!(
            "<p>{} ({})</p>{}{}",
            said.join(" "),
            term("suppressed", "What leaving out means"),
            why,
            notes(page)
        ),
    )
}

/// The file does not show who is missing in it.
fn unknown(page: &Page<'_>) -> Html {
    section(
        "left-out",
        "Who is left out?",
        html!(
            "<p>{} ({})</p>{}",
            format!(
                "How many {} of the source are not in the file cannot be seen in it. The publisher knows.",
                page.records()
            ),
            term("suppressed", "What leaving out means"),
            notes(page)
        ),
    )
}

fn notes(page: &Page<'_>) -> Html {
    let notes = page.report["notes"].as_array().map_or(&[][..], Vec::as_slice);
    let note = |note: &Value| html!("<li>{}</li>", prose(note.as_str().unwrap_or_default()));
    match notes.is_empty() {
        true => Html::default(),
        false => html!("<h3>Notes</h3><ul>{}</ul>", notes.iter().map(note).collect::<Html>()),
    }
}
