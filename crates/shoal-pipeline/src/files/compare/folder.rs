//! The folder of a comparison: what an earlier run has left there, and whether it is about the same thing.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use shoal_core::{RawTable, Silent};
use shoal_io::{ColumnForm, CsvOptions, Layout, Limits, Source, StagedFolder, WriteOptions, is_postgres};

use super::CompareOptions;
use super::plan::Plan;
use crate::PipelineError;
use crate::compare::{Cell, CompareError, Row, read_rows, results_table};
use crate::files::Job;
use crate::request::{hierarchies_of, item_lists_of};

const RESULTS: &str = "results.csv";
const PARQUET: &str = "results.parquet";
const PAGE: &str = "compare.html";
const FINGERPRINT: &str = "compare.json";

/// What results depend on beside their own settings. They are reused only where all of it is the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Fingerprint {
    /// The version of this layout; 1.
    version: u32,
    /// The version of the program: another one may lose less.
    program: String,
    shape: String,
    /// Hash of the policy's text and of every `--set`.
    policy: String,
    /// Hashes of the data and of every file that a policy names, by path. A later grid may add files.
    files: BTreeMap<String, String>,
}

/// The folder, with what is not asked for this time.
pub(super) struct ResultsFolder {
    finished: Vec<Row>,
    /// Cells of earlier grids that are kept.
    pub others: Vec<Row>,
}

impl ResultsFolder {
    /// Looks at what is there, and refuses a folder that is about something else.
    pub(super) fn open(options: &CompareOptions<'_>, plan: &Plan) -> Result<ResultsFolder, CompareError> {
        let mut now = Fingerprint::of(options, plan)?;
        let (results, earlier) = (options.folder.join(RESULTS), options.folder.join(FINGERPRINT));
        let mut finished = Vec::new();
        if !options.force && (results.exists() || earlier.exists()) {
            let before = Fingerprint::read(&earlier, options.folder)?;
            if let Some(what) = now.differs_from(&before) {
                return Err(CompareError::OtherResults { folder: options.folder.to_owned(), what });
            }
            now.files.extend(before.files);
            if results.exists() {
                finished = read_results(&results, plan.shape)?;
            }
        }
        let text = serde_json::to_vec_pretty(&now).expect("texts and maps with text keys are JSON");
        let mut files = vec![(FINGERPRINT, text)];
        if options.force && results.exists() {
            for stale in [PARQUET, PAGE] {
                // They are made again at the end; where they cannot be removed now, they cannot be replaced then, and that is said.
                let _ = std::fs::remove_file(options.folder.join(stale));
            }
            // Before the first cell is finished: results must never lie beside a fingerprint that is not theirs.
            files.insert(0, (RESULTS, bytes(&results_table(&[], plan.shape), Layout::Csv)?));
        }
        write(options.folder, files)?;
        Ok(ResultsFolder { finished, others: Vec::new() })
    }

    /// The rows of these cells that need not be tried again. What is left are other cells.
    pub(super) fn take_finished(&mut self, cells: &[Cell]) -> Vec<Option<Row>> {
        let mut take = |cell: &Cell| {
            let at = self.finished.iter().position(|row| row.cell.is_same(cell))?;
            Some(self.finished.remove(at)).filter(|row| row.outcome.is_final())
        };
        let found = cells.iter().map(&mut take).collect();
        self.others = std::mem::take(&mut self.finished);
        found
    }
}

