//! What SBC has learned from the data, for a person who wants to see it: how alike the values of a column are.

use shoal_core::{Column, Table};

use super::distance::Distances;
use super::{ValidSbcParams, by_cardinality};
use crate::table::points::Points;
use crate::table::{TableError, crowdable};

/// How far the values of a text column lie from one record's value.
#[derive(Clone, Debug, PartialEq)]
pub struct Likeness {
    /// The column.
    pub column: String,
    /// Its values in the order of their codes.
    pub values: Vec<LikeValue>,
}

/// How far one value lies from a record's own.
#[derive(Clone, Debug, PartialEq)]
pub struct LikeValue {
    /// The value.
    pub code: u32,
    /// Its share where the record looks (`P(v)` in the thesis); none in a column of at most two values,
    /// whose distances need no shares.
    pub share: Option<f64>,
    /// Its distance, between 0 and 1.
    pub distance: f64,
}

impl ValidSbcParams {
    /// The similarity of all values of the text columns, seen from one record of the whole table: what the
    /// first step of the clustering would use with that record as the seed.
    pub fn seen_from(&self, table: &Table, row: usize) -> Result<Vec<Likeness>, TableError> {
        let k = self.0.promise.k;
        let quasi = crowdable(table, k)?;
        let columns: Vec<&Column> = by_cardinality(&quasi).into_iter().map(|c| quasi[c]).collect();
        let points = Points::fold(&columns, table.rows);
        let mut distances = Distances::new(&columns, &points, k, self.0.separate_normalization);
        let seed: Vec<u32> = columns.iter().map(|column| column.codes[row]).collect();
        distances.measure_from(&seed);
        Ok(distances
            .observed()
            .map(|(c, unit, counts)| likeness(columns[c], &distances, c, unit, counts))
            .collect())
    }
}

fn likeness(
    column: &Column,
    distances: &Distances<'_>,
    number: usize,
    unit: u64,
    counts: Option<&[u32]>,
) -> Likeness {
    let total: u32 = counts.into_iter().flatten().sum();
    let value = |code: u32| LikeValue {
        code,
        share: counts.map(|counts| f64::from(counts[code as usize]) / f64::from(total)),
        distance: distances.rulers()[number].distance(code) as f64 / unit.max(1) as f64,
    };
    Likeness { column: column.name.clone(), values: (0..column.domain.len() as u32).map(value).collect() }
}
