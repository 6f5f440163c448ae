//! The one place where errors become prose, or JSON.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use annotate_snippets::renderer::DEFAULT_TERM_WIDTH;
use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::console::Console;
use crate::failure::{Failure, PolicyPlace};
use crate::{print, signals};

const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
const HINT: Style = AnsiColor::BrightCyan.on_default().bold();

/// An error as `--json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct ErrorDocument {
    error: ErrorBody,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct ErrorBody {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The policy's key, dotted.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    place: Option<PlaceInPolicy>,
    exit_code: u8,
}

#[derive(Debug, Serialize)]
struct PlaceInPolicy {
    file: String,
    line: usize,
    column: usize,
}

/// Prints a failure to standard error for a person, with `--json` also to where answers go. Returns the
/// exit code.
pub(crate) fn report(failure: &Failure, console: &Console) -> u8 {
    let exit_code = match failure {
        failure if failure.is_cancelled() => signals::exit_code_of_cancelled(),
        failure if failure.is_broken_promise() => 1,
        _ => 2,
    };
    to_stderr(&prose(failure));
    if console.is_json() {
        let key = match failure {
            Failure::Policy { error, .. } => error.key.clone(),
            _ => None,
        };
        let place = match failure {
            Failure::Policy { at: PolicyPlace::File { path, text, span: Some(span) }, .. } => {
                Some(place(path, text, span))
            }
            _ => None,
        };
        // Standard error is for the person at the terminal; documents are kept and passed on.
        let (message, hint) = match console.shows_values() {
            true => (failure.to_string(), failure.hint()),
            false => (failure.redacted(), failure.redacted_hint()),
        };
        print_error(console, ErrorBody { message, hint, key, place, exit_code });
    }
    exit_code
}

/// The same for a command line that makes no sense, and for `--help` and `--version`, which arrive here too.
pub(crate) fn usage(error: &clap::Error, console: &Console) -> u8 {
    // If standard error itself is closed, there is nowhere left to report to.
    let _ = error.print();
    if !error.use_stderr() {
        return 0;
    }
    if console.is_json() {
        let rendered = error.render().to_string();
        let message = rendered.strip_prefix("error: ").unwrap_or(&rendered).trim_end().to_owned();
        print_error(console, ErrorBody { message, hint: None, key: None, place: None, exit_code: 2 });
    }
    2
}

fn print_error(console: &Console, error: ErrorBody) {
    // When this cannot be printed, standard error has already said why.
    let _ = console.answer(&ErrorDocument { error }, String::new);
}

/// Without colours where standard error is not a terminal that shows them.
fn to_stderr(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

fn prose(failure: &Failure) -> String {
    let mut text = match failure {
        Failure::Policy { at: PolicyPlace::File { path, text, span }, .. } => {
            in_policy(&failure.to_string(), path, text, span.clone())
        }
        Failure::Policy { at: PolicyPlace::Set(given), .. } => {
            pointing(&failure.to_string(), Origin::path(format!("--set {given}")))
        }
        // Nothing is wrong: it is what was asked for.
        failure if failure.is_cancelled() => failure.to_string(),
        _ => labelled(ERROR, "error", &failure.to_string()),
    };
    if let Some(hint) = failure.hint() {
        text.push('\n');
        text.push_str(&labelled(HINT, "hint", &hint));
    }
    text
}

/// The message with the line of the policy that it is about. A missing key has none.
fn in_policy(message: &str, path: &Path, text: &str, span: Option<Range<usize>>) -> String {
    let path = path.display().to_string();
    match span {
        Some(span) => {
            let caret = AnnotationKind::Primary.span(first_line(text, span));
            pointing(message, Snippet::source(text).path(path).annotation(caret))
        }
        None => pointing(message, Origin::path(path)),
    }
}

fn pointing<'a>(message: &'a str, at: impl Into<Element<'a>>) -> String {
    let width = print::width().map_or(DEFAULT_TERM_WIDTH, usize::from);
    Renderer::styled().term_width(width).render(&[Level::ERROR.primary_title(message).element(at)])
}

fn labelled(style: Style, label: &str, message: &str) -> String {
    format!("{style}{label}{style:#}: {message}")
}

/// A span within one line and within the text, so that there is always something to point at.
fn first_line(text: &str, span: Range<usize>) -> Range<usize> {
    let start = span.start.min(text.len());
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    start..span.end.clamp(start, line_end)
}

fn place(path: &Path, text: &str, span: &Range<usize>) -> PlaceInPolicy {
    let before = &text[..span.start.min(text.len())];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    PlaceInPolicy {
        file: path.display().to_string(),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}
