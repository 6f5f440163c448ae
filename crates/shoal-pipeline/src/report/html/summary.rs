//! The four answers at the top of the page.

use super::loss::counts_in_words;
use super::page::Page;
use super::promise::{overall, sentences};
use crate::Leak;
use crate::markup::{Html, html, percent, prose};

pub(super) fn summary(page: &Page<'_>) -> Html {
    let (holds, verdict) = overall(page);
    let promised: Html = page
        .promises
        .iter()
        .map(|promise| html!("<p>{}</p>", prose(&sentences(page, promise).promised)))
        .collect();
    let found: Html = page
        .promises
        .iter()
        .map(|promise| html!("<p>{}</p>", prose(&sentences(page, promise).found)))
        .collect();
    let class = if holds { "verdict good" } else { "verdict bad" };
    let about = |leak: &Leak| {
        let column = leak.column.as_ref().map(|column| html!(", in <code>{}</code>", column));
        let count = leak.kind.counted().map(|count| html!(" ({})", count));
        html!("<li>{}{}{}</li>", leak.kind.title(), column, count)
    };
    let leaks = match page.leaks.is_empty() {
        true => html!("<p>Nothing that the promise does not cover was found.</p>"),
        false => html!(
            "<p>{}</p><ul>{}</ul>",
            if holds { "What the promise does not cover:" } else { "Beside what is broken:" },
            page.leaks.iter().map(about).collect::<Html>()
        ),
    };
    let counts = counts_in_words(page).unwrap_or_else(|| {
        match page.house {
            Some(_) => "No counts were tried.",
            None => "How far counts from this file are off depends on the original; its publisher knows.",
        }
        .to_owned()
    });
    let kept = page.loss("utility").map_or_else(String::new, |utility| {
        format!(" Single values keep {} of their detail.", percent(utility))
    });
    let answer = |id: &str, question: &str, body: Html| {
        html!("<div class=\"answer\"><h2><a href=\"#{}\">{}</a></h2>{}</div>\n", id, question, body)
    };
    html!(
        "<div class=\"answers\">{}{}{}{}</div>",
        answer("promise", "What was promised?", promised),
        answer(
            "promise",
            "Does it hold?",
            html!("<p><span class=\"{}\">{}.</span></p>{}", class, verdict, found)
        ),
        answer("leaks", "What can still be learnt?", leaks),
        answer("loss", "How good are the counts?", html!("<p>{}{}</p>", counts, kept)),
    )
}
