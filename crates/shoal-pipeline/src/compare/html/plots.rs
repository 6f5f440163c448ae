//! The plots: loss, error of counts and time against k, and risk against utility.

use indexmap::{IndexMap, IndexSet};

use super::super::{Outcome, Row, frontier, short_key};
use super::Page;
use super::chart::{AxisLabels, Series, chart};
use super::scale::Scale;
use crate::markup::{Html, figure, html, percent};

pub(super) fn plots(page: &Page<'_>) -> Html {
    let rows: Vec<&Row> = page.rows.iter().copied().filter(|row| row.outcome == Outcome::Holds).collect();
    if rows.is_empty() {
        return html!(
            "<section><p>No cell is feasible, so there is nothing to plot. The table says why.</p></section>\n"
        );
    }
    let left_out = match page.rows.len() - rows.len() {
        0 => Html::default(),
        1 => html!(
            "<p class=\"note\">One cell is not in the plots because it is not feasible or failed: see the table.</p>\n"
        ),
        some => html!(
            "<p class=\"note\">{} cells are not in the plots because they are not feasible or failed: see the table.</p>\n",
            some
        ),
    };
    let key = across(&rows);
    let loss: &dyn Fn(&Row) -> Option<f64> = &Row::loss;
    let are: &dyn Fn(&Row) -> Option<f64> = &|row| row.figure("are");
    let seconds: &dyn Fn(&Row) -> Option<f64> = &|row| row.figure("seconds");
    let all: Html = [
        against(&rows, key.as_deref(), "Loss", "lost", loss, Scale::from_zero, percent),
        risk_and_utility(&rows),
        against(&rows, key.as_deref(), "Error of counts", "off on average", are, Scale::from_zero, percent),
        against(&rows, key.as_deref(), "Time", "seconds", seconds, Scale::of_times, seconds_in_words),
    ]
    .into_iter()
    .collect();
    html!(
        "<section id=\"plots\" aria-labelledby=\"plots-h\"><h2 id=\"plots-h\">Plots</h2>\n<p class=\"note\">Every figure stands in the table below.</p>\n{}<div class=\"charts\">\n{}</div></section>\n",
        left_out,
        all
    )
}

/// The key along the lower axis: k where it is varied, else the first one that is.
fn across(rows: &[&Row]) -> Option<String> {
    let keys: IndexSet<&str> =
        rows.iter().flat_map(|row| row.cell.settings.iter().map(|(key, _)| key.as_str())).collect();
    keys.iter().find(|key| **key == "privacy.k").or_else(|| keys.first()).map(|key| (*key).to_owned())
}

/// A figure against a varied key, a line for each algorithm and each combination of the other keys.
fn against(
    rows: &[&Row],
    key: Option<&str>,
    title: &str,
    unit: &str,
    of: &dyn Fn(&Row) -> Option<f64>,
    scale: impl Fn(&[f64]) -> Scale,
    words: fn(f64) -> String,
) -> Html {
    let figures: Vec<f64> = rows.iter().filter_map(|row| of(row)).collect();
    if figures.is_empty() {
        return Html::default();
    }
    let value_of = |row: &Row| key.and_then(|key| row.cell.value(key)).unwrap_or("policy").to_owned();
    let values = in_order(rows.iter().map(|row| value_of(row)).collect());
    let (across, up) = (Scale::of_values(&values), scale(&figures));
    let mut lines: IndexMap<String, Vec<(f64, f64, String, bool)>> = IndexMap::new();
    for row in rows {
        let (Some(figure), Some(place)) = (of(row), across.place_of(&value_of(row))) else { continue };
        let said = format!("{}: {}", row.cell.choice(), words(figure));
        lines.entry(label(row, key)).or_default().push((place, up.place(figure), said, false));
    }
    let series: Vec<Series> = lines
        .into_iter()
        .map(|(label, mut points)| {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Series { label, points, joined: true }
        })
        .collect();
    let name = key.map_or("policy", short_key);
    let title = format!("{title} against {name}");
    chart(
        &title,
        &format!("Line chart: {title}, a line per algorithm. The same figures stand in the table below."),
        &AxisLabels::of_values(&across, name, &values),
        &AxisLabels::of(&up, unit, words),
        &series,
    )
}

/// Risk to the right, utility upwards, and rings around the cells that no other one beats.
fn risk_and_utility(rows: &[&Row]) -> Html {
    let both: Vec<(&Row, f64, f64)> =
        rows.iter().filter_map(|row| Some((*row, row.figure("risk-highest")?, row.loss()?))).collect();
    if both.is_empty() {
        return Html::default();
    }
    let points: Vec<(f64, f64)> = both.iter().map(|(_, risk, loss)| (*risk, *loss)).collect();
    let unbeaten = frontier(&points);
    let risks: Vec<f64> = points.iter().map(|point| point.0).collect();
    let (across, up) = (Scale::from_zero(&risks), utility_scale(&points));
    let mut groups: IndexMap<String, Vec<(f64, f64, String, bool)>> = IndexMap::new();
    for ((row, risk, loss), unbeaten) in both.iter().zip(&unbeaten) {
        let said = format!(
            "{}: risk {}, utility {}{}",
            row.cell.choice(),
            percent(*risk),
            percent(1.0 - loss),
            if *unbeaten { ", on the frontier" } else { "" }
        );
        let place = (across.place(*risk), up.place(1.0 - loss), said, *unbeaten);
        groups.entry(row.cell.algorithm.clone()).or_default().push(place);
    }
    let series: Vec<Series> =
        groups.into_iter().map(|(label, points)| Series { label, points, joined: false }).collect();
    let unbeaten_cells: Vec<String> = both
        .iter()
        .zip(&unbeaten)
        .filter(|(_, unbeaten)| **unbeaten)
        .map(|((row, ..), _)| row.cell.choice())
        .collect();
    chart(
        "Utility against risk; a ring marks the frontier",
        &format!(
            "Scatter chart: utility against the highest risk, a point per cell. On the frontier are {}. The same figures stand in the table below.",
            unbeaten_cells.join("; ")
        ),
        &AxisLabels::of(&across, "highest risk", percent),
        &AxisLabels::of(&up, "utility", percent),
        &series,
    )
}

/// From the least utility, rounded down to a tenth, to everything: differences among good cells are small.
fn utility_scale(points: &[(f64, f64)]) -> Scale {
    let least = points.iter().map(|point| 1.0 - point.1).fold(1.0, f64::min);
    Scale::Linear(((least * 10.0).floor() / 10.0).clamp(0.0, 0.9), 1.0)
}

fn label(row: &Row, key: Option<&str>) -> String {
    let others = row.cell.settings.iter().filter(|(name, _)| Some(name.as_str()) != key);
    let others = others.map(|(name, value)| format!(", {}={value}", short_key(name)));
    std::iter::once(row.cell.algorithm.clone()).chain(others).collect()
}

/// Without zeros at the end: 0.1 and not 0.100.
fn seconds_in_words(seconds: f64) -> String {
    let words = figure(seconds);
    match words.contains('.') {
        true => words.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => words,
    }
}

/// Each value once: numbers by size, other values as they come.
fn in_order(values: Vec<String>) -> Vec<String> {
    let different: IndexSet<String> = values.into_iter().collect();
    let mut values: Vec<String> = different.into_iter().collect();
    if values.iter().all(|value| value.parse::<f64>().is_ok()) {
        let number = |value: &String| value.parse::<f64>().unwrap_or_default();
        values.sort_by(|a, b| number(a).total_cmp(&number(b)));
    }
    values
}
