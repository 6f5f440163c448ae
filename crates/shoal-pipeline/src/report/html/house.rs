//! What only the publisher sees.

use super::facts::{HouseFacts, RowPair};
use super::page::{Page, section};
use crate::markup::{Html, html};

/// What the house edition shows beside the report.
pub(crate) struct House<'a> {
    pub(crate) facts: &'a HouseFacts,
    /// The published file, the source and `audit.json`, as a person would write them in a command.
    pub(crate) output: String,
    pub(crate) source: String,
    pub(crate) audit: String,
    pub(crate) seed: u64,
    /// The policy as TOML.
    pub(crate) policy: String,
    pub(crate) policy_hash: String,
    pub(crate) input_hash: String,
}

/// Twenty rows before and after.
pub(super) fn rows(page: &Page<'_>) -> Html {
    let Some(house) = page.house else { return Html::default() };
    let HouseFacts { names, rows, .. } = house.facts;
    if rows.is_empty() {
        return Html::default();
    }
    let cell = |(before, after): &(String, String)| match before == after {
        true => html!("<td>{}</td>", shown(after)),
        false => html!(
            "<td><span class=\"before\"><span class=\"said\">before: </span>{}</span><br><span class=\"said\">published: </span><b>{}</b></td>",
            shown(before),
            shown(after)
        ),
    };
    let row = |(at, pair): (usize, &RowPair)| {
        let name = pair.record.map_or_else(|| (at + 1).to_string(), |record| record.to_string());
        html!("<tr><th scope=\"row\">{}</th>{}</tr>\n", name, pair.cells.iter().map(cell).collect::<Html>())
    };
    let first = if rows[0].record.is_some() { "Record" } else { "Row" };
    let head: Html = std::iter::once(first)
        .chain(names.iter().map(String::as_str))
        .map(|name| html!("<th scope=\"col\">{}</th>", name))
        .collect();
    let body: Html = rows.iter().enumerate().map(row).collect();
    let said = "Rows from the whole published file at equal distances. What was changed is shown twice: as it was above, as it is published below. Identifiers are not shown.";
    section(
        "rows",
        "Some rows, before and after",
        html!(
            "<p>{}</p><div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table: rows before and after\"><table class=\"rows\"><caption>Rows before and after</caption><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>",
            said,
            head,
            body
        ),
    )
}

fn shown(text: &str) -> &str {
    if text.is_empty() { "(empty)" } else { text }
}

/// Policy, seed and hashes.
pub(super) fn settings(page: &Page<'_>) -> Html {
    let Some(house) = page.house else { return Html::default() };
    let facts = [
        ("Published file", house.output.as_str()),
        ("Source", house.source.as_str()),
        ("All of this for programs", house.audit.as_str()),
        ("Keyed hash of the input", house.input_hash.as_str()),
        ("Keyed hash of the policy", house.policy_hash.as_str()),
    ];
    let facts: Html = facts
        .iter()
        .map(|(name, fact)| {
            html!("<div><dt>{}</dt><dd><code class=\"hash\">{}</code></dd></div>\n", name, fact)
        })
        .collect();
    section(
        "settings",
        "Policy, seed and hashes",
        html!(
            "<dl class=\"facts\">{}<div><dt>Seed</dt><dd>{}</dd></div></dl><p class=\"note\">The hashes have a key that stands in <code>audit.json</code>: whoever has that file can recognise the same input, and a hash that is \
             copied elsewhere reveals nothing.</p><details><summary>Show the policy</summary><pre tabindex=\"0\"><code>{}</code></pre></details>",
            facts,
            house.seed.to_string(),
            house.policy
        ),
    )
}
