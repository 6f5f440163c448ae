//! What the promise does not cover.

use super::page::{Page, capital, section, term};
use super::promise::overall;
use crate::leaks::{LeakKind, said_once};
use crate::markup::{Html, html, prose};

pub(super) fn leaks(page: &Page<'_>) -> Html {
    let all = said_once(page.leaks);
    let body = match all.is_empty() {
        true => html!(
            "<p>Nothing was found that the promises above do not cover. That does not mean that nobody can learn anything: what is true of most people in the \
             file can be guessed of anybody.</p>"
        ),
        false => {
            let one = |(kind, text): &(&LeakKind, String)| {
                html!(
                    "<li><h3>{}</h3><p>{}. {}</p></li>\n",
                    kind.title(),
                    prose(&capital(text.trim_end_matches('.'))),
                    known_term(kind.name())
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
    match crate::terms().any(|(known, _)| known == kind) {
        true => term(kind, "What this means"),
        false => Html::default(),
    }
}
