//! Transactions together with earlier releases.
//!
//! Two global recodings that cross are as fine as both together, so what an item was published as, it is published as again, or
//! together with more: what one release publishes as one stays one. The algorithm works on these atoms, once for the people of each
//! combination of releases. Then people are left out whose lines are too rare among those who are in the same releases: who stays,
//! and who is gone. All of it is construction; what is published is judged by the finest release.

use std::collections::{BTreeMap, HashMap, HashSet};

use shoal_algorithms::transactions::TransactionsError;
use shoal_core::{Progress, Transactions, TransactionsBuilder, TransactionsRecoding};
use shoal_privacy::refinement::transactions::{ItemCell, ItemRelease, KnownItems, refine};
use shoal_privacy::transactions::Meaning;
use shoal_privacy::{KnownAs, KnownShare, Recognized};

use super::algorithm::{Prepared, hierarchy};
use super::atoms::{Atoms, EarlierItems};
use super::compose::image_texts;
use super::load::Loaded;
use super::sets::item_names;
use super::staying::Staying;
use crate::earlier::EarlierFile;
use crate::leaks::{LeakKind, Unit, UnknownCohorts, nobody_recognized};
use crate::table::absent;
use crate::{Audit, Leak, PipelineError, Request};

/// The earlier releases, and whose their lines are.
pub(super) struct Earlier<'a> {
    request: &'a Request,
    files: Vec<(&'a Transactions, Meaning)>,
    /// None where nothing says whose the lines are.
    people: Result<Recognized, UnknownCohorts>,
    k: u32,
    known: KnownItems,
}

/// What is published together with earlier releases.
pub(super) struct Plan {
    pub recoding: TransactionsRecoding,
    /// The transactions that are published.
    pub kept: Vec<u32>,
    pub notes: Vec<String>,
}

