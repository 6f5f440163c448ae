use serde::Serialize;
use shoal_core::hierarchy::build::{self, BuildError, Built, DateParams, Icd, IntervalParams, PrefixParams};
use shoal_core::hierarchy::to_text;
use shoal_core::{DateFormat, Domain, Kind, ValueParser};

use super::column::{From, Values};
use crate::args::{BuildArgs, BuildKind};
use crate::console::Console;
use crate::failure::Failure;
use crate::print::count;
use crate::progress;
use crate::verbs::Answer;

/// The machine form of what was built.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct BuiltDocument<'a> {
    column: &'a str,
    description: &'a str,
    values: u32,
    levels: usize,
    file: Option<String>,
    rows: Vec<Vec<String>>,
}

/// Makes a hierarchy from the values of a column.
pub(crate) fn build(args: &BuildArgs, console: &Console) -> Result<Answer, Failure> {
    refuse_flags_of_other_kinds(args)?;
    let file = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    if let Some(path) = file.filter(|path| path.is_file() && !args.force) {
        return Err(Failure::Exists { path: path.to_owned() });
    }
    let progress = progress::sink(console);
    let from = match (&args.values.data, &args.values.policy) {
        (_, Some(policy)) => From::Policy(policy),
        (data, None) => From::Data(data.as_deref().unwrap_or("-")),
    };
    let values = Values::read(&from, &args.values.column, progress.as_ref())?;
    drop(progress);
    let domain = domain(args, &values)?;
    let failed = |error| Failure::Build { column: args.values.column.clone(), error };
    let Built { hierarchy, description } = grouped(args, &domain).map_err(failed)?;
    let text = to_text(&hierarchy, ';');
    if let Some(path) = file {
        shoal_io::write_atomically(path, text.as_bytes())?;
    }
    let document = BuiltDocument {
        column: &args.values.column,
        description: &description,
        values: hierarchy.leaf_count(),
        levels: hierarchy.level_count(),
        file: file.map(|path| path.display().to_string()),
        rows: hierarchy.rows(),
    };
    match file {
        None if console.is_json() => console.answer(&document, String::new)?,
        None => console.product(&text)?,
        Some(path) => console.summary(&document, || {
            let values = count(hierarchy.leaf_count() as usize, "value", "values");
            format!("{}: {description}; {values}, {} levels\n", path.display(), hierarchy.level_count())
        })?,
    }
    Ok(Answer::Holds)
}

fn refuse_flags_of_other_kinds(args: &BuildArgs) -> Result<(), Failure> {
    let given = [
        ("widths", !args.widths.is_empty(), BuildKind::Intervals, "intervals"),
        ("keep", !args.keep.is_empty(), BuildKind::Prefixes, "prefixes"),
        ("steps", !args.steps.is_empty(), BuildKind::Dates, "dates"),
        ("format", args.format.is_some(), BuildKind::Dates, "dates"),
    ];
    match given.into_iter().find(|(_, given, kind, _)| *given && *kind != args.kind) {
        Some((flag, _, _, belongs)) => Err(Failure::WrongFlag { flag, belongs }),
        None => Ok(()),
    }
}

/// The column's values, read as the kind of hierarchy needs them. Numbers are whole where all of them are.
fn domain(args: &BuildArgs, values: &Values) -> Result<Domain, Failure> {
    let format = args.format.as_ref().or(values.format.as_ref());
    let format = format.map_or_else(|| Ok(DateFormat::default()), |format| DateFormat::new(format))?;
    let read = |kind| Domain::of(&values.column, ValueParser::new(kind, format.clone()), &values.missing);
    let read = match args.kind {
        BuildKind::Intervals => read(Kind::Integer).or_else(|_| read(Kind::Decimal)),
        BuildKind::Dates => read(Kind::Date),
        BuildKind::Prefixes
        | BuildKind::Countries
        | BuildKind::Icd9
        | BuildKind::Icd10
        | BuildKind::Isco
        | BuildKind::Education
        | BuildKind::Flat => read(Kind::Text),
    };
    read.map(|(domain, _)| domain).map_err(|bad| not_of_kind(args, values, bad.raw_code))
}

fn not_of_kind(args: &BuildArgs, values: &Values, raw_code: u32) -> Failure {
    Failure::NotOfKind {
        place: values.first_place(raw_code),
        column: args.values.column.clone(),
        value: values.column.labels.get(raw_code).to_owned(),
        kind: if args.kind == BuildKind::Dates { "a date" } else { "a number" },
    }
}

fn grouped(args: &BuildArgs, domain: &Domain) -> Result<Built, BuildError> {
    match args.kind {
        BuildKind::Intervals => {
            let params = IntervalParams { widths: given(&args.widths), ..IntervalParams::default() };
            build::intervals(domain, &params.check()?)
        }
        BuildKind::Prefixes => build::prefixes(domain, &PrefixParams { keep: given(&args.keep) }.check()?),
        BuildKind::Dates => build::dates(domain, &DateParams { steps: given(&args.steps) }.check()?),
        BuildKind::Countries => build::countries(domain),
        BuildKind::Icd9 => build::icd(domain, Icd::Nine),
        BuildKind::Icd10 => build::icd(domain, Icd::Ten),
        BuildKind::Isco => build::isco(domain),
        BuildKind::Education => build::education(domain),
        BuildKind::Flat => build::flat(domain),
    }
}

fn given<T: Clone>(list: &[T]) -> Option<Vec<T>> {
    (!list.is_empty()).then(|| list.to_vec())
}
