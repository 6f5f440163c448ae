//! What was lost: per column, and in counts that somebody takes from the file.

use super::page::{Page, section, table, term};
use super::svg::{Row, Series, chart};
use crate::markup::{Html, figure, grouped, html, percent, prose};

pub(super) fn loss(page: &Page<'_>) -> Html {
    let body: Html = [counts(page), columns(page), items(page), measures(page)].into_iter().collect();
    section("loss", "How good is the published file?", body)
}

/// How far counts are off, in a sentence; none where nothing was counted.
pub(super) fn counts_in_words(page: &Page<'_>) -> Option<String> {
    let (asked, are) = (page.loss("are-queries")?, page.loss("are")?);
    let what = match page.text("shape") {
        "transactions" => "who has two certain items",
        "sequences" => "who has two certain events, one after the other",
        _ => "who fits two conditions, such as an age between 30 and 40 and a certain sex",
    };
    Some(format!(
        "Counts that somebody takes from this file instead of the original are off by {} on average ({} questions were tried: {what}).",
        percent(are),
        grouped(asked as u64)
    ))
}

fn counts(page: &Page<'_>) -> Html {
    let Some(words) = counts_in_words(page) else { return Html::default() };
    let largest = match page.loss("are-largest") {
        Some(largest) => format!(" The worst of them was off by {}.", percent(largest)),
        None => String::new(),
    };
    // Only counts of items that are published together need one.
    let estimator = match page.report["loss"]["are-estimator"].as_str() {
        Some(estimator) => {
            html!("<p>How a count is estimated ({}): {}.</p>", term("are-estimator", "why so"), estimator)
        }
        None => Html::default(),
    };
    html!(
        "<h3>Counts</h3><p>{}{} A count of few people can be far off where single values are hardly changed; counts of many people are nearer to the truth. ({})</p>{}",
        words,
        largest,
        term("are", "How this is measured"),
        estimator
    )
}

fn columns(page: &Page<'_>) -> Html {
    let key = if page.is_sequences() { "lm-by-column" } else { "ncp-by-column" };
    let lost = page.by_column(key);
    if lost.is_empty() {
        return Html::default();
    }
    let coarser = page.by_column("minimal-distortion-by-column");
    let widths = page.by_column("mean-width-by-column");
    let find = |list: &[(&str, f64)], name: &str| {
        list.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
    };
    let all = page.count(if page.house.is_some() { "records-in" } else { "records-out" }).max(1) as f64;
    let mut rows = Vec::new();
    let mut words = Vec::new();
    for (name, share) in &lost {
        let kept = 1.0 - share;
        rows.push(Row::new(*name, Series::Release, kept, format!("{} kept", percent(kept))));
        let exact = find(&coarser, name).map(|cells| 1.0 - cells / all);
        let width = find(&widths, name).filter(|width| *width > 0.0);
        let said = match (share, exact, width) {
            (share, _, _) if *share <= 0.0 => "as it was for everybody".to_owned(),
            (_, Some(exact), Some(width)) => {
                format!(
                    "as it was for {} of the records; on average to ±{}",
                    percent(exact),
                    figure((width / 2.0 * 10.0).round() / 10.0)
                )
            }
            (_, Some(exact), None) if exact < 0.000_05 => "in groups for everybody".to_owned(),
            (_, Some(exact), None) => {
                format!("as it was for {} of the records, in groups for the others", percent(exact))
            }
            (share, None, _) => format!("{} of the detail is lost", percent(*share)),
        };
        words.push(vec![html!("<code>{}</code>", name), html!("{}", percent(*share)), html!("{}", said)]);
    }
    let measure = if page.is_sequences() {
        term("lm", "loss metric")
    } else {
        term("ncp", "normalized certainty penalty")
    };
    let seen = match page.house {
        Some(_) => "",
        None => {
            " Records that are left out are not counted, and the values of a column are those that its hierarchy or the file names."
        }
    };
    html!(
        "<h3>Detail that is left in each quasi-identifier</h3><p>A column that keeps 100 % says exactly what it said before; at 0 % nothing is left but <code>*</code>. Columns of the file that are not \
         listed are published as they were.{}</p>{}{}<p class=\"note\">Measured as {}.</p>",
        seen,
        chart("Detail kept in each column", &["Column", "Kept"], &rows),
        table("Loss of each column in words", &["Column", "Lost", "What is published"], &words),
        measure
    )
}

/// What became of the items of transactions.
fn items(page: &Page<'_>) -> Html {
    if !page.is_transactions() {
        return Html::default();
    }
    let sizes = page.by_column("generalized-items");
    let most = sizes.iter().map(|(_, number)| *number).fold(0.0, f64::max).max(1.0);
    let row = |(size, number): &(&str, f64)| {
        let label =
            if *size == "1" { "published as it was".to_owned() } else { format!("stands for {size} items") };
        Row::new(label, Series::Release, number / most, figure(*number))
    };
    let rows: Vec<Row> = sizes.iter().map(row).collect();
    let suppressed = match page.loss("items-suppressed") {
        None => "Which items are suppressed cannot be seen in the file.".to_owned(),
        Some(0.0) => "No item is suppressed.".to_owned(),
        Some(items) => format!(
            "{} items are suppressed, which occurred {} times.",
            figure(items),
            figure(page.loss("occurrences-suppressed").unwrap_or_default())
        ),
    };
    html!(
        "<h3>Items</h3><p>{} A published item such as <code>(a,b)</code> stands for several: whoever has it had one of them at least.</p>{}",
        suppressed,
        chart("How many items a published item stands for", &["Published item", "How many"], &rows)
    )
}

/// All single figures, for whoever knows them.
fn measures(page: &Page<'_>) -> Html {
    let Some(loss) = page.report["loss"].as_object() else { return Html::default() };
    let is_share = |name: &str| {
        ["ncp", "utility", "lm", "inf-loss", "iloss", "classification-metric"].contains(&name)
            || name.starts_with("are") && name != "are-queries"
    };
    let rows: Vec<Vec<Html>> = loss
        .iter()
        .filter_map(|(name, value)| {
            let number = value.as_f64()?;
            let shown = if is_share(name) { percent(number) } else { figure(number) };
            let known = crate::terms().find(|(term, _)| term == name);
            // The first sentence is enough here; the whole section stands below.
            let said = known.map_or_else(Html::default, |(_, text)| prose(first_sentence(text)));
            let name = if known.is_some() { term(name, name) } else { html!("{}", name) };
            Some(vec![name, html!("{}", shown), said])
        })
        .collect();
    html!(
        "<h3>All measures of loss</h3><details><summary>Show all measures, for whoever knows them</summary>{}</details>",
        table("Measures of loss", &["Measure", "Value", "What it says"], &rows)
    )
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}
