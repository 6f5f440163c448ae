//! Incognito: all minimal full-domain generalizations, and the best of them.
//!
//! Every quasi-identifier is published on one step of its hierarchy; a node of the lattice names a step for
//! each. Incognito finds *all* minimal nodes, those that are k-anonymous while nothing more specific is. It
//! goes through the subsets of the quasi-identifiers by size: a node can only be k-anonymous if it is so on
//! every smaller subset, which leaves few candidates (a-priori). Inside a subset it goes upwards from the
//! most specific candidates; whatever lies above a k-anonymous node is k-anonymous and need not be looked
//! at. The group sizes of a node come from those of the node below it, not from the data.
//!
//! **Paper**: K. LeFevre, D. J. DeWitt, R. Ramakrishnan, *Incognito: Efficient Full-Domain K-Anonymity*,
//! SIGMOD 2005, as described in §2.5 of the SBC thesis.
//!
//! **Departures**:
//! - The paper leaves the choice among the minimal nodes to its user and the thesis takes the lowest one.
//!   Height says little about loss (one step of a two-valued column weighs as much as one of a hundred-valued
//!   one), so the default is the node with the least NCP; [`Choice::Height`] is the thesis' rule. Without
//!   suppression the default is the best full-domain generalization there is, since loss grows upwards.
//! - A share of the records may be left out; k-anonymous then means that no more than that share lies in groups
//!   smaller than k. Going up never moves a record into a smaller group, so all pruning stays valid. The
//!   choice is still among the minimal nodes: one above them may leave out fewer records and lose less.
//! - More than k may be promised. Groups that hold still do when they are put together, so that nothing changes
//!   as long as nobody is left out. With records left out, only sizes and distinct values are sure to hold
//!   further up: a group that holds may meet one that does not. Pruning is a heuristic then: every published node
//!   has been looked at and keeps the promise, but a better one may have been pruned. The same where people are
//!   counted and something is promised about their values.
//! - A quasi-identifier outside a subset counts as one step above its top, so that one lattice holds all
//!   subsets and both of the paper's pruning rules are one and the same.
//! - Levels that group the values just as the level below does are not steps.
//!
//! **Cost**: a roll-up for each candidate that is not marked, at worst one per node of all subsets'
//! lattices, ∏ (steps + 1); that product is limited to 2^28. A roll-up is linear in the groups of the node
//! below where counters fit, else it sorts them. Subsets of one size and nodes of one height run in parallel.
//!
//! **When another is better**: one recoding for the whole table loses far more than a recoding per class;
//! take `mondrian` or `sbc` unless readers need every value of a column on the same level. With many
//! quasi-identifiers the lattice outgrows any search; `datafly` goes up greedily and takes no time.

mod lattice;
mod params;
mod search;

pub use params::{Choice, IncognitoParams, ValidIncognitoParams};

use rayon::prelude::*;
use shoal_core::{Progress, Table, TableRecoding};

use self::search::search;
use super::full_domain::FullDomain;
use super::{TableAlgorithm, TableError};
use crate::Anonymized;

const NAME: &str = "incognito";

/// One full-domain generalization that keeps the promise.
#[derive(Clone, Debug, PartialEq)]
pub struct Generalization {
    /// For each quasi-identifier, how many of its steps are taken.
    pub steps: Vec<usize>,
    /// For each quasi-identifier, the level of its hierarchy file (0 = the values as they are).
    pub levels: Vec<usize>,
    /// How many records it leaves out.
    pub suppressed: usize,
    /// Its total NCP, suppressed cells counting 1.
    pub ncp: f64,
}

impl Generalization {
    /// The sum of its steps.
    pub fn height(&self) -> usize {
        self.steps.iter().sum()
    }
}

/// All minimal generalizations of a table, and what it took to find them.
#[derive(Clone, Debug, PartialEq)]
pub struct MinimalNodes {
    /// The minimal nodes, best first by the rule asked for; never empty.
    pub nodes: Vec<Generalization>,
    /// How many nodes' group sizes were looked at, over all subsets of the quasi-identifiers.
    pub checked: u64,
    /// How many nodes the lattice over all quasi-identifiers has.
    pub lattice: u64,
}

impl ValidIncognitoParams {
    /// Finds all minimal generalizations that keep the promise, best first.
    pub fn minimal_nodes(&self, table: &Table, progress: &dyn Progress) -> Result<MinimalNodes, TableError> {
        let domain = FullDomain::new(table, &self.params().promise, NAME)?;
        self.minimal_nodes_of(&domain, progress)
    }

    fn minimal_nodes_of(
        &self,
        domain: &FullDomain<'_>,
        progress: &dyn Progress,
    ) -> Result<MinimalNodes, TableError> {
        let found = search(domain, self.params(), progress)?;
        let weigh = |steps: Vec<usize>| {
            progress.check();
            let set = domain.roll_up(&found.floor, &steps);
            let standing = domain.standing(&set);
            Generalization {
                levels: domain.levels(&steps),
                suppressed: standing.left_out(),
                ncp: domain.loss(&steps, &set, &standing),
                steps,
            }
        };
        let mut nodes: Vec<Generalization> = found.minimal.into_par_iter().map(weigh).collect();
        // A stable sort of nodes in lexicographic order.
        match self.params().choose {
            Choice::Ncp => nodes.sort_by(|a, b| a.ncp.total_cmp(&b.ncp).then(a.height().cmp(&b.height()))),
            Choice::Height => nodes.sort_by(|a, b| a.height().cmp(&b.height()).then(a.ncp.total_cmp(&b.ncp))),
        }
        Ok(MinimalNodes { nodes, checked: found.checked, lattice: found.nodes })
    }
}

impl TableAlgorithm for ValidIncognitoParams {
    fn name(&self) -> &'static str {
        NAME
    }

    fn needs_hierarchies(&self) -> bool {
        true
    }

    fn anonymize(
        &self,
        table: &Table,
        progress: &dyn Progress,
    ) -> Result<Anonymized<TableRecoding>, TableError> {
        let domain = FullDomain::new(table, &self.params().promise, NAME)?;
        let minimal = self.minimal_nodes_of(&domain, progress)?;
        let best = minimal.nodes.first().expect("the top of the lattice holds all records in one group");
        progress.check();
        Ok(domain.recode(&best.steps).into())
    }
}
