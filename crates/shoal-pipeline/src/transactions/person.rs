//! Whose the transactions are, and what is said where the policy does not say it.

use shoal_core::{RawColumn, RawTable, Role};
use shoal_privacy::KnownAs;

use crate::columns::persons_of_texts;
use crate::leaks::{Leak, LeakKind, Unit};
use crate::propose::names_people;
use crate::table::people;
use crate::{PipelineError, Request, ValueAt};

/// A number per row of a table for the person whose it is: one number for all texts that likely name one person.
pub(super) fn persons_of_rows(
    request: &Request,
    table: &RawTable,
    column: &RawColumn,
) -> Result<Vec<u32>, PipelineError> {
    if let Some(code) = (0..column.labels.len() as u32).find(|&code| names_nobody(request, column, code)) {
        return Err(PipelineError::Nobodys { at: Box::new(ValueAt::first(table, column, code)) });
    }
    let person_of = persons_of_texts(column.labels.iter());
    Ok(column.codes.iter().map(|&code| person_of[code as usize]).collect())
}

/// The person of each transaction of a table with a row per item, in the order of the ids' codes. The rows of a
/// transaction must all be one person's.
pub(super) fn persons_of_ids(
    request: &Request,
    table: &RawTable,
    ids: &RawColumn,
    column: &RawColumn,
) -> Result<Vec<u32>, PipelineError> {
    let rows = persons_of_rows(request, table, column)?;
    let mut persons: Vec<Option<u32>> = vec![None; ids.labels.len()];
    for ((&id, &person), &code) in ids.codes.iter().zip(&rows).zip(&column.codes) {
        if *persons[id as usize].get_or_insert(person) != person {
            let at = Box::new(ValueAt::first(table, column, code));
            return Err(PipelineError::TwoPeople { at, id: ids.labels.get(id).to_owned() });
        }
    }
    Ok(persons.into_iter().flatten().collect())
}

/// By what transactions are recognized in a later release: the person where the policy names one, else identifiers, else the ids of a
/// table with a row per item (`ids`). None where no column tells.
pub(super) fn known_as(request: &Request, table: &RawTable, ids: Option<&RawColumn>) -> Option<KnownAs> {
    let policy = request.policy();
    let is_read = |name: &&str| table.column(name).is_some();
    let ways: [Vec<&str>; 3] = [
        policy.data.person.as_deref().into_iter().filter(is_read).collect(),
        // Rows of one transaction may have several of them.
        policy.columns_of(Role::Identifier).into_iter().filter(|_| ids.is_none()).filter(is_read).collect(),
        ids.map(|ids| ids.name.as_str()).into_iter().collect(),
    ];
    let columns = ways.into_iter().find(|columns| !columns.is_empty())?;
    let columns: Vec<String> = columns.into_iter().map(str::to_owned).collect();
    let (texts, person_of) = people(table, &columns)?;
    let text = |row: usize| texts.get(person_of[row]).to_owned();
    let texts = match ids {
        None => (0..table.rows).map(text).collect(),
        // Ids have their codes in the order of their first rows, which is the order of the transactions.
        Some(ids) => {
            let mut first: Vec<Option<usize>> = vec![None; ids.labels.len()];
            for (row, &id) in ids.codes.iter().enumerate() {
                first[id as usize].get_or_insert(row);
            }
            first.into_iter().flatten().map(text).collect()
        }
    };
    Some(KnownAs { columns, texts })
}

/// What there is to say about a column that names people and repeats, while the policy does not say whose the
/// transactions are: several may be one person's, and the promise takes each for another.
///
/// `ids` are the transactions of the rows, in a table with a row per item; `own` are the columns of the transactions
/// themselves.
pub(super) fn repeated_identifiers(
    request: &Request,
    table: &RawTable,
    ids: Option<&RawColumn>,
    own: &[&str],
) -> Vec<Leak> {
    let policy = request.policy();
    if policy.data.person.is_some() {
        return Vec::new();
    }
    let may_name_people = |column: &&RawColumn| match policy.columns.get(&column.name) {
        Some(spec) => spec.role == Role::Identifier,
        // The long form asks for no roles, so the name has to decide.
        None => ids.is_some() && names_people(&column.name),
    };
    let others = table.columns.iter().filter(|column| !own.contains(&column.name.as_str()));
    let leaks = others.filter(may_name_people).filter_map(|column| {
        let (transactions, shared) = shared_transactions(request, ids, column)?;
        let unit = Unit::Transactions;
        let repeated = LeakKind::RepeatedIdentifier { count: shared, of: transactions, unit };
        (shared > 0).then(|| repeated.of_column(&column.name))
    });
    leaks.collect()
}

/// How many transactions there are, and how many share their value with another one. None where a transaction has two
/// values, so that they do not say whose it is.
fn shared_transactions(
    request: &Request,
    ids: Option<&RawColumn>,
    column: &RawColumn,
) -> Option<(usize, usize)> {
    let of_transactions: Vec<u32> = match ids {
        None => column.codes.clone(),
        Some(ids) => {
            let mut value: Vec<Option<u32>> = vec![None; ids.labels.len()];
            for (&id, &code) in ids.codes.iter().zip(&column.codes) {
                if *value[id as usize].get_or_insert(code) != code {
                    return None;
                }
            }
            value.into_iter().flatten().collect()
        }
    };
    let mut counts = vec![0_usize; column.labels.len()];
    of_transactions.iter().for_each(|&code| counts[code as usize] += 1);
    let repeated =
        (0_u32..).zip(counts).filter(|&(code, count)| count > 1 && !names_nobody(request, column, code));
    Some((of_transactions.len(), repeated.map(|(_, count)| count).sum()))
}

fn names_nobody(request: &Request, column: &RawColumn, code: u32) -> bool {
    request.policy().data.missing_texts().has_code(column, code)
}
