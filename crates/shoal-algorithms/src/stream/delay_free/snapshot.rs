use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use shoal_core::stream::DesignError;
use thiserror::Error;

use super::groups::{Mark, OpenGroups};
use super::params::{ParamsError, PublishedParams};
use super::published::{Published, PublishedFigures};

/// Everything that later placements depend on.
#[derive(Serialize, Deserialize)]
struct Snapshot {
    params: PublishedParams,
    key: [u8; 32],
    pool: Vec<u64>,
    figures: PublishedFigures,
    /// From old to new.
    groups: Vec<OpenGroup>,
    /// The open slots of each value in their order: number of the group × l + number of the value in it.
    open: Vec<Vec<u32>>,
}

#[derive(Serialize, Deserialize)]
struct OpenGroup {
    group: u64,
    values: Vec<u32>,
    /// The marks of those who have taken the values.
    members: Vec<Option<Mark>>,
}

/// A snapshot that no stream can have left.
#[derive(Debug, Error)]
enum SnapshotError {
    #[error(transparent)]
    Params(#[from] ParamsError),
    #[error(transparent)]
    Pool(#[from] DesignError),
    #[error("{open} groups are open where at most {limit} may be")]
    TooManyGroups { open: usize, limit: usize },
    #[error("open group {group} has {values} distinct values and {members} members, where l = {l}")]
    Group { group: u64, values: usize, members: usize, l: usize },
    #[error("open group {group} is not older than the one after it")]
    Age { group: u64 },
    #[error("slot {slot} is listed as open for value {value}, which it is not")]
    Slot { slot: u32, value: usize },
    #[error("some open slots are not listed")]
    Unlisted,
    #[error("the figures contradict each other: {0:?}")]
    Figures(PublishedFigures),
}

impl Serialize for Published {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Snapshot::of(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Published {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Published, D::Error> {
        Snapshot::deserialize(deserializer)?.restore().map_err(de::Error::custom)
    }
}

impl Snapshot {
    fn of(published: &Published) -> Snapshot {
        let groups = published.groups.by_age();
        let groups = groups.map(|(group, values, members)| OpenGroup { group, values, members });
        Snapshot {
            params: published.params.0,
            key: published.key,
            pool: published.pool.counts().to_vec(),
            figures: published.figures,
            groups: groups.collect(),
            open: published.groups.lists(),
        }
    }

    fn restore(self) -> Result<Published, SnapshotError> {
        let mut published = Published::new(self.params.check()?, self.key, &self.pool)?;
        published.groups = self.groups()?;
        published.figures = self.figures;
        let PublishedFigures { tuples, joins, opened, closed, given_up, slots } = self.figures;
        let open = u64::try_from(self.groups.len()).ok();
        let agree = opened.checked_sub(closed).and_then(|left| left.checked_sub(given_up)) == open
            && joins.checked_add(opened) == Some(tuples)
            && tuples <= u64::MAX / 2
            && opened.checked_mul(self.params.l as u64) == Some(slots)
            && self.groups.last().is_none_or(|newest| newest.group < opened);
        if agree { Ok(published) } else { Err(SnapshotError::Figures(self.figures)) }
    }

    fn groups(&self) -> Result<OpenGroups, SnapshotError> {
        let PublishedParams { l, max_open_groups: limit, .. } = self.params;
        if self.groups.len() > limit {
            return Err(SnapshotError::TooManyGroups { open: self.groups.len(), limit });
        }
        if let Some(pair) = self.groups.windows(2).find(|pair| pair[0].group >= pair[1].group) {
            return Err(SnapshotError::Age { group: pair[0].group });
        }
        let mut groups = OpenGroups::new(l);
        for OpenGroup { group, values, members } in &self.groups {
            let distinct = values.iter().collect::<BTreeSet<_>>().len();
            let taken = members.iter().flatten().count();
            if [values.len(), distinct, members.len()] != [l; 3] || taken == 0 || taken == l {
                return Err(SnapshotError::Group { group: *group, values: distinct, members: taken, l });
            }
            groups.restore(*group, values, members);
        }
        for (value, list) in self.open.iter().enumerate() {
            for slot in list {
                if !groups.relist(*slot, value as u32) {
                    return Err(SnapshotError::Slot { slot: *slot, value });
                }
            }
        }
        if groups.are_listed() { Ok(groups) } else { Err(SnapshotError::Unlisted) }
    }
}
