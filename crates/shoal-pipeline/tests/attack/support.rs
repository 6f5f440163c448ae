//! What every shape needs: data in memory, a release of them, and the adversary.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use proptest::prelude::ProptestConfig;
use shoal_core::{PolicyDocument, Silent};
use shoal_pipeline::{
    Assets, Attacked, BatchSink, BatchSource, EarlierSource, PipelineError, Request, attack, run,
};

/// As many cases as asked for, and few without being asked: each one is a whole run.
pub(crate) fn cases() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    // Shrinking runs the release again for each smaller case, so it is bounded.
    ProptestConfig { cases: asked.unwrap_or(32), max_shrink_iters: 300, ..ProptestConfig::default() }
}

/// A table of texts as a record batch; an empty text is a missing value.
pub(crate) fn batch(header: &[&str], rows: &[Vec<String>]) -> RecordBatch {
    let column = |(at, name): (usize, &&str)| {
        let texts: StringArray = rows.iter().map(|row| Some(row[at].as_str())).collect();
        ((*name).to_owned(), Arc::new(texts) as ArrayRef)
    };
    RecordBatch::try_from_iter(header.iter().enumerate().map(column)).unwrap()
}

pub(crate) fn request(policy: &str, assets: Assets) -> Request {
    Request::new(PolicyDocument::parse(policy, &[]).unwrap(), assets).unwrap()
}

/// Publishes the data; none where the promise cannot be kept, which is no adversary's business.
pub(crate) fn publish(request: &Request, data: &RecordBatch) -> Option<Vec<RecordBatch>> {
    match run(request, &mut BatchSource::new("data", vec![data.clone()]), &mut BatchSink, &Silent) {
        Ok(release) => Some(release.publish().unwrap()),
        // A policy that is wrong would let every case pass.
        Err(error @ PipelineError::PolicyAndData { .. }) => panic!("{error}: {:?}", error.hint()),
        Err(_) => None,
    }
}

/// Attacks a release, alone or together with earlier ones.
pub(crate) fn attacked(
    request: &Request,
    data: &RecordBatch,
    published: &[RecordBatch],
    earlier: &[Vec<RecordBatch>],
) -> Result<Attacked, PipelineError> {
    let source = |batches: &[RecordBatch]| BatchSource::new("published", batches.to_vec());
    let earlier =
        earlier.iter().map(|batches| EarlierSource { data: Box::new(source(batches)), audit: None });
    let mut earlier: Vec<EarlierSource> = earlier.collect();
    attack(
        request,
        &mut BatchSource::new("data", vec![data.clone()]),
        &mut source(published),
        &mut earlier,
        &Silent,
    )
}
