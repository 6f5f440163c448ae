//! What several releases together leave of a promise.

use std::fmt;

use shoal_core::Rule;

use super::candidates::keeps;
use crate::Leak;

/// What is left of the promise for people who are in the new release and in an earlier one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Together {
    /// How many people are in both.
    pub people: usize,
    /// How many were asked about: they, and those who are new.
    pub judged: usize,
    /// The largest k that was promised to them.
    pub asked_k: usize,
    /// How many of them have a smaller crowd in all releases together.
    pub below_k: usize,
    /// The smallest of these crowds.
    pub smallest: Option<usize>,
    /// How many people of earlier releases are not in the new one and are fewer than k in their class there, of which others are.
    pub exposed: usize,
    /// The same, where it is allowed.
    pub absent: usize,
    /// What is left of their sensitive values.
    pub columns: Vec<ColumnTogether>,
}

/// What is left of one sensitive column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnTogether {
    /// The column.
    pub name: String,
    /// What was promised about it.
    pub rules: Vec<Rule>,
    /// How many people have candidates that do not keep what was promised.
    pub below: usize,
    /// The fewest candidates that anybody has.
    pub fewest: Option<usize>,
    /// The largest share of one candidate.
    pub best: f64,
}

impl ColumnTogether {
    pub(super) fn new(name: &str, rules: Vec<Rule>) -> ColumnTogether {
        ColumnTogether { name: name.to_owned(), rules, below: 0, fewest: None, best: 0.0 }
    }

    /// Looks at the candidates of this many people.
    pub(super) fn look_at(&mut self, mix: &[(String, u32)], people: usize) {
        let counts: Vec<u32> = mix.iter().map(|(_, count)| *count).collect();
        let total: u32 = counts.iter().sum();
        self.fewest = Some(self.fewest.map_or(counts.len(), |fewest| fewest.min(counts.len())));
        let most = counts.iter().copied().max().unwrap_or_default();
        self.best = self.best.max(f64::from(most) / f64::from(total.max(1)));
        if self.rules.iter().any(|&rule| keeps(rule, &counts) == Some(false)) {
            self.below += people;
        }
    }

    /// Whether something was promised that is not looked at over several releases.
    fn is_partly_unknown(&self) -> bool {
        self.rules.iter().any(|rule| matches!(rule, Rule::Close { .. } | Rule::Alike(_)))
    }
}

impl Together {
    /// Whether anybody has less than was promised.
    pub(crate) fn breaks(&self) -> bool {
        self.below_k > 0 || self.exposed > 0 || self.columns.iter().any(|column| column.below > 0)
    }

    /// The note where no promise is broken; none where nobody was in an earlier release.
    pub(crate) fn leak(&self, releases: usize) -> Option<Leak> {
        if self.people == 0 {
            return None;
        }
        let mut what = format!(
            "{} people were in earlier releases, too ({releases} given): over all of them together the promise of k and l holds",
            self.people
        );
        for column in &self.columns {
            let best = (column.best * 100.0).round();
            what.push_str(&format!("; the best guess of `{}` is right with up to {best} %", column.name));
            if column.is_partly_unknown() {
                what.push_str(
                    ", t-closeness and beta-likeness are kept by each release but not looked at together",
                );
            }
        }
        Some(Leak::new("earlier-releases", what).counted(self.people))
    }
}

impl fmt::Display for Together {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut broken = Vec::new();
        if self.below_k > 0 {
            let smallest = self.smallest.unwrap_or_default();
            let (below, people, k) = (self.below_k, self.judged, self.asked_k);
            broken.push(format!(
                "{below} of {people} people are left in crowds below {k}, the smallest of {smallest}"
            ));
        }
        for column in self.columns.iter().filter(|column| column.below > 0) {
            let (below, name, fewest) = (column.below, &column.name, column.fewest.unwrap_or_default());
            broken.push(format!(
                "{below} of {} people are left with too few possible values of `{name}`, the fewest are {fewest}",
                self.judged
            ));
        }
        if self.exposed > 0 {
            let (exposed, k) = (self.exposed, self.asked_k);
            broken.push(format!(
                "{exposed} people are gone who are fewer than {k} in their class, so that the difference of the releases shows what they had"
            ));
        }
        f.write_str(&broken.join("; "))
    }
}
