//! One cell, item or line of a release is changed. Where a count that shares nothing with the program finds that the promise is broken, verifier or
//! adversary must have noticed.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::Array as _;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use proptest::prelude::*;
use shoal_core::Silent;
use shoal_pipeline::{BatchSource, Request, verify};

use crate::support::{attacked, batch, cases, publish, request};
use crate::{sequences, table, transactions};

/// Which row is changed, in which column, and to the text of which other row; or to the original text of that row.
#[derive(Clone, Debug)]
struct Change {
    row: prop::sample::Index,
    column: prop::sample::Index,
    from: prop::sample::Index,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// The cell becomes that of another published row.
    OfRelease,
    /// The cell becomes that of a row of the original.
    OfOriginal,
    /// The cell becomes `*`.
    Star,
    /// The whole row goes.
    Removed,
}

fn change() -> impl Strategy<Value = Change> {
    let what = prop::sample::select(vec![What::OfRelease, What::OfOriginal, What::Star, What::Removed]);
    (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<prop::sample::Index>(), what)
        .prop_map(|(row, column, from, what)| Change { row, column, from, what })
}

/// The rows of a release as texts.
fn texts(batches: &[RecordBatch]) -> (Vec<String>, Vec<Vec<String>>) {
    let header = batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut rows = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let text = |column: &arrow_array::ArrayRef| {
                let column = arrow_cast::cast(column, &arrow_schema::DataType::Utf8).unwrap();
                column.as_string::<i32>().value(row).to_owned()
            };
            rows.push(batch.columns().iter().map(text).collect());
        }
    }
    (header, rows)
}

/// Changes a release in one of these columns.
fn changed(
    (header, mut rows): (Vec<String>, Vec<Vec<String>>),
    original: &RecordBatch,
    among: &[&str],
    change: &Change,
) -> (Vec<String>, Vec<Vec<String>>) {
    let column = among[change.column.index(among.len())];
    let at = header.iter().position(|name| name == column).unwrap();
    let row = change.row.index(rows.len());
    match change.what {
        What::OfRelease => rows[row][at] = rows[change.from.index(rows.len())][at].clone(),
        What::OfOriginal => {
            let texts = original.column_by_name(column).unwrap().as_string::<i32>();
            rows[row][at] = texts.value(change.from.index(texts.len())).to_owned();
        }
        What::Star => rows[row][at] = "*".to_owned(),
        What::Removed => drop(rows.remove(row)),
    }
    (header, rows)
}

/// Whether anybody notices that this is not a release of the original that keeps the promise.
fn noticed(request: &Request, original: &RecordBatch, published: &RecordBatch) -> bool {
    let source = |batch: &RecordBatch| BatchSource::new("data", vec![batch.clone()]);
    let alone = verify(request, &mut source(published), None, &Silent);
    let adversary = attacked(request, original, std::slice::from_ref(published), &[]);
    alone.map_or(true, |verified| !verified.holds()) || adversary.map_or(true, |found| !found.holds())
}

/// The fewest that are equal, by a sort.
fn smallest<T: Ord>(mut all: Vec<T>) -> usize {
    all.sort();
    all.chunk_by(|a, b| a == b).map(<[T]>::len).min().unwrap_or(usize::MAX)
}

fn of_names(header: &[String], row: &[String], names: &[&str]) -> Vec<String> {
    names.iter().map(|name| row[header.iter().position(|other| other == name).unwrap()].clone()).collect()
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_changed_table_is_noticed(
        rows in prop::collection::vec(table::row(30), 8..60),
        asked in table::asked(),
        changes in prop::collection::vec(change(), 8),
    ) {
        let asked = table::Asked { person: false, ..asked };
        let (request, data) = (request(&table::policy(&asked), table::assets()), table::data(&rows));
        let Some(published) = publish(&request, &data) else { return Ok(()) };
        for change in changes {
            let quasi = ["age", "town", "sex"];
            let (header, rows) = changed(texts(&published), &data, &quasi, &change);
            let classes = rows.iter().map(|row| of_names(&header, row, &quasi)).collect();
            if smallest::<Vec<String>>(classes) < asked.k {
                let names: Vec<&str> = header.iter().map(String::as_str).collect();
                prop_assert!(noticed(&request, &data, &batch(&names, &rows)), "{:?}\n{:?}", change, rows);
            }
        }
    }

    #[test]
    fn a_changed_item_is_noticed(
        baskets in transactions::baskets(),
        asked in transactions::asked(),
        changes in prop::collection::vec(change(), 8),
        m in 1..3_usize,
    ) {
        let privacy = if m == 1 { "m = 1" } else { "m = 2" };
        let asked = transactions::Asked { person: false, privacy, ..asked };
        let (request, data) = (request(&transactions::policy(&asked), transactions::assets()), transactions::data(&baskets));
        let Some(published) = publish(&request, &data) else { return Ok(()) };
        for change in changes {
            let (header, rows) = changed(texts(&published), &data, &["item"], &change);
            if rarest_set(&header, &rows, m) < asked.k {
                let names: Vec<&str> = header.iter().map(String::as_str).collect();
                prop_assert!(noticed(&request, &data, &batch(&names, &rows)), "{:?}\n{:?}", change, rows);
            }
        }
    }

    #[test]
    fn a_changed_event_is_noticed(
        people in sequences::people(),
        asked in sequences::asked(),
        changes in prop::collection::vec(change(), 8),
    ) {
        // Against whoever knows everything of somebody, who looks the same can be counted by a sort.
        let algorithm = shoal_core::policy::SequencesAlgorithmName::Cbmsa;
        let asked = sequences::Asked { algorithm, ..asked };
        let (request, data) = (request(&sequences::policy(&asked), sequences::assets()), sequences::data(&people));
        let Some(published) = publish(&request, &data) else { return Ok(()) };
        for change in changes {
            let quasi = ["year", "town"];
            let (header, rows) = changed(texts(&published), &data, &quasi, &change);
            let mut events: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
            for row in &rows {
                let who = of_names(&header, row, &["who"]).remove(0);
                events.entry(who).or_default().push(of_names(&header, row, &quasi));
            }
            if smallest(events.into_values().collect()) < asked.k {
                let names: Vec<&str> = header.iter().map(String::as_str).collect();
                prop_assert!(noticed(&request, &data, &batch(&names, &rows)), "{:?}\n{:?}", change, rows);
            }
        }
    }
}

/// In how many transactions the rarest set of up to m published items is that is in one at all.
fn rarest_set(header: &[String], rows: &[Vec<String>], m: usize) -> usize {
    let mut baskets: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows {
        let [id, item] = of_names(header, row, &["id", "item"]).try_into().unwrap();
        // A row without an item is a transaction in which nothing is left.
        if !item.is_empty() {
            baskets.entry(id).or_default().insert(item);
        }
    }
    let mut sets: BTreeMap<Vec<&String>, usize> = BTreeMap::new();
    for basket in baskets.values() {
        for a in basket {
            *sets.entry(vec![a]).or_default() += 1;
            for b in basket.iter().filter(|b| m > 1 && *b > a) {
                *sets.entry(vec![a, b]).or_default() += 1;
            }
        }
    }
    sets.into_values().min().unwrap_or(usize::MAX)
}
