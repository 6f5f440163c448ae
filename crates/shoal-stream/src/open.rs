//! The source and the sink that a policy names.

use std::sync::atomic::AtomicBool;

use shoal_io::stream::StreamLayout;
use shoal_pipeline::Job;

use crate::{
    Figures, Sink, Source, StandardSink, StandardSource, StreamError, StreamOptions, Watcher, run_between,
};

/// Runs a stream from the policy's source to its sink, until the source ends or `stop` is set.
pub fn run(
    job: &Job,
    options: &StreamOptions,
    stop: &AtomicBool,
    watcher: &dyn Watcher,
) -> Result<Figures, StreamError> {
    let layout = StreamLayout::of(job.policy());
    let source: Box<dyn Source> = Box::new(StandardSource::new(std::io::stdin(), layout.is_csv()));
    let sink: Box<dyn Sink> = Box::new(StandardSink::new(std::io::stdout(), layout.header()));
    run_between(job, source, sink, options, stop, watcher)
}
