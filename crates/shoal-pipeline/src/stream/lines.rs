//! The texts of streams: originals and what was published of them.

use std::io::Read;

use shoal_core::stream::{StreamLine, StreamTuple};
use shoal_io::stream::{LINE_LIMIT, LineError, Split, Splitter, StreamLayout};

use crate::{PipelineError, Request};

/// The text of a stream, from wherever it comes.
pub struct StreamText<'t> {
    /// What errors call it: for the command line its path, for other fronts any text.
    pub place: &'t str,
    /// Its bytes.
    pub bytes: &'t mut dyn Read,
}

/// Calls `each` for every line with its number.
fn each_line(
    StreamText { place, bytes }: StreamText<'_>,
    what: &'static str,
    csv: bool,
    mut each: impl FnMut(u64, Result<&[u8], LineError>) -> Result<(), PipelineError>,
) -> Result<(), PipelineError> {
    let fail = |error| PipelineError::ReadFile { path: place.into(), what, error };
    let mut splitter = Splitter::new(csv, LINE_LIMIT);
    let mut chunk = vec![0; 1 << 16];
    let mut number = 0;
    loop {
        let length = bytes.read(&mut chunk).map_err(fail)?;
        splitter.feed(&chunk[..length]);
        while let Some(split) = splitter.next(length == 0) {
            number += 1;
            let line = match split {
                Split::Line(line) => Ok(line),
                Split::TooLong(_) => Err(LineError::TooLong { limit: LINE_LIMIT }),
            };
            each(number, line)?;
        }
        if length == 0 {
            return Ok(());
        }
    }
}

/// The lines of a published stream.
pub(super) fn published(
    layout: &StreamLayout,
    text: StreamText<'_>,
) -> Result<Vec<StreamLine<'static>>, PipelineError> {
    let header = layout.header();
    let mut lines = Vec::new();
    let place = text.place.to_owned();
    each_line(text, "published stream", layout.is_csv(), |number, line| {
        let bad = |error| bad_line(&place, number, error);
        let line = line.map_err(bad)?;
        if let (1, Some(header)) = (number, &header) {
            return match header.trim_ascii_end() == line.trim_ascii_end() {
                true => Ok(()),
                false => Err(bad(LineError::NotCsv { why: "it is not the header of such a stream" })),
            };
        }
        lines.push(layout.read_published(line).map_err(bad)?.into_owned());
        Ok(())
    })?;
    Ok(lines)
}

/// The tuples of an original, and how many of its lines are not tuples.
pub(super) fn original(
    request: &Request,
    layout: &StreamLayout,
    text: StreamText<'_>,
) -> Result<(Vec<StreamTuple<'static>>, u64), PipelineError> {
    let mut layout = layout.clone();
    let has_header = layout.is_csv() && request.policy().data.header();
    let mut tuples = Vec::new();
    let mut broken = 0;
    let place = text.place.to_owned();
    each_line(text, "original stream", layout.is_csv(), |number, line| {
        if number == 1 && has_header {
            let header = line.and_then(|line| layout.read_header(line));
            return header.map_err(|error| bad_line(&place, number, error));
        }
        match line.and_then(|line| layout.read(line)) {
            Ok(tuple) => {
                let position = tuples.len() as u64;
                tuples.push(tuple.at(position).into_owned());
            }
            // It went to the dead letters when the stream ran, so no published line shows it.
            Err(_) => broken += 1,
        }
        Ok(())
    })?;
    Ok((tuples, broken))
}

fn bad_line(place: &str, line: u64, error: LineError) -> PipelineError {
    PipelineError::StreamLine { place: place.to_owned(), line, error: Box::new(error) }
}
