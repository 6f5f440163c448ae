//! What a stream promises and what it does not, in words: the same ones wherever they are said.

use serde::Serialize;
use shoal_core::policy::{ModePolicy, PriorPolicy, PublishPolicy};
use shoal_core::stream::StreamPromise;

use super::StreamBinding;
use super::design::prior;
use crate::Request;

/// What a stream promises.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Words {
    /// The promise.
    pub promise: String,
    /// What it does not cover, and what should be known.
    pub not_covered: Vec<String>,
}

/// What is said where tuples may leave alone.
const LONE_LINES: &str = "algorithm.reuse = true: a tuple may leave alone into a class that is out already, when its time is \
                          up; whoever knows when it arrived knows its line and its sensitive value";

/// What is said where a crowd must have several values, so that who finds one depends on values.
const ALONE_WITH_VALUES: &str = "a tuple whose time is up and for which there is no crowd with that many values is published as `*`: \
                                 whoever knows when it arrived and sees that learns that those around it had too few values";

/// The promise of a policy, and what it does not cover.
pub fn words(request: &Request, binding: &StreamBinding) -> Words {
    let policy = request.policy();
    let mut not_covered = Vec::new();
    if policy.algorithm.mode == Some(ModePolicy::Published) {
        not_covered.push(
            "mode = \"published\" is now called mode = \"paper\"; the old word is still understood"
                .to_owned(),
        );
    }
    let promise = match binding.promise {
        StreamPromise::Sets { l } => {
            not_covered.extend(hardened(request, binding, l));
            let shares = binding.learn.is_some() || binding.values.as_ref().is_some_and(|v| v.shares_known);
            let whoever = match prior(request, shares) {
                PriorPolicy::Uniform => "whoever thinks all values equally likely, of everybody,".to_owned(),
                PriorPolicy::Calibrated => {
                    "whoever believes of everybody the shares that the design is made for".to_owned()
                }
                PriorPolicy::Conditional => format!(
                    "whoever believes the shares that the design is made for, by {} and nothing else,",
                    policy.algorithm.strata.join(" and ")
                ),
            };
            format!(
                "l = {l}: every tuple leaves at once, its value among {l}; {whoever} guesses it with probability 1/{l}"
            )
        }
        StreamPromise::Groups { l, max_open_groups } => {
            not_covered.push(format!(
                "whoever knows the paper's algorithm learns more than 1/{l}; with mode = \"hardened\" what leaves does not \
                 depend on other tuples"
            ));
            format!(
                "l = {l}: every tuple leaves at once, in a group of {l} values; at most {max_open_groups} groups open"
            )
        }
        StreamPromise::Crowds { k, l, delta, max_wait, reuse } => {
            if reuse {
                not_covered.push(LONE_LINES.to_owned());
            }
            if l > 1 {
                not_covered.push(ALONE_WITH_VALUES.to_owned());
            }
            let (and_l, values) = match l {
                1 => (String::new(), String::new()),
                l => (format!(", l = {l}"), format!(" with {l} values")),
            };
            let clock =
                max_wait.map_or_else(String::new, |limit| format!(" or after {} s", limit as f64 / 1000.0));
            format!(
                "k = {k}{and_l}: every tuple leaves in a crowd of {k}{values}, at the latest when {delta} more have come{clock}"
            )
        }
    };
    if let Some(learn) = binding.learn {
        not_covered.push(format!(
            "the first {learn} tuples are learned from and not published: what others are hidden among would tell about them"
        ));
    }
    Words { promise, not_covered }
}

fn hardened(request: &Request, binding: &StreamBinding, l: usize) -> Vec<String> {
    let policy = request.policy();
    let algorithm = &policy.algorithm;
    let mut notes = Vec::new();
    let shares = binding.learn.is_some() || binding.values.as_ref().is_some_and(|values| values.shares_known);
    let shows_strata = prior(request, shares) == PriorPolicy::Conditional
        && algorithm.publish.unwrap_or_default() == PublishPolicy::Stratum;
    if !shows_strata {
        notes.push(format!(
            "values often go with the quasi-identifiers, and the published lines together teach how: whoever learns that \
             guesses better than 1/{l}, and  shoal measure  says how much better; prior = \"conditional\" with \
             publish = \"stratum\" leaves nothing to learn"
        ));
    } else if binding.columns.iter().any(|column| !column.quasi) {
        notes.push(
            "insensitive columns are published as they are: if values go with them, guesses are better than promised"
                .to_owned(),
        );
    }
    if policy.data.person.is_none() {
        notes.push(
            "without data.person, whoever returns gets other values each time, and these can be intersected"
                .to_owned(),
        );
    }
    notes
}
