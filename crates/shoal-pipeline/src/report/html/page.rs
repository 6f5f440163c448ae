//! What all sections read: the report as JSON, the published file, and in the house edition what stays in it.

use serde_json::Value;
use shoal_core::Promise;
use shoal_privacy::Seen;

use super::facts::PublishedFacts;
use super::house::House;
use crate::Leak;
use crate::markup::{Html, html};

/// A page to be written. Sections read the report by the names that `report.json` has, so that the edition that goes out cannot
/// show what that file does not hold.
pub(crate) struct Page<'a> {
    pub report: &'a Value,
    /// The report's promises and leaks, before they became words.
    pub promises: &'a [Seen],
    pub leaks: &'a [Leak],
    pub facts: &'a PublishedFacts,
    pub house: Option<&'a House<'a>>,
}

impl<'a> Page<'a> {
    pub(super) fn text(&self, key: &str) -> &'a str {
        self.report[key].as_str().unwrap_or_default()
    }

    pub(super) fn count(&self, key: &str) -> u64 {
        self.report[key].as_u64().unwrap_or_default()
    }

    /// A number of the loss; none where this run has none.
    pub(super) fn loss(&self, key: &str) -> Option<f64> {
        self.report["loss"][key].as_f64()
    }

    /// Numbers of the loss by column.
    pub(super) fn by_column(&self, key: &str) -> Vec<(&'a str, f64)> {
        let columns = self.report["loss"][key].as_object();
        columns
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.as_str(), value.as_f64()?)))
            .collect()
    }

    pub(super) fn is_transactions(&self) -> bool {
        self.text("shape") == "transactions"
    }

    pub(super) fn is_sequences(&self) -> bool {
        self.text("shape") == "sequences"
    }

    /// Whether promises and risks count people where there are several records of one.
    pub(super) fn counts_people(&self) -> bool {
        let risk = &self.report["risk"];
        self.is_sequences()
            || risk["unit"] == "people"
            || risk["people"].is_number()
            || risk["after"]["people"].is_number()
    }

    /// What a crowd consists of.
    pub(super) fn unit(&self) -> &'static str {
        match () {
            () if self.counts_people() => "people",
            () if self.is_transactions() => "transactions",
            () => "records",
        }
    }

    /// What the file consists of.
    pub(super) fn records(&self) -> &'static str {
        match () {
            () if self.is_sequences() => "people",
            () if self.is_transactions() => "transactions",
            () => "records",
        }
    }

    /// Where the promise is about whoever knows a few events and the risk about whoever knows all: that these are two things.
    pub(super) fn knows_more(&self) -> Option<&'static str> {
        let is_partial = |seen: &Seen| matches!(seen.promise(), Promise::Knowledge { .. });
        let partial = self.promises.iter().any(is_partial);
        partial.then_some(
            "The promise is about somebody who knows at most L events of a person. The figures here are about somebody who knows all of them, in order, against whom \
             nothing is promised.",
        )
    }

    /// How many items of a transaction somebody is taken to know, in words.
    pub(super) fn known_items(&self) -> String {
        let known = self.report["risk"]["known-items"].as_u64().unwrap_or_default();
        let items = if known == 1 { "one item".to_owned() } else { format!("up to {known} items") };
        let of_share = |seen: &Seen| matches!(seen.promise(), Promise::Itemsets { share: Some(_), .. });
        match self.promises.iter().any(of_share) {
            true => format!("{items}, of those that others may know,"),
            false => items,
        }
    }

    /// The k of the promise, where one is asked for as a number.
    pub(super) fn k(&self) -> Option<u64> {
        self.promises.iter().find_map(|seen| seen.promise().k()).map(u64::from)
    }
}

/// A section of the page with its heading; nothing where it has nothing to say.
pub(super) fn section(id: &str, heading: &str, body: Html) -> Html {
    if body.is_empty() {
        return body;
    }
    html!(
        "<section id=\"{}\" aria-labelledby=\"{}-h\"><h2 id=\"{}-h\">{}</h2>\n{}</section>\n",
        id,
        id,
        id,
        heading,
        body
    )
}

/// A table with a caption, its columns named at the top; the first cell of each row names it.
pub(super) fn table(caption: &str, columns: &[&str], rows: &[Vec<Html>]) -> Html {
    let head: Html = columns.iter().map(|column| html!("<th scope=\"col\">{}</th>", column)).collect();
    let cell = |(at, cell): (usize, &Html)| match at {
        0 => html!("<th scope=\"row\">{}</th>", cell),
        _ => html!("<td>{}</td>", cell),
    };
    let row = |row: &Vec<Html>| html!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<Html>());
    let body: Html = rows.iter().map(row).collect();
    html!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"sortable\"><caption>{}</caption><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
        format!("Table: {caption}"),
        caption,
        head,
        body
    )
}

/// A link to the definition of a term; the words alone where there is none.
pub(super) fn term(term: &str, words: &str) -> Html {
    match crate::terms().any(|(known, _)| known == term) {
        true => html!("<a class=\"term\" href=\"#term-{}\">{}</a>", term, words),
        false => html!("{}", words),
    }
}

/// The text with a capital at its beginning.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
