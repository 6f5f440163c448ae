//! One file per verb: it takes the arguments, calls the pipeline, and prints the result.

mod apply;
mod attack;
mod check;
mod compare;
mod completions;
mod explain;
mod help;
mod hierarchy;
mod init;
mod man;
mod measure;
mod report;
mod run;
mod schema;
mod stream;
mod verify;

use std::path::{Path, PathBuf};

use shoal_core::Progress;
use shoal_core::policy::Shape;
use shoal_pipeline::PipelineError;
use shoal_pipeline::files::Job;

use crate::args::Verb;
use crate::console::Console;
use crate::failure::Failure;
use crate::progress;

/// Whether what was asked about holds. A verb that only does something holds when it has done it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Holds,
    DoesNotHold,
}

impl Answer {
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Answer::Holds => 0,
            Answer::DoesNotHold => 1,
        }
    }
}

impl From<bool> for Answer {
    fn from(holds: bool) -> Answer {
        if holds { Answer::Holds } else { Answer::DoesNotHold }
    }
}

pub(crate) fn dispatch(verb: &Verb, console: &Console) -> Result<Answer, Failure> {
    match verb {
        Verb::Init(args) => init::init(args, console),
        Verb::Check(args) => check::check(args, console),
        Verb::Run(args) => run::run(args, console),
        Verb::Apply(args) => apply::apply(args, console),
        Verb::Stream(args) => stream::stream(args, console),
        Verb::Verify(args) => verify::verify(args, console),
        Verb::Report(args) => report::report(args, console),
        Verb::Measure(args) => measure::measure(args, console),
        Verb::Explain(args) => explain::explain(args, console),
        Verb::Attack(args) => attack::attack(args, console),
        Verb::Compare(args) => compare::compare(args, console),
        Verb::Hierarchy(verb) => hierarchy::dispatch(verb, console),
        Verb::Schema => schema::schema(console),
        Verb::Completions(args) => completions::completions(args, console),
        Verb::Man(args) => man::man(args, console),
        Verb::Help(args) => help::help(args, console),
    }
}

/// The policy that was given, or the audit that the run of a published file has left.
fn policy_of(given: Option<&Path>, published: &Path) -> Result<PathBuf, Failure> {
    let found = given.map(Path::to_owned).or_else(|| shoal_pipeline::files::audit_of(published));
    found.ok_or_else(|| Failure::NoPolicy { published: published.to_owned() })
}

/// A policy that was opened, with all that errors about it name.
struct Opened<'a> {
    job: Job,
    path: &'a Path,
    set: &'a [String],
}

impl<'a> Opened<'a> {
    fn open(path: &'a Path, set: &'a [String]) -> Result<Opened<'a>, Failure> {
        let job = Job::open(path, set).map_err(|error| Failure::of_policy(error, path, "", set))?;
        Ok(Opened { job, path, set })
    }

    /// Progress of work on what was opened. Streams are looked at without asking whether that is still wanted, so there
    /// a signal ends the process; nothing is written that could be left behind.
    fn progress(&self, console: &Console) -> Result<Box<dyn Progress>, Failure> {
        Ok(match self.job.policy().data.shape {
            Shape::Stream => progress::sink(console),
            _ => Box::new(progress::cancellable(console)?),
        })
    }

    /// An error of a later step, which may be about a place in the policy.
    fn blame(&self, error: PipelineError) -> Failure {
        Failure::of_policy(error, self.path, self.job.document.text(), self.set)
    }
}
