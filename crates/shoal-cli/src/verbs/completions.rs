use clap::CommandFactory;

use super::Answer;
use crate::args::{Cli, CompletionsArgs};
use crate::console::Console;
use crate::failure::Failure;

/// Prints a completion script.
pub(crate) fn completions(args: &CompletionsArgs, console: &Console) -> Result<Answer, Failure> {
    // Into memory first: the generator panics where it cannot write, as into a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "shoal", &mut script);
    console.product(&String::from_utf8_lossy(&script))?;
    Ok(Answer::Holds)
}
