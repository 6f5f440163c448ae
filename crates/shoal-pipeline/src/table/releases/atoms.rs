//! Who is published together, so that a release holds with itself and with earlier ones.
//!
//! People who are in the same cell of all earlier releases are an *atom*. Those of an atom who are in the new data are put into
//! classes among themselves, newcomers among themselves, and everybody with all their rows. Where those who are gone from an
//! atom, or those who are still there, do not keep what was promised, more of the atom are left out, or all of it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use shoal_algorithms::table::{TableAlgorithm, TableError, obstacle, star_suppression};
use shoal_core::{Distribution, Progress, RawTable, Role, SUPPRESSED, Table, TablePromise, TableRecoding};

use super::earlier_values::EarlierValues;
use super::incomparable;
use super::linked::Linked;
use super::regions::Regions;
use super::together::{Judge, NewRelease, joint_promise};
use super::wide::{Grouped, Grouping, Past, Rows};
use crate::columns::{Bound, EarlierTexts, with_alike_merged, with_hierarchies};
use crate::table::compose::compose;
use crate::{PipelineError, ReleaseKey, Request};

/// What is decided about all records.
pub(crate) struct Constructed<'a> {
    pub working: Cow<'a, Table>,
    pub recoding: TableRecoding,
    pub texts: EarlierTexts,
    pub notes: Vec<String>,
}

/// The data of a run.
pub(crate) struct Data<'a> {
    pub request: &'a Request,
    pub raw: &'a RawTable,
    pub source_rows: &'a [u32],
    pub bound: &'a Bound,
    pub linked: &'a Linked<'a>,
}

/// Whether a run on these data has to put people together: where there are earlier releases, or several rows of a person.
pub(crate) fn has_atoms(data: &Data<'_>) -> bool {
    !data.linked.earlier.is_empty()
        || (data.request.policy().knows_all_rows() && {
            let mut seen = vec![false; data.linked.people];
            data.linked.person_of.iter().any(|&person| std::mem::replace(&mut seen[person as usize], true))
        })
}

/// Why records are left out.
#[derive(Default)]
struct LeftOut {
    /// People of atoms of which too few are left.
    short: usize,
    /// People of atoms of which a few are gone.
    exposed: usize,
}

