//! Looks for a way to publish an atom.

use std::collections::HashSet;

use shoal_algorithms::Anonymized;
use shoal_algorithms::sequences::SequencesAlgorithm;
use shoal_core::{
    Cell, Class, Place, Progress, RawColumnBuilder, RawTable, SUPPRESSED, SameValue, Sequences,
    SequencesPromise, Table, TableRecoding,
};
use shoal_privacy::Refusal;
use shoal_privacy::refinement::sequences::{EventRelease, Lists};

use super::Earlier;
use super::bounds::of_data;
use super::part::Part;
use crate::PipelineError;
use crate::columns::{published_columns, reordered};
use crate::sequences::load::{Complete, Loaded};
use crate::sequences::models::models;
use crate::sequences::run::id;

/// How an atom may be published.
#[derive(Clone, Copy)]
enum Way {
    Clustered,
    Whole,
    /// What was published before, and what is new of it behind.
    Continued,
    AsBefore,
}

/// What became of an atom.
pub(super) enum Added {
    Published(Box<Part>),
    /// Those who stay do not keep the promise.
    Short,
    /// Those who are gone do not.
    Exposed,
}

pub(super) struct Search<'a> {
    pub earlier: &'a Earlier<'a>,
    pub loaded: &'a Loaded,
    pub working: &'a Table,
    pub complete: &'a Complete,
    pub algorithm: &'a dyn SequencesAlgorithm,
    /// Of each event.
    pub person_of: Vec<u32>,
    pub progress: &'a dyn Progress,
}