impl<'a> Earlier<'a> {
    pub(super) fn read(request: &'a Request, loaded: &Loaded) -> Result<Earlier<'a>, PipelineError> {
        let previous = &request.earlier.previous;
        let files = request.earlier.files.iter().filter_map(|file| match file {
            EarlierFile::Transactions(file) => Some((file, Meaning::of(file.items(), hierarchy(request)))),
            _ => None,
        });
        let people = match &loaded.known_as {
            None => Err(UnknownCohorts::NoColumn),
            Some(known) if previous.iter().any(|audit| audit.recoding.known_by != known.columns) => {
                Err(UnknownCohorts::OtherColumns)
            }
            Some(known) => Ok(Recognized::by_hash(known, previous)?),
        };
        let policies = previous.iter().map(|audit| &audit.policy).chain([request.policy()]);
        let k = policies.filter_map(|policy| policy.privacy.k).max().unwrap_or(2);
        let k = u32::try_from(k).unwrap_or(u32::MAX);
        Ok(Earlier { request, files: files.collect(), people, k, known: known(request) })
    }

    /// Finds what can be published.
    pub(super) fn plan(
        &self,
        loaded: &Loaded,
        prepared: &Prepared,
        progress: &dyn Progress,
    ) -> Result<Plan, PipelineError> {
        let (data, tree) = (&loaded.data, prepared.hierarchy.as_ref());
        let releases: Vec<_> = self.request.earlier.previous.iter().map(|audit| &audit.recoding).collect();
        let EarlierItems { mut atoms, suppressed, unseen } = EarlierItems::of(data, tree, &releases);
        let before = atoms.clusters.len();
        let persons = self
            .people
            .as_ref()
            .map_or_else(|_| (0..data.len() as u32).collect(), |people| people.now.clone());
        let mut staying = Staying::new(data, &persons, self.k, &self.known);
        let earlier = match &self.people {
            Ok(people) if !self.request.earlier.allow_absent => self.finest(people, None),
            _ => Vec::new(),
        };
        let mut cohorts = self.cohorts(&persons);
        loop {
            let start = (atoms.clone(), cohorts.len());
            let mut hidden = Vec::new();
            for rows in cohorts {
                match self.coarsen(data, prepared, &atoms, &rows, progress)? {
                    Some(coarser) => {
                        atoms = coarser;
                        hidden.push(rows);
                    }
                    None => staying.leave(rows.iter().map(|&row| persons[row as usize])),
                }
            }
            cohorts = hidden;
            // Something was put together or left out for some people; the others may see more or less of it now. Each time there are
            // fewer atoms or people, so this ends.
            if (&atoms, cohorts.len()) == (&start.0, start.1) {
                break;
            }
        }
        let hopeless = data.len() - staying.rows().len();
        let recoding = TransactionsRecoding::from_clusters(data.items().len(), atoms.clusters);
        if let Ok(people) = &self.people {
            self.leave_out(data, &recoding, people, &mut staying, &earlier, progress);
        }
        let kept = staying.rows();
        let rare = data.len() - hopeless - kept.len();
        if kept.is_empty() {
            let why = "everybody would have to be left out".to_owned();
            return Err(PipelineError::Cohort { records: format!("{} transactions", data.len()), why });
        }
        let mut notes = Vec::new();
        let mut note = |count: usize, what: &str| {
            if count > 0 {
                notes.push(format!("{count} {what}"));
            }
        };
        note(
            before - recoding.clusters.len(),
            "published items of the earlier release, or new ones, are one with others, or suppressed, now",
        );
        note(suppressed, "items stay suppressed, as in the earlier release");
        note(unseen, "items are new: the earlier data did not have them");
        note(
            hopeless,
            "transactions are left out because too few people are in the same releases to be hidden among themselves",
        );
        note(
            rare,
            "transactions are left out because what is published of their people is too rare among those who are in the same releases, or who are gone",
        );
        if let Ok(people) = &self.people {
            note(people.returning().0, "transactions are of people who were in an earlier release");
        }
        Ok(Plan { recoding, kept, notes })
    }

    /// The transactions of those who are in the same releases.
    fn cohorts(&self, persons: &[u32]) -> Vec<Vec<u32>> {
        let before = self.people.iter().flat_map(|people| &people.before);
        let was_in: Vec<HashSet<u32>> = before.map(|people| people.iter().copied().collect()).collect();
        let mut cohorts: BTreeMap<Vec<bool>, Vec<u32>> = BTreeMap::new();
        for (row, person) in (0..).zip(persons) {
            let was = was_in.iter().map(|people| people.contains(person)).collect();
            cohorts.entry(was).or_default().push(row);
        }
        cohorts.into_values().collect()
    }

    /// Puts atoms together until the promise holds among some transactions; none where they are too few.
    fn coarsen(
        &self,
        data: &Transactions,
        prepared: &Prepared,
        atoms: &Atoms,
        rows: &[u32],
        progress: &dyn Progress,
    ) -> Result<Option<Atoms>, PipelineError> {
        let recoded = atoms.recode(data, rows);
        // Nothing that could be known.
        if recoded.data.occurrences() == 0 {
            return Ok(Some(atoms.clone()));
        }
        let algorithm = prepared.on_atoms(self.request, &recoded, atoms, data)?;
        let promise = recoded.promise(&prepared.promise);
        match algorithm.anonymize(&recoded.data, &promise, progress) {
            Ok(found) => Ok(Some(atoms.coarser(data, &recoded, &found.recoding, hierarchy(self.request)))),
            Err(TransactionsError::TooFewTransactions { .. } | TransactionsError::TooFewPeople { .. }) => {
                Ok(None)
            }
            // Its items are atoms, which nobody knows by their numbers.
            Err(TransactionsError::Infeasible { allowed, .. }) => Err(PipelineError::Cohort {
                records: format!("{} transactions", rows.len()),
                why: format!(
                    "the utility constraints leave no way but to suppress more than the {allowed} items that may be suppressed"
                ),
            }),
            Err(error) => Err(PipelineError::Transactions(Box::new(error))),
        }
    }

    /// Leaves out people until all crowds are large enough, of those who stay and, unless that is allowed, of those who are gone.
    fn leave_out(
        &self,
        data: &Transactions,
        recoding: &TransactionsRecoding,
        people: &Recognized,
        staying: &mut Staying<'_>,
        earlier: &[ItemCell],
        progress: &dyn Progress,
    ) {
        let texts = image_texts(data, recoding, None);
        loop {
            staying.settle(earlier, progress);
            let rows = staying.rows();
            let mut builder = TransactionsBuilder::default();
            for &row in &rows {
                let image = recoding.image(data.transaction(row as usize));
                image.into_iter().for_each(|cluster| builder.item(&texts[cluster as usize]));
                builder.end();
            }
            let persons: Vec<u32> = rows.iter().map(|&row| people.now[row as usize]).collect();
            let finest = self.finest(people, Some((&builder.finish().0, &persons)));
            staying.without_rare(finest.iter().filter(|cell| cell.was_in.last() == Some(&true)));
            if staying.rows().len() == rows.len() {
                return;
            }
        }
    }

    /// The finest release, with or without the new one. Where those who are gone count as though they were still there, the new release
    /// has what their earlier lines would be in it.
    fn finest(&self, people: &Recognized, now: Option<(&Transactions, &[u32])>) -> Vec<ItemCell> {
        let mut releases: Vec<ItemRelease<'_>> = self
            .files
            .iter()
            .zip(&people.before)
            .map(|((published, meaning), persons)| ItemRelease { published, meaning, persons })
            .collect();
        let Some((published, persons)) = now else { return refine(&releases) };
        let meaning = Meaning::of(published.items(), hierarchy(self.request));
        let (mut all, mut whose) = (None, persons.to_vec());
        if let (true, Some(last)) = (self.request.earlier.allow_absent, releases.last()) {
            let here: HashSet<u32> = persons.iter().copied().collect();
            let mut builder = TransactionsBuilder::default();
            for line in published.iter() {
                line.iter().for_each(|&text| builder.item(published.items().get(text)));
                builder.end();
            }
            for (line, &person) in last.published.iter().zip(last.persons) {
                if !here.contains(&person) {
                    let items = line.iter().flat_map(|&text| last.meaning.items(text));
                    let texts = items.filter_map(|item| meaning.image(item));
                    texts.for_each(|text| builder.item(published.items().get(text)));
                    builder.end();
                    whose.push(person);
                }
            }
            all = Some(builder.finish().0);
        }
        let published = all.as_ref().unwrap_or(published);
        let meaning = Meaning::of(published.items(), hierarchy(self.request));
        releases.push(ItemRelease { published, meaning: &meaning, persons: &whose });
        refine(&releases)
    }

    /// An error where the new release and the earlier ones break the promise together; else what to say about them.
    pub(super) fn judge(
        &self,
        published: &Transactions,
        origin: &[u32],
        kept: &[u32],
        progress: &dyn Progress,
    ) -> Result<Vec<Leak>, PipelineError> {
        let releases = self.files.len();
        let people = match &self.people {
            Ok(people) => people,
            Err(reason) => return Ok(vec![LeakKind::UnknownCohorts { reason: *reason }.into()]),
        };
        let persons: Vec<u32> = origin.iter().map(|&row| people.now[kept[row as usize] as usize]).collect();
        let allowed = self.request.earlier.allow_absent;
        for cell in self.finest(people, Some((published, &persons))) {
            if allowed && cell.was_in.last() == Some(&false) {
                continue;
            }
            let broken = cell.judge(self.k, &self.known, progress);
            let broken = broken.map_err(|error| PipelineError::Promise { why: error.to_string() })?;
            if let Some(broken) = broken.first() {
                let found = broken.violations.worst.first().map_or_else(String::new, ToString::to_string);
                return Err(PipelineError::Attacked { found, releases });
            }
        }
        let (returning, strange) = people.returning();
        let here: HashSet<u32> = persons.iter().copied().collect();
        let gone: HashSet<u32> =
            people.before.concat().into_iter().filter(|person| !here.contains(person)).collect();
        let together = LeakKind::EarlierReleases { count: returning, releases, unit: Unit::Transactions };
        let found = (returning > 0).then(|| together.into());
        let absent = absent(if allowed { gone.len() } else { 0 });
        Ok([found, absent, nobody_recognized(strange)].into_iter().flatten().collect())
    }
}

/// What the policy lets an attacker know.
fn known(request: &Request) -> KnownItems {
    let (privacy, seed) = (&request.policy().privacy, request.policy().algorithm.seed);
    match (&privacy.constraints, privacy.share, privacy.m) {
        (Some(file), ..) => KnownItems::Listed(item_names(request, file)),
        (None, Some(share), _) => KnownItems::Any(2, Some(KnownShare { share, seed })),
        (None, None, Some(m)) => KnownItems::Any(m, None),
        (None, None, None) => KnownItems::All,
    }
}

/// An earlier release with whose its lines are, and for each transaction of the new original the lines of its person; as far as that is known.
pub(super) fn whose(
    audit: &Audit,
    before: &Transactions,
    known: Option<&KnownAs>,
) -> (Transactions, Option<Vec<Vec<u32>>>) {
    let known = known.filter(|known| audit.recoding.known_by == known.columns);
    let people = known.and_then(|known| Recognized::by_hash(known, std::slice::from_ref(audit)).ok());
    let Some((people, persons)) =
        people.and_then(|people| Some((people.now, people.before.into_iter().next()?)))
    else {
        return (before.clone(), None);
    };
    if persons.len() != before.len() {
        return (before.clone(), None);
    }
    let mut lines: HashMap<u32, Vec<u32>> = HashMap::new();
    for (line, &person) in (0..).zip(&persons) {
        lines.entry(person).or_default().push(line);
    }
    let lines_of = people.iter().map(|person| lines.get(person).cloned().unwrap_or_default());
    (before.clone().with_persons(persons), Some(lines_of.collect()))
}
