//! What a page shows of the data. [`PublishedFacts`] know the published file only, [`HouseFacts`] the original as well.

use std::collections::BTreeMap;

use rayon::prelude::*;
use shoal_core::{Place, RawColumn, RawColumnBuilder, RawTable, Table, Transactions};
use shoal_measure::transactions::PublishedItems;
use shoal_privacy::Classes;

use super::distribution::{Distribution, of_both, of_counts, of_release};

/// A published file, as anybody can read it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Published<'a> {
    /// A row per record.
    Table(&'a RawTable),
    /// A set of items per record, and the other columns of their table, where they are a column of one.
    Transactions(&'a Transactions, Option<&'a RawTable>),
    /// A row per event; the first column says whose it is.
    Sequences(&'a RawTable),
}

/// What a page shows of a published file, and nothing that is not in it.
#[derive(Clone, Debug)]
pub(crate) struct PublishedFacts {
    /// For each size of a crowd, how many there are. Crowds are records with equal quasi-identifiers, people with equal
    /// sequences, or transactions that hold the same published item.
    pub(super) crowds: BTreeMap<u32, u64>,
    /// The published columns.
    pub(super) columns: Vec<Distribution>,
    /// Items of a transaction or events of a person: how many have how many.
    pub(super) lengths: Option<Distribution>,
}

impl PublishedFacts {
    /// `quasi` names the quasi-identifiers.
    pub(crate) fn of(quasi: &[String], published: Published<'_>) -> PublishedFacts {
        match published {
            Published::Table(table) => PublishedFacts {
                crowds: sizes(&Classes::of(table.rows, &columns(table, quasi)).sizes),
                columns: table.columns.iter().map(of_release).collect(),
                lengths: None,
            },
            Published::Sequences(events) => {
                let people = people(events);
                PublishedFacts {
                    crowds: sequences_alike(events, quasi, &people),
                    columns: events.columns.iter().skip(1).map(of_release).collect(),
                    lengths: Some(lengths(
                        "events of a person",
                        people.windows(2).map(|pair| pair[1] - pair[0]),
                    )),
                }
            }
            Published::Transactions(transactions, rest) => {
                let supports = transactions.supports();
                let items = transactions.items().iter().zip(&supports);
                let items = items.map(|(item, &count)| (item, (0.0, f64::from(count))));
                let mut items = of_counts("items", items, transactions.len() as f64);
                // Only of a release: what was before is not known here.
                items.bars.iter_mut().for_each(|bar| bar.before = None);
                let rest = rest.into_iter().flat_map(|rest| &rest.columns).map(of_release);
                PublishedFacts {
                    crowds: sizes(&supports),
                    columns: std::iter::once(items).chain(rest).collect(),
                    lengths: Some(lengths("items of a transaction", transactions.iter().map(<[u32]>::len))),
                }
            }
        }
    }
}

fn columns<'a>(table: &'a RawTable, names: &[String]) -> Vec<&'a RawColumn> {
    names.iter().filter_map(|name| table.column(name)).collect()
}

fn sizes(sizes: &[u32]) -> BTreeMap<u32, u64> {
    let mut counts = BTreeMap::new();
    sizes.iter().filter(|size| **size > 0).for_each(|&size| *counts.entry(size).or_default() += 1);
    counts
}

/// Where the events of each person begin, and the end. The verifier has seen that they stand next to each other.
fn people(events: &RawTable) -> Vec<usize> {
    let ids = events.columns.first().map_or(&[][..], |column| &column.codes);
    let mut starts = vec![0];
    ids.chunk_by(|a, b| a == b).for_each(|own| starts.push(starts[starts.len() - 1] + own.len()));
    starts
}

/// How many people publish the same sequence of quasi-identifiers.
fn sequences_alike(events: &RawTable, quasi: &[String], people: &[usize]) -> BTreeMap<u32, u64> {
    let event_of = Classes::of(events.rows, &columns(events, quasi)).class_of;
    let mut sequences: Vec<&[u32]> = people.windows(2).map(|pair| &event_of[pair[0]..pair[1]]).collect();
    sequences.sort_unstable();
    let alike: Vec<u32> = sequences.chunk_by(|a, b| a == b).map(|alike| alike.len() as u32).collect();
    sizes(&alike)
}

fn lengths(name: &str, lengths: impl Iterator<Item = usize>) -> Distribution {
    let mut builder = RawColumnBuilder::new(name.to_owned());
    lengths.for_each(|length| builder.push(&length.to_string(), Place::default()));
    of_release(&builder.finish())
}

/// What only the publisher sees: original and release side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct HouseFacts {
    /// The published columns, before and after.
    pub(super) columns: Vec<Distribution>,
    /// The columns of the rows below.
    pub(super) names: Vec<String>,
    /// Some rows.
    pub(super) rows: Vec<RowPair>,
}

