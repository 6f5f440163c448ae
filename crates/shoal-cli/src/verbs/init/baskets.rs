//! `shoal init --shape transactions`: a first policy for a basket file, or a table of items.

use std::path::Path;

use serde::Serialize;
use shoal_core::{RawTable, Transactions};
use shoal_io::{BasketOptions, CsvOptions, OfferedBaskets, TableOfItems};
use shoal_pipeline::propose::{BasketProposal, ItemLayout};

use super::ask::Dialogue;
use super::found::Found;
use super::{Answer, SAMPLE, relative};
use crate::args::InitArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{count, grouped};
use crate::progress;

/// The machine form of a proposal.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct BasketDocument<'a> {
    policy: Option<String>,
    source: &'a str,
    separator: Option<char>,
    transactions: usize,
    items: usize,
    k: usize,
    text: String,
}

/// Looks at the data and writes a commented policy.
pub(super) fn init(args: &InitArgs, file: Option<&Path>, console: &Console) -> Result<Answer, Failure> {
    let Proposed { proposal, found, text } = proposed(args, file)?;
    let document = |text: String| BasketDocument {
        policy: file.map(|path| path.display().to_string()),
        source: &proposal.location,
        separator: proposal.separator,
        transactions: proposal.transactions,
        items: proposal.items,
        k: proposal.k,
        text,
    };
    match file {
        Some(path) => {
            shoal_io::write_atomically(path, text.as_bytes())?;
            console.summary(&document(text), || prose(&proposal, path, &found))?;
        }
        None if console.is_json() => console.answer(&document(text), String::new)?,
        None => console.product(&text)?,
    }
    Ok(Answer::Holds)
}

/// The text of the policy that `init` would write to `file`.
pub(super) fn proposed_policy(args: &InitArgs, file: &Path) -> Result<String, Failure> {
    proposed(args, Some(file)).map(|of| of.text)
}

/// A proposal, what was found out about the file, and the policy's text.
struct Proposed {
    proposal: BasketProposal,
    found: Found,
    text: String,
}

fn proposed(args: &InitArgs, file: Option<&Path>) -> Result<Proposed, Failure> {
    if args.data == "-" {
        return Err(Failure::NotTwice);
    }
    let found = Found::of(args)?;
    let Offered { layout, separator, transactions } = match &args.separator {
        Some(given) => lines(&found, BasketOptions::with_separator(given)?)?,
        None => offered(args, &found)?,
    };
    let folder = file.and_then(Path::parent).unwrap_or(Path::new(""));
    let location = relative::seen_from(folder, &args.data)?;
    let proposal = BasketProposal::of(&transactions, location, layout, Some(separator));
    let proposal = match args.ask {
        true => Dialogue::begin()?.about_baskets(proposal, &transactions)?,
        false => proposal,
    };
    let text = found.insert_into(&proposal.to_toml());
    Ok(Proposed { proposal, found, text })
}

/// What a file is that is offered as transactions.
struct Offered {
    layout: ItemLayout,
    separator: char,
    transactions: Transactions,
}

fn lines(found: &Found, options: BasketOptions) -> Result<Offered, Failure> {
    let read = shoal_io::read_baskets(&found.source, &options, &progress::unseen()?)?;
    let separator = options.separator;
    Ok(Offered { layout: ItemLayout::Lines, separator, transactions: read.transactions })
}

/// Lines of items, or a table, which must not be read as lines: every number of a transaction would be an item.
fn offered(args: &InitArgs, found: &Found) -> Result<Offered, Failure> {
    let head = shoal_io::sniff_head(&args.data)?;
    let looks = head.map_or(OfferedBaskets::Baskets(' '), |head| shoal_io::offered_baskets(&head));
    let (columns, separator, kind) = match looks {
        OfferedBaskets::Baskets(separator) => {
            return lines(found, BasketOptions { separator, ..BasketOptions::default() });
        }
        OfferedBaskets::Table { columns, separator, kind } => (columns, separator, kind),
    };
    let sample = sample(found, &columns, separator)?;
    // Where the file has no header, the names are those that the policy will give.
    let is_nameless = columns.first().is_some_and(|name| name == "column1");
    let names = if is_nameless { columns.clone() } else { Vec::new() };
    let keys = ItemLayout::id_and_item(&sample);
    let layout = match (kind, &keys) {
        (TableOfItems::OneHot, _) => Some(ItemLayout::columns(&sample, names)),
        (_, Some([id, item])) => Some(ItemLayout::Rows { id: id.clone(), item: item.clone(), names }),
        (_, None) => None,
    };
    match layout.and_then(|layout| Some((layout.transactions(&sample)?, layout))) {
        Some((transactions, layout)) => Ok(Offered { layout, separator, transactions }),
        None => Err(Failure::NotBaskets { data: args.data.clone(), columns, separator, kind, keys }),
    }
}

/// The first rows of a table with these columns.
fn sample(found: &Found, columns: &[String], separator: char) -> Result<RawTable, Failure> {
    let mut source = found.source.clone();
    source.csv = CsvOptions::with_separator(&separator.to_string())?;
    if columns.first().is_some_and(|name| name == "column1") {
        source.csv = source.csv.without_header(columns.to_vec());
    }
    Ok(shoal_io::sample(&source, SAMPLE, &progress::unseen()?)?)
}

fn prose(proposal: &BasketProposal, policy: &Path, found: &Found) -> String {
    let policy = policy.display();
    let notes: String = found.notes.iter().map(|note| format!("note: {note}\n\n")).collect();
    let question = proposal.question().map_or_else(String::new, |q| format!("question: {q}\n\n"));
    let separator = match proposal.separator.unwrap_or(' ') {
        ' ' => "Blanks are".to_owned(),
        other => format!("`{}` is", other.escape_debug()),
    };
    let layout = match &proposal.layout {
        ItemLayout::Lines => {
            format!("{separator} taken for what stands between items; --separator says otherwise.")
        }
        ItemLayout::Rows { .. } => "It is a table with a row per item.".to_owned(),
        ItemLayout::Columns { .. } => "It is a table with a column per item.".to_owned(),
        ItemLayout::Lists { .. } => "It is a table with a column of lists.".to_owned(),
    };
    format!(
        "{notes}{policy} was written from a look at {} with {}.\n\
         {layout}\n\
         {}.\n\n{question}\
         What somebody may know is for you to say. Next:\n  \
         1. review {policy}, [privacy] first\n  \
         2. shoal check {policy}\n  \
         3. shoal run {policy}\n",
        count(proposal.transactions, "transaction", "transactions"),
        count(proposal.items, "item", "items"),
        match proposal.rare {
            0 => format!("Every item is in at least {} transactions", proposal.k),
            rare => format!(
                "{} of the items are in fewer than {} transactions: each of them names people",
                grouped(rare),
                proposal.k
            ),
        },
    )
}
