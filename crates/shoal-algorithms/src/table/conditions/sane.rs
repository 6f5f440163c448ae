//! Promises that make sense, whatever the table.

use shoal_core::{Rule, TablePromise};

use crate::table::ParamsError;

/// Refuses a promise that says nothing or cannot be meant.
pub(in crate::table) fn check_promise(promise: &TablePromise) -> Result<(), ParamsError> {
    if promise.k < 2 {
        return Err(ParamsError::KTooSmall { k: promise.k });
    }
    promise.conditions.iter().try_for_each(|condition| check_rule(condition.rule))
}

fn check_rule(rule: Rule) -> Result<(), ParamsError> {
    let l = match rule {
        Rule::Distinct { l } | Rule::Frequency { l } | Rule::Recursive { l, .. } => l as f64,
        Rule::Entropy { l } => l,
        Rule::Close { .. } | Rule::Alike(_) => 1.0,
    };
    if !(l.is_finite() && l >= 1.0) {
        return Err(ParamsError::LTooSmall { l });
    }
    let positive = |name: &'static str, value: f64| match value.is_finite() && value > 0.0 {
        true => Ok(()),
        false => Err(ParamsError::NotPositive { name, value }),
    };
    match rule {
        Rule::Distinct { .. } | Rule::Frequency { .. } | Rule::Entropy { .. } => Ok(()),
        Rule::Recursive { c, .. } => positive("c", c),
        Rule::Close { t, .. } if !(0.0..=1.0).contains(&t) => {
            Err(ParamsError::NotAShare { name: "t", value: t })
        }
        Rule::Close { .. } => Ok(()),
        Rule::Alike(likeness) => positive("beta", likeness.beta()),
    }
}
