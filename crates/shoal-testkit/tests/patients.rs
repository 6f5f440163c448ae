//! The example with patients is what the generator makes, byte by byte; it is written again by
//! `cargo run --release -p shoal-testkit --example make_data -- patients examples/patients 1000 5 3 1`

use std::path::Path;

use shoal_core::Silent;
use shoal_pipeline::files::{Job, RunOptions};
use shoal_testkit::data;
use shoal_testkit::patients::{PatientParams, QUASI_IDENTIFIERS};

#[test]
fn the_example_is_what_the_generator_makes() {
    let example = data::root().join("examples/patients");
    let fresh = tempfile::tempdir().unwrap();
    PatientParams::data_5_3(1000, 1).check().unwrap().generate().write(fresh.path()).unwrap();
    let read = |folder: &Path, name: &str| {
        let path = folder.join(name);
        std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let hierarchies = QUASI_IDENTIFIERS[..3].iter().map(|name| format!("hierarchies/{name}.csv"));
    for name in hierarchies.chain(["visits.csv".to_owned(), "policy.toml".to_owned()]) {
        // Not assert_eq: nobody wants to see all bytes of both.
        assert!(read(&example, &name) == read(fresh.path(), &name), "{name} has drifted from the generator");
    }
}

/// The shape of the paper's figures 2 and 3, on one set: alignment loses less, and more privacy costs more.
#[test]
fn alignment_pays_on_the_example() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.csv");
    let options = RunOptions { force: true, ..RunOptions::default() };
    // At k = 50 who is drawn together decides more than alignment does, so all runs have one key.
    let key = folder.path().join("release.key");
    std::fs::write(&key, "c9f0f895fb98ab9159f51fd0297e236d45c48cce2e2d7fbdea1afc51c7c6ad26").unwrap();
    std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let loss = |algorithm: &str, k: usize, c: f64| {
        let set = [
            format!("algorithm.name={algorithm}"),
            format!("privacy.k={k}"),
            format!("privacy.c={c}"),
            format!("algorithm.key-file={}", key.display()),
            format!("output.path={}", out.display()),
            format!("output.report={}", folder.path().display()),
        ];
        let job = Job::open(&data::root().join("examples/patients/policy.toml"), &set).unwrap();
        let report = shoal_pipeline::files::run(&job, &options, &Silent).unwrap().report;
        assert!(
            shoal_pipeline::files::verify(&job, &out, &Silent).unwrap().holds(),
            "{algorithm}, k = {k}, c = {c}"
        );
        report.loss.ncp()
    };
    for (k, c) in [(5, 0.5), (5, 0.7), (5, 0.9), (10, 0.7), (25, 0.7), (50, 0.7)] {
        assert!(loss("cbmsa", k, c) < loss("cbmsa-baseline", k, c), "k = {k}, c = {c}");
    }
    assert!(
        loss("cbmsa", 5, 0.7) < loss("cbmsa", 25, 0.7) && loss("cbmsa", 25, 0.7) < loss("cbmsa", 50, 0.7)
    );
    assert!(loss("cbmsa", 5, 0.9) < loss("cbmsa", 5, 0.5));
}
