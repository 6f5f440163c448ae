//! Charts as static SVG. Widths are percentages and heights pixels, without a `viewBox`: bars follow the width of the window and
//! letters keep their size, from 360 pixels to paper. Colours come from the page's style sheet, so that light, dark and print
//! need no second picture. Every chart is followed by its figures as a table, for whoever cannot see it.

use crate::markup::{Html, html, shortened};

/// Longer labels are cut; the whole text stands in the tooltip and in the table.
const LONGEST_LABEL: usize = 28;
/// Of a row: its label and one bar, in pixels. Each further bar adds one `BAR`.
const LABEL: usize = 20;
const BAR: usize = 10;
const GAP: usize = 8;

/// What a bar shows; a style of the page and a word of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Series {
    /// What is published.
    Release,
    /// What the data were before.
    Original,
    /// A limit to compare with.
    Limit,
}

impl Series {
    fn class(self) -> &'static str {
        match self {
            Series::Release => "release",
            Series::Original => "original",
            Series::Limit => "limit",
        }
    }
}

/// A row of a chart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// What it is about.
    pub label: String,
    /// Its bars: what each shows, its length from 0 to 1, and its figure in words.
    pub bars: Vec<(Series, f64, String)>,
}

impl Row {
    /// A row with one bar.
    pub(super) fn new(label: impl Into<String>, series: Series, length: f64, figure: String) -> Row {
        Row { label: label.into(), bars: vec![(series, length, figure)] }
    }
}

/// A chart of horizontal bars with its figures as a table. `columns` are the heads of that table: the label's, then one per bar.
pub(super) fn chart(title: &str, columns: &[&str], rows: &[Row]) -> Html {
    if rows.is_empty() {
        return Html::default();
    }
    let bars_of = |row: &Row| row.bars.len();
    let heights = rows.iter().map(|row| LABEL + BAR * bars_of(row) + GAP);
    let tops: Vec<usize> = heights
        .scan(0, |top, height| {
            *top += height;
            Some(*top - height)
        })
        .collect();
    let height = rows.iter().map(|row| LABEL + BAR * bars_of(row) + GAP).sum::<usize>();
    let drawn: Html = rows.iter().zip(tops).map(|(row, top)| drawn(row, top)).collect();
    let legend = match rows.iter().any(|row| row.bars.len() > 1) {
        true => html!(
            "<p class=\"legend\"><span class=\"key original\"></span> original, above <span class=\"key release\"></span> published, below</p>"
        ),
        false => Html::default(),
    };
    html!(
        "<figure class=\"chart\"><figcaption>{}</figcaption>{}<svg role=\"img\" aria-label=\"{}\" width=\"100%\" height=\"{}\">{}</svg>{}</figure>\n",
        title,
        legend,
        format!("Bar chart: {title}. The same figures stand in the table below it."),
        height,
        drawn,
        figures(title, columns, rows)
    )
}

fn drawn(row: &Row, top: usize) -> Html {
    let figures: Vec<&str> = row.bars.iter().map(|(_, _, figure)| figure.as_str()).collect();
    let bars = row.bars.iter().enumerate().map(|(at, (series, length, _))| {
        let y = top + LABEL + at * BAR;
        // What is more than nothing is seen.
        let least = if *length > 0.0 { 0.4 } else { 0.0 };
        let width = format!("{:.2}%", (length.clamp(0.0, 1.0) * 100.0).max(least));
        html!(
            "<rect class=\"track\" x=\"0\" y=\"{}\" width=\"100%\" height=\"{}\"/><rect class=\"{}\" x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            y, BAR - 2, series.class(), y, width, BAR - 2
        )
    });
    html!(
        "<g><title>{}: {}</title><text x=\"0\" y=\"{}\">{}</text><text class=\"figure\" x=\"100%\" y=\"{}\">{}</text>{}</g>",
        row.label,
        figures.join(" → "),
        top + LABEL - 6,
        shortened(&row.label, LONGEST_LABEL),
        top + LABEL - 6,
        figures.join(" → "),
        bars.collect::<Html>()
    )
}

fn figures(title: &str, columns: &[&str], rows: &[Row]) -> Html {
    let cells = |row: &Row| -> Html {
        row.bars.iter().map(|(_, _, figure)| html!("<td class=\"number\">{}</td>", figure)).collect()
    };
    let body: Html =
        rows.iter().map(|row| html!("<tr><th scope=\"row\">{}</th>{}</tr>", row.label, cells(row))).collect();
    let head: Html = columns.iter().map(|column| html!("<th scope=\"col\">{}</th>", column)).collect();
    html!(
        "<details><summary>Show the figures as a table</summary><div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"sortable\"><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div></details>",
        format!("Table: {title}"),
        title,
        head,
        body
    )
}
