//! SBC, similarity-based clustering.
//!
//! The records are sorted; the first that remains is the seed; it and the k − 1 records nearest to it
//! become a class, which publishes ranges, sets or nodes that cover its members; and so on while k records
//! remain. How far apart two names are is learned from the data: the nearer their frequencies, seen where the
//! seed's value of the column before is, the more alike. So it needs no hierarchy, though it uses one for
//! what it publishes where one is given.
//!
//! It follows M. R. Sarrafi Aghdam, *Achieving High Data Utility K-Anonymization Using Similarity-Based
//! Clustering Model* (doctoral thesis, SOKENDAI, 2017), §3.4–3.9. Where it departs:
//! - The thesis does not say how to sort: lexicographically, columns with fewer values first, then by row
//!   number. Nor does it break ties: equally near records are taken in sorted order, equally similar values
//!   by frequency, then by label.
//! - It normalizes text columns and ordered columns separately before it adds them up; we take the mean over
//!   all columns, by their weights, and keep the other as
//!   [`separate_normalization`](SbcParams::separate_normalization).
//! - It asks for the number of values of a column; we count those of the whole table and not only the ones
//!   that remain, so that a distance means the same from the first class to the last.
//! - A row of the contingency table with fewer than k records is replaced by all rows merged, as in its table
//!   3-3; with more than two rows it leaves open which ones to merge.
//! - It lets the fewer than k records that are left join the last class or be suppressed; they join the class
//!   that loses least unless asked otherwise.
//! - A missing number is at distance 1 from every number. A missing text is a value like any other.
//! - Where more is promised than k, a class takes further records until it holds: of the nearest ones, those that
//!   bring it nearer to the promise. What is left when no seed finds a class joins the nearest class that still
//!   holds with it; where none does, the nearest, which is then merged with others until it holds. In the end that
//!   is one class of all, so that SBC fails only on a table that does not hold as a whole, or where more records
//!   are left out than may be.
//!
//! Cost: O(n²/k) distances at worst, in practice a small part of them, since the search for the nearest runs
//! over a trie of the distinct rows and leaves out every branch whose prefix is too far. Contingency tables
//! change with each class and are never counted again.
//!
//! It forms as many classes as there can be, all of size k but for the few that take the remainder, so it is
//! the choice where class sizes matter. The last classes take what the first have left over, and that costs:
//! [`mondrian`](super::mondrian) loses less on the thesis' own tuples (0.49 against 0.67 % at k = 5, 7.3 against
//! 8.1 % at k = 100), and clearly less with many columns and hierarchies, which the distances do not know.

mod cluster;
mod contingency;
mod distance;
mod gather;
mod likeness;
mod params;
mod remainder;
mod settle;
mod similarity;
#[cfg(test)]
mod tests;
mod trie;

pub use likeness::{LikeValue, Likeness};
pub use params::{Remainder, SbcParams, ValidSbcParams};

use rayon::prelude::*;
use shoal_core::{Cell, Class, Column, Progress, Table, TableRecoding};

use super::alike::hold_together;
use super::conditions::Conditions;
use super::points::Points;
use super::recode::Recoder;
use super::suppress::check_suppressed;
use super::{TableAlgorithm, TableError};
use crate::Anonymized;
use cluster::Clusters;

impl TableAlgorithm for ValidSbcParams {
    fn name(&self) -> &'static str {
        "sbc"
    }

    fn needs_hierarchies(&self) -> bool {
        false
    }

    fn anonymize(
        &self,
        table: &Table,
        progress: &dyn Progress,
    ) -> Result<Anonymized<TableRecoding>, TableError> {
        let params = &self.0;
        let quasi = super::crowdable(table, params.promise.k)?;
        let conditions = Conditions::of(table, &params.promise)?;
        // Columns with few values first: their values are far apart, so that the trie can skip most branches early.
        let order = by_cardinality(&quasi);
        let columns: Vec<&Column> = order.iter().map(|&c| quasi[c]).collect();
        let points = Points::fold(&columns, table.rows);
        let recoder = Recoder::new(&columns);

        let clusters = if conditions.only_size() {
            let mut clusters = cluster::cluster(&columns, &points, table.rows, params, progress);
            remainder::place(&mut clusters, &points, &recoder, params, progress);
            clusters
        } else {
            let gathered = gather::gather(&columns, &points, params, &conditions, progress);
            settle::settle(gathered, &points, &recoder, params.remainder, &conditions, progress)
        };
        let recoding = publish(clusters, &points, &recoder, &order, progress);
        let recoding = hold_together(recoding, &quasi, &conditions, progress);
        // Only known at the end: which records are left over depends on all classes before.
        check_suppressed(&recoding, params.max_suppressed)?;
        Ok(recoding.into())
    }
}

/// The columns by increasing number of values, equal ones in the order of the table.
fn by_cardinality(quasi: &[&Column]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..quasi.len()).collect();
    order.sort_by_key(|&c| quasi[c].domain.len());
    order
}

fn publish(
    clusters: Clusters,
    points: &Points,
    recoder: &Recoder<'_>,
    order: &[usize],
    progress: &dyn Progress,
) -> TableRecoding {
    let class = |members: &Vec<u32>| {
        progress.check();
        let mut covers = recoder.nothing();
        members.iter().for_each(|&m| recoder.add(&mut covers, points.point(m as usize)));
        let mut cells = vec![Cell::Suppressed; order.len()];
        // Back into the order of the table's columns.
        for (cell, &column) in recoder.class(&covers).cells.into_iter().zip(order) {
            cells[column] = cell;
        }
        Class { cells }
    };
    TableRecoding { class_of: clusters.class_of, classes: clusters.members.par_iter().map(class).collect() }
}
