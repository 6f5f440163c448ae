//! What full-domain generalization is made of, for every algorithm that does it.
//!
//! All values of a quasi-identifier are published on one and the same step of its [`Ladder`]; a *node* names
//! a step for each of them, in column order. Records that agree on a node are a group, and the sizes of the
//! groups are its [`FrequencySet`]; where more is promised than k, their tallies as well. The algorithms differ
//! only in how they look for a node; which of its groups stand ([`FullDomain::standing`]), what a node publishes
//! ([`FullDomain::recode`]) and what it loses ([`FullDomain::loss`]) is said here.

mod frequency;
mod ladder;
mod loss;
mod publish;
mod standing;

pub(super) use frequency::FrequencySet;
pub(super) use ladder::Ladder;
pub(super) use standing::Standing;

use shoal_core::{Column, Table, TablePromise};

use super::conditions::Conditions;
use super::points::Points;
use super::{TableError, crowdable};

/// A table as full-domain generalization sees it: folded to distinct points, a ladder per quasi-identifier.
pub(super) struct FullDomain<'a> {
    columns: Vec<&'a Column>,
    ladders: Vec<Ladder>,
    points: Points,
    rows: usize,
    conditions: Conditions<'a>,
}

impl<'a> FullDomain<'a> {
    /// Looks at a table; fails where it has no quasi-identifier, a quasi-identifier without a hierarchy, or
    /// records that cannot keep the promise.
    pub(super) fn new(
        table: &'a Table,
        promise: &TablePromise,
        algorithm: &'static str,
    ) -> Result<Self, TableError> {
        let columns = crowdable(table, promise.k)?;
        let ladders = columns
            .iter()
            .map(|column| match &column.hierarchy {
                Some(hierarchy) => Ok(Ladder::new(hierarchy)),
                None => Err(TableError::NoHierarchy { column: column.name.clone(), algorithm }),
            })
            .collect::<Result<_, _>>()?;
        let conditions = Conditions::of(table, promise)?;
        let points = Points::fold(&columns, table.rows);
        Ok(FullDomain { columns, ladders, points, rows: table.rows, conditions })
    }

    /// The ladders, in column order.
    pub(super) fn ladders(&self) -> &[Ladder] {
        &self.ladders
    }

    /// How many records there are.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The levels of the hierarchy files that the steps of a node stand for.
    pub(super) fn levels(&self, node: &[usize]) -> Vec<usize> {
        self.ladders.iter().zip(node).map(|(ladder, &step)| ladder.level(step)).collect()
    }
}
