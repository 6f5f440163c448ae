//! A stream in memory, from a CSV row to verified lines, on the example's 30,162 records:
//! `cargo bench -p shoal-bench --bench streams`. The kernels alone are in
//! `src/algorithms/`.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use shoal_pipeline::files::Job;
use shoal_stream::{
    Batch, ConnectorError, Figures, Frontier, Mark, Message, Record, Sink, Source, StreamOptions, Watcher,
    run_between,
};
use shoal_testkit::data;

/// Records that are there already.
struct Given(std::vec::IntoIter<Record>);

impl Source for Given {
    fn replays(&self) -> bool {
        false
    }

    fn seek(&mut self, _frontier: &Frontier) -> Result<(), ConnectorError> {
        Ok(())
    }

    fn fetch(&mut self, max: usize, _wait: Duration) -> Result<Batch, ConnectorError> {
        let records: Vec<Record> = self.0.by_ref().take(max).collect();
        Ok(Batch { ended: records.is_empty(), records })
    }

    fn acknowledge(&mut self, _frontier: &Frontier) -> Result<(), ConnectorError> {
        Ok(())
    }
}

/// Lines are dropped.
struct Dropped;

impl Sink for Dropped {
    fn last(&mut self) -> Result<Option<Mark>, ConnectorError> {
        Ok(None)
    }

    fn publish(&mut self, _messages: &[Message<'_>]) -> Result<(), ConnectorError> {
        Ok(())
    }
}

struct Nobody;

impl Watcher for Nobody {
    fn notice(&self, _text: &str) {}
    fn status(&self, _figures: &Figures) {}
}

fn modes(c: &mut Criterion) {
    let csv = data::adult_csv();
    let rows: Vec<Record> = csv
        .lines()
        .zip(0..)
        .map(|(line, offset)| Record { partition: 0, offset, bytes: line.as_bytes().to_vec() })
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let policy =
        std::fs::read_to_string(data::adult_example().join("stream.toml")).expect("the example's policy");
    // Without a state every run starts anew.
    let path = folder.path().join("stream.toml");
    let policy = policy.replace("[state]\ndir = \"state\"", "").replace("learn = 5000", "");
    std::fs::write(&path, policy).expect("a policy");
    let modes: [(&str, &[&str]); 4] = [
        ("hardened", &["algorithm.learn=5000"]),
        ("paper", &["algorithm.learn=5000", "algorithm.mode=paper"]),
        ("castle", &["algorithm.name=castle", "privacy.k=10", "privacy.l=2"]),
        (
            "castle, classes used again",
            &["algorithm.name=castle", "privacy.k=10", "privacy.l=2", "algorithm.reuse=true"],
        ),
    ];
    let mut group = c.benchmark_group("stream");
    group.sample_size(10).throughput(Throughput::Elements(rows.len() as u64 - 1));
    for (name, set) in modes {
        let set: Vec<String> = set.iter().map(|set| (*set).to_owned()).collect();
        let job = Job::open(&path, &set).expect("the policy");
        group.bench_function(name, |b| {
            b.iter_batched(
                || Box::new(Given(rows.clone().into_iter())),
                |source| {
                    let (options, stop) = (StreamOptions::default(), AtomicBool::new(false));
                    run_between(&job, source, Box::new(Dropped), &options, &stop, &Nobody).expect("a stream")
                },
                BatchSize::LargeInput,
            );
        });
    }
}

criterion_group!(streams, modes);
criterion_main!(streams);
