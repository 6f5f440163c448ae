//! The command `shoal`.

mod args;
mod console;
mod diagnose;
mod failure;
mod print;
mod progress;
mod signals;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

use shoal_core::Cancelled;

use args::{Cli, OutputArgs};
use console::Console;
use failure::Failure;

fn main() -> ExitCode {
    let code = match Cli::try_parse() {
        Ok(cli) => {
            let console = Console::new(cli.output);
            match Cancelled::catch(|| verbs::dispatch(&cli.verb, &console)).unwrap_or(Err(Failure::Cancelled))
            {
                Ok(answer) => answer.exit_code(),
                Err(failure) => diagnose::report(&failure, &console),
            }
        }
        // What was understood of the command line is lost here, so the one flag that matters is looked up.
        Err(error) => {
            let json = std::env::args_os().any(|arg| arg == "--json");
            diagnose::usage(&error, &Console::new(OutputArgs { json, show_values: false, quiet: false }))
        }
    };
    ExitCode::from(code)
}
