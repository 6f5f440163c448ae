use serde::{Deserialize, Serialize};
use shoal_core::stream::DesignError;

use super::draws::{Draws, KeyedDraws};
use super::groups::{OpenGroups, mark};
use super::params::ValidPublishedParams;
use super::pool::Pool;

/// The mode `published`: a tuple joins a group that has its value to spare, or opens one with l − 1 counterfeits.
///
/// It is serialized whole, the key included. Whoever has that, or only the open slots, can tell true values from
/// counterfeits: what is written is as secret as the stream itself.
#[derive(Clone)]
pub struct Published {
    pub(super) params: ValidPublishedParams,
    pub(super) key: [u8; 32],
    pub(super) pool: Pool,
    pub(super) groups: OpenGroups,
    pub(super) figures: PublishedFigures,
    /// The values of the group that was opened last.
    opened: Vec<u32>,
}

/// Where a tuple goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement<'a> {
    /// The number of its group; groups are numbered in the order in which they are opened, from 0.
    pub group: u64,
    /// The l values of the group, ascending, each for one member, if the tuple opens it.
    pub opened: Option<&'a [u32]>,
}

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedFigures {
    /// Tuples that came.
    pub tuples: u64,
    /// Tuples that joined a group that was there.
    pub joins: u64,
    /// Groups that were opened.
    pub opened: u64,
    /// Groups that got all their members.
    pub closed: u64,
    /// Groups that were forgotten with slots still open.
    pub given_up: u64,
    /// Values that were published for all groups together, true ones and counterfeits.
    pub slots: u64,
}

impl PublishedFigures {
    /// Groups that wait for members.
    pub fn open(&self) -> u64 {
        self.opened - self.closed - self.given_up
    }

    /// Sensitive attribute uncertainty, equation 8 of the paper: the share of counterfeits among all published
    /// values; 0 before the first.
    pub fn sau(&self) -> f64 {
        if self.slots == 0 { 0.0 } else { (self.slots - self.tuples) as f64 / self.slots as f64 }
    }
}

impl Published {
    /// Starts with a pool: how often each value occurred in the past, or 1 for each value of a domain.
    pub fn new(params: ValidPublishedParams, key: [u8; 32], pool: &[u64]) -> Result<Published, DesignError> {
        let pool = Pool::new(pool).ok_or(DesignError::TooLarge)?;
        let (known, l) = (pool.known(), params.0.l);
        if known < l {
            return Err(DesignError::TooFewValues { known, l });
        }
        let (groups, figures) = (OpenGroups::new(l), PublishedFigures::default());
        Ok(Published { params, key, pool, groups, figures, opened: Vec::with_capacity(l) })
    }

    /// Places the tuple at this position of the stream. `quasi` is a fingerprint of its quasi-identifiers: equal ones
    /// never meet in a group. Codes of values should be dense: a new one makes room for all below it.
    pub fn push(&mut self, position: u64, quasi: u128, value: u32) -> Placement<'_> {
        self.push_with(&mut KeyedDraws::of_position(&self.key, position), quasi, value)
    }

    /// Places a tuple with choices from any source.
    pub fn push_with(&mut self, draws: &mut impl Draws, quasi: u128, value: u32) -> Placement<'_> {
        let params = self.params.0;
        self.figures.tuples += 1;
        if params.learn {
            self.pool.count(value);
        }
        if let Some(joined) = self.groups.join(mark(quasi), value, params.max_looks, draws) {
            self.figures.joins += 1;
            self.figures.closed += u64::from(joined.closed);
            return Placement { group: joined.group, opened: None };
        }
        if self.groups.len() == params.max_open_groups {
            self.groups.give_up_oldest();
            self.figures.given_up += 1;
        }
        self.opened.clear();
        self.opened.push(value);
        self.pool.draw_others(value, params.l - 1, draws, &mut self.opened);
        self.opened.sort_unstable();
        let group = self.figures.opened;
        self.groups.open(group, mark(quasi), value, &self.opened);
        self.figures.opened += 1;
        self.figures.slots += params.l as u64;
        Placement { group, opened: Some(&self.opened) }
    }

    /// What has happened so far.
    pub fn figures(&self) -> PublishedFigures {
        self.figures
    }

    /// The parameters.
    pub fn params(&self) -> ValidPublishedParams {
        self.params
    }

    /// How often each value is in the pool.
    pub fn pool(&self) -> &[u64] {
        self.pool.counts()
    }
}

/// Does not print the key, nor which slots are open.
impl std::fmt::Debug for Published {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Published { params, figures, .. } = self;
        f.debug_struct("Published").field("params", params).field("figures", figures).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::PublishedParams;
    use super::*;

    /// However long the stream, there are rows for as many groups as may be open, and none for groups that closed.
    #[test]
    fn memory_does_not_grow_with_the_stream() {
        let params = PublishedParams { max_open_groups: 50, ..PublishedParams::new(4) }.check().unwrap();
        let mut kernel = Published::new(params, [0; 32], &[1; 9]).unwrap();
        for position in 0..30_000 {
            kernel.push(position, u128::from(position % 1_000), (position * position % 9) as u32);
            assert!(kernel.groups.rows() <= 50);
        }
        let figures = kernel.figures();
        assert!(figures.given_up > 1_000 && figures.closed > 1_000, "{figures:?}");
        assert_eq!(kernel.groups.len() as u64, figures.open());
    }
}
