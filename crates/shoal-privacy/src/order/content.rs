//! The order in which records are worked on, made from their content and the secret key of the release when they are read.
//!
//! What is published must be a function of the records and the policy: an attacker who knows the order of the input (an
//! alphabetical list, the times of arrival) must learn nothing from the release, and must not be able to undo anything.

use std::cmp::Ordering;
use std::collections::HashSet;

use rayon::prelude::*;
use shoal_core::{RawColumn, RawTable, Role, Transactions};

/// Keyed hashes of what is in records, from which their order after reading is made.
///
/// An algorithm that splits records with equal quasi-identifiers between classes deals them in this order, so it decides
/// whose sensitive value is published where. That must be any of the ways, each as likely as the other:
/// - Hashes and not the values themselves, which would deal records by their sensitive value.
/// - Under a secret key: an attacker who could repeat the hashes would find the one way that gives the published file.
/// - Equal records are numbered and hashed with their number, each to a place of its own. Side by side, they would
///   go to the same class more often than others, and an attacker could reckon with it.
///
/// Identifiers never go in: if Ann's record were placed by her name, two worlds in which Ann and Bob have changed places
/// could look different.
#[derive(Clone)]
pub struct ContentOrder<'a> {
    key: [u8; 32],
    /// The columns that go into the hashes.
    says: HashSet<&'a str>,
}

impl<'a> ContentOrder<'a> {
    /// Under this key, of columns that have these roles. A column without a role does not go in.
    pub fn new(key: [u8; 32], roles: &[(&'a str, Role)]) -> ContentOrder<'a> {
        let says = roles.iter().filter(|(_, role)| *role != Role::Identifier).map(|&(name, _)| name);
        ContentOrder { key, says: says.collect() }
    }

    /// The rows of a table. With `person_of`, rows of equal content are told apart by their people, and these by their
    /// rows and not by their names.
    pub fn rows(&self, table: &RawTable, person_of: Option<&[u32]>) -> Vec<u32> {
        let columns = self.columns(Some(table));
        self.order(&self.hash_rows(&columns, table.rows), person_of, |a, b| compare_rows(&columns, a, b))
    }

    /// People, who are given by the rows of their events in order.
    pub fn people(&self, table: &RawTable, rows_of: &[Vec<u32>]) -> Vec<u32> {
        let columns = self.columns(Some(table));
        let of_rows = self.hash_rows(&columns, table.rows);
        let of_person = |rows: &Vec<u32>| self.hash_list(rows.iter().map(|&row| of_rows[row as usize]));
        let hashes: Vec<u64> = rows_of.iter().map(of_person).collect();
        self.order(&hashes, None, |a, b| {
            let (a, b) = (&rows_of[a as usize], &rows_of[b as usize]);
            let differing = a.iter().zip(b).map(|(&a, &b)| compare_rows(&columns, a, b)).find(|o| o.is_ne());
            differing.unwrap_or_else(|| a.len().cmp(&b.len()))
        })
    }

    /// Transactions; `rest` are the columns beside their items.
    pub fn transactions(&self, data: &Transactions, rest: Option<&RawTable>) -> Vec<u32> {
        let columns = self.columns(rest);
        let of_rest = self.hash_rows(&columns, data.len());
        let lists = self.hash_transactions(data).into_iter().zip(of_rest);
        let hashes: Vec<u64> = lists.map(|(items, rest)| self.hash_list([items, rest])).collect();
        // Items are numbered by their texts, so comparing numbers does not depend on the order of the input.
        let items = |row: u32| data.transaction(row as usize);
        let compare = |a: u32, b: u32| items(a).cmp(items(b)).then_with(|| compare_rows(&columns, a, b));
        self.order(&hashes, data.persons(), compare)
    }

    fn columns<'t>(&self, table: Option<&'t RawTable>) -> Vec<&'t RawColumn> {
        let says = |column: &&RawColumn| self.says.contains(column.name.as_str());
        table.into_iter().flat_map(|table| &table.columns).filter(says).collect()
    }

    fn text(&self, column: usize, is_null: bool, text: &str) -> u64 {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&(column as u64).to_le_bytes()).update(&[u8::from(is_null)]).update(text.as_bytes());
        first_bytes(&hasher.finalize())
    }

    /// The hash of every row of these columns.
    fn hash_rows(&self, columns: &[&RawColumn], rows: usize) -> Vec<u64> {
        let mut hashes = vec![0_u64; rows];
        for (number, column) in columns.iter().enumerate() {
            let labels: Vec<u64> = (0..column.labels.len() as u32)
                .into_par_iter()
                .map(|code| self.text(number, column.null == Some(code), column.labels.get(code)))
                .collect();
            // A sum is enough to tell rows apart: each summand depends on its column, and rows that collide are compared
            // in full. It is no order: in each class of rows that differ in one column, the same value would come first.
            hashes.par_iter_mut().zip(&column.codes).for_each(|(hash, &code)| {
                *hash = hash.wrapping_add(labels[code as usize]);
            });
        }
        hashes
    }

