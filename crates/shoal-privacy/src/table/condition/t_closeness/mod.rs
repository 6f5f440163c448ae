//! t-closeness (N. Li, T. Li, S. Venkatasubramanian, *t-Closeness*, ICDE 2007): the values of a class are distributed
//! as in the whole file, up to a distance of t.
//!
//! The distance is the earth mover's: how far the records of a class must be moved, in the mean, for its values to
//! be distributed as everybody's. The three distances of values have closed formulas (ibid., §4), each in
//! a file of its own. All of them are evaluated in whole numbers, a record of the class weighing as much as there
//! are records in the file and the other way round, and only for what the class has: values that it lacks are
//! known together.
//!
//! Where people are counted, a pair of a person and one of their values is what a record is otherwise. The distance is
//! multiplied by the number of pairs for each person of the file, and if the people of a class have more values
//! each than those of the file, that much is added.

mod equal;
mod hierarchical;
mod ordered;

use std::sync::Arc;

use shoal_core::{Distance, Hierarchy, Kind, Rule, ValueParser};

use self::equal::Equal;
use self::hierarchical::Hierarchical;
use self::ordered::Ordered;
use super::judge::{Judge, judge};
use super::spread::Class;
use super::{Column, ConditionError, Spread, TableModel, TableView, Values, is_at_most, percent};
use crate::{Figure, Outcome, Promise, Unverifiable};

/// t-closeness.
#[derive(Debug)]
pub(super) struct TCloseness {
    column: Column,
    t: f64,
    ground: Ground,
}

/// How far two values are apart.
#[derive(Debug)]
enum Ground {
    Ordered(ValueParser),
    Equal,
    Hierarchical(Arc<Hierarchy>),
}

impl Ground {
    fn distance(&self) -> Distance {
        match self {
            Ground::Ordered(_) => Distance::Ordered,
            Ground::Equal => Distance::Equal,
            Ground::Hierarchical(_) => Distance::Hierarchical,
        }
    }
}

impl TCloseness {
    pub(super) fn new(
        column: Column,
        t: f64,
        distance: Distance,
        parser: ValueParser,
        hierarchy: Option<Arc<Hierarchy>>,
    ) -> Result<TCloseness, ConditionError> {
        if !(0.0..=1.0).contains(&t) {
            return Err(ConditionError::NotADistance { column: column.name, t });
        }
        let ground = match (distance, hierarchy) {
            (Distance::Ordered, _) if parser.kind() == Kind::Text => {
                return Err(ConditionError::NoOrder { column: column.name });
            }
            (Distance::Ordered, _) => Ground::Ordered(parser),
            (Distance::Equal, _) => Ground::Equal,
            (Distance::Hierarchical, Some(tree)) => Ground::Hierarchical(tree),
            (Distance::Hierarchical, None) => {
                return Err(ConditionError::NoHierarchy { column: column.name });
            }
        };
        Ok(TCloseness { column, t, ground })
    }
}

impl TableModel for TCloseness {
    fn promise(&self) -> Promise {
        Promise::Values(Rule::Close { t: self.t, distance: self.ground.distance() })
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column.name)
    }

    fn verify(&self, view: &TableView<'_>) -> Result<Outcome, Unverifiable> {
        let values = self.column.values(view)?;
        Ok(match &self.ground {
            Ground::Ordered(parser) => {
                let values = values.ranked(parser)?;
                let distance = Ordered::new(&values);
                self.judge(view, values, |class| distance.of(class))
            }
            Ground::Equal => {
                let distance = Equal::new(&values);
                self.judge(view, values, |class| distance.of(class))
            }
            Ground::Hierarchical(tree) => {
                let values = values.leaves(tree)?;
                let distance = Hierarchical::new(&values, Arc::clone(tree));
                self.judge(view, values, |class| distance.of(class))
            }
        })
    }
}

impl TCloseness {
    fn judge(
        &self,
        view: &TableView<'_>,
        values: Values<'_>,
        distance: impl Fn(&Class<'_>) -> f64 + Sync,
    ) -> Outcome {
        let spread = Spread::new(view, values);
        let (members, pairs) = (spread.values.members(), spread.values.pairs());
        // Where everybody has one value this is the distance itself, to the last bit.
        let distance = |class: &Class<'_>| match (pairs == members, class.pairs() == u64::from(class.size)) {
            (true, true) => distance(class),
            _ => distance(class) * (pairs as f64 / members as f64) + surplus(class, members, pairs),
        };
        judge(&spread, &JudgeCloseness { spread: &spread, t: self.t, distance })
    }
}

/// By how much the members of a class have more values each than those of the file.
fn surplus(class: &Class<'_>, members: u64, pairs: u64) -> f64 {
    let (own, whole) =
        (u128::from(class.pairs()) * u128::from(members), u128::from(pairs) * u128::from(class.size));
    own.saturating_sub(whole) as f64 / (u128::from(class.size) * u128::from(members)) as f64
}

struct JudgeCloseness<'a, D> {
    spread: &'a Spread<'a>,
    t: f64,
    distance: D,
}

impl<D: Fn(&Class<'_>) -> f64 + Sync> Judge for JudgeCloseness<'_, D> {
    fn badness(&self, class: &Class<'_>) -> f64 {
        (self.distance)(class)
    }

    fn allows(&self, badness: f64) -> bool {
        is_at_most(badness, self.t)
    }

    fn found(&self, class: &Class<'_>) -> Figure {
        Figure::Number((self.distance)(class))
    }

    /// Names the value that the class has most too much of.
    fn why(&self, class: &Class<'_>) -> String {
        let values = &self.spread.values;
        let shares =
            class.counts.iter().map(|&(value, records)| (value, class.share(records), values.share(value)));
        let too_much = |&(_, share, whole): &(u32, f64, f64)| share - whole;
        let most = shares.max_by(|one, two| too_much(one).total_cmp(&too_much(two)));
        let (value, share, whole) = most.unwrap_or_default();
        let (value, share, whole) = (values.quoted(value), percent(share), percent(whole));
        let distance = Figure::Number((self.distance)(class));
        format!("distance {distance}; {value} has {share} of the class and {whole} of the file")
    }
}

#[cfg(test)]
mod tests;
