//! What every algorithm returns: the recoding, and a record of the search for it.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// What an algorithm decided about the data, and how it came there.
#[derive(Clone, Debug, PartialEq)]
pub struct Anonymized<R> {
    /// What is published.
    pub recoding: R,
    /// How the algorithm came there.
    pub trace: Trace,
}

impl<R> From<R> for Anonymized<R> {
    /// The result of an algorithm that records nothing about its search.
    fn from(recoding: R) -> Self {
        Anonymized { recoding, trace: Trace::default() }
    }
}

/// What an algorithm did on its way to a recoding, in terms that any algorithm can use. It is for people and audits:
/// nothing that is published depends on it. It is the same for any number of threads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// What was counted, for example alignments; empty where an algorithm counts nothing.
    pub counts: Counts,
    /// How the loss fell, where an algorithm improves a first result step by step.
    pub search: Option<Search>,
    /// The algorithm that did the work instead, where the data do not suit the one that was asked for.
    pub fallback: Option<&'static str>,
}

/// Named counts, in the order in which they are written. In JSON they are one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub Vec<(&'static str, u64)>);

impl Counts {
    /// The count with this name; 0 where there is none.
    pub fn get(&self, name: &str) -> u64 {
        self.0.iter().find(|(known, _)| *known == name).map_or(0, |&(_, count)| count)
    }

    /// Whether nothing was counted. Counts that are all 0 are not empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// A search that starts from the best of several constructions and improves it in rounds. Losses are in [0, 1], by the
/// measure that the algorithm minimizes.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Search {
    /// The constructions that were tried.
    pub constructions: Vec<Construction>,
    /// The rounds of improvement, one after the other. A limit of this number of rounds gives the same result again.
    pub rounds: Vec<Round>,
    /// What leaving records out gained or would gain, where that was computed.
    pub outliers: Option<OutlierCost>,
    /// The loss in the end.
    pub loss: f64,
}

/// One way to make a first result.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Construction {
    /// Its name.
    pub name: &'static str,
    /// What it loses by itself, in the parts of the data where it was tried.
    pub loss: f64,
    /// In how many parts of the data it was the best. Where several were improved, the one that ended best has won.
    pub won: usize,
    /// In how many parts it was tried.
    pub tried: usize,
}

/// One round of improvement. In JSON it is one object: a key for each step, then `loss`.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The steps of the round, and the loss that each of them saved.
    pub gains: Vec<(&'static str, f64)>,
    /// The loss after the round.
    pub loss: f64,
}

impl Serialize for Round {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.gains.len() + 1))?;
        for (step, gain) in &self.gains {
            map.serialize_entry(step, gain)?;
        }
        map.serialize_entry("loss", &self.loss)?;
        map.end()
    }
}

/// The loss when everybody is published, compared with that when outliers are left out.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct OutlierCost {
    /// Whether they are left out; otherwise this is what it would gain.
    pub done: bool,
    /// The loss with everybody, where it was computed: not where records are left out while classes are formed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keeping: Option<f64>,
    /// How many records are left out.
    pub suppressed: usize,
    /// The loss without them, where each of them counts as lost in every cell.
    pub suppressing: f64,
    /// The loss among those that are published.
    pub published: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `audit.json` has had these keys in this order since its first version.
    #[test]
    fn a_trace_is_written_as_one_flat_object_each() {
        let counts = Counts(vec![("b", 0), ("a", 2)]);
        assert_eq!(serde_json::to_string(&counts).unwrap(), r#"{"b":0,"a":2}"#);
        assert_eq!((counts.get("a"), counts.get("c")), (2, 0));
        let round = Round { gains: vec![("moved", 0.5), ("swapped", 0.0)], loss: 0.25 };
        assert_eq!(serde_json::to_string(&round).unwrap(), r#"{"moved":0.5,"swapped":0.0,"loss":0.25}"#);
    }
}
