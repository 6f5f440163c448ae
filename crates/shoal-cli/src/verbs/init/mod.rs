//! `shoal init`: a first policy for data that nobody has described yet.

mod ask;
mod baskets;
mod dialect;
mod found;
mod relative;

use std::path::Path;

use serde::Serialize;
use shoal_core::{Kind, Role};
use shoal_io::{Format, Layout, Source};
use shoal_pipeline::files::hierarchies_beside;
use shoal_pipeline::propose::{self, ColumnProposal, EventsProposal, FoundHierarchy, Proposal};

use super::Answer;
use crate::args::{InitArgs, ShapeArg};
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{count, table};
use crate::progress;
use dialect::Dialect;

/// How many records are looked at.
const SAMPLE: usize = 100_000;

/// Texts that mean "no value" often enough to be passed over where the notation of numbers is found out.
const MISSING: [&str; 7] = ["", "?", "-", "NA", "n/a", "NULL", "null"];

/// The machine form of a proposal.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ProposalDocument<'a> {
    policy: Option<String>,
    source: &'a str,
    header: bool,
    separator: Option<char>,
    records_seen: usize,
    k: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    questions: Vec<&'a str>,
    columns: Vec<ColumnDocument<'a>>,
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ColumnDocument<'a> {
    name: &'a str,
    role: Role,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a str>,
    reason: &'a str,
    facts: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    safe_harbor: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hierarchies: Vec<HierarchyDocument<'a>>,
}

/// A hierarchy that was found beside the data.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct HierarchyDocument<'a> {
    file: &'a str,
    found: usize,
    of: usize,
    used: bool,
    reason: &'a str,
}

/// Looks at the data and writes a commented policy.
pub(crate) fn init(args: &InitArgs, console: &Console) -> Result<Answer, Failure> {
    let file = Some(args.output.as_path()).filter(|path| *path != Path::new("-"));
    if let Some(path) = file.filter(|path| path.is_file() && !args.force) {
        return Err(Failure::Exists { path: path.to_owned() });
    }
    if matches!(args.shape, ShapeArg::Transactions) {
        return baskets::init(args, file, console);
    }
    let Proposed { proposal, dialect, text } = proposed(args, file)?;
    match file {
        Some(path) => {
            shoal_io::write_atomically(path, text.as_bytes())?;
            let document = document(&proposal, Some(path), text);
            console.summary(&document, || prose(&proposal, path, &dialect, &args.data))?;
        }
        None if console.is_json() => console.answer(&document(&proposal, None, text), String::new)?,
        None => console.product(&text)?,
    }
    Ok(Answer::Holds)
}

/// The text of the policy that `init` would write to `file`; for verbs that can begin without a policy.
pub(super) fn proposed_policy(args: &InitArgs, file: &Path) -> Result<String, Failure> {
    match args.shape {
        ShapeArg::Transactions => baskets::proposed_policy(args, file),
        _ => proposed(args, Some(file)).map(|of| of.text),
    }
}

/// A proposal, what was found out about the file, and the policy's text.
struct Proposed {
    proposal: Proposal,
    dialect: Dialect,
    text: String,
}

fn proposed(args: &InitArgs, file: Option<&Path>) -> Result<Proposed, Failure> {
    let mut dialect = Dialect::of(args)?;
    let mut sample = shoal_io::sample(&dialect.source, SAMPLE, &progress::unseen()?)?;
    // A stream is read line by line as it is.
    if !matches!(args.shape, ShapeArg::Stream)
        && let Some(commas) = shoal_io::find_decimal_commas(&sample, &MISSING)
    {
        dialect.found.add_decimal_commas(&commas);
        sample = commas.sample;
    }
    let source = source(args, file, &dialect, sample.rows)?;
    let mut proposal = match args.shape {
        ShapeArg::Sequences => propose::propose_sequences(&sample, source),
        ShapeArg::Stream => propose::propose_stream(&sample, source, stream_format(&args.data)?),
        ShapeArg::Table | ShapeArg::Transactions => propose::propose(&sample, source),
    };
    proposal = match args.ask {
        true => ask::Dialogue::begin()?.about(proposal, &sample)?,
        false => proposal,
    };
    // After the dialogue: a hierarchy is for a quasi-identifier, and roles may have changed.
    // A stream publishes values as they are.
    if !matches!(args.shape, ShapeArg::Stream) {
        let columns: Vec<&str> = sample.columns.iter().map(|column| column.name.as_str()).collect();
        let mut beside = hierarchies_beside(&dialect.source.files()?, &columns);
        for hierarchy in &mut beside {
            hierarchy.location = relative::seen_from(folder_of(file), &hierarchy.location)?;
        }
        proposal.add_hierarchies(&sample, &beside);
    }
    let text = dialect.found.insert_into(&proposal.to_toml());
    Ok(Proposed { proposal, dialect, text })
}

/// How the tuples of a stream are written that looks like this file.
fn stream_format(data: &str) -> Result<&'static str, Failure> {
    let files = Source::new(data).files()?;
    match Format::of(&files[0]).layout {
        Layout::Csv => Ok("csv"),
        Layout::Json => Ok("ndjson"),
        _ => Err(Failure::NotAStream { file: files[0].clone() }),
    }
}

