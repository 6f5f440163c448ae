//! What is decided about parts of the people, and put together.

use shoal_algorithms::{Anonymized, Trace};
use shoal_core::{Class, SUPPRESSED, SequencesRecoding, TableRecoding};

use crate::sequences::load::Loaded;

/// What is decided about some people; their numbers and those of events are those of everybody.
#[derive(Default)]
pub(super) struct Part {
    /// Who is published, and with whom.
    pub cluster_of: Vec<(u32, u32)>,
    /// What is published, person by person.
    pub class_of: Vec<(u32, u32)>,
    pub classes: Vec<Class>,
    pub trace: Trace,
    /// How many people keep what was published of them.
    pub as_before: usize,
}

/// The recodings of parts, about all events and everybody.
pub(super) struct Joined {
    recoding: SequencesRecoding,
    clusters: u32,
    trace: Trace,
    pub as_before: usize,
    pub people: usize,
}

impl Joined {
    pub(super) fn new(loaded: &Loaded) -> Joined {
        let events =
            TableRecoding { class_of: vec![SUPPRESSED; loaded.data.events().rows], classes: Vec::new() };
        Joined {
            recoding: SequencesRecoding { cluster_of: vec![SUPPRESSED; loaded.data.persons()], events },
            clusters: 0,
            trace: Trace::default(),
            as_before: 0,
            people: 0,
        }
    }

    pub(super) fn add(&mut self, part: Part) {
        let events = &mut self.recoding.events;
        let first = events.classes.len() as u32;
        part.class_of.iter().for_each(|&(event, class)| events.class_of[event as usize] = first + class);
        events.classes.extend(part.classes);
        let first = self.clusters;
        for &(person, cluster) in &part.cluster_of {
            self.recoding.cluster_of[person as usize] = first + cluster;
            self.clusters = self.clusters.max(first + cluster + 1);
        }
        self.people += part.cluster_of.len();
        self.as_before += part.as_before;
        match self.trace.counts.is_empty() {
            true => self.trace.counts = part.trace.counts,
            false => {
                let counts = self.trace.counts.0.iter_mut();
                counts.for_each(|(name, count)| *count += part.trace.counts.get(name));
            }
        }
    }

    pub(super) fn is_published(&self, event: u32) -> bool {
        self.recoding.events.class_of[event as usize] != SUPPRESSED
    }

    pub(super) fn anonymized(self) -> Anonymized<SequencesRecoding> {
        Anonymized { recoding: self.recoding, trace: self.trace }
    }
}