impl Search<'_> {
    /// The best way for an atom; `people` are those of it who are in the new data.
    pub(super) fn publish(
        &self,
        people: &[u32],
        asked: &SequencesPromise,
        atom: &[u32],
    ) -> Result<Added, PipelineError> {
        let mut best: Option<Part> = None;
        let mut stays = false;
        let k = asked.k;
        let events: usize = self.events(people).iter().map(|(_, events)| events.len()).sum();
        for few in self.choices(people, k, atom) {
            for way in [Way::Clustered, Way::Whole, Way::Continued, Way::AsBefore] {
                let part = match way {
                    Way::Clustered => self.hide(&few, asked, k)?,
                    Way::Whole if few.len() > k => self.hide(&few, asked, few.len())?,
                    Way::Whole => None,
                    Way::Continued => self.keep(&few, Some(asked))?,
                    Way::AsBefore => self.keep(&few, None)?,
                };
                // Who publishes fewer events is not asked.
                let is_better =
                    |part: &Part| best.as_ref().is_none_or(|best| part.class_of.len() > best.class_of.len());
                let Some(part) = part.filter(is_better) else { continue };
                if self.stays(&part, asked)? {
                    stays = true;
                    if self.gone(&part, atom, asked)? {
                        let is_all = part.class_of.len() == events;
                        best = Some(part);
                        if is_all {
                            break;
                        }
                    }
                }
            }
            if best.is_some() {
                break;
            }
        }
        Ok(match best {
            Some(part) => Added::Published(Box::new(part)),
            None if stays => Added::Exposed,
            None => Added::Short,
        })
    }

    /// Whom to publish: everybody, or all but so many that those who are missing are a crowd. Those of whom something was
    /// published that is not true any more go first; the others are in the order of the data, which tells nothing.
    fn choices(&self, people: &[u32], k: usize, atom: &[u32]) -> Vec<Vec<u32>> {
        let mut choices = vec![people.to_vec()];
        let is_true = |at: &u32| self.is_still_true(*at);
        let (same, changed): (Vec<u32>, Vec<u32>) = people.iter().copied().partition(is_true);
        let gone = atom.len() - people.len();
        for missing in [gone, gone + changed.len()] {
            let left_out = missing.max(k) - gone;
            if missing > 0 && left_out > 0 && people.len() >= left_out + k {
                let mut stay = [&same[..], &changed].concat();
                stay.truncate(people.len() - left_out);
                stay.sort_unstable();
                if choices.last() != Some(&stay) {
                    choices.push(stay);
                }
            }
        }
        choices
    }

    /// The number of each person among everybody, and of their events among all.
    fn events(&self, people: &[u32]) -> Vec<(u32, Vec<u32>)> {
        let events = |&at: &u32| {
            let events = self.complete.data.events_of(at as usize);
            (self.complete.persons[at as usize], events.map(|event| event as u32).collect())
        };
        people.iter().map(events).collect()
    }

    /// Clusters some people among themselves, if they can be hidden.
    pub(super) fn hide(
        &self,
        people: &[u32],
        asked: &SequencesPromise,
        k: usize,
    ) -> Result<Option<Part>, PipelineError> {
        self.clustered(&self.events(people), asked, k)
    }

    /// The same for some of the events of each; they are numbered among the complete ones.
    fn clustered(
        &self,
        histories: &[(u32, Vec<u32>)],
        asked: &SequencesPromise,
        k: usize,
    ) -> Result<Option<Part>, PipelineError> {
        if histories.len() < k {
            return Ok(None);
        }
        let data = &self.complete.data;
        let (mut events, mut starts) = (Vec::new(), vec![0]);
        for (_, own) in histories {
            events.extend(own);
            starts.push(events.len() as u32);
        }
        let some = Sequences::new(data.events().select(&events), starts).expect("everybody has an event");
        let promise = SequencesPromise { k, ..of_data(asked, data) };
        let found = self.algorithm.anonymize(&some, &promise, self.progress).map_err(PipelineError::from);
        let Anonymized { recoding, trace } = match found {
            Ok(done) => done,
            Err(error) if error.is_broken_promise() => return Ok(None),
            Err(error) => return Err(error),
        };
        let is_published = |(_, number): &(u32, u32)| *number != SUPPRESSED;
        let events = events.iter().map(|&event| self.complete.events[event as usize]);
        let people = histories.iter().map(|(person, _)| *person);
        Ok(Some(Part {
            cluster_of: people.zip(recoding.cluster_of).filter(is_published).collect(),
            class_of: events.zip(recoding.events.class_of).filter(is_published).collect(),
            classes: recoding.events.classes,
            trace,
            as_before: 0,
        }))
    }

    /// Publishes what the last release published of people, where that is still true, and where `new` is asked what came behind it;
    /// nothing where it is of nobody.
    fn keep(&self, people: &[u32], new: Option<&SequencesPromise>) -> Result<Option<Part>, PipelineError> {
        let mut part = Part::default();
        let mut rest: Vec<(u32, Vec<u32>)> = Vec::new();
        for (&at, (person, events)) in people.iter().zip(self.events(people)) {
            let Some(before) = self.before(at) else { continue };
            let end = before.last().map_or(0, |(place, _)| place + 1);
            for (place, class) in before {
                let event = self.complete.events[events[place] as usize];
                part.class_of.push((event, part.classes.len() as u32));
                part.classes.push(class);
            }
            part.cluster_of.push((person, 0));
            if end < events.len() {
                rest.push((person, events[end..].to_vec()));
            }
        }
        part.as_before = part.cluster_of.len();
        let Some(asked) = new else { return Ok((part.as_before > 0).then_some(part)) };
        let Some(more) = self.clustered(&rest, asked, asked.k)? else { return Ok(None) };
        let first = part.classes.len() as u32;
        part.class_of.extend(more.class_of.iter().map(|&(event, class)| (event, first + class)));
        // Events are numbered person by person.
        part.class_of.sort_unstable();
        part.classes.extend(more.classes);
        part.trace = more.trace;
        Ok(Some(part))
    }

    fn is_still_true(&self, at: u32) -> bool {
        self.before(at).is_some()
    }

    /// Which of somebody's events the last release published, and how; nothing where that is not true any more.
    fn before(&self, at: u32) -> Option<Vec<(usize, Class)>> {
        let lists = self.earlier.lists.last()?;
        let row = self.complete.persons[at as usize] as usize;
        let mut left = self.complete.data.events_of(at as usize).enumerate();
        // The first event that may be the one leaves most to those after it.
        let found = lists.events_of(self.earlier.people.now[row]).map(|(quasi, unchanged)| {
            left.find_map(|(place, event)| {
                Some((place, self.still_true(self.complete.events[event], quasi, unchanged)?))
            })
        });
        let found: Option<Vec<(usize, Class)>> = found.collect();
        found.filter(|found| !found.is_empty())
    }

    /// The cells of an earlier event, where it may be this one.
    fn still_true(
        &self,
        event: u32,
        quasi: &[Option<String>],
        unchanged: &[Option<String>],
    ) -> Option<Class> {
        let row = event as usize;
        for (name, before) in self.earlier.unchanged.iter().zip(unchanged) {
            let column = self.loaded.raw.column(name)?;
            let now = (column.null != Some(column.codes[row])).then(|| column.text(row));
            let look = |text: Option<&str>| text.map(SameValue::from_text);
            if look(now) != look(before.as_deref()) {
                return None;
            }
        }
        let mut cells = Vec::new();
        for column in self.working.quasi_identifiers() {
            let at = self.earlier.quasi.iter().position(|(name, _)| *name == column.name)?;
            let text = quasi[at].as_deref()?;
            if text == "*" {
                cells.push(Cell::Suppressed);
                continue;
            }
            let bound = column.hierarchy.as_ref()?;
            let (tree, code) = (bound.tree(), column.codes[row]);
            let node = tree.node(text)?;
            tree.leaves_below(node).contains(&bound.leaf_of(code)).then_some(())?;
            cells.push(if tree.is_leaf(node) { Cell::Exact(code) } else { Cell::Node(node) });
        }
        Some(Class { cells })
    }

    /// Whether those of an atom who are published keep the promise in all releases together.
    fn stays(&self, part: &Part, asked: &SequencesPromise) -> Result<bool, PipelineError> {
        let (earlier, request) = (self.earlier, self.earlier.request);
        if part.class_of.is_empty() {
            return Ok(false);
        }
        let origin: Vec<u32> = part.class_of.iter().map(|(event, _)| *event).collect();
        let mut ids = RawColumnBuilder::new(id(request).to_owned());
        let mut persons: Vec<u32> = Vec::new();
        let mut last = None;
        for &event in &origin {
            let row = self.person_of[event as usize];
            if last.replace(row) != Some(row) {
                persons.push(earlier.people.now[row as usize]);
            }
            ids.push(&persons.len().to_string(), Place::default());
        }
        let raw = RawTable {
            columns: self.loaded.raw.columns.iter().map(|column| reordered(column, &origin)).collect(),
            rows: origin.len(),
            files: Vec::new(),
        };
        let class_of = part.class_of.iter().map(|(_, class)| *class).collect();
        let recoding = TableRecoding { class_of, classes: part.classes.clone() };
        let table = self.working.select(&origin);
        let all: Vec<u32> = (0..origin.len() as u32).collect();
        let mut columns = vec![ids.finish()];
        columns.extend(published_columns(request.policy(), &raw, &table, &recoding, &all));
        let file = RawTable { columns, rows: origin.len(), files: Vec::new() };
        let now = Lists::read(EventRelease { published: &file, persons: &persons }, earlier.columns());
        let now = now.map_err(Refusal::Unverifiable)?;
        earlier.holds(&persons, Some(&now), &models(request, asked, None)?, self.progress)
    }

    /// Whether those of an atom who are not published keep the promise in the earlier releases, or may be given away.
    fn gone(&self, part: &Part, atom: &[u32], asked: &SequencesPromise) -> Result<bool, PipelineError> {
        let (earlier, request) = (self.earlier, self.earlier.request);
        let here = part.cluster_of.iter().map(|(person, _)| earlier.people.now[*person as usize]);
        let here: HashSet<u32> = here.collect();
        let gone: Vec<u32> = atom.iter().copied().filter(|person| !here.contains(person)).collect();
        if gone.is_empty() || request.earlier.allow_absent {
            return Ok(true);
        }
        earlier.holds(&gone, None, &models(request, asked, None)?, self.progress)
    }
}
