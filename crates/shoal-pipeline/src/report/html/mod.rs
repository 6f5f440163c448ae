//! The report as a page that a person can read, print and sign: `report.html`, which may go out with the data, and `audit.html`, which
//! stays with the publisher.
//!
//! **Why `report.html` is safe to hand out.** Its [`Page`] has an [`Outgoing`](crate::Outgoing) edition and nothing else, which is
//! made from the published file and the public part of the policy. The house edition adds what `HouseFacts` and `House` hold.
//!
//! Charts are static SVG of our own (`svg.rs`). Plotting crates that draw in the browser embed a script: Plotly's (`plotly`) alone is
//! larger than the 3 MB that the whole page may have, ECharts' (`charming`) is more than 1 MB, and neither can be read by a screen reader or without
//! scripts; `plotters` draws SVG with fixed sizes and colours, which neither a narrow window nor a dark one can change.
//! Our charts are bars, some ten kilobytes, and follow the page's style.
//!
//! Every text from data, policy or report is escaped by its type (`markup.rs`), and the page's own policy allows no request and
//! no script but the one whose hash it names.

mod about;
mod adversary;
mod crowds;
mod definitions;
mod distribution;
mod distributions;
mod facts;
mod house;
mod leaks;
mod left_out;
mod loss;
mod page;
mod promise;
mod risk;
mod summary;
mod svg;
#[cfg(test)]
mod tests;

use crate::markup::{Html, html};
pub(crate) use facts::HouseFacts;
pub(crate) use facts::{Published, PublishedFacts};
pub(crate) use house::House;
pub(crate) use page::Page;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// The SHA-256 of the script, without which a browser does not run it. A test compares the two.
const SCRIPT_HASH: &str = "koUdgaEc7Y2UwGuJR/cjrvI0NF8+anwbr/e0g3+HoCg=";

/// The page as HTML: the edition that may go out with the data, or with what is for the house the one that stays with the publisher.
pub(crate) fn write(page: &Page<'_>) -> String {
    let title = match (page.house.is_some(), page.text("shape")) {
        (true, _) => "Release report, house edition",
        (false, _) => "Release report",
    };
    let edition = match page.house {
        None => html!(
            "<p class=\"edition\">This page may go out with the published file. All of it is computed from that file and from the public part of the policy: <code>shoal report FILE --policy POLICY</code> makes it again, byte for byte.</p>"
        ),
        Some(_) => html!(
            "<p class=\"edition house\"><strong>House edition: for the publisher only.</strong> This page shows original values. Hand out <code>report.html</code> instead.</p>"
        ),
    };
    let sections: Vec<(&str, &str, Html)> = [
        ("promise", "Promise", promise::promises(page)),
        ("leaks", "What can still be learnt", leaks::leaks(page)),
        ("adversary", "Adversary", adversary::adversary(page)),
        ("risk", "Risk", risk::risk(page)),
        ("loss", "Loss", loss::loss(page)),
        ("crowds", "Crowds", crowds::crowds(page)),
        ("distributions", "Columns", distributions::distributions(page)),
        ("left-out", "Who is left out", left_out::left_out(page)),
        ("rows", "Some rows", house::rows(page)),
        ("settings", "Policy and seed", house::settings(page)),
        ("definitions", "How to read the figures", definitions::definitions(page)),
        ("about", "Versions and hashes", about::about(page)),
    ]
    .into_iter()
    .filter(|(_, _, body)| !body.is_empty())
    .collect();
    let links: Html =
        sections.iter().map(|(id, name, _)| html!("<li><a href=\"#{}\">{}</a></li>", id, name)).collect();
    let bodies: Html = sections.into_iter().map(|(_, _, body)| body).collect();
    html!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"shoal {}\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header><h1>{}</h1><p class=\"what\">{}</p>{}</header>\n<nav aria-label=\"Contents\"><ul>{}</ul></nav>\n<main id=\"main\">\n{}\n{}</main>\n\
         <footer><p>Made by shoal {} from the published file. No part of this page is loaded from a network.</p></footer>\n<script>{}</script>\n</body>\n</html>\n",
        SCRIPT_HASH,
        env!("CARGO_PKG_VERSION"),
        title,
        Html::trusted(STYLE.to_owned()),
        title,
        what(page),
        edition,
        links,
        summary::summary(page),
        bodies,
        env!("CARGO_PKG_VERSION"),
        Html::trusted(SCRIPT.to_owned()),
    )
    .into_string()
}

/// What was published, in a line.
fn what(page: &Page<'_>) -> String {
    let what = match page.text("shape") {
        "transactions" => "transactions, each a set of items",
        "sequences" => "people, each a sequence of events",
        _ => "records of a table",
    };
    let out = crate::markup::grouped(page.count("records-out"));
    let out = match page.house {
        None => out,
        Some(_) => format!("{out} of {}", crate::markup::grouped(page.count("records-in"))),
    };
    format!("{out} {what}, anonymized by {}.", page.text("algorithm"))
}
