//! The classes of earlier releases, kept: whoever is among the same people as before is hidden by them as before.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use shoal_algorithms::table::{TableAlgorithm, obstacle, recode_groups};
use shoal_core::{Progress, RawTable, Rule, SUPPRESSED, Table, TableRecoding};
use shoal_measure::leaks::look;

use super::candidates::keeps;
use super::identity::{Identity, people};
use super::{check_notation, incomparable, person_hash, unknown_people};
use crate::audit::{ClassFile, RecodingFile};
use crate::columns::{Bound, with_hierarchies};
use crate::{Audit, PipelineError, Request};

/// Who keeps the class of an earlier release, and who does not.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Records that were in one class of an earlier release, enough of them for the promise.
    groups: Vec<Vec<u32>>,
    /// Records whose earlier class has too few members left. Whoever compared another class with that one would learn too much.
    short: usize,
    /// Records of newcomers.
    rest: Vec<u32>,
}

impl Kept {
    /// Looks for everybody in the releases, the last one first: it is the one that others have most likely seen last.
    pub(crate) fn of(
        request: &Request,
        raw: &RawTable,
        bound: &Bound,
        previous: &[Audit],
    ) -> Result<Kept, PipelineError> {
        if let (true, Some(audit)) = (request.policy().privacy.transparent, previous.last()) {
            let why =
                "classes that are kept were not drawn for this release, so that it would not be transparent";
            return Err(incomparable(audit, why));
        }
        // Records are taken out of `rest` as soon as a release knows them, so that each keeps one class at most.
        let mut rest = bound.complete_rows().unwrap_or_else(|| (0..bound.table.rows as u32).collect());
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for audit in previous.iter().rev() {
            let Places { class_of, classes, .. } = Places::of(request, raw, audit, &rest)?;
            let first = groups.len();
            groups.resize_with(first + classes.len(), Vec::new);
            for (&row, class) in rest.iter().zip(&class_of) {
                if let Some(class) = class {
                    groups[first + *class as usize].push(row);
                }
            }
            let mut is_new = class_of.iter().map(Option::is_none);
            rest.retain(|_| is_new.next().unwrap_or_default());
        }
        let policies = std::iter::once(request.policy()).chain(previous.iter().map(|audit| &audit.policy));
        let promises: Vec<_> = policies.map(shoal_core::Policy::table_promise).collect();
        // The greatest k of all releases: the members were promised each of them.
        let k = promises.iter().map(|promise| promise.k).max().unwrap_or_default();
        let whose = Identity::of(request, raw).person_of;
        // Where the policy says whose a record is, a crowd is of people.
        let crowd = |group: &Vec<u32>| match request.policy().data.person {
            None => group.len(),
            Some(_) => group.iter().map(|&row| whose[row as usize]).collect::<HashSet<u32>>().len(),
        };
        let is_enough = |group: &Vec<u32>| {
            let conditions = promises.iter().flat_map(|promise| &promise.conditions);
            crowd(group) >= k && conditions.into_iter().all(|c| is_mixed(raw, group, &c.column, c.rule))
        };
        let there: usize = groups.iter().map(Vec::len).sum();
        groups.retain(is_enough);
        let short = there - groups.iter().map(Vec::len).sum::<usize>();
        Ok(Kept { groups, short, rest })
    }

    /// The recoding of all records, and what to say about it: kept classes as they are, newcomers among themselves.
    pub(crate) fn recode<'a>(
        &self,
        request: &Request,
        bound: &'a Bound,
        algorithm: &dyn TableAlgorithm,
        progress: &dyn Progress,
    ) -> Result<(Cow<'a, Table>, TableRecoding, Vec<String>), PipelineError> {
        let (working, mut notes) = if algorithm.needs_hierarchies() {
            with_hierarchies(&bound.table)?
        } else {
            (Cow::Borrowed(&bound.table), Vec::new())
        };
        let mut class_of = vec![SUPPRESSED; working.rows];
        let mut classes = recode_groups(&working, &self.groups);
        for (class, group) in self.groups.iter().enumerate() {
            group.iter().for_each(|&row| class_of[row as usize] = class as u32);
        }
        let newcomers = working.select(&self.rest);
        let crowd = obstacle(&newcomers, &request.policy().table_promise()).is_none();
        if crowd {
            let part = algorithm.anonymize(&newcomers, progress)?.recoding;
            for (&row, &class) in self.rest.iter().zip(&part.class_of) {
                if class != SUPPRESSED {
                    class_of[row as usize] = class + self.groups.len() as u32;
                }
            }
            classes.extend(part.classes);
        }
        let kept: usize = self.groups.iter().map(Vec::len).sum();
        notes.push(format!("{kept} records keep the classes of earlier releases"));
        if self.short > 0 {
            let why = "too few of their earlier class are left";
            notes.push(format!("{} records are left out because {why}", self.short));
        }
        if !crowd && !self.rest.is_empty() {
            let why = "they are new and cannot keep the promise among themselves";
            notes.push(format!("{} records are left out because {why}", self.rest.len()));
        }
        Ok((working, TableRecoding { class_of, classes }, notes))
    }
}

/// Where records were in an earlier release.
pub(super) struct Places<'a> {
    /// For each of the records its class there; none for whoever was not in it.
    pub class_of: Vec<Option<u32>>,
    /// For each of the records a class of the one who has it, where that person was in the release with fewer records than now.
    pub more_of: Vec<Option<u32>>,
    /// The classes of that release.
    pub classes: &'a [ClassFile],
}

impl<'a> Places<'a> {
    pub(super) fn of(
        request: &Request,
        raw: &RawTable,
        audit: &'a Audit,
        rows: &[u32],
    ) -> Result<Places<'a>, PipelineError> {
        let RecodingFile::Table { known_by, classes, .. } = &audit.recoding else {
            return Err(incomparable(audit, "it is not the release of a table"));
        };
        check_notation(request, audit, known_by)?;
        let Some((texts, person_of)) = people(raw, known_by) else {
            return Err(unknown_people(audit, known_by));
        };
        let key = audit.key().ok_or_else(|| incomparable(audit, "its key is broken"))?;
        // A hash is in a class once for each of its rows; each row of the new original takes one of them.
        let mut places: HashMap<&str, Vec<u32>> = HashMap::new();
        for (number, class) in (0..).zip(classes) {
            for hash in &class.people {
                places.entry(hash).or_default().push(number);
            }
        }
        let hashes: Vec<String> = texts.iter().map(|text| person_hash(&key, text)).collect();
        let first: HashMap<&str, u32> = places.iter().map(|(hash, places)| (*hash, places[0])).collect();
        let (mut class_of, mut more_of) = (Vec::new(), Vec::new());
        for &row in rows {
            let hash = hashes[person_of[row as usize] as usize].as_str();
            let taken = places.get_mut(hash).and_then(Vec::pop);
            class_of.push(taken);
            more_of.push(first.get(hash).copied().filter(|_| taken.is_none()));
        }
        Ok(Places { class_of, more_of, classes })
    }
}

/// Whether the values of a group keep a rule. Rules that compare with everybody are left to the verifier.
pub(super) fn is_mixed(raw: &RawTable, group: &[u32], column: &str, rule: Rule) -> bool {
    let Some(column) = raw.column(column) else { return true };
    let mut counts: HashMap<String, u32> = HashMap::new();
    group.iter().for_each(|&row| *counts.entry(look(column.text(row as usize))).or_default() += 1);
    let counts: Vec<u32> = counts.into_values().collect();
    keeps(rule, &counts) != Some(false)
}
