//! Releases of the same people, judged together: the finest release of all, by the verifier.

use std::collections::HashSet;
use std::fmt;

use shoal_core::{MissingTexts, RawTable, Role, Table, TablePromise};
use shoal_privacy::refinement::table::{BrokenTogether, Seen, cells_of, judge};
use shoal_privacy::{PersonalK, Refusal, TableModel};

use super::linked::Linked;
use crate::leaks::{LeakKind, Unit, nobody_recognized};
use crate::table::models::models_of;
use crate::{Leak, PipelineError, Request};

/// What several releases break together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Together(Vec<String>);

impl fmt::Display for Together {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("; "))
    }
}

/// The largest k and all conditions of the new release and of the earlier ones: whoever was in one was promised each of them.
pub(super) fn joint_promise(request: &Request) -> TablePromise {
    let mut promise = request.table_promise();
    for audit in &request.earlier.previous {
        let earlier = audit.policy.table_promise();
        promise.k = promise.k.max(earlier.k);
        for condition in earlier.conditions {
            if !promise.conditions.contains(&condition) {
                promise.conditions.push(condition);
            }
        }
    }
    promise
}

/// All releases that a new one must hold together with, ready to be judged.
pub(super) struct Judge<'a> {
    request: &'a Request,
    linked: &'a Linked<'a>,
    /// The models of each earlier release, and those of the new one at the end.
    models: Vec<Vec<Box<dyn TableModel>>>,
    /// The texts that stand for a missing value in each of them.
    missing: Vec<MissingTexts>,
    /// The k that each person of the new data asks for.
    personal_k: Option<Vec<u32>>,
}

/// The new release.
pub(crate) struct NewRelease<'a> {
    pub published: &'a RawTable,
    pub origin: &'a [u32],
}

impl<'a> Judge<'a> {
    pub(super) fn of(
        request: &'a Request,
        original: &Table,
        linked: &'a Linked<'a>,
    ) -> Result<Judge<'a>, PipelineError> {
        let promise = joint_promise(request);
        let policies = linked.earlier.iter().map(|earlier| &earlier.audit.policy).chain([request.policy()]);
        let missing = policies.clone().map(|policy| policy.data.missing_texts()).collect();
        let mut models =
            policies.map(|policy| models_of(request, policy, &promise)).collect::<Result<Vec<_>, _>>()?;
        let personal_k = original.personal_k().map(|asked| {
            let mut of_person = vec![1; linked.people];
            for (&person, &k) in linked.person_of.iter().zip(&asked) {
                let own: &mut u32 = &mut of_person[person as usize];
                *own = k.max(*own);
            }
            of_person
        });
        if personal_k.is_some() {
            for models in &mut models {
                let names = request.policy().columns_of(Role::PersonalK);
                models.extend(
                    PersonalK::of(names.into_iter()).map(|model| Box::new(model) as Box<dyn TableModel>),
                );
            }
        }
        Ok(Judge { request, linked, models, missing, personal_k })
    }

    /// The cells of people by the earlier releases alone.
    pub(super) fn atoms(&self) -> Result<Vec<u32>, PipelineError> {
        let seen = self.seen_earlier()?;
        Ok(cells_of(&seen, self.linked.people))
    }

    /// What the earlier releases break where people are in these cells; `is_asked` says whose cells count.
    pub(super) fn earlier(
        &self,
        cell_of: &[u32],
        is_asked: impl Fn(u32) -> bool,
    ) -> Result<Vec<BrokenTogether>, PipelineError> {
        Ok(judge(&self.seen_earlier()?, cell_of, is_asked).map_err(Refusal::Unverifiable)?)
    }

    /// What the new release breaks together with the earlier ones. Those who are not in it are not asked about where that is allowed.
    pub(super) fn all(&self, new: &NewRelease<'_>) -> Result<Vec<BrokenTogether>, PipelineError> {
        let is_there = self.is_there(new);
        let allowed = self.request.earlier.allow_absent;
        self.all_of(new, |person| !allowed || is_there[person as usize])
    }

    fn all_of(
        &self,
        new: &NewRelease<'_>,
        is_asked: impl Fn(u32) -> bool,
    ) -> Result<Vec<BrokenTogether>, PipelineError> {
        let person_of: Vec<u32> = new.origin.iter().map(|&row| self.linked.person_of[row as usize]).collect();
        let quasi = self.request.policy().columns_of(Role::QuasiIdentifier);
        let mut seen = self.seen_earlier()?;
        seen.push(self.seen(new.published, &quasi, person_of, self.linked.earlier.len())?);
        let cell_of = cells_of(&seen, self.linked.people);
        Ok(judge(&seen, &cell_of, is_asked).map_err(Refusal::Unverifiable)?)
    }

    fn is_there(&self, new: &NewRelease<'_>) -> Vec<bool> {
        let mut is_there = vec![false; self.linked.people];
        new.origin.iter().for_each(|&row| is_there[self.linked.person_of[row as usize] as usize] = true);
        is_there
    }

    fn seen_earlier(&self) -> Result<Vec<Seen<'_>>, PipelineError> {
        let seen = |(number, earlier): (usize, &'a super::linked::Earlier<'a>)| {
            let quasi = earlier.audit.policy.columns_of(Role::QuasiIdentifier);
            self.seen(earlier.file, &quasi, earlier.person_of.clone(), number)
        };
        self.linked.earlier.iter().enumerate().map(seen).collect()
    }

    fn seen<'s>(
        &'s self,
        file: &'s RawTable,
        quasi: &[&'s str],
        person_of: Vec<u32>,
        number: usize,
    ) -> Result<Seen<'s>, PipelineError> {
        let of_row = |asked: &Vec<u32>| person_of.iter().map(|&person| asked[person as usize]).collect();
        let personal_k = self.personal_k.as_ref().map(of_row);
        let seen = Seen::new(file, quasi, &self.missing[number], person_of, &self.models[number], personal_k);
        Ok(seen.map_err(Refusal::Unverifiable)?)
    }
}