/// Decides on a class for every record.
pub(crate) fn construct<'a>(
    data: &Data<'a>,
    key: &ReleaseKey,
    algorithm: &dyn TableAlgorithm,
    progress: &dyn Progress,
) -> Result<Constructed<'a>, PipelineError> {
    let Data { request, bound, linked, .. } = data;
    if let (true, Some(last)) = (request.policy().privacy.transparent, request.earlier.previous.last()) {
        let why =
            "classes that are kept were not drawn for this release, so that it would not be transparent";
        return Err(incomparable(last, why));
    }
    let (working, mut notes) = match algorithm.needs_hierarchies() {
        true => with_hierarchies(&bound.table)?,
        false => (Cow::Borrowed(&bound.table), Vec::new()),
    };
    let working = with_alike_merged(working);
    let judge = Judge::of(request, &bound.table, linked)?;
    let mut rows_of = rows_of_people(data, &working);
    let atom_of = judge.atoms()?;
    let mut left_out = LeftOut::default();
    hide_those_who_left(request, &judge, &atom_of, &mut rows_of, &mut left_out)?;

    let promise = with_everybody(joint_promise(request), &working);
    let grouping = Grouping { request, key, working: &working, promise: &promise };
    let regions = match request.earlier.applied {
        true => {
            Some(Regions::of_release(&bound.table, linked.earlier.last().expect("a release is applied"))?)
        }
        false => None,
    };
    let mut atoms: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut newcomers = Vec::new();
    let was_there = was_there(linked);
    for person in (0..linked.people as u32).filter(|&person| !rows_of[person as usize].is_empty()) {
        match was_there[person as usize] {
            true => atoms.entry(atom_of[person as usize]).or_default().push(person),
            false => newcomers.push(person),
        }
    }
    let past = EarlierValues::of(request, linked)?;
    let (mut found, mut texts) = (Grouped::default(), HashMap::new());
    for people in atoms.values() {
        progress.check();
        let rows: Vec<Rows> = people.iter().map(|&person| rows_of[person as usize].clone()).collect();
        let first = found.classes.len();
        match &regions {
            None if people.len() >= 2 * promise.k => {
                let past = |numbers: &[usize]| {
                    past.of_people(&numbers.iter().map(|&at| people[at]).collect::<Vec<_>>())
                };
                found.extend(grouping.cut(rows, &past, progress)?);
            }
            _ => found.extend(grouping.together(rows)),
        }
        if let Some(regions) = &regions {
            let class = regions.class_of_person(people[0]);
            for (number, members) in (first..).zip(&found.members[first..]) {
                let said = class.map(|class| regions.texts(&bound.table, class, members));
                texts.insert(number as u32, said.unwrap_or_default());
            }
        }
    }
    let mut rows: Vec<Rows> = newcomers.iter().map(|&person| rows_of[person as usize].clone()).collect();
    let of_newcomers: usize = rows.iter().map(Vec::len).sum();
    let mut joined = 0;
    if let Some(regions) = &regions {
        joined = join(&grouping, regions, algorithm, data, &mut rows, &mut found, &mut texts);
    }
    let anew: usize = rows.iter().map(Vec::len).sum();
    found.extend(grouping.cut(rows, &|_| Past::new(), progress)?);

    let mut recoding = TableRecoding { class_of: vec![SUPPRESSED; working.rows], classes: found.classes };
    for (class, members) in (0..).zip(&found.members) {
        members.iter().for_each(|&row| recoding.class_of[row as usize] = class);
    }
    let texts = EarlierTexts(rendered(&working, &recoding, texts));
    if request.policy().output.keeps_suppressed() {
        star_suppression(&mut recoding, &working, &request.policy().table_promise())?;
    }
    leave_out_broken(data, &judge, &working, &texts, &atom_of, &was_there, &mut recoding, &mut left_out)?;
    if recoding.class_of.iter().all(|&class| class == SUPPRESSED) {
        if !linked.earlier.is_empty() {
            let LeftOut { short, exposed } = left_out;
            return Err(PipelineError::NothingKept { short, exposed, newcomers: of_newcomers });
        }
        let own = obstacle(&working, &request.table_promise());
        return Err(own.unwrap_or(TableError::TooFewRecords { k: promise.k, records: of_newcomers }).into());
    }
    let published = |people: &[u32]| -> usize {
        let rows = people.iter().flat_map(|&person| &rows_of[person as usize]);
        rows.filter(|&&row| recoding.class_of[row as usize] != SUPPRESSED).count()
    };
    let is_again = !linked.earlier.is_empty();
    if is_again {
        let kept = published(&atoms.into_values().flatten().collect::<Vec<_>>());
        notes.push(format!("{kept} records keep the classes of earlier releases, or parts of them"));
    }
    let new_out = of_newcomers - published(&newcomers);
    let all_out = recoding.class_of.iter().filter(|&&class| class == SUPPRESSED).count();
    let said = [
        (joined, "new records are recoded as the earlier release does, among themselves"),
        (
            if request.earlier.applied { anew } else { 0 },
            "new records fit nothing that it has enough of, and are recoded anew",
        ),
        (
            if is_again { new_out } else { 0 },
            "records are left out because they are new and cannot keep the promise among themselves",
        ),
        (left_out.short, "records are left out because too few of their earlier class are left"),
        (
            left_out.exposed,
            "records are left out because a few of their earlier class are gone, whose values the difference of the two releases \
             would show",
        ),
        (
            if is_again { 0 } else { all_out - bound.incomplete.len() },
            "records are left out because too few people have as many records, or because all records of their people together \
             do not keep the promise;  [data] known-rows = \"one\"  hides records one by one",
        ),
    ];
    let said = said.into_iter().filter(|(count, _)| *count > 0);
    notes.extend(said.map(|(count, what)| format!("{count} {what}")));
    Ok(Constructed { working, recoding, texts, notes })
}

