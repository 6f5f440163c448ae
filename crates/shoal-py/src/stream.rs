//! Streams: tuples are pushed, and the lines that may leave come back.

use std::sync::{Mutex, MutexGuard};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use shoal_stream::{PushError, Released, Stream, StreamKey};

use crate::errors::{of_stream, with_hint};
use crate::policy::GivenPolicy;

/// A stream that lives as long as this object.
#[pyclass(frozen)]
pub(crate) struct NativeStream {
    /// Behind a lock: without the interpreter's, two threads may push at once, and one of them waits.
    stream: Mutex<Stream>,
}

impl NativeStream {
    fn stream<'a>(&'a self, py: Python<'_>) -> PyResult<MutexGuard<'a, Stream>> {
        // Waits without the interpreter's lock, which whoever pushes at the moment may want.
        let broken = |_| with_hint("the stream broke in another thread".to_owned(), "open a new one");
        self.stream.lock_py_attached(py).map_err(broken)
    }
}

#[pymethods]
impl NativeStream {
    /// `used_for` is what `key_use` gave when the key was used before.
    #[new]
    #[pyo3(signature = (policy, key, used_for=None))]
    fn new(policy: GivenPolicy, key: [u8; 32], used_for: Option<&str>) -> PyResult<NativeStream> {
        let key = match used_for {
            Some(used_for) => StreamKey::used(key, used_for),
            None => StreamKey::unused(key),
        };
        let stream = Stream::open(&policy.request()?, key.map_err(of_stream)?).map_err(of_stream)?;
        Ok(NativeStream { stream: Mutex::new(stream) })
    }

    /// Takes the text of a tuple and gives the lines that leave now. `now` is in milliseconds.
    fn push(&self, py: Python<'_>, tuple: &str, now: u64) -> PyResult<Vec<String>> {
        match self.stream(py)?.push(tuple.as_bytes(), now) {
            Ok(released) => lines(released),
            Err(PushError::Tuple(refused)) => {
                Err(with_hint(refused.to_string(), "the tuple did not leave; the stream goes on"))
            }
            Err(PushError::Stream(error)) => Err(of_stream(error)),
        }
    }

    /// The lines of those who have waited too long.
    fn tick(&self, py: Python<'_>, now: u64) -> PyResult<Vec<String>> {
        lines(self.stream(py)?.tick(now).map_err(of_stream)?)
    }

    /// The lines of everybody who waits; ends the stream.
    fn finish(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        lines(self.stream(py)?.finish().map_err(of_stream)?)
    }

    /// The line of column names, where lines are CSV.
    fn header(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let header = self.stream(py)?.header();
        Ok(header.map(|header| String::from_utf8_lossy(&header).trim_end().to_owned()))
    }

    /// What is promised, and what that does not cover.
    fn words(&self, py: Python<'_>) -> PyResult<(String, Vec<String>)> {
        let words = self.stream(py)?.words();
        Ok((words.promise, words.not_covered))
    }

    /// What the kernel knows of itself, as JSON; none before it has learned and after the end.
    fn figures(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let figures = self.stream(py)?.figures();
        let text = |figures| serde_json::to_string(&figures).expect("figures hold nothing that JSON cannot");
        Ok(figures.map(text))
    }

    /// A text to be stored with the key, for the next stream under it.
    fn key_use(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(self.stream(py)?.key_use().map(str::to_owned))
    }
}

fn lines(released: Released<'_>) -> PyResult<Vec<String>> {
    let text = |line: &[u8]| {
        // What was pushed is text, and what is published of it as well.
        let line = String::from_utf8(line.to_vec())?;
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    };
    released.lines().map(text).collect()
}
