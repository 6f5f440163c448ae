//! The command `shoal`.

mod args;
mod diagnose;
mod failure;
mod print;
mod progress;
mod signals;
mod verbs;
mod voice;

use std::process::ExitCode;

use clap::Parser;

use shoal_core::Cancelled;

use args::{Cli, Manner};
use failure::Failure;
use voice::Voice;

fn main() -> ExitCode {
    let code = match Cli::try_parse() {
        Ok(cli) => {
            let voice = Voice::new(cli.manner);
            match Cancelled::catch(|| verbs::dispatch(&cli.verb, &voice)).unwrap_or(Err(Failure::Cancelled)) {
                Ok(answer) => answer.exit_code(),
                Err(failure) => diagnose::report(&failure, &voice),
            }
        }
        // What was understood of the command line is lost here, so the one flag that matters is looked up.
        Err(error) => {
            let json = std::env::args_os().any(|arg| arg == "--json");
            diagnose::usage(&error, &Voice::new(Manner { json, show_values: false, quiet: false }))
        }
    };
    ExitCode::from(code)
}
