//! Figures of a process that shares the partitions of a topic with others: of each partition that it has, and their sum.

#[cfg(feature = "kafka")]
mod sum;

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

#[cfg(feature = "kafka")]
pub(crate) use self::sum::Sum;
use crate::engine::KernelFigures;

/// What a process has of a topic whose partitions are shared.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct GroupFigures {
    /// How many partitions the topic has.
    pub total: u32,
    /// Those of this process.
    pub owned: BTreeMap<u32, PartitionFigures>,
    /// Those that the group has given to this process and whose state another one still has.
    pub awaited: Vec<u32>,
    /// Records of this run that had no key, so that the broker may have put a person's records into several partitions.
    pub records_without_key: u64,
}

/// Figures of one partition.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PartitionFigures {
    /// Tuples that were understood, over the partition's whole life.
    pub tuples: u64,
    /// Tuples since this process has it.
    pub tuples_now: u64,
    /// Messages that left since then.
    pub messages: u64,
    /// Lines since then that were not understood.
    pub dead_letters: u64,
    /// Records that wait in the broker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag: Option<u64>,
    /// What the kernel says.
    #[serde(flatten)]
    pub kernel: KernelFigures,
}

impl GroupFigures {
    /// Adds the figures in the text format of Prometheus.
    pub(crate) fn to_prometheus(&self, text: &mut String) {
        let mut one = |name: &str, kind: &str, help: &str, value: u64| {
            let _ = writeln!(
                text,
                "# HELP shoal_{name} {help}\n# TYPE shoal_{name} {kind}\nshoal_{name} {value}"
            );
        };
        one("partitions", "gauge", "Partitions of the topic.", self.total.into());
        one("partitions_owned", "gauge", "Partitions of this process.", self.owned.len() as u64);
        let awaited = self.awaited.len() as u64;
        one("partitions_awaited", "gauge", "Partitions whose state another process still has.", awaited);
        let without_key = self.records_without_key;
        one("records_without_key_total", "counter", "Records of this run that had no key.", without_key);
        let mut each = |name: &str, kind: &str, help: &str, of: &dyn Fn(&PartitionFigures) -> Option<u64>| {
            let values: Vec<(u32, u64)> =
                self.owned.iter().filter_map(|(number, figures)| Some((*number, of(figures)?))).collect();
            if !values.is_empty() {
                let _ = writeln!(text, "# HELP shoal_{name} {help}\n# TYPE shoal_{name} {kind}");
            }
            for (number, value) in values {
                let _ = writeln!(text, "shoal_{name}{{partition=\"{number}\"}} {value}");
            }
        };
        let since = "since this process has the partition.";
        each("partition_tuples_total", "counter", &format!("Tuples understood {since}"), &|p| {
            Some(p.tuples_now)
        });
        each("partition_messages_total", "counter", &format!("Messages released {since}"), &|p| {
            Some(p.messages)
        });
        each("partition_dead_letters_total", "counter", &format!("Lines not understood {since}"), &|p| {
            Some(p.dead_letters)
        });
        each("partition_lag", "gauge", "Records of the partition that wait in the broker.", &|p| p.lag);
        each("partition_waiting", "gauge", "Tuples of the partition that wait for a crowd.", &|p| {
            p.kernel.waiting
        });
    }
}
