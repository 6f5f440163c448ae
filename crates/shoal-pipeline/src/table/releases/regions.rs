//! What an earlier recoding makes of records that it has not seen.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use shoal_core::{Cell, Column, PublishedError, PublishedValue, RawColumn, Role, Table, parse_set};
use shoal_privacy::Classes;

use super::incomparable;
use super::linked::Earlier;
use crate::PipelineError;

/// The classes of an earlier release, in terms of the new original.
pub(super) struct Regions {
    columns: Vec<ColumnTexts>,
    /// The text of each class in each column: numbers of `columns`; none for a class that no record of the new original can be in.
    classes: Vec<Option<Vec<usize>>>,
    /// The classes that records can be in, the tightest first.
    order: Vec<usize>,
    /// The class of each person's first row.
    class_of: HashMap<u32, u32>,
}

/// The texts of a quasi-identifier.
struct ColumnTexts {
    /// As they are published again.
    texts: Vec<String>,
    /// By text and code.
    covers: Vec<Vec<bool>>,
    /// The level of the hierarchy that all texts are on, where there is one.
    level: Option<usize>,
}

impl Regions {
    /// The classes of a release. An error where its quasi-identifiers are not those of the new one.
    pub(super) fn of_release(original: &Table, earlier: &Earlier<'_>) -> Result<Regions, PipelineError> {
        let names = earlier.audit.policy.columns_of(Role::QuasiIdentifier);
        let quasi: Vec<&RawColumn> = names.iter().filter_map(|name| earlier.file.column(name)).collect();
        let classes = Classes::of(earlier.file.rows, &quasi);
        let first = classes.first_rows().into_iter();
        let cells = |row: u32| quasi.iter().map(|column| column.text(row as usize).to_owned()).collect();
        let cells: Vec<Vec<String>> = first.map(cells).collect();
        let names: Vec<String> = quasi.iter().map(|column| column.name.clone()).collect();
        let regions = Regions::of(original, &names, &cells).ok_or_else(|| {
            incomparable(earlier.audit, "its quasi-identifiers are not those of the policy")
        })?;
        let rows = earlier.person_of.iter().copied().zip(classes.class_of).rev();
        Ok(Regions { class_of: rows.collect(), ..regions })
    }

    /// The class of somebody who was in the release.
    pub(super) fn class_of_person(&self, person: u32) -> Option<u32> {
        self.class_of.get(&person).copied()
    }

