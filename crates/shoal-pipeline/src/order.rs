//! The order in which records are worked on, and the order in which they are published.
//!
//! What is published must be a function of the records and the policy: whoever knows the order of the input (an
//! alphabetical list, the times of arrival) must learn nothing from the order of the release, and must not be able to
//! undo anything. When they are read, records are put into an order made from their own content and the secret key of
//! the release; before they are written, into the order of what is published about them.

use std::cmp::Ordering;

use rayon::prelude::*;
use shoal_core::{RawColumn, RawTable, Transactions};
use shoal_privacy::RecordOrder;

use crate::{ReleaseKey, Request};

/// The order that a release of this policy must have.
pub(crate) fn record_order(request: &Request) -> RecordOrder {
    if request.policy().output.keep_order { RecordOrder::Input } else { RecordOrder::Published }
}

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
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContentHash {
    key: [u8; 32],
}

impl ContentHash {
    pub(crate) fn new(key: &ReleaseKey) -> ContentHash {
        ContentHash { key: key.order() }
    }

    fn text(&self, column: usize, is_null: bool, text: &str) -> u64 {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&(column as u64).to_le_bytes()).update(&[u8::from(is_null)]).update(text.as_bytes());
        first_bytes(&hasher.finalize())
    }

    /// The hash of every row of these columns.
    pub(crate) fn rows(&self, columns: &[&RawColumn], rows: usize) -> Vec<u64> {
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
    pub(crate) fn transactions(&self, data: &Transactions) -> Vec<u64> {
        let items: Vec<u64> =
            (0..data.items().len() as u32).map(|item| self.text(0, false, data.items().get(item))).collect();
        let sum = |set: &[u32]| set.iter().fold(0_u64, |sum, &item| sum.wrapping_add(items[item as usize]));
        data.iter().map(sum).collect()
    }

    /// The hash of a list of hashes: of the events of a person, of all records of a person.
    pub(crate) fn list(&self, hashes: impl IntoIterator<Item = u64>) -> u64 {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        for hash in hashes {
            hasher.update(&hash.to_le_bytes());
        }
        first_bytes(&hasher.finalize())
    }

    /// Puts records in an order by their hashes; `compare` decides where two are equal, by content. With `person_of`,
    /// records of equal content are told apart by their people, who are distinguished by their records only.
    pub(crate) fn order(
        &self,
        hashes: &[u64],
        person_of: Option<&[u32]>,
        compare: impl Fn(u32, u32) -> Ordering + Sync,
    ) -> Vec<u32> {
        let rank = person_of.map(|person_of| self.people(hashes, person_of));
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
    fn people(&self, hashes: &[u64], person_of: &[u32]) -> Vec<u32> {
        let persons = person_of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut records: Vec<Vec<u64>> = vec![Vec::new(); persons];
        person_of.iter().zip(hashes).for_each(|(&person, &hash)| records[person as usize].push(hash));
        let mut by_records: Vec<(u64, u32)> = records
            .into_iter()
            .zip(0..)
            .map(|(mut hashes, person)| {
                // Sorted, so that the order of a person's records in the input has no part in it.
                hashes.sort_unstable();
                (self.list(hashes), person)
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

/// The rows of a table in the order of their content.
pub(crate) fn rows_by_content(
    key: &ReleaseKey,
    columns: &[&RawColumn],
    rows: usize,
    person_of: Option<&[u32]>,
) -> Vec<u32> {
    let hash = ContentHash::new(key);
    hash.order(&hash.rows(columns, rows), person_of, |a, b| compare_rows(columns, a, b))
}

/// Compares two rows by what is in them, whatever codes it has.
pub(crate) fn compare_rows(columns: &[&RawColumn], a: u32, b: u32) -> Ordering {
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

/// The rank of each row of a table to be published. Equal rows have equal ranks.
#[derive(Debug)]
pub(crate) struct PublishedPlaces {
    /// Of each row, its cells from the first column on, as many to a word as fit; one list per word.
    words: Vec<Vec<u64>>,
}

impl PublishedPlaces {
    /// Looks at the texts once per column, so that rows compare by a few machine words.
    pub(crate) fn of(published: &RawTable) -> PublishedPlaces {
        let mut places = PublishedPlaces { words: Vec::new() };
        let mut room = 0;
        let texts = published.columns.iter().map(|column| (column, ranks(column)));
        // Formats without nulls write them as empty texts, so nulls count only after all texts.
        let has_nulls = published.columns.iter().filter(|column| column.null.is_some());
        let nulls = has_nulls.map(|column| (column, null_ranks(column)));
        for (column, ranks) in texts.chain(nulls) {
            // Each column takes as many bits as its greatest rank needs, from the highest bit of a word downwards, so
            // that words compare like the cells one after the other.
            let bits = u64::BITS - ranks.iter().max().map_or(0, |&max| u64::from(max)).leading_zeros();
            if bits > room {
                places.words.push(vec![0; published.rows]);
                room = u64::BITS;
            }
            room -= bits;
            // Without a column of more than one text there is no word, and nothing to write into it.
            let Some(word) = places.words.last_mut() else { continue };
            word.par_iter_mut().zip(&column.codes).for_each(|(word, &code)| {
                *word |= u64::from(ranks[code as usize]) << room;
            });
        }
        places
    }

    /// Compares two rows.
    pub(crate) fn compare(&self, a: usize, b: usize) -> Ordering {
        let by_word = self.words.iter().map(|word| word[a].cmp(&word[b]));
        by_word.into_iter().find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// All rows in the order of their places.
    pub(crate) fn sorted(&self, rows: usize) -> Vec<u32> {
        let Some(first) = self.words.first() else { return (0..rows as u32).collect() };
        let mut keyed: Vec<(u64, u32)> = first.iter().copied().zip(0..).collect();
        // The first word is stored beside the row, so that most comparisons touch nothing else.
        keyed.par_sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| self.compare(a.1 as usize, b.1 as usize)).then(a.1.cmp(&b.1))
        });
        keyed.into_iter().map(|(_, row)| row).collect()
    }
}

/// The place of each code's text among the texts of the column; equal texts have equal places.
fn ranks(column: &RawColumn) -> Vec<u32> {
    let mut order: Vec<u32> = (0..column.labels.len() as u32).collect();
    order.par_sort_unstable_by(|&a, &b| column.labels.get(a).cmp(column.labels.get(b)));
    let mut ranks = vec![0; order.len()];
    let mut rank = 0;
    for pair in order.windows(2) {
        rank += u32::from(column.labels.get(pair[0]) != column.labels.get(pair[1]));
        ranks[pair[1] as usize] = rank;
    }
    ranks
}

/// Nulls before everything else.
fn null_ranks(column: &RawColumn) -> Vec<u32> {
    (0..column.labels.len() as u32).map(|code| u32::from(column.null != Some(code))).collect()
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

    fn key(number: u8) -> ReleaseKey {
        ReleaseKey::from_bytes([number; 32])
    }

    #[test]
    fn the_order_at_the_door_depends_on_content_and_key_alone() {
        let forwards = table(&ROWS);
        let mut reversed = ROWS;
        reversed.reverse();
        let backwards = table(&reversed);
        let by_content = |table: &RawTable, number| {
            let columns: Vec<&RawColumn> = table.columns.iter().collect();
            texts(table, &rows_by_content(&key(number), &columns, table.rows, None))
        };
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
            let columns: Vec<&RawColumn> = rows.columns.iter().collect();
            let mut orders = std::collections::BTreeMap::new();
            for number in 0..4800_u32 {
                let key = ReleaseKey::from_bytes(*blake3::hash(&number.to_le_bytes()).as_bytes());
                let order = rows_by_content(&key, &columns, 4, None);
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
        let hash = ContentHash::new(&key(0));
        let forwards = table(&ROWS);
        let mut reversed = ROWS;
        reversed.reverse();
        let order = |table: &RawTable| {
            let columns: Vec<&RawColumn> = table.columns.iter().collect();
            texts(table, &hash.order(&[7; 6], None, |a, b| compare_rows(&columns, a, b)))
        };
        assert_eq!(order(&forwards), order(&table(&reversed)));
    }

    #[test]
    fn people_are_told_apart_by_their_records_and_never_by_their_names() {
        let rows = table(&[["1", "f", "a"], ["1", "f", "a"], ["2", "f", "b"], ["2", "f", "b"]]);
        let columns: Vec<&RawColumn> = rows.columns.iter().collect();
        // What is seen of an order: which record, and whether its person was there before.
        let seen = |person_of: [u32; 4]| {
            let order = rows_by_content(&key(3), &columns, 4, Some(&person_of));
            let persons: Vec<u32> = order.iter().map(|&row| person_of[row as usize]).collect();
            let first = |person| persons.iter().position(|other| other == person).unwrap();
            (texts(&rows, &order), persons.iter().map(first).collect::<Vec<_>>())
        };
        // Each has both, and names are swapped; or one has `a` twice, the other `b` twice.
        let both = seen([0, 1, 0, 1]);
        assert!([[1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]].into_iter().all(|persons| seen(persons) == both));
        assert_eq!(seen([0, 0, 1, 1]), seen([1, 1, 0, 0]));
    }

    #[test]
    fn published_rows_stand_in_the_order_of_their_texts() {
        let file = table(&ROWS);
        let places = PublishedPlaces::of(&file);
        let expected =
            ["100 m ", "20 f flu", "20 f flu", "20 f hiv", "31 m flu", "9 f cold"].map(str::to_owned);
        assert_eq!(texts(&file, &places.sorted(6)), expected);
        assert_eq!(places.compare(0, 3), Ordering::Equal);
    }

    #[test]
    fn many_columns_take_several_words() {
        let names: Vec<String> = (0..30).map(|column| format!("c{column}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let rows: Vec<Vec<String>> = (0..200_u32)
            .map(|row| (0..30).map(|c| (row.wrapping_mul(7919 + c) % 11).to_string()).collect())
            .collect();
        let file = RawTable::from_rows(&names, &rows);
        let order = PublishedPlaces::of(&file).sorted(file.rows);
        let mut expected = rows.clone();
        expected.sort();
        let found: Vec<Vec<String>> = order.iter().map(|&row| rows[row as usize].clone()).collect();
        assert_eq!(found, expected);
    }
}
