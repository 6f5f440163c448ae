//! The recoding of an earlier release on other records.
//!
//! Whoever was in the earlier releases stays among those who were with them there, in all of them; newcomers get what the earlier
//! recoding says about them, and stay among newcomers. So the promise holds for each of the two by themselves: somebody who
//! knows that a person was, or was not, in an earlier release may strike out the others and has still a crowd. A class that only some have left is left out as
//! a whole, unless those who are gone are a crowd, too: what they had is the difference of the two releases.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use shoal_algorithms::table::{TableAlgorithm, TableError, obstacle, recode_groups, star_suppression};
use shoal_core::policy::SuppressedPolicy;
use shoal_core::{Progress, RawTable, Rule, SUPPRESSED, Table, TablePromise, TableRecoding};
use shoal_measure::leaks::look;

use super::candidates::keeps;
use super::identity::{Identity, KnownBy};
use super::incomparable;
use super::regions::Regions;
use super::reuse::{Places, is_mixed};
use crate::audit::{ClassFile, RecodingFile};
use crate::columns::{Bound, EarlierTexts, with_alike_merged, with_hierarchies};
use crate::deadline::Deadline;
use crate::{Audit, PipelineError, Request};

/// Who is published together, and what they say.
pub(crate) struct Applied<'a> {
    request: &'a Request,
    bound: &'a Bound,
    /// Records of people who were in earlier releases.
    kept: Vec<Group>,
    /// Records of newcomers about whom the earlier recoding says something.
    joined: Vec<Group>,
    /// Records of newcomers that it says nothing about, or about too few of them.
    rest: Vec<u32>,
    /// Records whose earlier class has too few members left.
    short: usize,
    /// Records whose earlier class has lost a few, whose values the difference would show.
    exposed: usize,
}

/// Records that are published alike.
struct Group {
    rows: Vec<u32>,
    /// What is kept of the earlier texts; none in a column where the members' values decide.
    texts: Vec<Option<String>>,
}

/// Where somebody was: the class in each earlier release, and whether the record is one more than the person had then.
type History = (Vec<Option<u32>>, bool);

impl<'a> Applied<'a> {
    /// Looks for everybody in the earlier releases; the last one is the one that is applied.
    pub(crate) fn of(
        request: &'a Request,
        raw: &RawTable,
        bound: &'a Bound,
        algorithm: &dyn TableAlgorithm,
    ) -> Result<Applied<'a>, PipelineError> {
        let previous = &request.earlier.previous;
        let last = previous.last().expect("a release is applied");
        if request.policy().privacy.transparent {
            let why =
                "classes that are kept were not drawn for this release, so that it would not be transparent";
            return Err(incomparable(last, why));
        }
        let RecodingFile::Table { quasi_identifiers, classes, .. } = &last.recoding else {
            return Err(incomparable(last, "it is not the release of a table"));
        };
        let Some(regions) = Regions::of(&bound.table, quasi_identifiers, classes) else {
            return Err(incomparable(last, "its quasi-identifiers are not those of the policy"));
        };
        let rows = bound.complete_rows().unwrap_or_else(|| (0..bound.table.rows as u32).collect());
        let judge = Judge::of(request, raw, &bound.table);
        let places: Vec<Places<'_>> =
            previous.iter().map(|audit| Places::of(request, raw, audit, &rows)).collect::<Result<_, _>>()?;
        let (groups, newcomers) = by_history(&rows, &places, judge.named);

        let mut short = 0;
        let mut kept: Vec<(History, Vec<u32>)> = Vec::new();
        for (history, rows) in groups {
            match judge.is_enough(&rows, &judge.everybody) {
                true => kept.push((history, rows)),
                false => short += rows.len(),
            }
        }
        let before: usize = kept.iter().map(|(_, rows)| rows.len()).sum();
        if !request.earlier.allow_absent {
            judge.hide_those_who_left(&mut kept, &places);
        }
        let exposed = before - kept.iter().map(|(_, rows)| rows.len()).sum::<usize>();
        let with_texts = |(history, rows): (History, Vec<u32>)| {
            // The class of the last release; whoever was in an older one only has no texts to keep.
            let texts = match history.0.last().copied().flatten() {
                Some(class) => regions.texts(&bound.table, class, &rows),
                None => vec![None; bound.table.quasi_identifiers().len()],
            };
            Group { rows, texts }
        };
        let kept = kept.into_iter().map(with_texts).collect();

