//! How to read each figure: the sections of `docs/terms.md` about what this page names.

use std::collections::BTreeSet;

use super::page::{Page, section};
use crate::markup::{Html, html, prose};

/// Words that every page uses.
const ALWAYS: [&str; 14] = [
    "are",
    "class",
    "crowd",
    "identifier",
    "journalist",
    "k",
    "marketer",
    "ncp",
    "prosecutor",
    "quasi-identifier",
    "risk",
    "sensitive",
    "suppressed",
    "utility",
];

pub(super) fn definitions(page: &Page<'_>) -> Html {
    let mut wanted: BTreeSet<String> = ALWAYS.iter().map(|term| (*term).to_owned()).collect();
    wanted.extend(page.promises.iter().map(|seen| seen.promise().term().to_owned()));
    wanted.extend(page.leaks.iter().map(|leak| leak.kind.name().to_owned()));
    wanted.extend(page.report["loss"].as_object().into_iter().flat_map(|loss| loss.keys().cloned()));
    let one = |(term, text): (&str, &str)| {
        html!("<div><dt id=\"term-{}\">{}</dt><dd>{}</dd></div>\n", term, term, prose(text))
    };
    let list: Html = crate::terms().filter(|(term, _)| wanted.contains(*term)).map(one).collect();
    section(
        "definitions",
        "How to read each figure",
        html!(
            "<p class=\"filter\" hidden><label for=\"filter\">Find a word</label> <input id=\"filter\" type=\"search\" autocomplete=\"off\"> <span id=\"found\" role=\"status\"></span></p><dl class=\"terms\">{}</dl>",
            list
        ),
    )
}
