//! Which columns say what came first: a date or a time, or a counter that rises. Durations, amounts and flags never do.

use std::collections::HashMap;

use shoal_core::{Kind, MissingTexts, RawColumn, RawTable, ValueParser};

use super::kinds::Reading;
use super::profile::percent;
use super::words::{KeyName, TimeName, Words};

/// What orders the events of a person.
pub(super) struct OrderProposal {
    /// The columns, the first one first.
    pub columns: Vec<usize>,
    /// Why these.
    pub why: String,
    /// What a person has to say about it.
    pub question: Option<String>,
    /// How many rows are equal to another row of the same person in all of them.
    pub ties: usize,
}

/// What a column could be in an order, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Start,
    Date,
    End,
    Calendar(u8),
    Counter,
    /// Its name says nothing, but it rises from each row of a person to the next.
    Rising,
    /// Numbers of visits or claims are handed out one after the other, often.
    RecordNumber,
}

struct Candidate<'a> {
    at: usize,
    column: &'a RawColumn,
    place: Place,
    /// Where each distinct value lies.
    positions: Vec<f64>,
    /// Rows without a value.
    gaps: usize,
}

/// The order of the events of those whom `ids` names.
pub(super) fn propose(sample: &RawTable, readings: &[Reading], ids: &RawColumn) -> OrderProposal {
    let columns = sample.columns.iter().zip(readings).enumerate();
    let mut candidates: Vec<Candidate<'_>> = columns
        .filter(|(_, (column, _))| column.name != ids.name)
        .filter_map(|(at, (column, reading))| candidate(at, column, reading, ids))
        .collect();
    // What has gaps cannot order all events. Only where nothing else is there it is better than nothing.
    let gaps_only = candidates.iter().all(|candidate| candidate.gaps > 0);
    candidates.retain(|candidate| candidate.gaps == 0 || gaps_only);

    let mut classes: Vec<u32> = ids.codes.clone();
    let mut ties = undecided(&classes);
    let (mut chosen, mut said, mut question) = (Vec::new(), Vec::new(), None);
    while let Some(next) = next(&candidates, &classes, ties, chosen.is_empty(), ids) {
        let candidate = candidates.remove(next);
        let before = ties;
        classes = refined(&classes, &candidate);
        ties = undecided(&classes);
        said.push(format!(
            "`{}` {}{}",
            candidate.column.name,
            in_words(candidate.place),
            match chosen.is_empty() {
                true => String::new(),
                false => format!(", which decides {} more", before - ties),
            }
        ));
        if chosen.is_empty() {
            question = doubt(&candidate);
        }
        chosen.push(candidate.at);
    }
    if chosen.is_empty() {
        question = Some(
            "which column says what came first? No column is a date, a time or a number that rises; name it:  order = \
             [\"…\"],  or keep the order of the file's rows:  ties = \"file\""
                .to_owned(),
        );
    }
    OrderProposal { columns: chosen, why: said.join("; "), question, ties }
}

fn candidate<'a>(
    at: usize,
    column: &'a RawColumn,
    reading: &Reading,
    ids: &RawColumn,
) -> Option<Candidate<'a>> {
    let name = Words::of(&column.name);
    let time = name.time_name();
    let record = name.key_name() == KeyName::Record || name.key_name() == KeyName::Key;
    let missing = MissingTexts::new(&reading.missing_tokens);
    let kind = if reading.kind == Kind::Date { Kind::Date } else { Kind::Integer };
    let parser = ValueParser::new(kind, reading.format.clone().unwrap_or_default());
    let mut positions = Vec::with_capacity(column.labels.len());
    for code in 0..column.labels.len() as u32 {
        match parser.position(column.labels.get(code)) {
            Some(at) => positions.push(at),
            None if missing.has_code(column, code) => positions.push(f64::NAN),
            None => return None,
        }
    }
    let gaps = column.codes.iter().filter(|&&code| positions[code as usize].is_nan()).count();
    let place = match (kind, time) {
        (_, TimeName::No) => return None,
        (Kind::Date, TimeName::Start | TimeName::Counter) => Place::Start,
        (Kind::Date, TimeName::End) => Place::End,
        (Kind::Date, _) => Place::Date,
        (_, TimeName::Calendar(part)) => Place::Calendar(part),
        (_, TimeName::Counter) => Place::Counter,
        _ if record => Place::RecordNumber,
        // Seconds since 1970, of some year between 1973 and 2286.
        (_, TimeName::Start) if positions.iter().all(|at| at.is_nan() || (1e8..1e10).contains(at)) => {
            Place::Date
        }
        (_, TimeName::Start) if rises(&positions, column, ids) => Place::Rising,
        _ if name.hint().is_none() && rises(&positions, column, ids) => Place::Rising,
        _ => return None,
    };
    Some(Candidate { at, column, place, positions, gaps })
}