/// A published row and what it was.
#[derive(Clone, Debug)]
pub(super) struct RowPair {
    /// Its record in the source, counted from 1, where that is known.
    pub record: Option<u64>,
    /// What each column was and is.
    pub cells: Vec<(String, String)>,
}

/// How many rows are shown side by side.
const ROWS: usize = 20;

impl HouseFacts {
    /// Of a table, or of the events of sequences. `raw` is what was read, `table` the same in codes; `origin` says which record a
    /// published row is from, and `source_rows` where each record was in the source.
    pub(crate) fn of_columns(
        raw: &RawTable,
        table: &Table,
        published: &RawTable,
        origin: &[u32],
        source_rows: Option<&[u32]>,
    ) -> HouseFacts {
        let original = |name: &str| table.columns.iter().find(|column| column.name == name);
        let columns =
            published.columns.par_iter().filter_map(|column| Some(of_both(original(&column.name)?, column)));
        // A pseudonym was nothing before, so it has no column of its own in the source that may be shown.
        let shown: Vec<&RawColumn> =
            published.columns.iter().filter(|c| original(&c.name).is_some()).collect();
        let pair = |row: usize| {
            let record = origin[row] as usize;
            let before =
                |name: &str| raw.column(name).map_or_else(String::new, |c| c.text(record).to_owned());
            RowPair {
                record: source_rows.map(|rows| u64::from(rows[record]) + 1),
                cells: shown.iter().map(|c| (before(&c.name), c.text(row).to_owned())).collect(),
            }
        };
        HouseFacts {
            columns: columns.collect(),
            names: shown.iter().map(|column| column.name.clone()).collect(),
            rows: spread_over(origin.len()).map(pair).collect(),
        }
    }

    /// Of transactions. `members` are the items that each published item stands for.
    pub(crate) fn of_items(items: &PublishedItems<'_>, origin: &[u32], source_rows: &[u32]) -> HouseFacts {
        let (original, published) = (items.original(), items.published());
        let mut after = vec![0.0; original.items().len()];
        for (members, support) in items.members().iter().zip(published.supports()) {
            let share = f64::from(support) / members.len().max(1) as f64;
            members.iter().for_each(|&item| after[item as usize] += share);
        }
        let counts = original.items().iter().zip(original.supports().into_iter().zip(after));
        let counts = counts.map(|(item, (before, after))| (item, (f64::from(before), after)));
        let listed = |transactions: &Transactions, at: usize| {
            let texts = transactions.transaction(at).iter().map(|&item| transactions.items().get(item));
            texts.collect::<Vec<_>>().join(" · ")
        };
        let pair = |row: usize| {
            let record = origin[row] as usize;
            RowPair {
                record: source_rows.get(record).map(|&row| u64::from(row) + 1),
                cells: vec![(listed(original, record), listed(published, row))],
            }
        };
        HouseFacts {
            columns: vec![of_counts("items", counts, original.len() as f64)],
            names: vec!["items".to_owned()],
            rows: spread_over(origin.len()).map(pair).collect(),
        }
    }
}

/// Rows from the whole file, the same ones each time: first, last and between them at equal distances.
fn spread_over(rows: usize) -> impl Iterator<Item = usize> {
    let shown = rows.min(ROWS);
    (0..shown).map(move |at| if shown < 2 { at } else { at * (rows - 1) / (shown - 1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_from_the_whole_file() {
        assert_eq!(spread_over(0).count(), 0);
        assert_eq!(spread_over(1).collect::<Vec<_>>(), [0]);
        assert_eq!(spread_over(3).collect::<Vec<_>>(), [0, 1, 2]);
        let many: Vec<usize> = spread_over(1000).collect();
        assert_eq!((many.len(), many[0], many[19]), (20, 0, 999));
        assert!(many.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn crowds_are_counted_in_the_published_file() {
        let rows = [["1", "a", "x"], ["1", "b", "y"], ["2", "a", "z"], ["3", "a", "x"], ["3", "b", "x"]]
            .map(Vec::from);
        let events = RawTable::from_rows(&["id", "q", "s"], &rows);
        let quasi = ["q".to_owned()];
        let facts = PublishedFacts::of(&quasi, Published::Sequences(&events));
        // Persons 1 and 3 publish a, b; person 2 publishes a.
        assert_eq!(facts.crowds, BTreeMap::from([(1, 1), (2, 1)]));
        assert_eq!(facts.columns.len(), 2);
        assert_eq!(
            PublishedFacts::of(&quasi, Published::Table(&events)).crowds,
            BTreeMap::from([(2, 1), (3, 1)])
        );
        let baskets = Transactions::from_texts(&[vec!["a", "b"], vec!["a"]]);
        let facts = PublishedFacts::of(&quasi, Published::Transactions(&baskets, None));
        assert_eq!(facts.crowds, BTreeMap::from([(1, 1), (2, 1)]));
    }
}
