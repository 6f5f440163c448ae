//! The order in which records are worked on, and the order in which they are published.
//!
//! What is published must be a function of the records and the policy: whoever knows the order of the input (an
//! alphabetical list, the times of arrival) must learn nothing from the order of the release, and must not be able to
//! undo anything, so a permutation drawn from the public seed would hide nothing. When they are read, records are put into
//! an order made from their own content; before they are written, into the order of what is published about them.

use std::cmp::Ordering;

use rayon::prelude::*;
use shoal_core::{RawColumn, RawTable, Transactions};
use shoal_privacy::RecordOrder;

use crate::Request;

/// The order that a release of this policy must have.
pub(crate) fn record_order(request: &Request) -> RecordOrder {
    if request.policy().output.keep_order { RecordOrder::Input } else { RecordOrder::Published }
}

/// Keyed hashes of what is in records, from which their order after reading is made.
///
/// Hashes and not the values themselves: in an order of values, records with equal quasi-identifiers would be dealt out
/// to classes by their sensitive value. The key comes from the seed, so that another seed is another order. Identifiers
/// never go in: if Ann's record were placed by her name, two worlds in which Ann and Bob have changed places could
/// look different.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContentHash {
    key: [u8; 32],
}

impl ContentHash {
    pub(crate) fn new(seed: u64) -> ContentHash {
        ContentHash {
            key: blake3::derive_key("shoal 2026 order of records at the door", &seed.to_le_bytes()),
        }
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
            // A sum is enough: each summand depends on its column, and rows that collide are compared in full.
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

    /// Puts records in the order of their hashes; `compare` decides where two are equal, by content. With `person_of`,
    /// records of equal content are ordered by their people, who are distinguished by their records only.
    pub(crate) fn order(
        &self,
        hashes: &[u64],
        person_of: Option<&[u32]>,
        compare: impl Fn(u32, u32) -> Ordering + Sync,
    ) -> Vec<u32> {
        let rank = person_of.map(|person_of| self.people(hashes, person_of));
        let mut keyed: Vec<(u64, u32)> = hashes.iter().copied().zip(0..).collect();
        keyed.par_sort_unstable_by(|a, b| {
            let by_person = || match (&rank, person_of) {
                (Some(rank), Some(of)) => {
                    rank[of[a.1 as usize] as usize].cmp(&rank[of[b.1 as usize] as usize])
                }
                _ => Ordering::Equal,
            };
            // The input's order (the last key) decides only between records of equal content and, where people are
            // known, of people with equal records. Whichever of them comes first, the same is published.
            a.0.cmp(&b.0).then_with(|| compare(a.1, b.1)).then_with(by_person).then(a.1.cmp(&b.1))
        });
        keyed.into_iter().map(|(_, record)| record).collect()
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
    seed: u64,
    columns: &[&RawColumn],
    rows: usize,
    person_of: Option<&[u32]>,
) -> Vec<u32> {
    let hash = ContentHash::new(seed);
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

    #[test]
    fn the_order_at_the_door_depends_on_content_and_seed_alone() {
        let forwards = table(&ROWS);
        let mut reversed = ROWS;
        reversed.reverse();
        let backwards = table(&reversed);
        let by_content = |table: &RawTable, seed| {
            let columns: Vec<&RawColumn> = table.columns.iter().collect();
            texts(table, &rows_by_content(seed, &columns, table.rows, None))
        };
        assert_eq!(by_content(&forwards, 1), by_content(&backwards, 1));
        let mut orders: Vec<_> = (0..20).map(|seed| by_content(&forwards, seed)).collect();
        orders.sort();
        orders.dedup();
        assert!(orders.len() > 10, "another seed is another order");
    }

    #[test]
    fn colliding_records_are_told_apart_by_content() {
        let hash = ContentHash::new(0);
        let forwards = table(&ROWS);
        let columns: Vec<&RawColumn> = forwards.columns.iter().collect();
        let order = hash.order(&[7; 6], None, |a, b| compare_rows(&columns, a, b));
        assert_eq!(texts(&forwards, &order)[0], "100 m ");
        assert_eq!(order.last(), Some(&5), "9 is the last by bytes");
    }

    #[test]
    fn people_are_told_apart_by_their_records_and_never_by_their_names() {
        let rows = table(&[["1", "f", "a"], ["1", "f", "a"], ["2", "f", "b"], ["2", "f", "b"]]);
        let columns: Vec<&RawColumn> = rows.columns.iter().collect();
        // One has `a` twice, the other `b` twice; or each has both. Names are swapped in between.
        let partners = |person_of: [u32; 4]| {
            let order = rows_by_content(3, &columns, 4, Some(&person_of));
            order.iter().map(|&row| person_of[row as usize]).collect::<Vec<_>>()
        };
        let same = |persons: &[u32]| persons[0] == persons[2];
        assert!(same(&partners([0, 1, 0, 1])) && same(&partners([1, 0, 1, 0])));
        assert!(same(&partners([0, 1, 1, 0])) && same(&partners([1, 0, 0, 1])));
        assert!(!same(&partners([0, 0, 1, 1])) && !same(&partners([1, 1, 0, 0])));
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