        let mut joined = Vec::new();
        let mut settled: HashSet<u32> = HashSet::new();
        for (texts, rows) in regions.assign(&bound.table, &newcomers, algorithm.needs_hierarchies()) {
            if judge.is_enough(&rows, std::slice::from_ref(&judge.own)) {
                settled.extend(&rows);
                joined.push(Group { rows, texts: texts.into_iter().map(Some).collect() });
            }
        }
        let rest = newcomers.into_iter().filter(|row| !settled.contains(row)).collect();
        Ok(Applied { request, bound, kept, joined, rest, short, exposed })
    }

    /// The recoding of all records, and what to say about it.
    pub(crate) fn recode(
        &self,
        algorithm: &dyn TableAlgorithm,
        progress: &dyn Progress,
    ) -> Result<(Cow<'a, Table>, TableRecoding, EarlierTexts, Vec<String>), PipelineError> {
        let policy = self.request.policy();
        let (working, mut notes) = match algorithm.needs_hierarchies() {
            true => with_hierarchies(&self.bound.table)?,
            false => (Cow::Borrowed(&self.bound.table), Vec::new()),
        };
        let working = with_alike_merged(policy, working);
        let groups: Vec<&Group> = self.kept.iter().chain(&self.joined).collect();
        let members: Vec<Vec<u32>> = groups.iter().map(|group| group.rows.clone()).collect();
        let mut recoding = TableRecoding {
            class_of: vec![SUPPRESSED; working.rows],
            classes: recode_groups(&working, &members),
        };
        let quasi = working.quasi_identifiers();
        let mut texts = HashMap::new();
        for ((number, group), class) in (0..).zip(&groups).zip(&recoding.classes) {
            group.rows.iter().for_each(|&row| recoding.class_of[row as usize] = number);
            let cells = group.texts.iter().zip(&class.cells).zip(&quasi);
            let said =
                cells.map(|((text, cell), column)| text.clone().unwrap_or_else(|| column.render(cell)));
            texts.insert(number, said.collect());
        }
        drop(quasi);
        let settled = self.recode_rest(algorithm, &working, &mut recoding, progress)?;
        if policy.output.suppressed == SuppressedPolicy::Star {
            star_suppression(&mut recoding, &working, &policy.table_promise())?;
        }
        if recoding.classes.is_empty() {
            let (k, records) = (policy.table_promise().k, self.rest.len());
            return Err(TableError::TooFewRecords { k, records }.into());
        }
        notes.extend(self.notes(settled));
        Ok((working, recoding, EarlierTexts(texts), notes))
    }

    /// Newcomers whom the earlier recoding does not help, among themselves. Whether they could be hidden there.
    fn recode_rest(
        &self,
        algorithm: &dyn TableAlgorithm,
        working: &Table,
        recoding: &mut TableRecoding,
        progress: &dyn Progress,
    ) -> Result<bool, PipelineError> {
        let policy = self.request.policy();
        let newcomers = working.select(&self.rest);
        if obstacle(&newcomers, &policy.table_promise()).is_some() {
            return Ok(false);
        }
        let deadline = Deadline::after(policy.algorithm.seconds, progress);
        let part = match algorithm.anonymize(&newcomers, &deadline).map_err(PipelineError::from) {
            Ok(part) => part.recoding,
            // They cannot be hidden among themselves; how many may be left out, the verifier knows.
            Err(error) if error.is_broken_promise() => return Ok(false),
            Err(error) => return Err(error),
        };
        let first = recoding.classes.len() as u32;
        for (&row, &class) in self.rest.iter().zip(&part.class_of) {
            if class != SUPPRESSED {
                recoding.class_of[row as usize] = first + class;
            }
        }
        recoding.classes.extend(part.classes);
        Ok(true)
    }

    fn notes(&self, settled: bool) -> Vec<String> {
        let records = |groups: &[Group]| groups.iter().map(|group| group.rows.len()).sum::<usize>();
        let mut notes = vec![format!("{} records keep the classes of earlier releases", records(&self.kept))];
        let mut note = |count: usize, what: &str| {
            if count > 0 {
                notes.push(format!("{count} {what}"));
            }
        };
        note(records(&self.joined), "new records are recoded as the earlier release does, among themselves");
        match settled {
            true => {
                note(self.rest.len(), "new records fit nothing that it has enough of, and are recoded anew");
            }
            false => note(
                self.rest.len(),
                "records are left out because they are new and cannot keep the promise among themselves",
            ),
        }
        note(self.short, "records are left out because too few of their earlier class are left");
        note(
            self.exposed,
            "records are left out because a few of their earlier class are gone, whose values the difference of the two releases would show",
        );
        notes
    }
}

/// Records by where they were, and those that were nowhere.
fn by_history(rows: &[u32], places: &[Places<'_>], named: bool) -> (BTreeMap<History, Vec<u32>>, Vec<u32>) {
    let mut groups: BTreeMap<History, Vec<u32>> = BTreeMap::new();
    let mut newcomers = Vec::new();
    for (at, &row) in rows.iter().enumerate() {
        let was: Vec<Option<u32>> = places.iter().map(|places| places.class_of[at]).collect();
        // One more record of somebody who was there: hidden among those with whom the person was. People without names
        // who look the same are more people instead.
        let more: Vec<Option<u32>> = places.iter().map(|places| places.more_of[at]).collect();
        if was.iter().any(Option::is_some) {
            groups.entry((was, false)).or_default().push(row);
        } else if named && more.iter().any(Option::is_some) {
            groups.entry((more, true)).or_default().push(row);
        } else {
            newcomers.push(row);
        }
    }
    (groups, newcomers)
}

/// What groups must be like.
struct Judge<'a> {
    raw: &'a RawTable,
    /// The promises of all releases: whoever was in one was promised each of them.
    everybody: Vec<TablePromise>,
    /// The promise of the new one.
    own: TablePromise,
    /// Whose each record is, where crowds are of people.
    person_of: Option<Vec<u32>>,
    /// What each record asks for by itself.
    personal_k: Option<Vec<u32>>,
    /// Whether people are known by more than what they are like.
    named: bool,
}

