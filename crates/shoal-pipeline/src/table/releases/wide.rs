//! People with all their rows: a record a person, with a copy of each column for each row.

use std::borrow::Cow;

use shoal_algorithms::table::{obstacle, recode_groups};
use shoal_core::{Class, Column, Progress, Role, Rule, SUPPRESSED, Table, TablePromise};

use crate::table::algorithm::algorithm_for;
use crate::{PipelineError, ReleaseKey, Request};

/// Puts people into groups so that each row of a group is a class.
pub(super) struct Grouping<'a> {
    pub request: &'a Request,
    pub key: &'a ReleaseKey,
    pub working: &'a Table,
    /// What each class must keep; about people, each of whom is one record here.
    pub promise: &'a TablePromise,
}

/// Records by class, and what the classes publish.
#[derive(Default)]
pub(super) struct Grouped {
    /// The records of each class.
    pub members: Vec<Vec<u32>>,
    pub classes: Vec<Class>,
}

/// A person's records, in the order in which they stand beside those of others.
pub(super) type Rows = Vec<u32>;

/// What is known of people from earlier releases: a column for each row that they have there, a code for each person.
pub(super) type Past = Vec<Column>;

impl Grouping<'_> {
    /// Groups of people by the algorithm of the policy. `past` has the codes of these people. Rows of people who are too few to be
    /// hidden with all their rows are left out, until there are as many as others have; so are people where that does not help.
    pub(super) fn cut(
        &self,
        people: Vec<Rows>,
        past: &dyn Fn(&[usize]) -> Past,
        progress: &dyn Progress,
    ) -> Result<Grouped, PipelineError> {
        let mut found = Grouped::default();
        let is_enough = |numbers: &[usize], rows: &[Rows]| {
            let (table, promise) = self.wide(rows, past(numbers));
            obstacle(&table, &promise).is_none()
        };
        for (numbers, rows) in parts(people, &is_enough) {
            let (table, promise) = self.wide(&rows, past(&numbers));
            let algorithm = algorithm_for(self.request, self.key, promise)?;
            let part = match algorithm.anonymize(&table, progress).map_err(PipelineError::from) {
                Ok(part) => part.recoding,
                // They cannot be hidden among themselves; how many may be left out, the verifier knows.
                Err(error) if error.is_broken_promise() => continue,
                Err(error) => return Err(error),
            };
            found.add(&rows, &part.class_of, &part.classes, self.working.quasi_identifiers().len());
        }
        Ok(found)
    }

    /// One group of people, for each number of rows that enough of them have.
    pub(super) fn together(&self, people: Vec<Rows>) -> Grouped {
        let mut found = Grouped::default();
        for (_, rows) in parts(people, &|_, rows| rows.len() >= self.promise.k) {
            for copy in 0..rows[0].len() {
                let members: Vec<u32> = rows.iter().map(|rows| rows[copy]).collect();
                found.classes.extend(recode_groups(self.working, std::slice::from_ref(&members)));
                found.members.push(members);
            }
        }
        found
    }

    /// Whether people with as many rows each may be one group.
    pub(super) fn may_be_class(&self, people: &[Rows]) -> bool {
        let (table, promise) = self.wide(people, Past::new());
        obstacle(&table, &promise).is_none()
    }

    /// The people as records of their own.
    fn wide(&self, people: &[Rows], past: Past) -> (Table, TablePromise) {
        let mut columns = Vec::new();
        let mut promise = TablePromise { person: None, conditions: Vec::new(), ..self.promise.clone() };
        for copy in 0..people.first().map_or(0, Vec::len) {
            for column in &self.working.columns {
                if !matches!(column.role, Role::QuasiIdentifier | Role::Sensitive | Role::PersonalK) {
                    continue;
                }
                let codes = people.iter().map(|rows| column.codes[rows[copy] as usize]).collect();
                let name = match copy {
                    0 => Cow::Borrowed(column.name.as_str()),
                    // Names of columns hold no line feed.
                    _ => Cow::Owned(format!("{}\n{copy}", column.name)),
                };
                self.ask(&mut promise, &column.name, &name, |_| true);
                columns.push(Column { name: name.into_owned(), codes, ..without_codes(column) });
            }
        }
        for (number, column) in past.into_iter().enumerate() {
            let name = format!("{}\nearlier {number}", column.name);
            // What compares with everybody is left to the verifier: everybody was somebody else then.
            self.ask(&mut promise, &column.name, &name, |rule| !rule.compares());
            columns.push(Column { name, ..column });
        }
        (Table { columns, rows: people.len() }, promise)
    }

    /// Asks of a copy what is asked of a column.
    fn ask(&self, promise: &mut TablePromise, column: &str, copy: &str, is_asked: impl Fn(Rule) -> bool) {
        let conditions = self.promise.conditions.iter().filter(|condition| condition.column == column);
        for condition in conditions.filter(|condition| is_asked(condition.rule)) {
            let mut condition = condition.clone();
            copy.clone_into(&mut condition.column);
            promise.conditions.push(condition);
        }
        if let Some(everybody) = self.promise.distributions.get(column) {
            promise.distributions.insert(copy.to_owned(), everybody.clone());
        }
    }
}

