//! Datafly: generalize the most varied column until few stand out, then leave those out.
//!
//! Every quasi-identifier starts as it is, and a frequency list counts the records of each combination of
//! values. While more than k records lie in combinations that are not a crowd, the quasi-identifier with the most
//! distinct values in the list climbs one step of its hierarchy, for all records. The first column wins a
//! tie. Then the records that still stand out, k or fewer, are left out. No choice is ever taken back.
//!
//! **Paper**: L. Sweeney, *Datafly: a system for providing anonymity in medical data*, 1997, as described in
//! §2.5 of the SBC thesis.
//!
//! **Departures**: two in the loop. A combination stands out when it breaks any part of the promise, and fewer than k
//! records are left out where a limit says so; then the columns climb further. The paper's step 4, which leaves out
//! further records so that the ones left out are a crowd themselves, matters only where they stay in the file as `*`; it
//! is [`star_suppression`](crate::table::star_suppression), which serves every algorithm and which the caller applies. Levels that group the values just as the level below does are not steps.
//!
//! **Cost**: one roll-up of the frequency list per step, at most Σ steps of them, each smaller than the one
//! before; linear in the records, in practice.
//!
//! **When another is better**: for loss, nearly always. Many distinct values say nothing about how much a step
//! costs or brings, so Datafly climbs too far; `incognito` finds the best node of the same lattice wherever
//! it can be searched, and `mondrian` recodes per class. Datafly is what to take for one level per column
//! and very many quasi-identifiers, or for comparison with older releases.

mod params;

pub use params::{DataflyParams, ValidDataflyParams};

use shoal_core::{Progress, Table, TableRecoding};

use super::full_domain::{FrequencySet, FullDomain};
use super::suppress::is_within;
use super::{TableAlgorithm, TableError};
use crate::Anonymized;

const NAME: &str = "datafly";

impl ValidDataflyParams {
    /// The level of each quasi-identifier's hierarchy file on which Datafly ends.
    pub fn levels(&self, table: &Table, progress: &dyn Progress) -> Result<Vec<usize>, TableError> {
        let domain = FullDomain::new(table, &self.params().promise, NAME)?;
        Ok(domain.levels(&self.climb(&domain, progress)))
    }

    /// The node on which no more records stand out than may be left out.
    fn climb(&self, domain: &FullDomain<'_>, progress: &dyn Progress) -> Vec<usize> {
        progress.stage("generalizing", 0);
        let mut node = vec![0; domain.ladders().len()];
        let mut list = domain.finest();
        while self.stand_out(domain.standing(&list).left_out(), domain.rows())
            // On the top of all ladders everybody is one group, which keeps any promise that can be kept.
            && let Some(column) = most_varied(domain, &node, &list)
        {
            node[column] += 1;
            // From the last list and not from the data: it is never longer.
            list = domain.roll_up(&list, &node);
            progress.advance(1);
        }
        node
    }

    /// Whether these are too many records to be left out: more than k, or than a limit allows.
    fn stand_out(&self, left_out: usize, records: usize) -> bool {
        let within = |limit: f64| is_within(left_out, records, limit);
        left_out > self.params().promise.k || !self.params().max_suppressed.is_none_or(within)
    }
}

impl TableAlgorithm for ValidDataflyParams {
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
        let steps = self.climb(&domain, progress);
        progress.check();
        Ok(domain.recode(&steps).into())
    }
}

/// The first of the columns with the most distinct values, among those that can still climb.
fn most_varied(domain: &FullDomain<'_>, node: &[usize], list: &FrequencySet) -> Option<usize> {
    let can_climb = |&column: &usize| node[column] < domain.ladders()[column].top();
    (0..node.len())
        .filter(can_climb)
        .map(|column| (column, domain.distinct(list, column, node[column])))
        // Not `max_by_key`, which takes the last of equals.
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
        .map(|(column, _)| column)
}
