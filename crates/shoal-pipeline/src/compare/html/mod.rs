//! `compare.html`: one file that needs no network, with the results as plots and as a table.

mod chart;
mod plots;
mod scale;
mod tables;

use crate::markup::{Html, html};

use super::Row;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What the page is about.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// The policy or the data, as the command line named it.
    pub subject: &'a str,
    /// The command line that made it, without the grid; with `--choose` it writes the policy of a cell.
    pub command: &'a str,
    /// The shape of the data.
    pub shape: &'a str,
    /// All cells, in the order of the table.
    pub rows: &'a [&'a Row],
    /// Where nobody has decided about the columns yet: their names and the roles that were proposed.
    pub proposed_roles: &'a [(String, String)],
}

/// The page as text.
pub fn page(page: &Page<'_>) -> String {
    let style = Html::trusted(format!("<style>\n{STYLE}</style>"));
    let script = Html::trusted(format!("<script>\n{SCRIPT}</script>"));
    html!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n{}\n</head>\n<body>\n<a class=\"skip\" href=\"#table\">To the table</a>\n{}<main>\n{}{}{}{}{}</main>\n<footer><p>{}</p></footer>\n{}\n</body>\n</html>\n",
        format!("Comparison: {}", page.subject),
        style,
        header(page),
        tables::best_cells(page),
        plots::plots(page),
        tables::all_cells(page),
        roles(page),
        how_to_read(page),
        format!("Made by shoal {}. Each figure was measured on a release that was verified and then thrown away.", env!("CARGO_PKG_VERSION")),
        script
    )
    .into_string()
}

fn header(page: &Page<'_>) -> Html {
    let count = page.rows.len();
    html!(
        "<header>\n<h1>What other settings would cost</h1>\n<p class=\"what\"><code>{}</code>, {}</p>\n<p class=\"house\"><strong>This page stays in the house.</strong> Its figures are exact and are about the original data; with several of them side by side somebody could learn about people. What may go out with a release is its <code>report.json</code>.</p>\n{}</header>\n",
        page.subject,
        if count == 1 { "one cell".to_owned() } else { format!("{count} cells") },
        warning(page)
    )
}

fn warning(page: &Page<'_>) -> Html {
    if page.proposed_roles.is_empty() {
        return Html::default();
    }
    html!(
        "<p class=\"house\"><strong>Roles are proposals.</strong> No policy was given, so the program has guessed what each column is from its name and its values (<a href=\"#roles\">the list</a>). Loss and risk mean nothing where a guess is wrong. Review the policy before anything is published.</p>\n"
    )
}

fn roles(page: &Page<'_>) -> Html {
    if page.proposed_roles.is_empty() {
        return Html::default();
    }
    let row = |(column, role): &(String, String)| {
        html!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", column, role)
    };
    html!(
        "<section id=\"roles\" aria-labelledby=\"roles-h\"><h2 id=\"roles-h\">Proposed roles</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table: proposed roles\"><table><caption>What each column was taken for</caption><thead><tr><th scope=\"col\">column</th><th scope=\"col\">proposed role</th></tr></thead><tbody>\n{}</tbody></table></div></section>\n",
        page.proposed_roles.iter().map(row).collect::<Html>()
    )
}

