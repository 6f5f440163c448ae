use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// How far a source has been read: of each partition, the first offset that has not. NATS and standard input have
/// one partition, 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier(BTreeMap<u32, u64>);

/// A place in what has been published: everything up to it is in the sink, nothing behind it is. It travels in the
/// headers of every message, so that the sink itself says how far a release got, whatever happened to the process. Nobody
/// else can read it there, see [`Seal`](crate::Seal).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// How many steps have been taken: a step is a tuple that was understood, or the flush at the end.
    pub step: u64,
    /// How far the source had been read by then.
    pub frontier: Frontier,
}

/// A text that is not a frontier.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a frontier; one looks like `0:17,1:4`")]
pub struct FrontierError(String);

impl Frontier {
    /// Whether the record has been read.
    pub fn covers(&self, partition: u32, offset: u64) -> bool {
        self.0.get(&partition).is_some_and(|next| offset < *next)
    }

    /// Says that the record has been read, and all before it.
    pub fn pass(&mut self, partition: u32, offset: u64) {
        let next = self.0.entry(partition).or_default();
        *next = (*next).max(offset + 1);
    }

    /// Says that everything that another frontier covers has been read.
    pub fn join(&mut self, other: &Frontier) {
        for (partition, next) in other.iter() {
            let known = self.0.entry(partition).or_default();
            *known = (*known).max(next);
        }
    }

    /// The first offset of a partition that has not been read, where any has.
    pub fn next(&self, partition: u32) -> Option<u64> {
        self.0.get(&partition).copied()
    }

    /// Partitions and their first offsets that have not been read.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        self.0.iter().map(|(partition, next)| (*partition, *next))
    }
}

impl fmt::Display for Frontier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (partition, next)) in self.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{partition}:{next}")?;
        }
        Ok(())
    }
}

impl FromStr for Frontier {
    type Err = FrontierError;

    fn from_str(text: &str) -> Result<Frontier, FrontierError> {
        let part = |part: &str| {
            let (partition, next) = part.split_once(':')?;
            Some((partition.parse().ok()?, next.parse().ok()?))
        };
        let parts = text.split(',').filter(|part| !part.is_empty()).map(part);
        parts
            .collect::<Option<BTreeMap<u32, u64>>>()
            .map(Frontier)
            .ok_or_else(|| FrontierError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frontier_says_what_it_covers_and_survives_its_text() {
        let mut frontier = Frontier::default();
        assert!(!frontier.covers(0, 0));
        frontier.pass(0, 16);
        frontier.pass(3, 8);
        frontier.pass(3, 2);
        assert!(frontier.covers(0, 16) && !frontier.covers(0, 17) && !frontier.covers(1, 0));
        assert_eq!(frontier.to_string(), "0:17,3:9");
        assert_eq!("0:17,3:9".parse(), Ok(frontier));
        assert_eq!("".parse(), Ok(Frontier::default()));
        assert!("0:1;2".parse::<Frontier>().is_err());
    }
}
