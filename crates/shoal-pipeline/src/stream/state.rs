//! Where a stream keeps what must survive it.

use std::path::PathBuf;

use crate::files::Job;

/// The state folder of a stream: the one that the policy names. Where it names none and a broker is the source or the
/// sink, one that is named after the policy's file: a broker sends again what was not acknowledged, so what was decided
/// must be known then; and two policies must never share a folder because neither of them says anything.
pub fn state_folder(job: &Job) -> Option<PathBuf> {
    let policy = job.policy();
    if let Some(dir) = &policy.state.dir {
        return Some(job.resolve(dir));
    }
    let through_broker =
        policy.data.source != "-" || policy.output.path.as_deref().is_some_and(|path| path != "-");
    // The whole name, so that `visits.toml` and `visits.test.toml` are two.
    let stem = job.path.file_stem().unwrap_or(job.path.as_os_str());
    let mut name = stem.to_owned();
    name.push(".state");
    through_broker.then(|| job.folder.join(name))
}
