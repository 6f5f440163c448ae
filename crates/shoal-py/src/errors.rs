//! What went wrong, as exceptions: the text, the place and the hint that the command line shows.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;
use shoal_core::PolicyError as PolicyMistake;
use shoal_pipeline::PipelineError;
use shoal_stream::StreamError;

create_exception!(
    shoal,
    Error,
    PyException,
    "Something is wrong with the data, the policy or the machine. `hint` says how to fix it, `place` where it is."
);
create_exception!(
    shoal,
    PolicyError,
    Error,
    "The policy is wrong, or wrong for these data. `key` is the key in question."
);
create_exception!(
    shoal,
    PromiseError,
    Error,
    "The promise cannot be kept, or is not kept. Nothing was released."
);

/// An error of a run.
pub(crate) fn of_pipeline(error: PipelineError) -> PyErr {
    match error {
        // The interpreter has a signal of its own by now, which is what the caller raises; this one is for other ways of cancelling.
        PipelineError::Cancelled => PyKeyboardInterrupt::new_err("cancelled; nothing was released"),
        PipelineError::Policy { text, error, .. } => of_policy(&error, Some(&text)),
        PipelineError::PolicyAndData { error } => of_policy(&error, None),
        error => {
            let (message, hint) = (error.to_string(), hint_of(&error));
            let raise = if error.is_broken_promise() { PromiseError::new_err } else { Error::new_err };
            let raised =
                with_parts(raise(full_text(&message, None, hint.as_deref())), message, None, hint, None);
            with_redacted(raised, error.redacted())
        }
    }
}

/// Hints that name flags of the command line say here what to write in Python.
fn hint_of(error: &PipelineError) -> Option<String> {
    let hint = match error {
        PipelineError::IsStream => "use shoal.Stream(policy)",
        PipelineError::NotStream { .. } => "use shoal.anonymize(data, policy)",
        PipelineError::StreamApplied => {
            "use shoal.Stream(policy, key=…, used_for=…) with the key of the stream that came before"
        }
        PipelineError::NothingLeft { .. } => {
            "lower k or the other promises, leave columns out, give hierarchies, or publish more records at once; \
             allow_total_loss=True releases it all the same"
        }
        PipelineError::Releases { .. } => {
            "nothing was released. policy.output(suppressed=\"drop\") leaves out \
             whom it cannot hide; or release only one of them"
        }
        PipelineError::Incomparable { .. } => {
            "give a release of a table with the same columns, or leave it out of previous: then nothing is known about the two together"
        }
        PipelineError::LostRelease { .. } => {
            "give it, or the folder that it was saved to, in previous=[…]: the new release must hold together with that one, too"
        }
        PipelineError::LostFile { .. } => {
            "give the folder that it lies in by now in previous=[…], or put it back where it was written to, with the bytes that were published"
        }
        PipelineError::Exists { .. } => "give force=True to replace it, or another folder",
        PipelineError::OtherReports { .. } => {
            "give another folder, or force=True to replace them; an audit.json that is replaced cannot be compared with later releases any more"
        }
        PipelineError::Audit { .. } => "give the folder that a release was saved to, or its audit.json",
        error => return error.hint(),
    };
    Some(hint.to_owned())
}

/// An error of a policy, with the line in question where its text is known.
fn of_policy(error: &PolicyMistake, text: Option<&str>) -> PyErr {
    let place = error.span.as_ref().zip(text).map(|(span, text)| {
        let before = &text[..span.start.min(text.len())];
        let line = before.matches('\n').count() + 1;
        let shown = text.lines().nth(line - 1).unwrap_or_default().trim();
        format!("line {line} of the policy: {shown}")
    });
    let place = place.or_else(|| error.key.as_ref().map(|key| format!("policy key {key}")));
    let message = error.to_string();
    let text = full_text(&message, place.as_deref(), error.hint.as_deref());
    let raised =
        with_parts(PolicyError::new_err(text), message, place, error.hint.clone(), error.key.clone());
    with_redacted(raised, error.redacted())
}

/// What a worker of a cluster may say: its exceptions end up in logs, which others read.
fn with_redacted(error: PyErr, redacted: String) -> PyErr {
    Python::attach(|py| drop(error.value(py).setattr("without_values", redacted)));
    error
}

/// An error of a stream.
pub(crate) fn of_stream(error: StreamError) -> PyErr {
    match error {
        StreamError::Pipeline(error) => of_pipeline(error),
        error => {
            let (message, hint) = (error.to_string(), error.hint());
            let raise = if error.is_broken_promise() { PromiseError::new_err } else { Error::new_err };
            let raised =
                with_parts(raise(full_text(&message, None, hint.as_deref())), message, None, hint, None);
            with_redacted(raised, error.redacted())
        }
    }
}

/// Any other error with a hint.
pub(crate) fn with_hint(message: String, hint: &str) -> PyErr {
    let text = full_text(&message, None, Some(hint));
    with_parts(Error::new_err(text), message, None, Some(hint.to_owned()), None)
}

fn full_text(message: &str, place: Option<&str>, hint: Option<&str>) -> String {
    let mut text = message.to_owned();
    for (name, part) in [("place", place), ("hint", hint)] {
        if let Some(part) = part {
            text.push_str(&format!("\n  {name}: {part}"));
        }
    }
    text
}

/// The parts as attributes, for programs.
fn with_parts(
    error: PyErr,
    message: String,
    place: Option<String>,
    hint: Option<String>,
    key: Option<String>,
) -> PyErr {
    Python::attach(|py| {
        let value = error.value(py);
        // Exceptions take attributes; if one day they do not, their text says it all the same.
        let _ = value.setattr("message", message);
        let _ = value.setattr("place", place);
        let _ = value.setattr("hint", hint);
        let _ = value.setattr("key", key);
        let _ = value.setattr("without_values", None::<String>);
    });
    error
}
