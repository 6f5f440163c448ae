//! What a hardened stream remembers of the values that came, so that a restart does not forget a drift.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shoal_core::policy::DriftPolicy;
use shoal_core::stream::StreamDesign;
use shoal_measure::stream::{Drift, DriftState};

use crate::engine::HardenedEngine;
use crate::journal::keep_secret;
use crate::{Frontier, StreamError};

/// Where the counts are kept, and what happens when they have drifted.
#[derive(Debug)]
pub(crate) struct DriftWatch {
    /// The file of the counts, where there is a state folder.
    file: Option<PathBuf>,
    /// The design that they belong to.
    design: String,
    policy: DriftPolicy,
    /// The bound that was last said to be passed: 0, 1 or 2.
    said: u8,
}

/// The counts as they are written down.
#[derive(Serialize, Deserialize)]
struct Written {
    design: String,
    /// Records up to here are in the counts.
    frontier: String,
    counts: DriftState,
}

impl DriftWatch {
    pub(crate) fn new(folder: Option<&Path>, design: String, policy: DriftPolicy) -> DriftWatch {
        DriftWatch { file: folder.map(|folder| folder.join("drift.json")), design, policy, said: 0 }
    }

    /// Takes up the counts of an earlier run. `comes_again` says whether the source repeats records that were counted but not
    /// published; a pipe does not.
    pub(crate) fn take_up(&self, engine: &mut HardenedEngine, comes_again: bool) -> Result<(), StreamError> {
        let Some(file) = self.file.as_ref().filter(|file| file.exists()) else { return Ok(()) };
        let fail = |why: String| StreamError::State { path: file.clone(), why };
        let text = std::fs::read_to_string(file).map_err(|error| fail(error.to_string()))?;
        let written: Written = serde_json::from_str(&text).map_err(|error| fail(error.to_string()))?;
        if written.design != self.design {
            // The key is new, or it would have been refused: so are the people's sets and the counts.
            return Ok(());
        }
        if !engine.monitor().resume(written.counts) {
            return Err(fail("its counts are those of another design".to_owned()));
        }
        if comes_again {
            let frontier =
                written.frontier.parse().map_err(|_| fail("its frontier cannot be read".to_owned()))?;
            engine.has_counted(frontier);
        }
        Ok(())
    }

    /// Writes the counts down before what they count is published.
    pub(crate) fn write_down(
        &self,
        engine: &mut HardenedEngine,
        frontier: &Frontier,
    ) -> Result<(), StreamError> {
        let Some(file) = &self.file else { return Ok(()) };
        let counts = engine.monitor().state().clone();
        let written = Written { design: self.design.clone(), frontier: frontier.to_string(), counts };
        let text = serde_json::to_string(&written).expect("counts can be written as JSON");
        let fail = |error: std::io::Error| StreamError::State { path: file.clone(), why: error.to_string() };
        // Not synchronized: after a loss of power the counts may be a little behind, and this happens for every batch.
        let new = file.with_extension("new");
        std::fs::write(&new, text).map_err(fail)?;
        keep_secret(&new)?;
        std::fs::rename(&new, file).map_err(fail)
    }

    /// What must be said about the last judgement, once for each bound that it passes.
    pub(crate) fn notice(&mut self, engine: &HardenedEngine) -> Option<String> {
        let drift = engine.drift()?;
        let level = u8::from(drift.is_notable()) + u8::from(drift.is_too_much());
        let before = std::mem::replace(&mut self.said, level);
        (level > before).then(|| {
            format!(
                "the values that come are not those that the design is made for: the best guess is right with {:.2} instead of \
                 1/l = {:.2}{}",
                drift.success,
                drift.promised,
                place(engine.design(), &drift)
            )
        })
    }

    /// The end of the stream, where its values are no longer hidden as promised.
    pub(crate) fn verdict(&self, engine: &HardenedEngine) -> Result<(), StreamError> {
        let Some(drift) = engine.drift().filter(Drift::is_too_much) else { return Ok(()) };
        match self.policy {
            DriftPolicy::Warn => Ok(()),
            DriftPolicy::Stop => Err(StreamError::Drifted {
                success: drift.success,
                promised: drift.promised,
                stratum: place(engine.design(), &drift),
                value: engine.design().labels()[drift.value as usize].clone(),
                share: drift.share,
                expected: drift.expected,
            }),
        }
    }
}

fn place(design: &StreamDesign, drift: &Drift) -> String {
    match design.strata().texts(drift.stratum) {
        [] => String::new(),
        texts => format!(" in the stratum ({})", texts.join(", ")),
    }
}