    /// The hash of every transaction.
    fn hash_transactions(&self, data: &Transactions) -> Vec<u64> {
        let items: Vec<u64> =
            (0..data.items().len() as u32).map(|item| self.text(0, false, data.items().get(item))).collect();
        let sum = |set: &[u32]| set.iter().fold(0_u64, |sum, &item| sum.wrapping_add(items[item as usize]));
        data.iter().map(sum).collect()
    }

    /// The hash of a list of hashes: of the events of a person, of all records of a person.
    fn hash_list(&self, hashes: impl IntoIterator<Item = u64>) -> u64 {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        for hash in hashes {
            hasher.update(&hash.to_le_bytes());
        }
        first_bytes(&hasher.finalize())
    }

    /// Puts records in an order by their hashes; `compare` decides where two are equal, by content. With `person_of`,
    /// records of equal content are told apart by their people, who are distinguished by their records only.
    fn order(
        &self,
        hashes: &[u64],
        person_of: Option<&[u32]>,
        compare: impl Fn(u32, u32) -> Ordering + Sync,
    ) -> Vec<u32> {
        let rank = person_of.map(|person_of| self.ranks_of_people(hashes, person_of));
        let by_person = |a: u32, b: u32| match (&rank, person_of) {
            (Some(rank), Some(of)) => rank[of[a as usize] as usize].cmp(&rank[of[b as usize] as usize]),
            _ => Ordering::Equal,
        };
        let in_order = |a: &(u64, u32), b: &(u64, u32)| {
            // The input's order (the last key) decides only between records of equal content and, where people are
            // known, of people with equal records. Whichever of them comes first, the same is published.
            let by_content = || compare(a.1, b.1).then_with(|| by_person(a.1, b.1)).then(a.1.cmp(&b.1));
            a.0.cmp(&b.0).then_with(by_content)
        };
        let mut keyed: Vec<(u64, u32)> = hashes.iter().copied().zip(0..).collect();
        keyed.par_sort_unstable_by(in_order);
        self.part_equals(&mut keyed, &compare);
        keyed.par_sort_unstable_by(in_order);
        keyed.into_iter().map(|(_, record)| record).collect()
    }

    /// Hashes each of some records, of which equal ones stand side by side, with its number among its equals.
    fn part_equals(&self, keyed: &mut [(u64, u32)], compare: impl Fn(u32, u32) -> Ordering) {
        let mut numbers = vec![0_u32; keyed.len()];
        for at in 1..keyed.len() {
            let ((hash_before, before), (hash, record)) = (keyed[at - 1], keyed[at]);
            if hash == hash_before && compare(before, record).is_eq() {
                numbers[at] = numbers[at - 1] + 1;
            }
        }
        keyed.par_iter_mut().zip(numbers).for_each(|((hash, _), number)| {
            let mut numbered = [0; 12];
            numbered[..8].copy_from_slice(&hash.to_le_bytes());
            numbered[8..].copy_from_slice(&number.to_le_bytes());
            *hash = first_bytes(&blake3::keyed_hash(&self.key, &numbered));
        });
    }

    /// The place of every person in an order by all that their records say. People with the same records have the same
    /// part in whatever follows, so any order among them will do, as long as it is one order for all their records.
    fn ranks_of_people(&self, hashes: &[u64], person_of: &[u32]) -> Vec<u32> {
        let persons = person_of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut records: Vec<Vec<u64>> = vec![Vec::new(); persons];
        person_of.iter().zip(hashes).for_each(|(&person, &hash)| records[person as usize].push(hash));
        let mut by_records: Vec<(u64, u32)> = records
            .into_iter()
            .zip(0..)
            .map(|(mut hashes, person)| {
                // Sorted, so that the order of a person's records in the input has no part in it.
                hashes.sort_unstable();
                (self.hash_list(hashes), person)
            })
            .collect();
        by_records.sort_unstable();
        let mut rank = vec![0; persons];
        by_records.iter().zip(0..).for_each(|(&(_, person), place)| rank[person as usize] = place);
        rank
    }
}

