//! Tables and figures as a person reads them.

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use indexmap::IndexMap;
use shoal_measure::LossReport;
use shoal_measure::sequences::SequencesLoss;
use shoal_measure::table::risk::Risks;
use shoal_measure::transactions::{SmallestCrowd, TransactionsLoss, TransactionsRisk};
use shoal_pipeline::{Leak, said_once};
use shoal_privacy::{Finding, Seen};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Lines the rows up below a header. The columns named in `right` hold figures.
pub(crate) fn table(header: &[&str], right: &[usize], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if let Some(width) = width() {
        table.set_width(width);
    }
    table.set_header(header.to_vec());
    for row in rows {
        table.add_row(row);
    }
    for &at in right {
        if let Some(column) = table.column_mut(at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    trimmed(&table.to_string())
}

/// Names and what they stand for, without a header.
pub(crate) fn facts(rows: &[(&str, String)]) -> String {
    let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let line = |(name, value): &(&str, String)| format!("{name:widest$}  {value}\n");
    rows.iter().map(line).collect()
}

/// A line of a picture in block characters.
pub(crate) struct Bar {
    /// What it is about.
    pub label: String,
    /// The figure that it shows.
    pub figure: String,
    /// Its length, from 0 to 1; none where there is nothing to draw.
    pub length: Option<f64>,
}

/// Lines up labels, figures and bars as wide as the terminal allows.
pub(crate) fn bars(lines: &[Bar]) -> String {
    drawn(lines, width().map_or(USUAL_WIDTH, usize::from))
}

/// The width that is taken where standard output is not a terminal.
const USUAL_WIDTH: usize = 80;
/// Longer bars show no more.
const LONGEST_BAR: usize = 40;

fn drawn(lines: &[Bar], width: usize) -> String {
    let widest =
        |text: fn(&Bar) -> &str| lines.iter().map(|bar| text(bar).chars().count()).max().unwrap_or(0);
    let figures = widest(|bar| &bar.figure);
    // Labels give way first, since they may be the names of any columns; a bar of fewer than eight characters shows nothing.
    let labels = widest(|bar| &bar.label).min(width.saturating_sub(figures + 13).max(12));
    let room = width.saturating_sub(labels + figures + 5).min(LONGEST_BAR);
    let line = |bar: &Bar| {
        let label = shortened(&bar.label, labels);
        let blocks = bar.length.map_or_else(String::new, |length| blocks(length, room));
        format!(" {label:labels$}  {:>figures$}  {blocks}\n", bar.figure)
    };
    trimmed(&lines.iter().map(line).collect::<String>())
}

/// A bar of at most `room` characters, drawn to an eighth of one. What is more than nothing is seen.
fn blocks(length: f64, room: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (length.clamp(0.0, 1.0) * (8 * room) as f64).round() as usize;
    let eighths = if length > 0.0 && room > 0 { eighths.max(1) } else { eighths };
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// What promises are called, for [`promises`].
pub(crate) fn names(found: &[Finding]) -> Vec<String> {
    found.iter().map(|finding| finding.promise.name()).collect()
}

/// One fact per promise: what was asked, what was found.
pub(crate) fn promises<'a>(found: &[Finding], names: &'a [String]) -> Vec<(&'a str, String)> {
    names.iter().map(String::as_str).zip(found.iter().map(fact)).collect()
}

fn fact(Finding { promise, column, found, holds }: &Finding) -> String {
    let column = column.as_ref().map_or_else(String::new, |column| format!(" in `{column}`"));
    let holds = verdict(*holds, "holds", "is broken");
    format!("{} asked, {found} found{column}: {holds}", promise.asked())
}

/// What promises are called, for [`seen`].
pub(crate) fn seen_names(promises: &[Seen]) -> Vec<String> {
    promises.iter().map(|seen| seen.promise().name()).collect()
}

/// One fact per promise, as far as a file shows it.
pub(crate) fn seen<'a>(promises: &[Seen], names: &'a [String]) -> Vec<(&'a str, String)> {
    let fact = |seen: &Seen| match seen {
        Seen::Judged(finding) => fact(finding),
        Seen::NotSeen { promise, .. } => {
            format!("{} asked: cannot be seen in the file alone", promise.asked())
        }
    };
    names.iter().map(String::as_str).zip(promises.iter().map(fact)).collect()
}

/// What the promise does not cover, to be read directly below it. What is true of several columns is said once.
pub(crate) fn leaks<'a>(leaks: &[Leak]) -> Vec<(&'a str, String)> {
    said_once(leaks).into_iter().map(|(_, text)| ("but", text)).collect()
}

/// How far counts in a published table are off, in a line.
pub(crate) fn table_counts(loss: &LossReport) -> Option<String> {
    let (mean, largest) = (loss.are?, loss.are_largest?);
    let (mean, largest) = (roughly(mean), roughly(largest));
    Some(format!(
        "of two conditions are off by {mean} on average, by {largest} at most ({} asked)",
        grouped(loss.are_queries)
    ))
}

/// How far counts of pairs are off, in a line.
pub(crate) fn of_pairs(are: f64, what: &str) -> String {
    format!("of {what} are off by {} on average", roughly(are))
}