fn source(
    args: &InitArgs,
    policy: Option<&Path>,
    dialect: &Dialect,
    sampled: usize,
) -> Result<propose::Source, Failure> {
    Ok(propose::Source {
        location: relative::seen_from(folder_of(policy), &args.data)?,
        separator: dialect.separator,
        header: dialect.header,
        // Fewer than asked for are all there are.
        rows: (sampled < SAMPLE).then_some(sampled as u64),
        policy: policy.unwrap_or(Path::new("policy.toml")).display().to_string(),
    })
}

/// The folder of the policy.
fn folder_of(policy: Option<&Path>) -> &Path {
    policy.and_then(Path::parent).unwrap_or(Path::new(""))
}

fn document<'a>(proposal: &'a Proposal, policy: Option<&Path>, text: String) -> ProposalDocument<'a> {
    let hierarchy = |found: &'a FoundHierarchy| HierarchyDocument {
        file: &found.file,
        found: found.found,
        of: found.of,
        used: found.used,
        reason: &found.says,
    };
    let column = |column: &'a ColumnProposal| ColumnDocument {
        name: &column.name,
        role: column.role,
        kind: column.kind,
        format: column.format.as_deref(),
        reason: &column.reason,
        facts: &column.facts,
        note: column.note.as_deref(),
        safe_harbor: &column.safe_harbor,
        hierarchies: column.found_hierarchies.iter().map(hierarchy).collect(),
    };
    ProposalDocument {
        policy: policy.map(|path| path.display().to_string()),
        source: &proposal.source.location,
        header: proposal.source.header,
        separator: proposal.source.separator,
        records_seen: proposal.sampled,
        k: proposal.k(),
        questions: proposal.questions.iter().map(|question| question.text.as_str()).collect(),
        columns: proposal.columns.iter().map(column).collect(),
        text,
    }
}

fn prose(proposal: &Proposal, policy: &Path, dialect: &Dialect, data: &str) -> String {
    let row = |column: &ColumnProposal| {
        let (role, kind) = (column.role.name().to_owned(), column.kind.name().to_owned());
        vec![column.name.clone(), role, kind, column.reason.clone()]
    };
    let rows: Vec<Vec<String>> = proposal.columns.iter().map(row).collect();
    let columns = table(&["column", "proposed role", "kind", "because"], &[], &rows);
    let seen = count(proposal.sampled, "record", "records");
    let mut text = format!("{} was written from a look at {seen}.\n\n{columns}\n", policy.display());
    for note in dialect.notes.iter().chain(&dialect.found.notes) {
        text.push_str(&format!("note: {note}\n\n"));
    }
    if let Some(events) = &proposal.events {
        text.push_str(&whose_and_when(events));
    }
    text.push_str(&beside_the_data(proposal));
    text.push_str(&safe_harbor(proposal));
    for question in &proposal.questions {
        text.push_str(&format!("question: {}\n\n", question.text));
    }
    let policy = policy.display().to_string();
    let run = match proposal.stream {
        Some(_) => propose::stream_command(&policy, data),
        None => format!("shoal run {}", propose::shell_word(&policy)),
    };
    text.push_str(&format!(
        "Roles are proposals, and a wrong one can give people away. Next:\n  \
         1. review {policy}, every role first\n  \
         2. shoal check {}\n  \
         3. {run}\n",
        propose::shell_word(&policy)
    ));
    text
}

/// The hierarchies that were found, those that are used first.
fn beside_the_data(proposal: &Proposal) -> String {
    let found = proposal
        .columns
        .iter()
        .flat_map(|column| column.found_hierarchies.iter().map(|found| (column.name.as_str(), found)));
    let line = |(column, found): (&str, &FoundHierarchy)| {
        let used = if found.used { "hierarchy" } else { "hierarchy not used" };
        format!("{used}: `{column}`: {} {}\n", found.file, found.says)
    };
    let (used, unused): (Vec<_>, Vec<_>) = found.partition(|(_, found)| found.used);
    let mut text: String = used.into_iter().chain(unused).map(line).collect();
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// What HIPAA's Safe Harbor forbids of what would be published.
fn safe_harbor(proposal: &Proposal) -> String {
    let found = proposal
        .columns
        .iter()
        .flat_map(|column| column.safe_harbor.iter().map(|found| format!("  `{}`: {found}\n", column.name)));
    let lines: String = found.collect();
    match lines.is_empty() {
        true => lines,
        false => format!(
            "HIPAA Safe Harbor forbids what these columns seem to hold (only where it applies;  preset = \"safe-harbor\"  then refuses them):\n{lines}\n"
        ),
    }
}

/// Who is a person, and what came first: what a promise about sequences rests on.
fn whose_and_when(events: &EventsProposal) -> String {
    let mut text = String::new();
    if let Some(id) = &events.id {
        text.push_str(&format!("person: `{id}`: {}\n", events.id_reason));
    }
    if !events.order.is_empty() {
        text.push_str(&format!("order: {}\n", events.order_reason));
    }
    if events.ties > 0 && !events.order.is_empty() {
        text.push_str(&format!(
            "ties: {} of the sample {} not told apart by that; they keep the order of the file (ties = \"file\")\n",
            count(events.ties, "row", "rows"),
            if events.ties == 1 { "is" } else { "are" },
        ));
    }
    text.push('\n');
    text
}