fn first_bytes(hash: &blake3::Hash) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// Compares two rows by what is in them, whatever codes it has.
fn compare_rows(columns: &[&RawColumn], a: u32, b: u32) -> Ordering {
    let of = |column: &RawColumn, code: u32| (column.null != Some(code), code);
    for column in columns {
        let (x, y) = (column.codes[a as usize], column.codes[b as usize]);
        // Equal codes are equal texts. Different codes may still be: a null and the empty text have the same label.
        if x != y {
            let ((a_is_text, x), (b_is_text, y)) = (of(column, x), of(column, y));
            return column.labels.get(x).cmp(column.labels.get(y)).then(a_is_text.cmp(&b_is_text));
        }
    }
    Ordering::Equal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 3]]) -> RawTable {
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
        RawTable::from_rows(&["age", "sex", "illness"], &rows)
    }

    fn texts(table: &RawTable, order: &[u32]) -> Vec<String> {
        let row =
            |&row: &u32| table.columns.iter().map(|c| c.text(row as usize)).collect::<Vec<_>>().join(" ");
        order.iter().map(row).collect()
    }

    const ROWS: [[&str; 3]; 6] = [
        ["20", "f", "flu"],
        ["20", "f", "hiv"],
        ["31", "m", "flu"],
        ["20", "f", "flu"],
        ["100", "m", ""],
        ["9", "f", "cold"],
    ];

    const ROLES: [(&str, Role); 3] =
        [("age", Role::QuasiIdentifier), ("sex", Role::QuasiIdentifier), ("illness", Role::Sensitive)];

    fn under(number: u8) -> ContentOrder<'static> {
        ContentOrder::new([number; 32], &ROLES)
    }

    #[test]
    fn the_order_at_the_door_depends_on_content_and_key_alone() {
        let forwards = table(&ROWS);
        let mut reversed = ROWS;
        reversed.reverse();
        let backwards = table(&reversed);
        let by_content = |table: &RawTable, number| texts(table, &under(number).rows(table, None));
        assert_eq!(by_content(&forwards, 1), by_content(&backwards, 1));
        let mut orders: Vec<_> = (0..20).map(|number| by_content(&forwards, number)).collect();
        orders.sort();
        orders.dedup();
        assert!(orders.len() > 10, "another key is another order");
    }

    /// Of four records, two of them equal, each of the twelve orders is as likely as the others; and where two columns have
    /// two values each, the order in one says nothing of the order in the other.
    #[test]
    fn every_order_is_as_likely() {
        for rows in [
            [["1", "f", "a"], ["1", "f", "a"], ["1", "f", "b"], ["1", "f", "c"]],
            [["1", "f", "a"], ["1", "f", "b"], ["2", "f", "a"], ["2", "f", "b"]],
        ] {
            let rows = table(&rows);
            let mut orders = std::collections::BTreeMap::new();
            for number in 0..4800_u32 {
                let key = *blake3::hash(&number.to_le_bytes()).as_bytes();
                let order = ContentOrder::new(key, &ROLES).rows(&rows, None);
                *orders.entry(texts(&rows, &order)).or_insert(0_usize) += 1;
            }
            let expected = 4800 / orders.len();
            assert_eq!(orders.len(), if rows.columns[0].labels.len() == 1 { 12 } else { 24 });
            for (order, found) in orders {
                // Five standard deviations of a count with this mean.
                let off = 5.0 * (expected as f64).sqrt();
                assert!((found as f64 - expected as f64).abs() < off, "{order:?}: {found} of {expected}");
            }
        }
    }

    #[test]
    fn colliding_records_are_told_apart_by_content() {
        let order = under(0);
        let forwards = table(&ROWS);
        let mut reversed = ROWS;
        reversed.reverse();
        let sorted = |table: &RawTable| {
            let columns = order.columns(Some(table));
            texts(table, &order.order(&[7; 6], None, |a, b| compare_rows(&columns, a, b)))
        };
        assert_eq!(sorted(&forwards), sorted(&table(&reversed)));
    }

    #[test]
    fn people_are_told_apart_by_their_records_and_never_by_their_names() {
        let rows = table(&[["1", "f", "a"], ["1", "f", "a"], ["2", "f", "b"], ["2", "f", "b"]]);
        // What is seen of an order: which record, and whether its person was there before.
        let seen = |person_of: [u32; 4]| {
            let order = under(3).rows(&rows, Some(&person_of));
            let persons: Vec<u32> = order.iter().map(|&row| person_of[row as usize]).collect();
            let first = |person| persons.iter().position(|other| other == person).unwrap();
            (texts(&rows, &order), persons.iter().map(first).collect::<Vec<_>>())
        };
        // Each has both, and names are swapped; or one has `a` twice, the other `b` twice.
        let both = seen([0, 1, 0, 1]);
        assert!([[1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]].into_iter().all(|persons| seen(persons) == both));
        assert_eq!(seen([0, 0, 1, 1]), seen([1, 1, 0, 0]));
    }
}
