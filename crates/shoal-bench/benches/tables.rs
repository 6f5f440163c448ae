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
use shoal_pipeline::files::Job;
use shoal_privacy::Classes;
use shoal_testkit::data;

const K: usize = 10;

fn algorithms(c: &mut Criterion) {
    let job = Job::open(&data::adult_example().join("policy.toml"), &[]).expect("the example's policy");
    let table = shoal_pipeline::files::load(&job, &Silent).expect("the example's table");
    let algorithms: [Box<dyn TableAlgorithm>; 5] = [
        Box::new(RibbonParams::new(K).check().expect("valid")),
        Box::new(MondrianParams::new(K).check().expect("valid")),
        Box::new(SbcParams::new(K).check().expect("valid")),
        Box::new(IncognitoParams::new(K).check().expect("valid")),
        Box::new(DataflyParams::new(K).check().expect("valid")),
    ];
    let mut group = c.benchmark_group("anonymize");
    group.sample_size(10);
    for algorithm in &algorithms {
        group.bench_function(algorithm.name(), |b| {
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

criterion_group!(tables, algorithms, doors);
criterion_main!(tables);