/// Why one measure praises what another one blames.
pub(crate) fn two_measures(utility: f64, are: f64) -> Option<String> {
    // From these on somebody would ask which of the two to believe.
    (utility > 0.9 && are > 0.5).then(|| {
        format!(
            "utility {} and counts off by {} are both true: utility is about single values, most of which are frequent and published as they are; a \
             count of two is often about rare ones, which stand in groups where nobody knows which of them was meant",
            percent(utility),
            roughly(are)
        )
    })
}

/// How much is left of each column of sequences.
pub(crate) fn kept(lm_by_column: &IndexMap<String, f64>) -> String {
    let column = |(name, lm): (&String, &f64)| match *lm {
        lm if lm <= 0.0 => format!("`{name}` exact"),
        lm => format!("`{name}` {} kept", roughly(1.0 - lm)),
    };
    lm_by_column.iter().map(column).collect::<Vec<_>>().join(", ")
}

/// A share as a person says it: 4.1 %, 63 %.
fn roughly(share: f64) -> String {
    match share * 100.0 {
        percent if percent < 9.95 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}

/// What published transactions lost, in a line.
pub(crate) fn transaction_loss(loss: &TransactionsLoss) -> String {
    let ul = loss.ul_log2.map_or_else(String::new, |log2| format!(", UL 2^{log2:.1}"));
    format!("NCP {}{ul}", percent(loss.ncp))
}

/// The smallest crowds, before and after.
pub(crate) fn transaction_risk(risk: &TransactionsRisk) -> String {
    let crowd = |crowd: Option<u64>| crowd.map_or_else(|| "–".to_owned(), |n| grouped(n as usize));
    let SmallestCrowd { before, after } = risk.smallest_crowd;
    let of = if risk.people.is_some() { " people" } else { "" };
    format!("{} → {}{of} for whoever knows {} items", crowd(before), crowd(after), risk.known_items)
}

/// What published sequences lost, in a line.
pub(crate) fn sequence_loss(loss: &SequencesLoss) -> String {
    let (lm, inf_loss) = (percent(loss.lm), percent(loss.inf_loss));
    format!("LM {lm}, InfLoss {inf_loss}, IL {:.3} per person", loss.il)
}

/// The events of published sequences.
pub(crate) fn events(loss: &SequencesLoss) -> String {
    let number = |count: u64| grouped(count as usize);
    let (into, out) = (number(loss.events_in), number(loss.events_out));
    format!("{into} in, {out} out, {} suppressed", number(loss.events_suppressed))
}

/// How likely a person who is known to be in the data is recognized, before and after.
pub(crate) fn risk(before: &Risks, after: &Risks) -> String {
    let (before, after) = (&before.prosecutor, &after.prosecutor);
    let change =
        |name: &str, before: f64, after: f64| format!("{name} {} → {}", percent(before), percent(after));
    let highest = change("highest", before.highest, after.highest);
    format!("{highest}, {}", change("mean", before.mean, after.mean))
}

/// `good` in green or `bad` in red.
pub(crate) fn verdict(holds: bool, good: &str, bad: &str) -> String {
    let (style, word) = if holds { (GOOD, good) } else { (BAD, bad) };
    format!("{style}{word}{style:#}")
}

/// A share between 0 and 1 as a person reads it.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

/// `1 record`, `30,162 records`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// `30,162`.
pub(crate) fn grouped(number: usize) -> String {
    shoal_core::grouped(number as u64)
}

/// The columns of the terminal that standard output goes to, if it goes to one.
pub(crate) fn width() -> Option<u16> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0)
}

/// Without the blanks that a table leaves at the ends of lines.
fn trimmed(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_drawn_to_an_eighth() {
        let texts = [0.0, 1e-9, 0.5, 0.99, 1.0, 7.0].map(|length| blocks(length, 2));
        assert_eq!(texts, ["", "▏", "█", "██", "██", "██"]);
        assert_eq!(blocks(3.0 / 16.0, 2), "▍");
        assert_eq!(blocks(1.0, 0), "");
    }

    #[test]
    fn bars_fit_the_terminal() {
        let bar =
            |label: &str, figure: &str, length| Bar { label: label.into(), figure: figure.into(), length };
        let lines = [
            bar("age + zip", "50.0 %", Some(0.5)),
            bar("a column with a very long name + another", "100.0 %", Some(1.0)),
            bar("k = 20", "not possible", None),
        ];
        for width in [30, 40, 60, 80, 200] {
            let drawn = drawn(&lines, width);
            assert!(drawn.lines().all(|line| line.chars().count() <= width), "{width}:\n{drawn}");
            assert_eq!(drawn.lines().count(), 3);
        }
        assert_eq!(drawn(&lines[..1], 30), " age + zip  50.0 %  █████\n");
        assert_eq!(drawn(&lines[2..], 30), " k = 20  not possible\n");
    }

    #[test]
    fn tables_line_up() {
        let rows = [vec!["age".to_owned(), "7".to_owned()], vec!["sex".to_owned(), "1200".to_owned()]];
        assert_eq!(table(&["column", "n"], &[1], &rows), " column     n\n age        7\n sex     1200\n");
    }
}