/// Judges a release that was verified together with the earlier ones: an error where a promise breaks, else what is to be said.
pub(crate) fn check(
    request: &Request,
    original: &Table,
    linked: &Linked<'_>,
    new: &NewRelease<'_>,
) -> Result<Vec<Leak>, PipelineError> {
    let releases = linked.earlier.len();
    if releases == 0 {
        return Ok(Vec::new());
    }
    let judge = Judge::of(request, original, linked)?;
    let broken = judge.all(new)?;
    if !broken.is_empty() {
        let said = |broken: &BrokenTogether| {
            let what = broken.promise.in_short();
            let number = broken.people.len();
            match linked.earlier.get(broken.release) {
                Some(earlier) => {
                    format!("{what} for {number} people of `{}`", earlier.audit.output.display())
                }
                None => format!("{what} for {number} people of the new one"),
            }
        };
        let found = Box::new(Together(broken.iter().map(said).collect()));
        return Err(PipelineError::Releases { found, releases });
    }
    let is_there = judge.is_there(new);
    let were: HashSet<u32> =
        linked.earlier.iter().flat_map(|earlier| earlier.person_of.iter().copied()).collect();
    let returning = were.iter().filter(|&&person| is_there[person as usize]).count();
    let absent = match request.earlier.allow_absent {
        false => 0,
        true => {
            let broken = judge.all_of(new, |person| !is_there[person as usize])?;
            broken.iter().flat_map(|broken| &broken.people).collect::<HashSet<_>>().len()
        }
    };
    let together = LeakKind::EarlierReleases { count: returning, releases, unit: Unit::People };
    let together = (returning > 0).then(|| together.into());
    Ok([together, super::absent(absent), nobody_recognized(linked.strangers())]
        .into_iter()
        .flatten()
        .collect())
}