/// The complete records of each person, sorted by their quasi-identifiers, so that those of several people stand beside each other.
fn rows_of_people(data: &Data<'_>, working: &Table) -> Vec<Rows> {
    let complete = data.bound.complete_rows().unwrap_or_else(|| (0..working.rows as u32).collect());
    let mut rows_of = vec![Rows::new(); data.linked.people];
    complete.iter().for_each(|&row| rows_of[data.linked.person_of[row as usize] as usize].push(row));
    let quasi = working.quasi_identifiers();
    let point = |row: &u32| quasi.iter().map(|column| column.codes[*row as usize]).collect::<Vec<_>>();
    rows_of.iter_mut().filter(|rows| rows.len() > 1).for_each(|rows| rows.sort_by_cached_key(point));
    rows_of
}

/// Of each person whether they are in an earlier release.
fn was_there(linked: &Linked<'_>) -> Vec<bool> {
    let mut was_there = vec![false; linked.people];
    let people = linked.earlier.iter().flat_map(|earlier| &earlier.person_of);
    people.for_each(|&person| was_there[person as usize] = true);
    was_there
}

/// Leaves out people of atoms until those of each who are gone, and those who are still there, keep what was promised. A large atom
/// loses as many as are needed so that the absent do, the first ones; else it is left out as a whole.
fn hide_those_who_left(
    request: &Request,
    judge: &Judge<'_>,
    atom_of: &[u32],
    rows_of: &mut [Rows],
    left_out: &mut LeftOut,
) -> Result<(), PipelineError> {
    if request.earlier.previous.is_empty() {
        return Ok(());
    }
    let k = joint_promise(request).k;
    // Of each atom how many more are left out.
    let mut more: HashMap<u32, usize> = HashMap::new();
    loop {
        let cell_of: Vec<u32> = atom_of
            .iter()
            .zip(rows_of.iter())
            .map(|(&atom, rows)| 2 * atom + u32::from(rows.is_empty()))
            .collect();
        let is_there = |person: u32| !rows_of[person as usize].is_empty();
        let broken = judge.earlier(&cell_of, |person| !request.earlier.allow_absent || is_there(person))?;
        let bad: BTreeSet<u32> = broken.iter().flat_map(|broken| broken.people.iter().copied()).collect();
        let mut is_short: HashMap<u32, bool> = HashMap::new();
        let mut gone: HashMap<u32, usize> = HashMap::new();
        for &person in &bad {
            let atom = atom_of[person as usize];
            *is_short.entry(atom).or_default() |= is_there(person);
            *gone.entry(atom).or_default() += usize::from(!is_there(person));
        }
        let mut present: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let there = (0..rows_of.len() as u32).filter(|&person| is_there(person));
        for person in there.filter(|&person| is_short.contains_key(&atom_of[person as usize])) {
            present.entry(atom_of[person as usize]).or_default().push(person);
        }
        if present.is_empty() {
            return Ok(());
        }
        for (atom, people) in present {
            let short = is_short[&atom];
            let lacking = k.saturating_sub(gone[&atom]).max(1);
            let wanted = more.entry(atom).and_modify(|more| *more *= 2).or_insert(lacking);
            let out = match !short && people.len() >= k + *wanted {
                true => *wanted,
                false => people.len(),
            };
            let records: usize = people[..out].iter().map(|&person| rows_of[person as usize].len()).sum();
            *(if short { &mut left_out.short } else { &mut left_out.exposed }) += records;
            people[..out].iter().for_each(|&person| rows_of[person as usize].clear());
        }
    }
}

