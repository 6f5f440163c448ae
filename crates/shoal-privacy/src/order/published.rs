//! The order in which records are published: that of what is published about them.

use std::cmp::Ordering;
use std::ops::Range;

use rayon::prelude::*;
use shoal_core::{RawColumn, RawTable, Transactions};

/// The rows of a table that is to be published, in the order in which they are.
pub fn rows_as_published(published: &RawTable) -> Vec<u32> {
    PublishedPlaces::of(published).sorted(published.rows)
}

/// The transactions that are to be published, in the order in which they are; `rest` are the columns beside their items.
pub fn transactions_as_published(published: &Transactions, rest: Option<&RawTable>) -> Vec<u32> {
    // The numbers of published items follow their texts, so that transactions compare by numbers.
    let items = |row: u32| published.transaction(row as usize);
    let rest = rest.map(PublishedPlaces::of);
    let by_rest =
        |a: u32, b: u32| rest.as_ref().map_or(Ordering::Equal, |rest| rest.compare(a as usize, b as usize));
    let mut order: Vec<u32> = (0..published.len() as u32).collect();
    // The row itself decides last: equal ones are published alike, and the result is the same for any number of threads.
    order.par_sort_unstable_by(|&a, &b| items(a).cmp(items(b)).then_with(|| by_rest(a, b)).then(a.cmp(&b)));
    order
}

/// People, who are given by the rows of their events in a table that is to be published, in the order in which they are.
pub fn people_as_published(published: &RawTable, events: &[Range<usize>]) -> Vec<u32> {
    let places = PublishedPlaces::of(published);
    let mut order: Vec<u32> = (0..events.len() as u32).collect();
    order.par_sort_unstable_by(|&a, &b| {
        let (of_a, of_b) = (events[a as usize].clone(), events[b as usize].clone());
        let by_length = of_a.len().cmp(&of_b.len());
        let differing = of_a.zip(of_b).map(|(a, b)| places.compare(a, b)).find(|o| o.is_ne());
        differing.unwrap_or(by_length).then(a.cmp(&b))
    });
    order
}

/// The rank of each row of a table to be published. Equal rows have equal ranks.
#[derive(Debug)]
struct PublishedPlaces {
    /// Of each row, its cells from the first column on, as many to a word as fit; one list per word.
    words: Vec<Vec<u64>>,
}

impl PublishedPlaces {
    /// Looks at the texts once per column, so that rows compare by a few machine words.
    fn of(published: &RawTable) -> PublishedPlaces {
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
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let by_word = self.words.iter().map(|word| word[a].cmp(&word[b]));
        by_word.into_iter().find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// All rows in the order of their places.
    fn sorted(&self, rows: usize) -> Vec<u32> {
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
    use proptest::prelude::*;
    use shoal_core::{Place, RawColumnBuilder};

    use super::super::{people_out_of_order, rows_out_of_order, transactions_out_of_order};
    use super::*;

    /// `n` stands for a null, which is written like the empty text.
    fn table(rows: &[Vec<String>], columns: usize) -> RawTable {
        let column = |at: usize| {
            let mut column = RawColumnBuilder::new(format!("c{at}"));
            rows.iter().for_each(|row| match row[at].as_str() {
                "n" => column.push_null(Place::default()),
                text => column.push(text, Place::default()),
            });
            column.finish()
        };
        RawTable { columns: (0..columns).map(column).collect(), rows: rows.len(), files: Vec::new() }
    }

    fn picked(rows: &[Vec<String>], order: &[u32]) -> Vec<Vec<String>> {
        order.iter().map(|&row| rows[row as usize].clone()).collect()
    }

    proptest! {
        /// The check shares no code with what makes the order.
        #[test]
        fn what_is_put_in_order_is_in_order_for_the_check(
            rows in prop::collection::vec(prop::collection::vec("[ab19n]{0,2}", 3), 0..40),
            cuts in prop::collection::vec(0_usize..40, 0..8),
        ) {
            let file = table(&rows, 3);
            let sorted = picked(&rows, &rows_as_published(&file));
            prop_assert_eq!(rows_out_of_order(&table(&sorted, 3)), None);

            let items: Vec<Vec<&str>> = rows.iter().map(|row| row[..2].iter().map(String::as_str).collect()).collect();
            let baskets = Transactions::from_texts(&items);
            let order = transactions_as_published(&baskets, Some(&file));
            let rest = table(&picked(&rows, &order), 3);
            prop_assert_eq!(transactions_out_of_order(&baskets.select(&order), Some(&rest)), None);

            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < rows.len()).chain([0, rows.len()]).collect();
            cuts.sort_unstable();
            cuts.dedup();
            let people: Vec<Range<usize>> = cuts.windows(2).map(|pair| pair[0]..pair[1]).collect();
            let mut numbered = Vec::new();
            for (number, &person) in people_as_published(&file, &people).iter().enumerate() {
                let id = [number.to_string()];
                let rows = &rows[people[person as usize].clone()];
                numbered.extend(rows.iter().map(|row| [&row[..], &id[..]].concat()));
            }
            prop_assert_eq!(people_out_of_order(&table(&numbered, 4), "c3"), None);
        }
    }

    #[test]
    fn many_columns_take_several_words() {
        let cell = |row: u32, column: u32| (row.wrapping_mul(7919 + column) % 11).to_string();
        let rows: Vec<Vec<String>> =
            (0..200_u32).map(|row| (0..30).map(|column| cell(row, column)).collect()).collect();
        let found = picked(&rows, &rows_as_published(&table(&rows, 30)));
        let mut expected = rows;
        expected.sort();
        assert_eq!(found, expected);
    }
}
