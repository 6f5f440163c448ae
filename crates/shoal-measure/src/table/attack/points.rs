use std::collections::HashMap;

use shoal_core::{RawTable, Table};

/// The records of an original by their quasi-identifiers: who has equal ones is one point to an adversary.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    /// The point of each record.
    pub of_record: Vec<u32>,
    /// How many records each point is.
    pub count: Vec<u32>,
    /// The first record of each point, which shows its codes.
    pub first: Vec<u32>,
}

impl Points {
    /// Groups records with equal quasi-identifiers.
    pub(crate) fn of(original: &Table) -> Points {
        let columns: Vec<&[u32]> =
            original.quasi_identifiers().iter().map(|column| column.codes.as_slice()).collect();
        let (of_record, first) = number_equal(&columns, original.rows);
        let mut count = vec![0; first.len()];
        of_record.iter().for_each(|&point| count[point as usize] += 1);
        Points { of_record, count, first }
    }

    /// How many points there are.
    pub(crate) fn len(&self) -> usize {
        self.first.len()
    }
}

/// The classes of a published table: rows with equal texts in all quasi-identifiers, as any reader of the file groups them.
pub(crate) fn published_classes(published: &RawTable, quasi: &[String]) -> (Vec<u32>, Vec<u32>) {
    let columns: Vec<&[u32]> = quasi
        .iter()
        .filter_map(|name| published.column(name))
        .map(|column| column.codes.as_slice())
        .collect();
    number_equal(&columns, published.rows)
}

/// Numbers rows so that rows with equal codes in all columns have one number, in the order of their first rows; and those first
/// rows.
fn number_equal(columns: &[&[u32]], rows: usize) -> (Vec<u32>, Vec<u32>) {
    let mut number = vec![0_u32; rows];
    // One column after the other refines the numbers, so that a key is never longer than a pair.
    for codes in columns {
        let mut pairs: HashMap<(u32, u32), u32> = HashMap::new();
        for (number, &code) in number.iter_mut().zip(*codes) {
            let next = pairs.len() as u32;
            *number = *pairs.entry((*number, code)).or_insert(next);
        }
    }
    let mut first = Vec::new();
    for (row, &number) in number.iter().enumerate() {
        // Numbers are given in the order of rows, so a new one is always the next.
        if number as usize == first.len() {
            first.push(row as u32);
        }
    }
    (number, first)
}

/// The members of each group, ascending, where `group_of` says whose each one is.
pub(crate) fn members(group_of: &[u32], groups: usize) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); groups];
    group_of.iter().zip(0..).for_each(|(&group, member)| all[group as usize].push(member));
    all
}
