//! `shoal init --shape transactions`: a first policy for a basket file.

use std::path::Path;

use serde::Serialize;
use shoal_core::{Kind, Role};
use shoal_io::{BasketOptions, CsvOptions, OfferedBaskets, Source};
use shoal_pipeline::propose::{self, BasketProposal, ColumnProposal};

use super::found::Found;
use super::{Answer, relative};
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
    separator: char,
    transactions: usize,
    items: usize,
    k: usize,
    text: String,
}

/// Looks at the data and writes a commented policy.
pub(super) fn init(args: &InitArgs, file: Option<&Path>, console: &Console) -> Result<Answer, Failure> {
    if args.data == "-" {
        return Err(Failure::NotTwice);
    }
    let options = match &args.separator {
        Some(given) => BasketOptions::with_separator(given)?,
        None => BasketOptions { separator: separator(args)?, ..BasketOptions::default() },
    };
    let found = Found::of(args)?;
    let read = shoal_io::read_baskets(&found.source, &options, &progress::unseen()?)?;
    let folder = file.and_then(Path::parent).unwrap_or(Path::new(""));
    let location = relative::seen_from(folder, &args.data)?;
    let proposal = BasketProposal::of(&read.transactions, location, options.separator);
    let text = found.insert_into(&proposal.to_toml());
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

/// What stands between items, unless the file is a table, which must not be read as baskets: every number of a transaction would be
/// an item.
fn separator(args: &InitArgs) -> Result<char, Failure> {
    let Some(head) = shoal_io::sniff_head(&args.data)? else { return Ok(' ') };
    match shoal_io::offered_baskets(&head) {
        OfferedBaskets::Baskets(separator) => Ok(separator),
        OfferedBaskets::Table { columns, separator, kind } => {
            let keys = id_and_item(args, &columns, separator)?;
            Err(Failure::NotBaskets { data: args.data.clone(), columns, separator, kind, keys })
        }
    }
}

/// Which columns of a table with a header say whose an item is, and what it is, as far as that can be told.
fn id_and_item(args: &InitArgs, columns: &[String], separator: char) -> Result<Option<[String; 2]>, Failure> {
    const ENOUGH: usize = 10_000;
    if let [id, item] = columns {
        return Ok(Some([id.clone(), item.clone()]));
    }
    let mut source = Source::new(&args.data);
    source.csv = CsvOptions::with_separator(&separator.to_string())?;
    let sample = shoal_io::sample(&source, ENOUGH, &progress::unseen()?)?;
    let proposal = propose::propose_sequences(
        &sample,
        propose::Source {
            location: args.data.clone(),
            separator: Some(separator),
            header: true,
            rows: None,
            policy: String::new(),
        },
    );
    let is_item = |column: &&ColumnProposal| column.role == Role::Sensitive && column.kind == Kind::Text;
    let item = proposal.columns.iter().find(is_item).map(|column| column.name.clone());
    Ok(proposal.events.and_then(|events| events.id).zip(item).map(|(id, item)| [id, item]))
}

fn prose(proposal: &BasketProposal, policy: &Path, found: &Found) -> String {
    let policy = policy.display();
    let notes: String = found.notes.iter().map(|note| format!("note: {note}\n\n")).collect();
    format!(
        "{notes}{policy} was written from a look at {} with {}.\n\
         {} taken for what stands between items; --separator says otherwise.\n\
         {}.\n\n\
         What somebody may know is for you to say. Next:\n  \
         1. review {policy}, [privacy] first\n  \
         2. shoal check {policy}\n  \
         3. shoal run {policy}\n",
        count(proposal.transactions, "transaction", "transactions"),
        count(proposal.items, "item", "items"),
        match proposal.separator {
            ' ' => "Blanks are".to_owned(),
            other => format!("`{}` is", other.escape_debug()),
        },
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
