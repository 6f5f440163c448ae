use super::{FrequencySet, FullDomain};

/// Which groups of a node are published, and how many records lie in the others.
pub(crate) struct Standing {
    groups: Vec<bool>,
    left_out: usize,
}

impl Standing {
    /// Whether each group is published.
    pub(crate) fn groups(&self) -> &[bool] {
        &self.groups
    }

    /// How many records are left out.
    pub(crate) fn left_out(&self) -> usize {
        self.left_out
    }
}

impl FullDomain<'_> {
    /// Which groups keep the promise when the others are left out.
    pub(crate) fn standing(&self, set: &FrequencySet) -> Standing {
        let sizes = || set.groups().iter().map(|group| group.records as usize);
        let groups: Vec<bool> = match self.conditions.only_size() {
            true => sizes().map(|records| records >= self.conditions.k()).collect(),
            false => self.conditions.standing(set.tallies()),
        };
        let dropped = sizes().zip(&groups).filter(|(_, stands)| !**stands);
        Standing { left_out: dropped.map(|(records, _)| records).sum(), groups }
    }
}
