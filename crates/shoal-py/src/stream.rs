//! Streams: tuples are pushed, and the lines that may leave come back.

use pyo3::prelude::*;
use shoal_stream::{PushError, Released, Stream, StreamKey};

use crate::errors::{of_stream, with_hint};
use crate::policy::GivenPolicy;

/// A stream that lives as long as this object.
#[pyclass]
pub(crate) struct NativeStream {
    stream: Stream,
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
        Ok(NativeStream { stream })
    }

    /// Takes the text of a tuple and gives the lines that leave now. `now` is in milliseconds.
    fn push(&mut self, tuple: &str, now: u64) -> PyResult<Vec<String>> {
        match self.stream.push(tuple.as_bytes(), now) {
            Ok(released) => lines(released),
            Err(PushError::Tuple(refused)) => {
                Err(with_hint(refused.to_string(), "the tuple did not leave; the stream goes on"))
            }
            Err(PushError::Stream(error)) => Err(of_stream(error)),
        }
    }

    /// The lines of those who have waited too long.
    fn tick(&mut self, now: u64) -> PyResult<Vec<String>> {
        lines(self.stream.tick(now).map_err(of_stream)?)
    }

    /// The lines of everybody who waits; ends the stream.
    fn finish(&mut self) -> PyResult<Vec<String>> {
        lines(self.stream.finish().map_err(of_stream)?)
    }

    /// The line of column names, where lines are CSV.
    fn header(&self) -> Option<String> {
        self.stream.header().map(|header| String::from_utf8_lossy(&header).trim_end().to_owned())
    }

    /// What is promised, and what that does not cover.
    fn words(&self) -> (String, Vec<String>) {
        let words = self.stream.words();
        (words.promise, words.not_covered)
    }

    /// What the kernel knows of itself, as JSON; none before it has learned and after the end.
    fn figures(&self) -> Option<String> {
        let figures = self.stream.figures()?;
        Some(serde_json::to_string(&figures).expect("figures hold nothing that JSON cannot"))
    }

    /// A text to be stored with the key, for the next stream under it.
    fn key_use(&self) -> Option<&str> {
        self.stream.key_use()
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