    /// Reads the cells of classes; `quasi` are the columns in the order of the cells. None where the quasi-identifiers are others now.
    fn of(original: &Table, quasi: &[String], classes: &[Vec<String>]) -> Option<Regions> {
        let wanted = original.quasi_identifiers();
        if wanted.len() != quasi.len() {
            return None;
        }
        let mut columns = Vec::new();
        // By class, the text of each column of the new original.
        let mut of_class: Vec<Vec<Option<usize>>> = vec![Vec::new(); classes.len()];
        for column in &wanted {
            let at = quasi.iter().position(|name| *name == column.name)?;
            let mut number_of: HashMap<&str, Option<usize>> = HashMap::new();
            let (mut texts, mut covers) = (Vec::new(), Vec::new());
            for (class, numbers) in classes.iter().zip(&mut of_class) {
                let text = class.get(at)?.as_str();
                numbers.push(*number_of.entry(text).or_insert_with(|| {
                    let (text, codes) = read(column, text)?;
                    texts.push(text);
                    covers.push(codes);
                    Some(texts.len() - 1)
                }));
            }
            let level = level(column, &number_of.keys().copied().collect::<Vec<_>>());
            columns.push(ColumnTexts { texts, covers, level });
        }
        let classes: Vec<Option<Vec<usize>>> =
            of_class.into_iter().map(|numbers| numbers.into_iter().collect()).collect();
        let cost = |class: usize| {
            let numbers = classes[class].as_deref().unwrap_or_default();
            let shares = columns.iter().zip(numbers).zip(&wanted).map(|((column, &text), of)| {
                let covered = column.covers[text].iter().filter(|covered| **covered).count();
                of.weight * (covered.max(1) - 1) as f64 / column.covers[text].len().max(1) as f64
            });
            shares.sum::<f64>()
        };
        let mut order: Vec<usize> = (0..classes.len()).filter(|&class| classes[class].is_some()).collect();
        // Equally tight ones in the order of the audit, which is that of the published file.
        order.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)).then(a.cmp(&b)));
        Some(Regions { columns, classes, order, class_of: HashMap::new() })
    }

    /// What a class says, for records that keep it: its text in each column where it is true of all of them, else none.
    pub(super) fn texts(&self, original: &Table, class: u32, rows: &[u32]) -> Vec<Option<String>> {
        let quasi = original.quasi_identifiers();
        let Some(numbers) = &self.classes[class as usize] else { return vec![None; quasi.len()] };
        let text = |((column, of), &text): ((&ColumnTexts, &&Column), &usize)| {
            let is_true = rows.iter().all(|&row| column.covers[text][of.codes[row as usize] as usize]);
            is_true.then(|| column.texts[text].clone())
        };
        self.columns.iter().zip(&quasi).zip(numbers).map(text).collect()
    }

    /// Records by what the earlier recoding says about them. A record that it says nothing about is in none.
    ///
    /// A local recoding says about a record what its tightest class says that is true of the record; one by levels (`by_levels`) says it column
    /// by column.
    pub(super) fn assign(
        &self,
        original: &Table,
        rows: &[u32],
        by_levels: bool,
    ) -> BTreeMap<Vec<String>, Vec<u32>> {
        let quasi = original.quasi_identifiers();
        let texts_of = |&row: &u32| {
            let point: Vec<u32> = quasi.iter().map(|column| column.codes[row as usize]).collect();
            match by_levels {
                true => self.by_columns(&quasi, &point),
                false => self.by_classes(&point),
            }
        };
        let all: Vec<Option<Vec<String>>> = rows.par_iter().map(texts_of).collect();
        let mut found: BTreeMap<Vec<String>, Vec<u32>> = BTreeMap::new();
        for (&row, texts) in rows.iter().zip(all) {
            if let Some(texts) = texts {
                found.entry(texts).or_default().push(row);
            }
        }
        found
    }

    fn by_classes(&self, point: &[u32]) -> Option<Vec<String>> {
        let numbers =
            self.order.iter().filter_map(|&class| self.classes[class].as_ref()).find(|numbers| {
                let mut cells = self.columns.iter().zip(*numbers).zip(point);
                cells.all(|((column, &text), &code)| column.covers[text][code as usize])
            })?;
        Some(self.columns.iter().zip(numbers).map(|(column, &text)| column.texts[text].clone()).collect())
    }

    fn by_columns(&self, quasi: &[&Column], point: &[u32]) -> Option<Vec<String>> {
        let text = |((column, of), &code): ((&ColumnTexts, &&Column), &u32)| {
            let known = column.covers.iter().position(|covers| covers[code as usize]);
            let above = || {
                let tree = of.hierarchy.as_ref()?;
                let node = tree.tree().ancestor(tree.leaf_of(code), column.level?);
                Some(tree.tree().label(node).to_owned())
            };
            known.map(|text| column.texts[text].clone()).or_else(above)
        };
        self.columns.iter().zip(quasi).zip(point).map(text).collect()
    }
}

/// A published text as it can be published again, and which values of the new original it is true of. None where it says nothing about any of
/// them.
fn read(column: &Column, text: &str) -> Option<(String, Vec<bool>)> {
    let (text, value) = match PublishedValue::parse(text, &column.domain, column.hierarchy.as_ref()) {
        Ok(value) => (text.to_owned(), value),
        // A set may name only values that the data have, or nobody could check it: those that are gone are left out of it.
        Err(PublishedError::Member { .. }) => {
            let members = parse_set(text)?;
            let mut codes: Vec<u32> =
                members.iter().filter_map(|member| column.domain.code_of(member)).collect();
            codes.sort_unstable();
            codes.dedup();
            let cell = match codes[..] {
                [] => return None,
                [only] => Cell::Exact(only),
                _ => Cell::Set(codes.clone()),
            };
            (column.render(&cell), PublishedValue::Set(codes))
        }
        Err(PublishedError::Unknown { .. }) => return None,
    };
    let codes = 0..column.domain.len() as u32;
    let covers = codes.map(|code| value.covers(code, &column.domain, column.hierarchy.as_ref())).collect();
    Some((text, covers))
}