/// Leaves out what the verifier would refuse: whole atoms, and of newcomers whole cells.
#[allow(clippy::too_many_arguments)] // the parts of a construction
fn leave_out_broken(
    data: &Data<'_>,
    judge: &Judge<'_>,
    working: &Table,
    texts: &EarlierTexts,
    atom_of: &[u32],
    was_there: &[bool],
    recoding: &mut TableRecoding,
    left_out: &mut LeftOut,
) -> Result<(), PipelineError> {
    let policy = data.request.policy();
    loop {
        let composed = compose(policy, data.raw, data.source_rows, working, recoding, texts);
        let broken = judge.all(&NewRelease { published: &composed.published, origin: &composed.origin })?;
        let mut is_out = vec![false; was_there.len()];
        let mut atoms = vec![false; was_there.len()];
        for &person in broken.iter().flat_map(|broken| &broken.people) {
            is_out[person as usize] = true;
            atoms[atom_of[person as usize] as usize] |= was_there[person as usize];
        }
        let mut dropped = 0;
        for (&person, class) in data.linked.person_of.iter().zip(&mut recoding.class_of) {
            let person = person as usize;
            let is_out = if was_there[person] { atoms[atom_of[person] as usize] } else { is_out[person] };
            if is_out && *class != SUPPRESSED {
                *class = SUPPRESSED;
                dropped += 1;
                left_out.short += usize::from(was_there[person]);
            }
        }
        if dropped == 0 {
            return Ok(());
        }
    }
}

/// Newcomers with one record each who fit a class of the applied release, where enough of them do.
fn join(
    grouping: &Grouping<'_>,
    regions: &Regions,
    algorithm: &dyn TableAlgorithm,
    data: &Data<'_>,
    newcomers: &mut Vec<Rows>,
    found: &mut Grouped,
    texts: &mut HashMap<u32, Vec<Option<String>>>,
) -> usize {
    let single: Vec<u32> = newcomers.iter().filter(|rows| rows.len() == 1).map(|rows| rows[0]).collect();
    let mut settled = vec![false; grouping.working.rows];
    let mut joined = 0;
    for (said, rows) in regions.assign(&data.bound.table, &single, algorithm.needs_hierarchies()) {
        let people: Vec<Rows> = rows.iter().map(|&row| vec![row]).collect();
        if !grouping.may_be_class(&people) {
            continue;
        }
        texts.insert(found.classes.len() as u32, said.into_iter().map(Some).collect());
        found.extend(grouping.together(people));
        rows.iter().for_each(|&row| settled[row as usize] = true);
        joined += rows.len();
    }
    newcomers.retain(|rows| !rows.iter().any(|&row| settled[row as usize]));
    joined
}

/// The texts of classes, and where there is none in a column, what its members' values say.
fn rendered(
    working: &Table,
    recoding: &TableRecoding,
    texts: HashMap<u32, Vec<Option<String>>>,
) -> HashMap<u32, Vec<String>> {
    let quasi = working.quasi_identifiers();
    let class = |(number, said): (u32, Vec<Option<String>>)| {
        let cells = recoding.classes[number as usize].cells.iter().zip(&quasi).enumerate();
        let texts = cells.map(|(at, (cell, column))| {
            said.get(at).cloned().flatten().unwrap_or_else(|| column.render(cell))
        });
        (number, texts.collect())
    };
    texts.into_iter().map(class).collect()
}

/// A part of the people is compared with all of them.
fn with_everybody(mut promise: TablePromise, working: &Table) -> TablePromise {
    promise
        .conditions
        .retain(|condition| working.of_role(Role::Sensitive).any(|column| column.name == condition.column));
    for condition in promise.conditions.iter().filter(|condition| condition.rule.compares()) {
        let column = working.of_role(Role::Sensitive).find(|column| column.name == condition.column);
        if let (Some(column), false) = (column, promise.distributions.contains_key(&condition.column)) {
            let mut counts: HashMap<u32, u32> = HashMap::new();
            column.codes.iter().for_each(|&code| *counts.entry(code).or_default() += 1);
            let text = |code: u32| match column.domain.missing() == Some(code) {
                true => String::new(),
                false => column.domain.label(code).to_owned(),
            };
            let everybody = Distribution::new(counts.into_iter().map(|(code, count)| (text(code), count)));
            promise.distributions.extend(everybody.map(|everybody| (condition.column.clone(), everybody)));
        }
    }
    promise
}
