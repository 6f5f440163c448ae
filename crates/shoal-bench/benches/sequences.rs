//! One benchmark per algorithm and verifier of sequences, on made-up patients:
//! `cargo bench -p shoal-bench --bench sequences`

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use shoal_algorithms::sequences::SequencesAlgorithm;
use shoal_algorithms::sequences::cbmsa::CbmsaParams;
use shoal_algorithms::sequences::cbmsa_baseline::BaselineParams;
use shoal_algorithms::sequences::fcla::FclaParams;
use shoal_algorithms::sequences::halt::HaltParams;
use shoal_core::{Bound, Limit, Sequences, SequencesPromise, Silent, Support};
use shoal_pipeline::files::{Job, RunOptions, VerifyOptions, run, verify_with};
use shoal_testkit::data;
use shoal_testkit::patients::{DIAGNOSIS, HIGHLY_SENSITIVE, PatientParams};

fn patients(people: usize, mean_events: u32) -> Sequences {
    let params = PatientParams { mean_events, ..PatientParams::data_5_3(people, 1) };
    params.check().expect("valid").generate().sequences()
}

/// Crowds of five, of whom a share of 0.7 may have one of the values; with a length, whatever so many events are known.
fn promise(length: Option<usize>) -> SequencesPromise {
    let values = Some(HIGHLY_SENSITIVE.map(str::to_owned).to_vec());
    let limits = vec![Limit { column: DIAGNOSIS.to_owned(), values, bound: Bound::Share(0.7) }];
    SequencesPromise { k: 5, length, support: Support::default(), limits, distributions: Default::default() }
}

/// Grouping is most of the work on many short histories, alignment on few long ones.
fn algorithms(c: &mut Criterion) {
    let (short, long) = (patients(400, 5), patients(60, 14));
    let algorithms: [(Box<dyn SequencesAlgorithm>, Option<usize>); 5] = [
        (Box::new(CbmsaParams::default().check()), None),
        (Box::new(BaselineParams::default().check()), None),
        (Box::new(FclaParams::fcla().check()), Some(2)),
        (Box::new(FclaParams::base1().check()), Some(2)),
        (Box::new(HaltParams::default().check()), Some(2)),
    ];
    for (shape, data) in [("grouping, 400 people", &short), ("alignment, 60 people, 14 events", &long)] {
        let mut group = c.benchmark_group(format!("anonymize sequences: {shape}"));
        group.sample_size(10);
        for (algorithm, length) in &algorithms {
            let promise = promise(*length);
            group.bench_function(algorithm.name(), |b| {
                b.iter(|| algorithm.anonymize(black_box(data), &promise, &Silent).expect("a recoding"));
            });
        }
    }
}

/// A release of the example, read and verified, alone and against its original.
fn verifiers(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = data::root().join("examples/patients/policy.toml");
    let mut group = c.benchmark_group("verify sequences");
    group.sample_size(10);
    let asked: [(&str, &[&str]); 2] =
        [("(k,c)", &[]), ("(k,C)^L, L = 2", &["algorithm.name=fcla", "privacy.length=2"])];
    for (number, (name, set)) in asked.into_iter().enumerate() {
        let set: Vec<String> = set.iter().map(|set| (*set).to_owned()).collect();
        let job = Job::open(&policy, &set).expect("the example's policy");
        let released = folder.path().join(format!("{number}.csv"));
        let report = Some(folder.path().join(format!("{number}.report")));
        let options = RunOptions { output: Some(released.clone()), report, ..RunOptions::default() };
        run(&job, &options, &Silent).expect("a release");
        let verify = |released: &Path, options: &VerifyOptions| {
            verify_with(&job, released, options, &Silent).expect("what was released holds")
        };
        group.bench_function(name, |b| {
            b.iter(|| verify(black_box(&released), &VerifyOptions::default()));
        });
        let original = Some(data::root().join("examples/patients").join(&job.policy().data.source));
        let options = VerifyOptions { original };
        group.bench_function(format!("{name}, with the original"), |b| {
            b.iter(|| verify(black_box(&released), &options));
        });
    }
}

criterion_group!(sequences, algorithms, verifiers);
criterion_main!(sequences);
