use serde::Serialize;
use shoal_pipeline::files::{WhatIf, WhatIfOutcome};
use shoal_pipeline::sequences::{PersonExplanation, SequencesExplanation};
use shoal_pipeline::table::{ClassExplanation, TableExplanation};
use shoal_pipeline::transactions::{ItemExplanation, TransactionsExplanation};
use shoal_pipeline::{Explained, Explanation};

use super::{Answer, Opened};
use crate::args::ExplainArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{count, facts, grouped, percent, table};

/// Why is this file as coarse as it is?
pub(crate) fn explain(args: &ExplainArgs, console: &Console) -> Result<Answer, Failure> {
    let found = super::policy_of(args.policy.as_deref(), &args.published)?;
    let opened = Opened::open(&found, &args.overrides.set)?;
    let progress = opened.progress(console)?;
    let asked = asked(args);
    let explained = shoal_pipeline::files::explain(
        &opened.job,
        args.original.as_deref(),
        &args.published,
        &asked,
        progress.as_ref(),
    );
    let explained = explained.map_err(|e| opened.blame(e))?;
    let what_if = match args.what_if {
        true => {
            shoal_pipeline::files::what_if(&opened.job, progress.as_ref()).map_err(|e| opened.blame(e))?
        }
        false => Vec::new(),
    };
    drop(progress);
    let document = ExplanationDocument { explained: &explained, what_if: &what_if };
    console.answer(&document, || prose(&explained) + &what_if_prose(&what_if, args.what_if))?;
    Ok(Answer::Holds)
}

fn asked(args: &ExplainArgs) -> Explained {
    let ExplainArgs { row, class, column, item, person, .. } = args;
    match (row, class, column, item, person) {
        (Some(row), ..) => Explained::Row(*row),
        (_, Some(class), ..) => Explained::Class(*class),
        (_, _, Some(column), ..) => Explained::Column(column.clone()),
        (_, _, _, Some(item), _) => Explained::Item(item.clone()),
        (.., Some(person)) => Explained::Person(person.clone()),
        _ => Explained::All,
    }
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ExplanationDocument<'a> {
    #[serde(flatten)]
    explained: &'a Explanation,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    what_if: &'a [WhatIf],
}

fn prose(explained: &Explanation) -> String {
    match explained {
        Explanation::Table(explained) => table_prose(explained),
        Explanation::Transactions(explained) => transactions_prose(explained),
        Explanation::Sequences(explained) => sequences_prose(explained),
    }
}

fn table_prose(explained: &TableExplanation) -> String {
    let mut text = facts(&[
        ("records", grouped(explained.records)),
        ("classes", grouped(explained.classes)),
        ("loss", format!("NCP {}", percent(explained.ncp))),
    ]);
    let rows: Vec<Vec<String>> = explained
        .columns
        .iter()
        .map(|column| {
            let exact = column.exact as f64 / explained.records.max(1) as f64;
            vec![
                column.name.clone(),
                percent(column.part),
                percent(column.ncp),
                percent(exact),
                grouped(column.distinct),
            ]
        })
        .collect();
    text.push_str("\nWhat drives the loss:\n");
    text.push_str(&table(&["column", "of the loss", "NCP", "exact in", "values"], &[1, 2, 3, 4], &rows));
    explained.shown.iter().for_each(|class| text.push_str(&class_prose(class)));
    text
}

fn class_prose(class: &ClassExplanation) -> String {
    let rows: Vec<String> = class.rows.iter().map(u64::to_string).collect();
    let more = if class.rows.len() < class.size { ", …" } else { "" };
    let mut text = format!(
        "\nClass {}: {} (rows {}{more}), NCP {}, {} of the loss\n",
        grouped(class.class),
        count(class.size, "record", "records"),
        rows.join(", "),
        percent(class.ncp),
        percent(class.part)
    );
    let cells: Vec<Vec<String>> = class
        .cells
        .iter()
        .map(|cell| {
            let driver = cell.driver.as_ref().map_or_else(String::new, |driver| {
                format!(
                    "without record {}: NCP {}",
                    grouped(driver.record as usize),
                    percent(driver.ncp_without)
                )
            });
            vec![cell.column.clone(), cell.text.clone(), percent(cell.ncp), grouped(cell.distinct), driver]
        })
        .collect();
    text.push_str(&table(&["column", "published", "NCP", "values", "because"], &[2, 3], &cells));
    for sensitive in &class.sensitive {
        text.push_str(&format!(
            " `{}`: {}, the most frequent one has {} of the class ({} of all)\n",
            sensitive.column,
            count(sensitive.distinct, "value", "different values"),
            percent(sensitive.largest_share),
            percent(sensitive.share_of_all)
        ));
    }
    text
}