impl Fingerprint {
    fn of(options: &CompareOptions<'_>, plan: &Plan) -> Result<Fingerprint, CompareError> {
        let text = shoal_io::read_text_file(options.policy, Limits::POLICY)
            .map_err(|error| CompareError::Unreadable { path: options.policy.to_owned(), error })?;
        let mut policy = blake3::Hasher::new();
        for part in std::iter::once(&text).chain(options.set) {
            // With their lengths, so that no two lists of texts look the same.
            policy.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        let mut files = BTreeMap::new();
        for job in plan.jobs.iter().flatten() {
            for (name, paths) in files_of(job)? {
                // A file that several cells share is read once.
                if let Entry::Vacant(unread) = files.entry(name) {
                    unread.insert(hash_of(&paths)?);
                }
            }
        }
        Ok(Fingerprint {
            version: 1,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            shape: plan.shape.to_owned(),
            policy: policy.finalize().to_hex().to_string(),
            files,
        })
    }

    fn read(path: &Path, folder: &Path) -> Result<Fingerprint, CompareError> {
        let unknown = || CompareError::OtherResults {
            folder: folder.to_owned(),
            what: format!("settings that nobody knows: its {FINGERPRINT} is absent or broken"),
        };
        let text = std::fs::read_to_string(path).map_err(|_| unknown())?;
        serde_json::from_str(&text).map_err(|_| unknown())
    }

    /// What is different, as a person says it.
    fn differs_from(&self, before: &Fingerprint) -> Option<String> {
        let changed = |(name, hash): (&String, &String)| {
            let was = before.files.get(name)?;
            (was != hash).then(|| format!("another content of `{name}`"))
        };
        match () {
            () if self.version != before.version || self.program != before.program => {
                Some(format!("another version of the program ({})", before.program))
            }
            () if self.policy != before.policy || self.shape != before.shape => {
                Some("another policy or another --set".to_owned())
            }
            () => self.files.iter().find_map(changed),
        }
    }
}

/// The data and every file beside them, by the name that the policy uses, so that it does not matter from where it is looked at. A pattern
/// of several files is one name: a file more is a change.
fn files_of(job: &Job) -> Result<Vec<(String, Vec<PathBuf>)>, CompareError> {
    let policy = job.policy();
    let source = job.source().and_then(|source| Ok(source.files()?));
    let source = source.map_err(|error| CompareError::of_cell(error, Vec::new()))?;
    if is_postgres(&policy.data.source) {
        // Every cell reads the data, and all must read the same ones; a database may change in between.
        let error = PipelineError::OnlyFiles { verb: "compare" };
        return Err(CompareError::of_cell(error, Vec::new()));
    }
    let hierarchies = hierarchies_of(policy).into_iter().map(|(_, name)| name);
    let lists = item_lists_of(policy).into_iter().map(|(_, name)| name);
    let named = hierarchies.chain(lists).chain(policy.utility.weights.as_deref());
    let named = named.map(|name| (name.to_owned(), vec![job.resolve(name)]));
    let data = (policy.data.source.clone(), source.into_iter().map(PathBuf::from).collect());
    Ok(std::iter::once(data).chain(named).collect())
}

fn hash_of(paths: &[PathBuf]) -> Result<String, CompareError> {
    let mut all = blake3::Hasher::new();
    for path in paths {
        let unreadable = |error| CompareError::Unreadable { path: path.to_owned(), error };
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(File::open(path).map_err(unreadable)?).map_err(unreadable)?;
        all.update(hasher.finalize().as_bytes());
    }
    Ok(all.finalize().to_hex().to_string())
}

fn read_results(path: &Path, shape: &str) -> Result<Vec<Row>, CompareError> {
    let broken = |why: String| CompareError::BrokenResults { path: path.to_owned(), why };
    let csv = CsvOptions { trim: false, ..CsvOptions::default() };
    let source = Source { csv, ..Source::new(path.to_string_lossy().into_owned()) };
    let read =
        shoal_io::read_table(&source, &|_| true, &Silent).map_err(|error| broken(error.to_string()))?;
    read_rows(&read.table, shape).map_err(broken)
}

/// `results.csv`, whole or not at all.
pub(super) fn write_results(folder: &Path, rows: &[&Row], shape: &str) -> Result<(), CompareError> {
    write(folder, vec![(RESULTS, bytes(&results_table(rows, shape), Layout::Csv)?)])
}

/// What is made at the end: the same results for programs that read types, and the page.
pub(super) fn write_page(folder: &Path, rows: &[&Row], shape: &str, page: &str) -> Result<(), CompareError> {
    let parquet = bytes(&results_table(rows, shape), Layout::Parquet)?;
    write(folder, vec![(PARQUET, parquet), (PAGE, page.as_bytes().to_vec())])
}

fn bytes(table: &RawTable, layout: Layout) -> Result<Vec<u8>, CompareError> {
    let columns = vec![ColumnForm::Typed; table.columns.len()];
    let options = WriteOptions { columns, ..WriteOptions::default() };
    shoal_io::table_bytes(table, layout, &options, &Silent).map_err(not_written)
}

/// Nobody but their owner may read these files: their figures are exact, and about the original.
fn write(folder: &Path, files: Vec<(&str, Vec<u8>)>) -> Result<(), CompareError> {
    let mut staged = StagedFolder::new(folder).map_err(not_written)?;
    for (name, bytes) in files {
        staged.add_closed(name, &bytes).map_err(not_written)?;
    }
    staged.publish().map_err(not_written)
}

fn not_written(error: shoal_io::WriteError) -> CompareError {
    CompareError::of_cell(PipelineError::from(error), Vec::new())
}
