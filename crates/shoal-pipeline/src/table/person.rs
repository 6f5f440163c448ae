//! Whose the records of a table are, and what is reported where the policy does not say.

use shoal_core::policy::{Preset, Shape};
use shoal_core::{Column, MissingTexts, Progress, RawColumn, RawTable, Role, Table};
use shoal_measure::TableMeasures;
use shoal_privacy::safe_harbor::forbidden_in;
use shoal_privacy::{Classes, Crowds};

use super::population::population;
use crate::columns::persons_of_texts;
use crate::leaks::{Leak, LeakKind, Unit};
use crate::{PipelineError, Request};

/// What there is to say about identifiers that repeat while no column is named as the person: several records may be one
/// person's, and the promise takes each for another.
pub(crate) fn repeated_identifiers(request: &Request, raw: &RawTable) -> Vec<Leak> {
    let policy = request.policy();
    if policy.data.shape != Shape::Table || policy.data.person.is_some() {
        return Vec::new();
    }
    let is_identifier = |column: &&RawColumn| {
        policy.columns.get(&column.name).is_some_and(|spec| spec.role == Role::Identifier)
    };
    let identifiers = raw.columns.iter().filter(is_identifier);
    let leaks = identifiers.filter_map(|column| {
        let rows = repeated_rows(column, &policy.data.missing_texts());
        let repeated = LeakKind::RepeatedIdentifier { count: rows, of: raw.rows, unit: Unit::Records };
        (rows > 0).then(|| repeated.of_column(&column.name))
    });
    leaks.collect()
}

/// What the published columns hold that the preset of the policy forbids, a sentence each.
pub(crate) fn forbidden_by_preset(request: &Request, original: &RawTable) -> Vec<String> {
    let policy = request.policy();
    if policy.privacy.preset != Some(Preset::SafeHarbor) {
        return Vec::new();
    }
    let missing = policy.data.missing_texts();
    let published = policy.columns.iter().filter(|(_, spec)| spec.role.is_published());
    let read = published.filter_map(|(name, spec)| Some((original.column(name)?, spec.kind)));
    let found = read.flat_map(|(column, kind)| {
        let found = forbidden_in(column, kind, &missing).into_iter();
        found.map(|found| found.in_column(&column.name))
    });
    found.collect()
}

/// How many records share a value with another one; the missing value names nobody.
fn repeated_rows(column: &RawColumn, missing: &MissingTexts) -> usize {
    let mut counts = vec![0_usize; column.labels.len()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    let repeated =
        (0_u32..).zip(counts).filter(|&(code, count)| count > 1 && !missing.has_code(column, code));
    repeated.map(|(_, count)| count).sum()
}

/// All measures of a published file, of which `origin` says from which record of the original each row comes. Where the
/// policy says whose the records are, risks are those of people, for `run` as for `measure`.
pub(crate) fn take_measures(
    request: &Request,
    original: &Table,
    published: &RawTable,
    origin: &[u32],
    classes: &Classes,
    progress: &dyn Progress,
) -> Result<TableMeasures, PipelineError> {
    let person = request.policy().data.person.as_ref();
    let column = person.and_then(|name| original.columns.iter().find(|column| column.name == *name));
    let people = column.map(|column| {
        let person_of = origin.iter().map(|&row| column.codes[row as usize]).collect();
        (column, Crowds::of(classes, person_of))
    });
    let people = people.as_ref().map(|(column, crowds)| (*column, crowds));
    Ok(shoal_measure::measure_people(
        original,
        published,
        classes,
        request.policy().privacy.k,
        people,
        population(request),
        progress,
    )?)
}

/// Gives one code to all values that likely name the same person.
///
/// People are numbered as they first appear among the records, which are in the order of their content: by their names,
/// an algorithm that breaks ties by numbers would publish something else when people are renamed.
pub(crate) fn same_person(column: &mut Column) {
    let values = 0..column.domain.len() as u32;
    let one_of = persons_of_texts(values.map(|code| column.domain.label(code)));
    let missing = column.domain.missing();
    let mut number_of = vec![None; column.domain.len()];
    let mut people = 0;
    for code in &mut column.codes {
        // The missing value stays what it is, the last code: it names nobody.
        if Some(*code) == missing {
            continue;
        }
        *code = *number_of[one_of[*code as usize] as usize].get_or_insert_with(|| {
            people += 1;
            people - 1
        });
    }
}

/// The person of each record of a column as it was read, by the same rule, numbered from 0.
pub(crate) fn persons(column: &RawColumn) -> Vec<u32> {
    let person_of = persons_of_texts(column.labels.iter());
    column.codes.iter().map(|&code| person_of[code as usize]).collect()
}

#[cfg(test)]
mod tests {
    use shoal_core::Kind;

    use super::*;

    #[test]
    fn values_that_look_alike_are_one_person() {
        let texts = [
            "7",
            "07",
            "7.0",
            "-0",
            "0",
            "Ann",
            "ann",
            "ANN ",
            "Anna",
            "9007199254740993",
            "9007199254740992",
        ];
        let rows: Vec<Vec<&str>> = texts.iter().map(|text| vec![*text]).collect();
        let raw = RawTable::from_rows(&["who"], &rows);
        let mut column = Column::encode(&raw.columns[0], Role::Identifier, Kind::Text, &[]).unwrap();
        same_person(&mut column);
        let code = |at: usize| column.codes[at];
        assert!(code(0) == code(1) && code(1) == code(2));
        assert_eq!(code(3), code(4));
        assert!(code(5) == code(6) && code(6) == code(7));
        assert!(code(5) != code(8) && code(0) != code(3) && code(9) != code(10));
    }

    #[test]
    fn only_values_count_that_name_somebody() {
        let rows = ["a", "b", "a", "?", "?", "", ""].map(|text| vec![text]);
        let raw = RawTable::from_rows(&["who"], &rows);
        assert_eq!(repeated_rows(&raw.columns[0], &MissingTexts::new(&["?", ""])), 2);
        assert_eq!(repeated_rows(&raw.columns[0], &MissingTexts::default()), 6);
    }
}
