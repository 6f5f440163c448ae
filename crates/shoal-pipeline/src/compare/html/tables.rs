//! The best cells, and all of them.

use indexmap::IndexSet;

use super::super::{Outcome, Row, best, figure_names, frontier, short_key};
use super::Page;
use crate::markup::{Html, figure, grouped, html, percent};
use crate::propose::shell_word;

/// The cell that loses least, for each k.
pub(super) fn best_cells(page: &Page<'_>) -> Html {
    let row = |best: &super::super::Best<'_>| {
        let k = best.k.clone().unwrap_or_else(|| "as in the policy".to_owned());
        match best.row {
            Some(row) => html!(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td><code>{}</code></td></tr>\n",
                k,
                row.cell.algorithm,
                row.loss().map(percent),
                row.figure("are").map(percent),
                command(page, row)
            ),
            None => html!(
                "<tr><th scope=\"row\">{}</th><td colspan=\"4\"><span class=\"bad\">no cell is feasible</span></td></tr>\n",
                k
            ),
        }
    };
    html!(
        "<section id=\"best\" aria-labelledby=\"best-h\"><h2 id=\"best-h\">Least loss</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table: least loss for each k\"><table><caption>The cell with the least loss for each k, and the command that writes its policy</caption><thead><tr><th scope=\"col\">k</th><th scope=\"col\">algorithm</th><th scope=\"col\">loss</th><th scope=\"col\">error of counts</th><th scope=\"col\">choose this</th></tr></thead><tbody>\n{}</tbody></table></div></section>\n",
        best(page.rows).iter().map(row).collect::<Html>()
    )
}

/// Every cell with all its figures.
pub(super) fn all_cells(page: &Page<'_>) -> Html {
    let keys: IndexSet<&str> =
        page.rows.iter().flat_map(|row| row.cell.settings.iter().map(|(key, _)| key.as_str())).collect();
    let has = |name: &&&str| page.rows.iter().any(|row| row.figure(name).is_some());
    let figures: Vec<&str> = figure_names(page.shape).iter().filter(has).copied().collect();
    let unbeaten = unbeaten(page.rows);
    let head = |name: &str| html!("<th scope=\"col\">{}</th>", name);
    let heads: Html = std::iter::once(head("algorithm"))
        .chain(keys.iter().map(|key| head(short_key(key))))
        .chain(["outcome", "frontier"].map(head))
        .chain(figures.iter().map(|name| head(name)))
        .chain(std::iter::once(head("choose this")))
        .collect();
    let body: Html = page
        .rows
        .iter()
        .zip(unbeaten)
        .map(|(row, unbeaten)| {
            let settings: Html = keys.iter().map(|key| html!("<td>{}</td>", row.cell.value(key))).collect();
            let numbers: Html = figures.iter().map(|name| number(name, row.figure(name))).collect();
            html!(
                "<tr><th scope=\"row\">{}</th>{}{}<td>{}</td>{}<td>{}</td></tr>\n",
                row.cell.algorithm,
                settings,
                outcome(&row.outcome),
                if unbeaten { "yes" } else { "" },
                numbers,
                choose(page, row)
            )
        })
        .collect();
    html!(
        "<section id=\"table\" aria-labelledby=\"table-h\"><h2 id=\"table-h\">All cells</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table: all cells\"><table class=\"sortable\"><caption>One row per cell; <code>results.csv</code> and <code>results.parquet</code> hold the same</caption><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div></section>\n",
        heads,
        body
    )
}

/// Which cells are on the frontier; those without figures are not.
fn unbeaten(rows: &[&Row]) -> Vec<bool> {
    let pair = |row: &Row| Some((row.figure("risk-highest")?, row.loss()?));
    let point = |row: &&Row| if row.outcome == Outcome::Holds { pair(row) } else { None };
    let points: Vec<Option<(f64, f64)>> = rows.iter().map(point).collect();
    let known: Vec<(f64, f64)> = points.iter().flatten().copied().collect();
    let mut on = frontier(&known).into_iter();
    points.iter().map(|point| point.is_some() && on.next().unwrap_or(false)).collect()
}

fn outcome(outcome: &Outcome) -> Html {
    match outcome {
        Outcome::Holds => html!("<td><span class=\"good\">holds</span></td>"),
        other => html!("<td class=\"why\"><span class=\"bad\">{}</span></td>", other.text()),
    }
}

/// A figure in words, with the exact one beside it for sorting.
fn number(name: &str, number: Option<f64>) -> Html {
    let Some(exact) = number else { return html!("<td class=\"number\"></td>") };
    let words = match name {
        "ncp" | "lm" | "utility" | "are" | "inf-loss" | "risk-highest" | "risk-mean" => percent(exact),
        "peak-memory-bytes" => format!("{} MiB", grouped((exact / f64::from(1 << 20)).round() as u64)),
        _ => figure(exact),
    };
    html!("<td class=\"number\" data-value=\"{}\">{}</td>", exact.to_string(), words)
}

fn choose(page: &Page<'_>, row: &Row) -> Html {
    match row.outcome {
        Outcome::Holds => {
            html!("<details><summary>command</summary><code>{}</code></details>", command(page, row))
        }
        _ => Html::default(),
    }
}

fn command(page: &Page<'_>, row: &Row) -> String {
    format!("{} --choose {}", page.command, shell_word(&row.cell.choice()))
}
