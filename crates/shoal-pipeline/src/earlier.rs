//! Earlier releases of the same people, which a new one is held against.

use std::path::Path;

use shoal_core::{Progress, RawTable, Transactions};
use shoal_privacy::Digests;

use crate::audit::Key;
use crate::run::read_earlier;
use crate::{Audit, PipelineError, Request, Source};

/// What is known of earlier releases of the same people.
#[derive(Clone, Debug, Default)]
pub struct EarlierReleases {
    /// The releases that the new one is compared with.
    pub previous: Vec<Audit>,
    /// A release whose report the new one's will replace. The new one is not compared with it; that it exists is reported.
    pub replaced: Option<Audit>,
    /// Whether the new release is the recoding of the last of `previous`, applied to other data.
    pub applied: bool,
    /// tables, sequences: whether those may be published who were together with a few people that are gone.
    pub allow_absent: bool,
    /// What was published in each of `previous`.
    pub(crate) files: Vec<EarlierFile>,
}

/// An earlier release that one is attacked together with.
pub struct EarlierSource {
    /// What was published.
    pub data: Box<dyn Source>,
    /// Its audit, where there is one: it says who was in it, and of which data it is.
    pub audit: Option<Audit>,
}

impl EarlierSource {
    /// An error where there is an audit, and what was read from `data` is not what it is about.
    pub(crate) fn check_data(&self, found: &Digests) -> Result<(), PipelineError> {
        self.audit.as_ref().map_or(Ok(()), |audit| audit.check_data(found))
    }
}

/// The published data of an earlier release.
#[derive(Clone, Debug)]
pub(crate) enum EarlierFile {
    /// Transactions.
    Transactions(Transactions),
    /// Sequences: a row an event.
    Sequences(RawTable),
    /// Tables.
    Table(RawTable),
}

impl EarlierReleases {
    /// The key by which the last of them that has one remembers its people.
    pub(crate) fn people_key(&self) -> Option<Key> {
        self.previous.iter().rev().find_map(|audit| audit.people().ok()).map(|(_, key)| key)
    }

    /// Every release that a new one must hold together with which has the recoding of `last`: those that `last` was compared with, those that are `given`, and `last`. What
    /// `last` was compared with is named in its audit; an audit that has moved may be among those that are given, the others are looked for with `find` where they
    /// lay.
    pub fn applied(
        last: Audit,
        mut given: Vec<Audit>,
        find: &dyn Fn(&Path) -> Option<Audit>,
    ) -> Result<EarlierReleases, PipelineError> {
        let mut all = Vec::new();
        for named in &last.previous {
            let moved =
                given.iter().position(|audit| audit.is_named(&last, named)).map(|at| given.remove(at));
            // What is not there, or is another one by now, is not the audit that is named.
            let found = moved.or_else(|| find(&named.audit).filter(|audit| audit.is_named(&last, named)));
            let lost = || PipelineError::LostRelease { audit: named.audit.clone(), by: last.place.clone() };
            all.push(found.ok_or_else(lost)?);
        }
        for audit in given {
            if !all.iter().chain([&last]).any(|known| known.is_same_release(&audit)) {
                all.push(audit);
            }
        }
        all.push(last);
        Ok(EarlierReleases { previous: all, applied: true, ..EarlierReleases::default() })
    }
}

impl Audit {
    /// An error where published data are not those of this release.
    pub(crate) fn check_data(&self, found: &Digests) -> Result<(), PipelineError> {
        let lost = |problem: &str| {
            let problem = problem.to_owned();
            Err(PipelineError::LostFile { output: self.output.clone(), problem })
        };
        if found.data != self.output_sha256 {
            return lost("the file is not the one that was published");
        }
        if found.groups != self.groups_sha256 {
            return lost("the dictionary of its groups is not the one that was published");
        }
        Ok(())
    }
}

impl Request {
    /// Reads what was published in the earlier releases. `open` opens the data of a release; data that are not those of the audit are
    /// refused.
    pub fn with_earlier_data(
        mut self,
        open: impl Fn(&Audit) -> Result<Box<dyn Source>, PipelineError>,
        progress: &dyn Progress,
    ) -> Result<Request, PipelineError> {
        let mut files = Vec::new();
        for audit in &self.earlier.previous {
            // Before its file is read in the layout of another shape.
            if audit.policy.data.shape != self.policy().data.shape {
                let problem = format!("it is not a release of {}", self.policy().data.shape.name());
                return Err(PipelineError::Incomparable { output: audit.output.clone(), problem });
            }
            let (file, found) = read_earlier(&self, audit, &mut *open(audit)?, progress)?;
            audit.check_data(&found)?;
            files.push(file);
        }
        self.earlier.files = files;
        Ok(self)
    }
}