/// The level that all these texts are on.
fn level(column: &Column, texts: &[&str]) -> Option<usize> {
    let tree = column.hierarchy.as_ref()?.tree();
    let is_on = |level: usize, text: &str| {
        let Some(node) = tree.node(text) else { return false };
        tree.ancestor(tree.leaves_below(node).start, level) == node
    };
    (0..tree.level_count()).find(|&level| texts.iter().all(|text| is_on(level, text)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shoal_core::{Hierarchy, Kind, RawTable, Role};

    use super::*;

    /// Ages, by decades where `tree` says so, and towns.
    fn table(rows: &[[&str; 2]], tree: bool) -> Table {
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
        let raw = RawTable::from_rows(&["age", "town"], &rows);
        let mut age = Column::encode(&raw.columns[0], Role::QuasiIdentifier, Kind::Integer, &[]).unwrap();
        if tree {
            let line = |age: u32| vec![age.to_string(), format!("{}s", age / 10 * 10), "*".to_owned()];
            age = age
                .with_hierarchy(&Arc::new(
                    Hierarchy::from_rows(&(20..60).map(line).collect::<Vec<_>>()).unwrap(),
                ))
                .unwrap();
        }
        let town = Column::encode(&raw.columns[1], Role::QuasiIdentifier, Kind::Text, &[]).unwrap();
        Table { rows: raw.rows, columns: vec![age, town] }
    }

    fn regions(table: &Table, cells: &[[&str; 2]]) -> Regions {
        let classes: Vec<Vec<String>> = cells.iter().map(|cells| cells.map(str::to_owned).to_vec()).collect();
        Regions::of(table, &["age".to_owned(), "town".to_owned()], &classes).unwrap()
    }

    fn assigned(table: &Table, cells: &[[&str; 2]], by_levels: bool) -> Vec<(String, Vec<u32>)> {
        let rows: Vec<u32> = (0..table.rows as u32).collect();
        let found = regions(table, cells).assign(table, &rows, by_levels);
        found.into_iter().map(|(texts, rows)| (texts.join(" | "), rows)).collect()
    }

    #[test]
    fn a_record_gets_the_tightest_class_and_ranges_keep_their_ends() {
        let table = table(&[["23", "Bonn"], ["38", "Bonn"], ["23", "Kiel"], ["90", "Bonn"]], false);
        // Neither 20 nor 40 is an age of the new data. Nobody lives in Ulm any more, so the set can name Bonn only.
        let cells = [["[20, 40]", "*"], ["[20, 30]", "{Bonn, Ulm}"], ["[20, 30]", "Ulm"]];
        let found = assigned(&table, &cells, false);
        assert_eq!(found, [("[20, 30] | Bonn".to_owned(), vec![0]), ("[20, 40] | *".to_owned(), vec![1, 2])]);
    }

    #[test]
    fn levels_are_applied_to_values_that_nobody_had() {
        let table = table(&[["23", "Bonn"], ["41", "Kiel"], ["47", "Kiel"]], true);
        // No class is about the forties, nor about people in their twenties in Bonn; both columns say what to do.
        let cells = [["20s", "Kiel"], ["30s", "Bonn"]];
        let found = assigned(&table, &cells, true);
        assert_eq!(found, [("20s | Bonn".to_owned(), vec![0]), ("40s | Kiel".to_owned(), vec![1, 2])]);
        assert!(assigned(&table, &cells, false).is_empty());
    }

    #[test]
    fn kept_classes_keep_the_texts_that_are_still_true() {
        let table = table(&[["23", "Bonn"], ["31", "Bonn"]], false);
        let regions = regions(&table, &[["[20, 30]", "{Bonn, Kiel}"]]);
        // Kiel is no town of the new data; somebody is 31 now, which the earlier range does not say.
        assert_eq!(regions.texts(&table, 0, &[0]), [Some("[20, 30]".to_owned()), Some("Bonn".to_owned())]);
        assert_eq!(regions.texts(&table, 0, &[0, 1]), [None, Some("Bonn".to_owned())]);
    }
}
