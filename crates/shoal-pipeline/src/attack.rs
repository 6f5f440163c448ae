//! The adversary, for every shape: measured success next to the promised bound.

use serde::Serialize;
use shoal_core::policy::Shape;
use shoal_core::{Cancelled, Policy, Progress};
use shoal_measure::attack::Attacks;

use crate::run::timed;
use crate::{EarlierSource, PipelineError, Request, Seconds, Source, sequences, table, transactions};

/// Runs on more records leave the adversaries to `shoal attack`: they would take longer than the rest of the run.
fn most_records_in_run(policy: &Policy) -> usize {
    match policy.data.shape {
        // Whatever somebody may know of anybody is looked for among everybody: 65 CPU seconds for 13,000 people with L = 1.
        Shape::Sequences if policy.privacy.length.is_some() => 2_000,
        // Everybody is compared with everybody whose events fit.
        Shape::Sequences => 20_000,
        Shape::Table | Shape::Transactions | Shape::Stream => 100_000,
    }
}

/// What adversaries found out.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Attacked {
    /// The original.
    pub original: String,
    /// The published file.
    pub published: String,
    /// Records of the original: rows, transactions, people of sequences, tuples.
    pub records_in: usize,
    /// Records of the published file.
    pub records_out: usize,
    /// What was tried.
    #[serde(flatten)]
    pub attacks: Attacks,
}

impl Attacked {
    /// Whether no promised bound was beaten.
    pub fn holds(&self) -> bool {
        !self.attacks.beaten()
    }
}

/// Lets adversaries try a release that the verifier has passed, for its report, and refuses it where they get further than promised: the verifier
/// and the adversaries share no counting, so one of them is wrong. `weaker` says that the policy asks for a promise that is known to be
/// beaten, which the report then shows.
pub(crate) fn attack_in_run(
    request: &Request,
    records: usize,
    weaker: bool,
    seconds: &mut Seconds,
    attack: impl FnOnce() -> Attacks,
) -> Result<Option<Attacks>, PipelineError> {
    let policy = request.policy();
    // A transparent release must not be judged by sensitive values after its key was drawn: whoever runs it again after a refusal chooses among
    // keys, and how often guesses are right is not part of what was proven.
    if !request.pages || policy.privacy.transparent || records > most_records_in_run(policy) {
        return Ok(None);
    }
    let mut took = 0.0;
    let mut attacks = timed(&mut took, || Ok(attack()))?;
    seconds.attack = Some(took);
    if let Some(beaten) = attacks.attacks.iter().find(|attack| attack.beaten && !weaker) {
        return Err(PipelineError::Beaten { attack: Box::new(beaten.clone()) });
    }
    // What everybody risks is for the verb that is asked for it.
    attacks.people = Vec::new();
    Ok(Some(attacks))
}

/// Plays the adversary against published data. `earlier` are releases of the same people, in the layout of the policy; data that are not those of
/// their audit are refused.
pub fn attack(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    earlier: &mut [EarlierSource],
    progress: &dyn Progress,
) -> Result<Attacked, PipelineError> {
    Cancelled::catch(|| match request.policy().data.shape {
        Shape::Table => table::attack(request, original, published, earlier, progress),
        Shape::Transactions => transactions::attack(request, original, published, earlier, progress),
        Shape::Sequences => sequences::attack(request, original, published, earlier, progress),
        Shape::Stream => Err(PipelineError::IsStream),
    })?
}

#[cfg(test)]
mod tests {
    use shoal_core::PolicyDocument;
    use shoal_measure::attack::Attack;

    use super::*;
    use crate::Assets;

    #[test]
    fn a_release_that_an_adversary_beats_is_refused_unless_its_promise_is_the_weaker_one() {
        let policy = r#"
            version = 1
            data.shape = "table"
            columns.age = { role = "quasi-identifier", kind = "integer" }
            privacy.k = 10
        "#;
        let request = Request::new(PolicyDocument::parse(policy, &[]).unwrap(), Assets::default()).unwrap();
        let found = |success: f64| {
            let attacks = vec![Attack::exact("linkage", "", success).promised(0.1)];
            Attacks { attacks, ..Attacks::default() }
        };
        let tried = |request: &Request, records, weaker, success| {
            attack_in_run(request, records, weaker, &mut Seconds::default(), || found(success))
        };
        // Nobody tries where nobody reads of it, or where it would take too long.
        assert_eq!(tried(&request, 1000, false, 0.5).unwrap(), None);
        let request = request.with_pages();
        assert_eq!(tried(&request, 100_001, false, 0.5).unwrap(), None);

        assert_eq!(tried(&request, 1000, false, 0.1).unwrap(), Some(found(0.1)));
        let refused = tried(&request, 1000, false, 0.5).unwrap_err();
        assert!(refused.is_broken_promise() && refused.to_string().contains("0.5000"), "{refused}");
        assert_eq!(tried(&request, 1000, true, 0.5).unwrap(), Some(found(0.5)));

        let more = r#"
            columns.illness = { role = "sensitive" }
            privacy.transparent = true
            privacy.l-diversity = { kind = "distinct", l = 2 }
            algorithm.name = "transparent"
        "#;
        let document = PolicyDocument::parse(&format!("{policy}{more}"), &[]).unwrap();
        let transparent = Request::new(document, Assets::default()).unwrap().with_pages();
        assert_eq!(tried(&transparent, 1000, false, 0.5).unwrap(), None);
    }
}
