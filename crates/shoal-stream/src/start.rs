//! From a policy to a stream that runs: the values, the key, the state, the connectors.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shoal_algorithms::stream::castle::{Castle, CastleParams, CastleRules};
use shoal_algorithms::stream::delay_free::{Published, PublishedParams};
use shoal_core::policy::RulesPolicy;
use shoal_core::stream::{SetDesign, StreamPromise};
use shoal_pipeline::stream::{SensitiveValues, StreamBinding, bind, read_prior};
use shoal_pipeline::{Job, PipelineError};
use shoal_privacy::stream::Gate;

use crate::dead_letters::DeadLetters;
use crate::engine::{CastleEngine, Engine, HardenedEngine, PublishedEngine, Unreleasable, kernel_columns};
use crate::header::Headed;
use crate::journal::{Journal, keep_secret, make_folder};
use crate::key::Key;
use crate::metrics::{self, Shared};
use crate::runner::{BATCH, Progress, Runner, WAIT};
use crate::{Figures, Frontier, Record, Sink, Source, StreamError, key};

/// What the command line says beyond the policy.
#[derive(Clone, Debug, Default)]
pub struct StreamOptions {
    /// Stop when nothing has come for so long.
    pub idle_exit: Option<Duration>,
    /// How often the figures are told; never where nothing is given.
    pub status_every: Option<Duration>,
    /// Where the figures are served for Prometheus.
    pub metrics: Option<std::net::SocketAddr>,
}

/// Who is told how a stream goes.
pub trait Watcher: Send + Sync {
    /// Something that should be known.
    fn notice(&self, text: &str);

    /// The figures, every now and then.
    fn status(&self, figures: &Figures);
}

/// Runs a stream between a source and a sink until the source ends or `stop` is set, and gives the last figures.
pub fn run_between(
    job: &Job,
    source: Box<dyn Source>,
    mut sink: Box<dyn Sink>,
    options: &StreamOptions,
    stop: &AtomicBool,
    watcher: &dyn Watcher,
) -> Result<Figures, StreamError> {
    let shared = Shared::default();
    if let Some(address) = options.metrics {
        let bound = metrics::serve(address, shared.clone())?;
        watcher.notice(&format!("the figures are at http://{bound}/metrics"));
    }
    let mut start = Start::new(job, source, stop, watcher, options)?;
    if let Some(folder) = &start.folder {
        make_folder(folder)?;
    }
    start.warn();
    let journal = start.open_journal()?;
    start.in_sink = sink.last()?.map_or(0, |last| last.step);
    let Some(engine) = start.engine()? else { return Ok(Figures::default()) };
    let Start { binding, source, held, dead_letters, .. } = start;
    let mut runner = Runner {
        gate: Gate::new(binding.promise, binding.columns.clone()),
        promise: binding.promise,
        columns: binding.columns,
        layout: binding.layout,
        engine,
        source,
        sink,
        journal,
        dead_letters: DeadLetters::new(dead_letters),
        stop,
        watcher,
        options,
        shared,
        progress: Progress::new(),
    };
    runner.recover()?;
    // A stream that has learned is read already; its records are held.
    if held.is_empty() {
        runner.source.start(&runner.progress.mark.frontier, job, &runner.layout, stop)?;
    }
    runner.run(&held)
}

/// A stream that is about to start.
struct Start<'s> {
    job: &'s Job,
    binding: StreamBinding,
    source: Headed,
    stop: &'s AtomicBool,
    watcher: &'s dyn Watcher,
    options: &'s StreamOptions,
    folder: Option<PathBuf>,
    dead_letters: PathBuf,
    /// Steps that the sink holds.
    in_sink: u64,
    /// Records that were read to learn from, and wait.
    held: Vec<Record>,
}

