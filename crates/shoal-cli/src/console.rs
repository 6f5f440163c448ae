//! What the program prints: answers to standard output, everything else to standard error.

use std::cell::Cell;
use std::io::{self, Write};

use serde::Serialize;

use crate::args::OutputArgs;
use crate::failure::Failure;

/// How and where a verb prints.
#[derive(Debug)]
pub(crate) struct Console {
    output: OutputArgs,
    stdout_is_taken: Cell<bool>,
}

impl Console {
    pub(crate) fn new(output: OutputArgs) -> Console {
        Console { output, stdout_is_taken: Cell::new(false) }
    }

    /// From now on standard output carries the published file, and what is printed goes to standard error.
    pub(crate) fn leave_stdout(&self) {
        self.stdout_is_taken.set(true);
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.output.quiet
    }

    pub(crate) fn is_json(&self) -> bool {
        self.output.json
    }

    /// Whether documents may quote values of the data.
    pub(crate) fn shows_values(&self) -> bool {
        self.output.show_values
    }

    /// Prints the answer to what was asked, for a machine or for a person.
    pub(crate) fn answer(
        &self,
        machine: &impl Serialize,
        person: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.output.json { self.print(&json(machine)) } else { self.print(&person()) }
    }

    /// Prints what was done by a verb whose product is a file.
    pub(crate) fn summary(
        &self,
        machine: &impl Serialize,
        person: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.output.quiet && !self.output.json { Ok(()) } else { self.answer(machine, person) }
    }

    /// Prints the product itself (a script, a page, a policy), the same with and without `--json`.
    pub(crate) fn product(&self, text: &str) -> Result<(), Failure> {
        self.print(text)
    }

    /// Colours vanish where nobody can see them: no terminal, or `NO_COLOR`.
    fn print(&self, text: &str) -> Result<(), Failure> {
        let ended = if text.ends_with('\n') { "" } else { "\n" };
        let written = if self.stdout_is_taken.get() {
            let mut stderr = anstream::stderr();
            write!(stderr, "{text}{ended}")
        } else {
            let mut stdout = anstream::stdout();
            write!(stdout, "{text}{ended}").and_then(|()| stdout.flush())
        };
        match written {
            // The reader has seen enough (`shoal … | head`).
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|error| Failure::Stdout { error }),
        }
    }
}

pub(crate) fn json(value: &impl Serialize) -> String {
    // Answers hold texts, numbers, lists and maps with text keys, which JSON can always say.
    serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}"))
}
