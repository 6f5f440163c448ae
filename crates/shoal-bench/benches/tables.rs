//! One benchmark per step of a run on tables, on the example's 30,162 records:
//! `cargo bench -p shoal-bench --bench tables`

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use shoal_algorithms::table::TableAlgorithm;
use shoal_algorithms::table::datafly::DataflyParams;
use shoal_algorithms::table::incognito::IncognitoParams;
use shoal_algorithms::table::mondrian::MondrianParams;
use shoal_algorithms::table::ribbon::RibbonParams;
use shoal_algorithms::table::sbc::SbcParams;
use shoal_core::{RawColumn, Silent};
use shoal_io::Source;
use shoal_pipeline::files::{Job, RunOptions, VerifyOptions, run, verify_with};
use shoal_privacy::Classes;
use shoal_testkit::data;

const K: usize = 10;

fn algorithms(c: &mut Criterion) {
    let job = Job::open(&data::adult_example().join("policy.toml"), &[]).expect("the example's policy");
    let table = shoal_pipeline::files::load(&job, &Silent).expect("the example's table");
    let ribbon = |rounds| RibbonParams { rounds, ..RibbonParams::new(K) }.check().expect("valid");
    let algorithms: [(&str, Box<dyn TableAlgorithm>); 7] = [
        ("ribbon", Box::new(ribbon(None))),
        // Peeling alone, and what rounds cost beside it.
        ("ribbon, no rounds", Box::new(ribbon(Some(0)))),
        ("ribbon, four rounds", Box::new(ribbon(Some(4)))),
        ("mondrian", Box::new(MondrianParams::new(K).check().expect("valid"))),
        ("sbc", Box::new(SbcParams::new(K).check().expect("valid"))),
        ("incognito", Box::new(IncognitoParams::new(K).check().expect("valid"))),
        ("datafly", Box::new(DataflyParams::new(K).check().expect("valid"))),
    ];
    let mut group = c.benchmark_group("anonymize");
    group.sample_size(10);
    for (name, algorithm) in &algorithms {
        group.bench_function(*name, |b| {
            b.iter(|| algorithm.anonymize(black_box(&table), &Silent).expect("a recoding"));
        });
    }
}

fn doors(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("adult.csv");
    std::fs::write(&path, data::adult_csv()).expect("the example's table, unpacked");
    let mut source = Source::new(path.to_string_lossy());
    source.csv.separator = b';';
    let mut group = c.benchmark_group("doors");
    group.sample_size(10);
    group.bench_function("read", |b| {
        b.iter(|| shoal_io::read_table(black_box(&source), &|_| true, &Silent).expect("a table"));
    });
    let read = shoal_io::read_table(&source, &|_| true, &Silent).expect("a table").table;
    let columns: Vec<&RawColumn> = read.columns.iter().collect();
    group.bench_function("classes", |b| b.iter(|| Classes::of(read.rows, black_box(&columns))));
}

/// A release of the example: read, split into classes, verified alone and against its original.
fn verifiers(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let (released, report) = (folder.path().join("out.csv"), folder.path().join("report"));
    let set = ["algorithm.name=mondrian".to_owned()];
    let policy = data::adult_example().join("policy.toml");
    let job = Job::open(&policy, &set).expect("the example's policy");
    let options =
        RunOptions { output: Some(released.clone()), report: Some(report), ..RunOptions::default() };
    run(&job, &options, &Silent).expect("a release");
    let mut group = c.benchmark_group("verify");
    group.sample_size(10);
    let mut source = Source::new(released.to_string_lossy());
    source.csv.separator = b';';
    group.bench_function("read", |b| {
        b.iter(|| shoal_io::read_table(black_box(&source), &|_| true, &Silent).expect("a table"));
    });
    let read = shoal_io::read_table(&source, &|_| true, &Silent).expect("a table").table;
    let columns: Vec<&RawColumn> = read.columns.iter().collect();
    group.bench_function("classes", |b| b.iter(|| Classes::of(read.rows, black_box(&columns))));
    let original = data::adult_example().join(&job.policy().data.source);
    for (name, original) in [("file", None), ("with the original", Some(original))] {
        let options = VerifyOptions { original };
        group.bench_function(name, |b| {
            b.iter(|| verify_with(&job, black_box(&released), &options, &Silent).expect("it holds"));
        });
    }
}

criterion_group!(tables, algorithms, doors, verifiers);
criterion_main!(tables);
