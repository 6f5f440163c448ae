//! What the published columns hold; in the house edition beside the original.

use super::distribution::{Distribution, Share};
use super::page::{Page, section};
use super::svg::{Row, Series, chart};
use crate::markup::{Html, figure, html, percent};

/// More columns than these make a page that nobody reads; the others are named.
const MOST_COLUMNS: usize = 40;

pub(super) fn distributions(page: &Page<'_>) -> Html {
    let columns = page.house.map_or(&page.facts.columns, |house| &house.facts.columns);
    let intro = match page.house {
        Some(_) => {
            "Each value of the original beside what the published file says, where what is published less exactly is spread evenly over the values that it could stand for."
        }
        None => {
            "Counted in the published file alone: a range is spread evenly over the numbers in it and a set over its members; a group with a name of its own stays under that name."
        }
    };
    let charts: Html = columns.iter().take(MOST_COLUMNS).map(|column| one(page, column)).collect();
    if charts.is_empty() {
        return charts;
    }
    let rest: Vec<&str> = columns.iter().skip(MOST_COLUMNS).map(|column| column.name.as_str()).collect();
    let rest = match rest.is_empty() {
        true => Html::default(),
        false => html!("<p class=\"note\">Not shown: {}.</p>", rest.join(", ")),
    };
    let heading = if page.house.is_some() {
        "What do the columns hold, before and after?"
    } else {
        "What do the published columns hold?"
    };
    section("distributions", heading, html!("<p>{}</p><div class=\"charts\">{}</div>{}", intro, charts, rest))
}

/// The chart of a column.
pub(super) fn one(page: &Page<'_>, column: &Distribution) -> Html {
    let most =
        column.bars.iter().map(|bar| bar.after.max(bar.before.unwrap_or_default())).fold(0.0, f64::max);
    let row = |bar: &Share| {
        let length = |count: f64| if most > 0.0 { count / most } else { 0.0 };
        let mut bars = Vec::new();
        if let (Some(before), Some(_)) = (bar.before, page.house) {
            bars.push((Series::Original, length(before), rounded(before)));
        }
        let after = match bars.is_empty() {
            true => format!("{} ({})", rounded(bar.after), percent(bar.after / column.total.max(1.0))),
            false => rounded(bar.after),
        };
        bars.push((Series::Release, length(bar.after), after));
        Row { label: bar.label.clone(), bars }
    };
    let rows: Vec<Row> = column.bars.iter().map(row).collect();
    let heads: &[&str] = match rows.first().is_some_and(|row| row.bars.len() > 1) {
        true => &["Value", "Original", "Published"],
        false => &["Value", "Published"],
    };
    chart(&column.name, heads, &rows)
}

/// Counts that were spread are not whole; nobody needs their fractions.
fn rounded(count: f64) -> String {
    figure(if count >= 10.0 { count.round() } else { (count * 10.0).round() / 10.0 })
}