fn transactions_prose(explained: &TransactionsExplanation) -> String {
    let mut text = facts(&[
        ("transactions", grouped(explained.transactions)),
        ("items", format!("{} published", grouped(explained.items))),
    ]);
    explained.shown.iter().for_each(|item| text.push_str(&item_prose(item)));
    if !explained.suppressed.is_empty() {
        let items = explained.suppressed.iter().map(|m| vec![m.item.clone(), grouped(m.support as usize)]);
        text.push_str("\nNot published, the most frequent ones:\n");
        text.push_str(&table(&["item", "transactions"], &[1], &items.collect::<Vec<_>>()));
    }
    text
}

fn item_prose(item: &ItemExplanation) -> String {
    let mut text = format!(
        "\nOne of {}: in {}, {} of the loss; {} of them were too rare to be published alone\n",
        count(item.size, "item", "items"),
        count(item.support as usize, "transaction", "transactions"),
        percent(item.part),
        grouped(item.rarer_than_k)
    );
    let members = item.members.iter().map(|m| vec![m.item.clone(), grouped(m.support as usize)]);
    text.push_str(&table(
        &["original item, the rarest first", "transactions"],
        &[1],
        &members.collect::<Vec<_>>(),
    ));
    let more = item.size.saturating_sub(item.members.len());
    if more > 0 {
        text.push_str(&format!(" … and {}\n", count(more, "more item", "more items")));
    }
    text
}

fn sequences_prose(explained: &SequencesExplanation) -> String {
    let mut text = facts(&[
        ("people", grouped(explained.people)),
        (
            "events",
            format!(
                "{} published, {} suppressed",
                grouped(explained.events),
                grouped(explained.events_suppressed as usize)
            ),
        ),
    ]);
    let rows = explained.columns.iter().map(|c| vec![c.name.clone(), percent(c.part), percent(c.lm)]);
    text.push_str("\nWhat drives the loss:\n");
    text.push_str(&table(&["column", "of the loss", "LM"], &[1, 2], &rows.collect::<Vec<_>>()));
    explained.shown.iter().for_each(|person| text.push_str(&person_prose(person)));
    text
}

fn person_prose(person: &PersonExplanation) -> String {
    let events: Vec<String> = person.events.iter().map(|event| event.join(", ")).collect();
    format!(
        "\nPerson {}: the same sequence is published for {}\n  {}\n",
        person.person,
        count(person.alike, "person", "people"),
        events.join("\n  ")
    )
}

fn what_if_prose(tried: &[WhatIf], asked: bool) -> String {
    if !asked {
        return "\n--what-if tries out what other settings would change: k, each column coarser or left out, the costliest records left out.\n"
            .to_owned();
    }
    let row = |tried: &WhatIf| {
        let set: Vec<String> = tried.set.iter().map(|set| format!("--set {set}")).collect();
        let how = match (set.is_empty(), tried.change.starts_with("without")) {
            (false, _) => set.join(" "),
            (true, true) => "role = \"identifier\", no hierarchy".to_owned(),
            (true, false) => "coarser values in the data, no leaves in the hierarchy".to_owned(),
        };
        match &tried.outcome {
            WhatIfOutcome::Release { loss, instead_of, highest_risk, left_out } => vec![
                tried.change.clone(),
                percent(*loss),
                percent(*instead_of),
                highest_risk.map_or_else(|| "–".to_owned(), percent),
                grouped(*left_out),
                how,
            ],
            WhatIfOutcome::Refused { why } => {
                vec![
                    tried.change.clone(),
                    "–".into(),
                    "–".into(),
                    "–".into(),
                    "–".into(),
                    format!("not possible: {why}"),
                ]
            }
        }
    };
    let rows: Vec<Vec<String>> = tried.iter().map(row).collect();
    let head = ["change", "loss", "instead of", "highest risk", "left out", "how"];
    format!(
        "\nWhat would change (tried out; the loss is that of the same columns, without one that is coarser or left out):\n{}",
        table(&head, &[1, 2, 3, 4], &rows)
    )
}