impl Grouped {
    fn add(&mut self, people: &[Rows], group_of: &[u32], groups: &[Class], quasi: usize) {
        let copies = people.first().map_or(0, Vec::len);
        let first = self.classes.len();
        for group in groups {
            let cells = group.cells.chunks(quasi).take(copies);
            self.classes.extend(cells.map(|cells| Class { cells: cells.to_vec() }));
        }
        self.members.resize(self.classes.len(), Vec::new());
        for (rows, &group) in people.iter().zip(group_of) {
            if group != SUPPRESSED {
                for (copy, &row) in rows.iter().enumerate() {
                    self.members[first + group as usize * copies + copy].push(row);
                }
            }
        }
    }

    pub(super) fn extend(&mut self, more: Grouped) {
        self.members.extend(more.members);
        self.classes.extend(more.classes);
    }
}

/// People by how many rows they have, the most first. Who are too few go on with as many rows as the next ones have.
fn parts(people: Vec<Rows>, is_enough: &dyn Fn(&[usize], &[Rows]) -> bool) -> Vec<(Vec<usize>, Vec<Rows>)> {
    let mut by_rows: std::collections::BTreeMap<usize, (Vec<usize>, Vec<Rows>)> = Default::default();
    for (number, rows) in people.into_iter().enumerate() {
        let (numbers, people) = by_rows.entry(rows.len()).or_default();
        numbers.push(number);
        people.push(rows);
    }
    by_rows.remove(&0);
    let mut found = Vec::new();
    let (mut waiting, mut waiting_rows): (Vec<usize>, Vec<Rows>) = Default::default();
    for (rows, (mut numbers, mut people)) in by_rows.into_iter().rev() {
        numbers.append(&mut waiting);
        people.extend(waiting_rows.drain(..).map(|own| fewer(&own, rows)));
        match is_enough(&numbers, &people) {
            true => found.push((numbers, people)),
            false => (waiting, waiting_rows) = (numbers, people),
        }
    }
    found
}

/// Some of the rows of a person, evenly spread over them.
fn fewer(rows: &[u32], wanted: usize) -> Rows {
    (0..wanted).map(|at| rows[at * rows.len() / wanted]).collect()
}

fn without_codes(column: &Column) -> Column {
    Column {
        name: String::new(),
        role: column.role,
        domain: column.domain.clone(),
        hierarchy: column.hierarchy.clone(),
        weight: column.weight,
        codes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_too_few_people_have_are_left_out() {
        let people: Vec<Rows> = vec![vec![0], vec![1], vec![2, 3], vec![4, 5, 6, 7], vec![8, 9], vec![10]];
        let found = parts(people.clone(), &|numbers, _| numbers.len() >= 3);
        // The one with four rows goes on with two, beside two others.
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], (vec![2, 4, 3], vec![vec![2, 3], vec![8, 9], vec![4, 6]]));
        assert_eq!(found[1].0, [0, 1, 5]);
        assert!(parts(people, &|numbers, _| numbers.len() > 6).is_empty());
    }
}
