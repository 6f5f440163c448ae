use clap::CommandFactory;

use super::Answer;
use crate::args::{Cli, CompletionsArgs};
use crate::failure::Failure;
use crate::voice::Voice;

/// Prints a completion script.
pub(crate) fn completions(args: &CompletionsArgs, voice: &Voice) -> Result<Answer, Failure> {
    // Into memory first: the generator panics where it cannot write, as into a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "shoal", &mut script);
    voice.product(&String::from_utf8_lossy(&script))?;
    Ok(Answer::Holds)
}