fn how_to_read(page: &Page<'_>) -> Html {
    let loss = match page.shape {
        "sequences" => "LM, the loss metric",
        _ => "NCP, the normalized certainty penalty",
    };
    html!(
        "<section id=\"reading\" aria-labelledby=\"reading-h\"><h2 id=\"reading-h\">How to read it</h2>\n<dl>\n<dt>loss</dt><dd>{}: the share of the information that is lost. 0 is the original, 1 is a file of nothing but stars.</dd>\n<dt>utility</dt><dd>What is left: 1 − loss.</dd>\n<dt>highest risk</dt><dd>The chance to pick the right one in the smallest crowd of the release: 1/10 where k = 10 and a crowd of ten exists.</dd>\n<dt>frontier</dt><dd>A cell with a ring: no other cell has at most its risk and at most its loss, and less of one of them. Every other cell is a worse choice than one with a ring, as far as these two figures go.</dd>\n<dt>error of counts</dt><dd><code>are</code>: how far counts of two conditions on the release are from the true ones, on average. 0.04 means off by 4 %.</dd>\n<dt>seconds</dt><dd>Of the whole trial: reading, anonymizing, writing, verifying, measuring, with as many threads as the column <code>threads</code> says.</dd>\n<dt>infeasible</dt><dd>The promise cannot be kept with these settings, or nothing would be left.</dd>\n</dl></section>\n",
        loss
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Cell, Outcome};

    fn row(algorithm: &str, k: &str, outcome: Outcome, figures: &[(&str, f64)]) -> Row {
        let settings = vec![("privacy.k".to_owned(), k.to_owned())];
        Row {
            cell: Cell { algorithm: algorithm.to_owned(), settings },
            outcome,
            figures: figures.iter().map(|(name, figure)| ((*name).to_owned(), *figure)).collect(),
        }
    }

    fn page_of(rows: &[Row], roles: &[(String, String)]) -> String {
        let rows: Vec<&Row> = rows.iter().collect();
        let (subject, command) = ("a <b>.toml", "shoal compare 'a <b>.toml' --set x.y=1");
        page(&Page { subject, command, shape: "table", rows: &rows, proposed_roles: roles })
    }

    /// Whether a figure was divided by nothing. The script may speak of such figures.
    fn holds_no_number(page: &str) -> bool {
        let drawn = page.split("<script>").next().unwrap_or_default();
        drawn.contains("NaN") || drawn.contains("\"inf")
    }

    #[test]
    fn the_page_needs_no_network_and_shows_every_cell() {
        let figures = [("ncp", 0.25), ("risk-highest", 0.5), ("are", 0.1), ("seconds", 1.5)];
        let rows = [
            row("sbc", "2", Outcome::Holds, &figures),
            row("sbc", "5", Outcome::Holds, &[("ncp", 0.5), ("risk-highest", 0.2)]),
            row("ribbon", "5", Outcome::Holds, &[("ncp", 0.4), ("risk-highest", 0.2)]),
            row("ribbon", "90", Outcome::Infeasible("too <few> people".to_owned()), &[]),
        ];
        let page = page_of(&rows, &[]);
        for outside in ["http:", "https:", "src=", "url(", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
        for said in [
            "Loss against k",
            "Utility against risk",
            "Error of counts against k",
            "Time against k",
            "infeasible: too &lt;few&gt; people",
            "One cell is not in the plots",
            "shoal compare &#39;a &lt;b&gt;.toml&#39; --set x.y=1 --choose ribbon,k=5",
            "On the frontier are sbc,k=2; ribbon,k=5.",
            "no cell is feasible",
        ] {
            assert!(page.contains(said), "{said}");
        }
        assert!(!page.contains("<b>") && !page.contains("<few>"));
        assert!(!page.contains("Roles are proposals") && !holds_no_number(&page));
        let proposed = page_of(&rows, &[("age".to_owned(), "quasi-identifier".to_owned())]);
        assert!(proposed.contains("Roles are proposals") && proposed.contains("quasi-identifier"));
    }

    #[test]
    fn one_cell_or_none_is_a_page_too() {
        let alone = row("sbc", "2", Outcome::Holds, &[("ncp", 0.0), ("risk-highest", 0.0), ("seconds", 0.0)]);
        let page = page_of(&[alone], &[]);
        assert!(page.contains("one cell") && !holds_no_number(&page), "{page}");
        let none = page_of(&[row("sbc", "2", Outcome::Failed("no".to_owned()), &[])], &[]);
        assert!(none.contains("No cell is feasible") && none.contains("failed: no"));
    }
}
