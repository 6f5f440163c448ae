use shoal_pipeline::files::{self, RunOptions};

use super::run::{carry_out, is_stdout, overrides};
use super::{Answer, Opened};
use crate::args::ApplyArgs;
use crate::console::Console;
use crate::failure::Failure;

/// The recoding of an earlier release on other data.
pub(crate) fn apply(args: &ApplyArgs, console: &Console) -> Result<Answer, Failure> {
    if args.output.as_deref().is_some_and(is_stdout) {
        console.leave_stdout();
    }
    let set = overrides(&args.overrides, args.seed);
    let job = files::open_applied(&args.release, &args.data, &set)
        .map_err(|error| Failure::of_policy(error, &args.release, "", &set))?;
    let opened = Opened { job, path: &args.release, set: &set };
    let options = RunOptions {
        output: args.output.clone(),
        report: args.report.clone(),
        force: args.force,
        previous: args.previous.clone(),
        allow_absent: args.allow_absent,
        allow_total_loss: args.allow_total_loss,
        ..RunOptions::default()
    };
    carry_out(args.threads, console, |progress| {
        files::apply(&opened.job, &args.release, &options, progress).map_err(|error| opened.blame(error))
    })
}
