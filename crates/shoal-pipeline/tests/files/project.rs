//! A folder of its own for each test, and the pipeline run in it.

use std::path::PathBuf;

use shoal_core::Silent;
use shoal_pipeline::PipelineError;
use shoal_pipeline::files::{Job, Outcome, RunOptions};

/// The folder of a test: policy, data and outputs. It is deleted at the end of the test.
pub(crate) struct TestProject {
    folder: tempfile::TempDir,
}

impl TestProject {
    /// With `policy.toml` and one file of data.
    pub(crate) fn with(policy: &str, file: &str, data: &str) -> TestProject {
        let project = TestProject { folder: tempfile::tempdir().unwrap() };
        project.write("policy.toml", policy);
        project.write(file, data);
        project
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn job(&self, set: &[&str]) -> Job {
        let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
        Job::open(&self.path("policy.toml"), &set).unwrap()
    }

    pub(crate) fn run(&self, set: &[&str]) -> Result<Outcome, PipelineError> {
        let options = RunOptions { force: true, allow_total_loss: true, ..RunOptions::default() };
        shoal_pipeline::files::run(&self.job(set), &options, &Silent)
    }

    /// Runs again with the key of a release, since errors of counts depend on the order of records.
    pub(crate) fn run_by_key_of(&self, first: &Outcome, set: &[&str]) -> Result<Outcome, PipelineError> {
        let key_of = first.report_folder.clone();
        let options = RunOptions { force: true, allow_total_loss: true, key_of, ..RunOptions::default() };
        shoal_pipeline::files::run(&self.job(set), &options, &Silent)
    }

    /// The names of all files and folders.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}