impl<'a> Judge<'a> {
    fn of(request: &Request, raw: &'a RawTable, original: &Table) -> Judge<'a> {
        let of_audit = |audit: &Audit| audit.policy.table_promise();
        let own = request.policy().table_promise();
        let identity = Identity::of(request, raw);
        Judge {
            raw,
            everybody: request.earlier.previous.iter().map(of_audit).chain([own.clone()]).collect(),
            own,
            named: identity.known_by != KnownBy::QuasiIdentifiers,
            person_of: request.policy().data.person.as_ref().map(|_| identity.person_of),
            personal_k: original.personal_k(),
        }
    }

    /// Whether these records may be a crowd by themselves.
    fn is_enough(&self, rows: &[u32], promises: &[TablePromise]) -> bool {
        let asked = promises.iter().map(|promise| promise.k).max().unwrap_or_default();
        let personal = self.personal_k.as_ref().and_then(|k| rows.iter().map(|&row| k[row as usize]).max());
        let mut conditions = promises.iter().flat_map(|promise| &promise.conditions);
        self.people(rows) >= asked.max(personal.unwrap_or_default() as usize)
            && conditions.all(|condition| is_mixed(self.raw, rows, &condition.column, condition.rule))
    }

    fn people(&self, rows: &[u32]) -> usize {
        match &self.person_of {
            None => rows.len(),
            Some(whose) => rows.iter().map(|&row| whose[row as usize]).collect::<HashSet<u32>>().len(),
        }
    }

    /// Leaves out whole classes of which only a few are not in the new release, until there are none: what is left out of one class may
    /// be a few of another one in an older release.
    fn hide_those_who_left(&self, kept: &mut Vec<(History, Vec<u32>)>, places: &[Places<'_>]) {
        loop {
            let mut leave_out: HashSet<(usize, u32)> = HashSet::new();
            for (release, places) in places.iter().enumerate() {
                let mut present: HashMap<u32, Vec<u32>> = HashMap::new();
                for ((was, more), rows) in kept.iter() {
                    if let (Some(class), false) = (was[release], *more) {
                        present.entry(class).or_default().extend(rows);
                    }
                }
                for (class, rows) in present {
                    if !self.hides_the_absent(&places.classes[class as usize], &rows) {
                        leave_out.insert((release, class));
                    }
                }
            }
            if leave_out.is_empty() {
                return;
            }
            kept.retain(|((was, _), _)| {
                let is_out = |(release, class): (usize, &Option<u32>)| {
                    class.is_some_and(|class| leave_out.contains(&(release, class)))
                };
                !was.iter().enumerate().any(is_out)
            });
        }
    }

    /// Whether those of a class who are not among these records are nobody, or a crowd.
    fn hides_the_absent(&self, class: &ClassFile, present: &[u32]) -> bool {
        let before = match self.person_of {
            None => class.people.len(),
            Some(_) => class.people.iter().collect::<HashSet<_>>().len(),
        };
        let absent = before.saturating_sub(self.people(present));
        let k = self.everybody.iter().map(|promise| promise.k).max().unwrap_or_default();
        let rules = |column: &str| {
            let conditions = self.everybody.iter().flat_map(|promise| &promise.conditions);
            conditions.filter(|condition| condition.column == column).map(|c| c.rule).collect::<Vec<Rule>>()
        };
        absent == 0
            || (absent >= k
                && class.values.iter().all(|(column, values)| {
                    let rules = rules(column);
                    rules.is_empty() || is_mixed_without(values, self.raw, column, present, &rules)
                }))
    }
}

/// Whether the values of a class without those of some records keep rules.
fn is_mixed_without(
    values: &indexmap::IndexMap<String, u32>,
    raw: &RawTable,
    column: &str,
    present: &[u32],
    rules: &[Rule],
) -> bool {
    let Some(column) = raw.column(column) else { return true };
    let mut left: HashMap<String, u32> = HashMap::new();
    values.iter().for_each(|(text, count)| *left.entry(look(text)).or_default() += count);
    for &row in present {
        if let Some(count) = left.get_mut(&look(column.text(row as usize))) {
            *count = count.saturating_sub(1);
        }
    }
    let counts: Vec<u32> = left.into_values().filter(|&count| count > 0).collect();
    rules.iter().all(|&rule| keeps(rule, &counts) != Some(false))
}
