//! `shoal report`.

use shoal_pipeline::files;

use super::{Answer, Opened, policy_of};
use crate::args::ReportArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{facts, grouped, leaks, seen, seen_names};

/// Makes the report that goes out again, from a published file.
pub(crate) fn report(args: &ReportArgs, console: &Console) -> Result<Answer, Failure> {
    let policy = policy_of(args.policy.as_deref(), &args.published)?;
    let opened = Opened::open(&policy, &args.overrides.set)?;
    let progress = opened.progress(console)?;
    let made =
        files::report(&opened.job, &args.published, args.output.as_deref(), args.force, progress.as_ref())
            .map_err(|error| opened.blame(error))?;
    drop(progress);
    let outgoing = &made.outgoing;
    console.answer(outgoing, || {
        let names = seen_names(&outgoing.promises);
        let mut rows = vec![
            ("report", format!("{} (report.html, report.json)", made.folder.display())),
            ("records", grouped(outgoing.records_out)),
            ("classes", grouped(outgoing.classes)),
        ];
        rows.extend(seen(&outgoing.promises, &names));
        rows.extend(leaks(&outgoing.leaks));
        facts(&rows)
    })?;
    Ok(outgoing.holds().into())
}