impl<'s> Start<'s> {
    fn new(
        job: &'s Job,
        source: Box<dyn Source>,
        stop: &'s AtomicBool,
        watcher: &'s dyn Watcher,
        options: &'s StreamOptions,
    ) -> Result<Start<'s>, StreamError> {
        let policy = job.policy();
        let folder = policy.state.dir.as_ref().map(|dir| job.resolve(dir));
        let dead_letters = match (&policy.output.dead_letters, &folder) {
            (Some(file), _) => job.resolve(file),
            (None, Some(folder)) => folder.join("dead-letters.ndjson"),
            (None, None) => job.path.with_extension("dead-letters.ndjson"),
        };
        let binding = bind(job)?;
        Ok(Start {
            job,
            binding,
            source: Headed::new(source),
            stop,
            watcher,
            options,
            folder,
            dead_letters,
            in_sink: 0,
            held: Vec::new(),
        })
    }

    /// What a careful reader of the policy would ask.
    fn warn(&self) {
        match self.binding.promise {
            StreamPromise::Groups { l, .. } => self.watcher.notice(&format!(
                "mode = \"published\" is the paper's algorithm, for comparison: whoever knows it learns more than 1/{l}; \
                 mode = \"hardened\" does not leak"
            )),
            StreamPromise::Sets { .. } if self.job.policy().data.person.is_none() => self.watcher.notice(
                "data.person is not given: a person who returns gets other values each time, and these can be intersected",
            ),
            _ => {}
        }
    }

    /// Opens the state of those modes that have one, where the policy names a folder.
    fn open_journal(&self) -> Result<Option<Journal>, StreamError> {
        let Some(folder) = &self.folder else { return Ok(None) };
        if matches!(self.binding.promise, StreamPromise::Sets { .. }) {
            return Ok(None);
        }
        let policy = self.job.policy();
        // What changes the meaning of a state; where data come from and go to does not.
        let parts = serde_json::json!([policy.columns, policy.privacy, policy.algorithm, policy.data.format]);
        Journal::open(folder, &shoal_io::sha256_hex(parts.to_string().as_bytes())).map(Some)
    }

    /// The engine of the policy; none where somebody asked to stop before enough was learned.
    fn engine(&mut self) -> Result<Option<Engine>, StreamError> {
        if let StreamPromise::Crowds { k, l, delta } = self.binding.promise {
            return self.castle(k, l, delta).map(Some);
        }
        let Some(values) = self.values()? else { return Ok(None) };
        let engine = match self.binding.promise {
            StreamPromise::Sets { .. } => {
                let design =
                    self.binding.design(self.job, &values).map_err(|error| self.too_little(error))?;
                let key = self.key(Some(&fingerprint(&design, &values, self.job.policy().algorithm.seed)))?;
                Engine::Hardened(Box::new(HardenedEngine::new(design, key, values.labels)))
            }
            StreamPromise::Groups { l, max_open_groups } => {
                let key = self.key(None)?;
                let params = PublishedParams { max_open_groups, ..PublishedParams::new(l) };
                let params = params.check().expect("the policy was checked");
                let kernel = Published::new(params, key, &values.counts).map_err(|error| {
                    self.too_little(shoal_pipeline::stream::infeasible(&error, &values, l))
                })?;
                Engine::Published(Box::new(PublishedEngine::new(kernel, values.labels, &self.binding.layout)))
            }
            StreamPromise::Crowds { .. } => unreachable!("see above"),
        };
        Ok(Some(engine))
    }

    fn castle(&self, k: usize, l: usize, delta: usize) -> Result<Engine, StreamError> {
        let algorithm = &self.job.policy().algorithm;
        let usual = CastleParams::new(k, delta as u64);
        let beta = algorithm.beta.unwrap_or(usual.beta);
        let rules = match algorithm.rules.unwrap_or_default() {
            RulesPolicy::Nearest => CastleRules::Nearest,
            RulesPolicy::Paper => CastleRules::Paper,
        };
        let params = CastleParams { l, beta, rules, seed: algorithm.seed, ..usual };
        let params = params.check().expect("the policy was checked");
        let columns = kernel_columns(&self.binding.columns);
        let kernel = Castle::new(params, &columns).expect("the policy has quasi-identifiers");
        Ok(Engine::Castle(Box::new(CastleEngine::new(kernel, &self.binding.columns))))
    }

    /// The values among which others hide: known, learned before, or learned now.
    fn values(&mut self) -> Result<Option<SensitiveValues>, StreamError> {
        let Some(learn) = self.binding.learn else { return Ok(self.binding.values.clone()) };
        let frozen = self.folder.as_ref().map(|folder| folder.join("prior.csv"));
        if let Some(file) = frozen.as_ref().filter(|file| file.exists()) {
            return Ok(Some(read_prior(self.job, file)?));
        }
        if self.in_sink > 0 {
            // What was learned then is gone; learning again would give returning people other values.
            return Err(StreamError::StateBehind { sink: self.in_sink, state: 0 });
        }
        let Some(values) = self.learn(learn)? else { return Ok(None) };
        // Only what can be hidden is frozen.
        if let StreamPromise::Sets { .. } = self.binding.promise {
            self.binding.design(self.job, &values).map_err(|error| self.too_little(error))?;
        }
        if let Some(file) = frozen {
            shoal_io::write_atomically(&file, values.to_csv().as_bytes()).map_err(PipelineError::from)?;
            keep_secret(&file)?;
        }
        Ok(Some(values))
    }

    /// Holds the first tuples back and counts their values.
    fn learn(&mut self, wanted: usize) -> Result<Option<SensitiveValues>, StreamError> {
        self.source.start(&Frontier::default(), self.job, &self.binding.layout, self.stop)?;
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut tuples = 0;
        let mut busy = Instant::now();
        while tuples < wanted {
            let stop = self.stop.load(Ordering::Relaxed);
            // A broker sends again what was not acknowledged; what stood in a pipe is gone.
            if stop && self.job.policy().data.source != "-" {
                return Ok(None);
            }
            let batch = self.source.fetch(BATCH, WAIT)?;
            // No more than are wanted, however many come at once: what is learned must not depend on that.
            for record in &batch.records {
                if tuples < wanted
                    && let Ok(tuple) = self.binding.layout.read(&record.bytes)
                {
                    *counts.entry(tuple.value().into_owned()).or_default() += 1;
                    tuples += 1;
                }
            }
            if !batch.records.is_empty() {
                busy = Instant::now();
            }
            self.held.extend(batch.records);
            if batch.ended || stop || self.options.idle_exit.is_some_and(|limit| busy.elapsed() >= limit) {
                break;
            }
        }
        // A listed value that has not come yet may come.
        let listed = self.binding.values.iter().flat_map(|values| values.labels.iter().cloned());
        let listed: Vec<(String, u64)> = listed.map(|label| (label, 1)).collect();
        Ok(Some(SensitiveValues::new(counts.into_iter().chain(listed), true)))
    }

    /// What is said when the values are too few. A broker keeps what was held back to learn from; what came through a
    /// pipe goes to the dead letters.
    fn too_little(&self, error: PipelineError) -> StreamError {
        if self.held.is_empty() {
            return error.into();
        }
        let (message, hint) = (error.to_string(), error.hint().unwrap_or_default());
        let mut kept_by = "wait in the broker";
        if self.job.policy().data.source == "-" {
            let mut letters = DeadLetters::new(self.dead_letters.clone());
            let why = Unreleasable::NothingLearned { why: message.clone() };
            let added = self.held.iter().try_for_each(|record| letters.add(record, &why));
            if let Err(error) = added.and_then(|()| letters.settle()) {
                return error;
            }
            kept_by = "are among the dead letters";
        }
        StreamError::NothingLearned { message, held: self.held.len(), kept_by, hint }
    }

    fn key(&self, design: Option<&str>) -> Result<Key, StreamError> {
        let file = match (&self.job.policy().state.key_file, &self.folder) {
            (Some(file), _) => Some(self.job.resolve(file)),
            (None, Some(folder)) => Some(folder.join("key")),
            (None, None) => None,
        };
        let Some(file) = file else {
            self.watcher.notice("no key-file and no state folder: the key is forgotten at the end, a second run gives other values");
            return key::random();
        };
        let (key, made) = key::read_or_make(&file, design)?;
        if made {
            self.watcher.notice(&format!("a new key was written to `{}`: keep it secret", file.display()));
            if design.is_some() && self.job.policy().data.person.is_some() {
                self.watcher.notice(
                    "whoever was published under another key before gets other values now, and the two sets can be intersected",
                );
            }
        }
        Ok(key)
    }
}

/// A name for what must not change while a key is used.
fn fingerprint(design: &SetDesign, values: &SensitiveValues, seed: u64) -> String {
    let parts = match design {
        SetDesign::Uniform { l, .. } => serde_json::json!(["uniform", l, values.labels]),
        SetDesign::Calibrated(design) => {
            serde_json::json!(["calibrated", design.l(), values.labels, values.counts, seed])
        }
    };
    shoal_io::sha256_hex(parts.to_string().as_bytes())
}