/// Of what leaves fewer ties, the best kind of column, and among those the one that leaves the fewest.
fn next(
    candidates: &[Candidate<'_>],
    classes: &[u32],
    ties: usize,
    first: bool,
    ids: &RawColumn,
) -> Option<usize> {
    let useful = |candidate: &Candidate<'_>, left: usize| match (first, candidate.place) {
        // A year orders events even where it is the same for all of them: other data of this kind have others.
        (true, _) => true,
        // Numbers that were not handed out in the order of time would be a wrong order between equal times.
        (false, Place::RecordNumber) => left < ties && rises(&candidate.positions, candidate.column, ids),
        (false, _) => left < ties,
    };
    let ranked = candidates.iter().enumerate().map(|(at, candidate)| {
        let left = undecided(&refined(classes, candidate));
        (at, candidate, left)
    });
    ranked
        .filter(|&(_, candidate, left)| useful(candidate, left))
        .min_by_key(|&(at, candidate, left)| (candidate.place, candidate.gaps, left, at))
        .map(|(at, _, _)| at)
}

fn in_words(place: Place) -> &'static str {
    match place {
        Place::Start => "is the time at which something began or was",
        Place::Date => "is a time",
        Place::End => "is the time at which something ended",
        Place::Calendar(_) => "is a part of a date",
        Place::Counter => "counts by its name",
        Place::Rising => "rises from each row of a person to the next",
        Place::RecordNumber => "numbers records, and such numbers are often handed out in the order of time",
    }
}

fn doubt(candidate: &Candidate<'_>) -> Option<String> {
    let name = &candidate.column.name;
    if candidate.gaps > 0 {
        return Some(format!(
            "what orders the events that have no `{name}` ({} of the rows of the sample)? A run stops at the first of \
             them: fill them, leave them out, or name another column:  order = [\"…\"]",
            percent(candidate.gaps as f64 / candidate.column.codes.len() as f64)
        ));
    }
    match candidate.place {
        Place::RecordNumber => Some(format!(
            "does `{name}` rise in the course of time? No column is a date or a time, so it is taken for the order of \
             events. If not:  order = [\"…\"],  or keep the order of the file's rows:  order = []  and  ties = \"file\""
        )),
        Place::Rising => Some(format!(
            "does `{name}` say what came first? It rises from each row of a person to the next, but its name does not say \
             that. If not:  order = [\"…\"]"
        )),
        _ => None,
    }
}

/// Whether values rise from each row of a person to their next one, nearly always.
fn rises(positions: &[f64], column: &RawColumn, ids: &RawColumn) -> bool {
    const STEPS: usize = 20;
    let mut last: HashMap<u32, f64> = HashMap::new();
    let (mut steps, mut up) = (0_usize, 0_usize);
    for (&id, &code) in ids.codes.iter().zip(&column.codes) {
        let at = positions[code as usize];
        if let Some(before) = last.insert(id, at) {
            steps += 1;
            up += usize::from(at > before);
        }
    }
    steps >= STEPS && up as f64 >= 0.99 * steps as f64
}

/// Rows that are in one class and lie at one position.
fn refined(classes: &[u32], candidate: &Candidate<'_>) -> Vec<u32> {
    let mut number = HashMap::new();
    let key =
        |row: usize| (classes[row], candidate.positions[candidate.column.codes[row] as usize].to_bits());
    (0..classes.len())
        .map(|row| {
            let next = number.len() as u32;
            *number.entry(key(row)).or_insert(next)
        })
        .collect()
}

/// How many rows share their class with an earlier one.
fn undecided(classes: &[u32]) -> usize {
    let mut distinct = classes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    classes.len() - distinct.len()
}
