//! From a policy to a stream that runs: the values, the key, the state, the connectors.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shoal_algorithms::stream::castle::{Castle, CastleParams, CastleRules};
use shoal_algorithms::stream::delay_free::{Published, PublishedParams};
use shoal_core::Role;
use shoal_core::policy::{PriorPolicy, RulesPolicy, without_password};
use shoal_core::stream::{SetDesign, StreamDesign, StreamPromise};
use shoal_pipeline::PipelineError;
use shoal_pipeline::files::Job;
use shoal_pipeline::stream::{
    Counted, SensitiveValues, StreamBinding, Words, bind, read_prior, state_folder, words,
};
use shoal_privacy::stream::Gate;

use crate::dead_letters::DeadLetters;
use crate::drift::DriftWatch;
use crate::engine::{CastleEngine, Engine, HardenedEngine, PublishedEngine, Unreleasable, kernel_columns};
use crate::header::Headed;
use crate::journal::{Journal, keep_secret, make_folder};
use crate::key::{self, StreamKey};
use crate::metrics::{self, Shared};
use crate::owner::{self, Owner};
use crate::runner::{BATCH, Progress, Runner, WAIT};
use crate::{Figures, Frontier, FrontierError, Record, Seal, Sink, Source, StreamError};

/// Most sensitive values that are learned: more than any classification of illnesses has, and few enough for memory.
const MOST_VALUES: usize = 100_000;
/// Most bytes of them.
const MOST_VALUE_BYTES: usize = 64 << 20;
/// Most bytes of the tuples that are held back to learn from.
const MOST_HELD: usize = 1 << 30;

/// What the command line says beyond the policy.
#[derive(Clone, Debug, Default)]
pub struct StreamOptions {
    /// Stop when nothing has come for so long.
    pub idle_exit: Option<Duration>,
    /// How often the figures are told; never where nothing is given.
    pub status_every: Option<Duration>,
    /// Where the figures are served for Prometheus.
    pub metrics: Option<std::net::SocketAddr>,
    /// What time it is, in milliseconds from any beginning; the system's clock where nothing is given.
    pub clock: Option<fn() -> u64>,
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
    let key = start.read_key()?;
    start.own_folder(&key, owner::check)?;
    sink.seal(Seal::new(&key.key));
    start.in_sink = sink.last()?.map_or(0, |last| last.step);
    let Some(mut engine) = start.engine(&key)? else { return Ok(Figures::default()) };
    // From here on nothing but the world can stop it, so the folder is its own.
    start.own_folder(&key, owner::claim)?;
    let journal = start.open_journal(&key)?;
    let gate = Gate::new(start.binding.promise, start.binding.columns.clone()).with_key(key.part("gate"));
    let gate = match &engine {
        Engine::Hardened(hardened) => gate.for_design(Arc::clone(hardened.design())),
        Engine::Published(_) | Engine::Castle(_) => gate,
    };
    let drift = start.watch_drift(&mut engine)?;
    let words = words(job, &start.binding);
    let Start { binding, source, held, learned, dead_letters, .. } = start;
    let mut runner = Runner {
        gate,
        gate_key: key.part("gate"),
        drift,
        promise: binding.promise,
        columns: binding.columns,
        layout: binding.layout,
        engine,
        source,
        sink,
        journal,
        dead_letters: learned.letters.unwrap_or_else(|| DeadLetters::new(dead_letters)),
        stop,
        watcher,
        options,
        shared,
        progress: Progress::new(),
    };
    runner.recover()?;
    // A stream that stopped because its values had drifted does not go on.
    runner.has_drifted()?;
    // Whoever was learned from is not published, however far the sink says that the source was read.
    runner.progress.mark.frontier.join(&learned.frontier);
    runner.progress.figures.learned = learned.tuples;
    runner.progress.figures.dead_letters = runner.dead_letters.count();
    runner.progress.figures.words = words;
    // A stream that has just learned is read already; what came beyond is held.
    if !learned.reading {
        runner.source.start(&runner.progress.mark.frontier, job, &runner.layout, stop)?;
    }
    runner.run(&held)
}

/// Who was learned from.
#[derive(Default)]
struct Learned {
    /// Records up to here.
    frontier: Frontier,
    /// Tuples of this run.
    tuples: u64,
    /// Lines of this run among them that were none.
    letters: Option<DeadLetters>,
    /// Whether the source is being read.
    reading: bool,
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
    /// Records that were read while learning and wait; those that were learned from until the design is known to hold.
    held: Vec<Record>,
    learned: Learned,
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
        let folder = state_folder(job);
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
            learned: Learned::default(),
        })
    }

    /// What a careful reader of the policy would ask.
    fn warn(&self) {
        let Words { not_covered, .. } = words(self.job, &self.binding);
        not_covered.iter().for_each(|text| self.watcher.notice(text));
    }

    /// Whether what is decided depends on what was decided before.
    fn has_state(&self) -> bool {
        !matches!(self.binding.promise, StreamPromise::Sets { .. })
    }

    /// What of the policy must not change while a state folder is used.
    fn identity(&self) -> String {
        let policy = self.job.policy();
        let parts = if self.has_state() {
            // What changes the meaning of a state; where data come from does not.
            serde_json::json!([policy.columns, policy.privacy, policy.algorithm, policy.data.format])
        } else {
            // A stream of sets remembers what it learned of the sensitive values and nothing of the others: a column more
            // must not send it to another key, because whoever returns would then be seen with two sets.
            let sensitive = policy.columns_of(Role::Sensitive);
            serde_json::json!(["sets", sensitive, policy.data.person, policy.privacy, policy.algorithm])
        };
        parts.to_string()
    }

    /// Looks whether the state folder is bound to another policy, key or sink, or binds it to these.
    fn own_folder(
        &self,
        key: &StreamKey,
        own: fn(&Path, &StreamKey, &Owner<'_>) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let identity = self.identity();
        let sink = without_password(self.job.policy().output.path.as_deref().unwrap_or("-"));
        let sink = self.has_state().then_some(sink.as_str());
        own(folder, key, &Owner { policy: &identity, sink })
    }

    /// Opens the state of those modes that have one, where there is a folder.
    fn open_journal(&self, key: &StreamKey) -> Result<Option<Journal>, StreamError> {
        match &self.folder {
            Some(folder) if self.has_state() => {
                Journal::open(folder, &key.name_of("policy", &self.identity())).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The engine of the policy; none where somebody asked to stop before enough was learned.
    fn engine(&mut self, key: &StreamKey) -> Result<Option<Engine>, StreamError> {
        if let StreamPromise::Crowds { .. } = self.binding.promise {
            key.bind(&self.identity(), self.folder.as_deref())?;
            return self.castle(key).map(Some);
        }
        let Some(values) = self.values(key)? else { return Ok(None) };
        let engine = match self.binding.promise {
            StreamPromise::Sets { .. } => {
                let design =
                    self.binding.design(self.job, &values).map_err(|error| self.too_little(error))?;
                key.bind(&fingerprint(&design, self.job.policy().algorithm.seed), self.folder.as_deref())?;
                let quasi = self.binding.layout.quasi();
                Engine::Hardened(Box::new(HardenedEngine::new(Arc::new(design), key.key, &quasi)))
            }
            StreamPromise::Groups { l, max_open_groups } => {
                key.bind(&self.identity(), self.folder.as_deref())?;
                let params = PublishedParams { max_open_groups, ..PublishedParams::new(l) };
                let params = params.check().expect("the policy was checked");
                let kernel = Published::new(params, key.key, &values.counts).map_err(|error| {
                    self.too_little(shoal_pipeline::stream::infeasible(&error, &values, l))
                })?;
                let (layout, quasi) = (&self.binding.layout, key.part("quasi"));
                Engine::Published(Box::new(PublishedEngine::new(kernel, values.labels, layout, quasi)))
            }
            StreamPromise::Crowds { .. } => unreachable!("see above"),
        };
        Ok(Some(engine))
    }

    fn castle(&self, key: &StreamKey) -> Result<Engine, StreamError> {
        let StreamPromise::Crowds { k, l, delta, max_wait, reuse } = self.binding.promise else {
            unreachable!("castle promises crowds")
        };
        let algorithm = &self.job.policy().algorithm;
        let usual = CastleParams::new(k, delta as u64);
        let beta = algorithm.beta.unwrap_or(usual.beta);
        let rules = match algorithm.rules.unwrap_or_default() {
            RulesPolicy::Nearest => CastleRules::Nearest,
            RulesPolicy::Paper => CastleRules::Paper,
        };
        let max_reusable = if reuse { usual.max_reusable } else { 0 };
        let params = CastleParams { l, beta, rules, seed: algorithm.seed, max_wait, max_reusable, ..usual };
        let params = params.check().expect("the policy was checked");
        let columns = kernel_columns(&self.binding.columns);
        let kernel = Castle::new(params, &columns).expect("the policy has quasi-identifiers");
        let engine = CastleEngine::new(kernel, &self.binding.columns, key.part("people"), max_wait.is_some());
        Ok(Engine::Castle(Box::new(engine)))
    }

    /// Counts values while the stream runs, where the mode hides each by itself.
    fn watch_drift(&self, engine: &mut Engine) -> Result<Option<DriftWatch>, StreamError> {
        let Engine::Hardened(engine) = engine else { return Ok(None) };
        let algorithm = &self.job.policy().algorithm;
        let name = fingerprint(engine.design(), algorithm.seed);
        let watch = DriftWatch::new(self.folder.as_deref(), name, algorithm.drift.unwrap_or_default());
        watch.take_up(engine, self.source.replays())?;
        Ok(Some(watch))
    }

    /// The values among which others hide: known, learned before, or learned now.
    fn values(&mut self, key: &StreamKey) -> Result<Option<SensitiveValues>, StreamError> {
        let Some(learn) = self.binding.learn else { return Ok(self.binding.values.clone()) };
        let frozen = self.folder.as_ref().map(|folder| folder.join("prior.csv"));
        if let Some(file) = frozen.as_ref().filter(|file| file.exists()) {
            // A pipe goes on; a broker has the records from which was learned still.
            if self.source.replays() {
                self.learned.frontier = read_frontier(&file.with_file_name(LEARNED))?;
            }
            return Ok(Some(read_prior(self.job, file)?));
        }
        if self.in_sink > 0 {
            // What was learned then is gone; learning again would give returning people other values.
            return Err(StreamError::StateBehind { sink: self.in_sink, state: 0 });
        }
        let Some(values) = self.learn(learn)? else { return Ok(None) };
        // Only what can be hidden is frozen.
        let design = match self.binding.promise {
            StreamPromise::Sets { .. } => {
                Some(self.binding.design(self.job, &values).map_err(|error| self.too_little(error))?)
            }
            StreamPromise::Groups { .. } | StreamPromise::Crowds { .. } => None,
        };
        self.settle_learned()?;
        if let Some(file) = frozen {
            // Before it is there: no other policy may find it in a folder that is nobody's.
            self.own_folder(key, owner::claim)?;
            // First who is not published, then what was learned from them: a crash between the two learns again.
            let frontier = self.learned.frontier.to_string();
            write_secret(&file.with_file_name(LEARNED), &frontier)?;
            write_secret(&file, &values.to_csv(design.as_ref()))?;
        }
        Ok(Some(values))
    }

    /// Reads the first tuples and counts their values, in strata where the prior asks for them.
    fn learn(&mut self, wanted: usize) -> Result<Option<SensitiveValues>, StreamError> {
        self.source.start(&Frontier::default(), self.job, &self.binding.layout, self.stop)?;
        self.learned.reading = true;
        let algorithm = &self.job.policy().algorithm;
        let conditional = algorithm.prior == Some(PriorPolicy::Conditional);
        let place = |name: &String| self.binding.columns.iter().position(|column| column.name == *name);
        let strata: Vec<usize> =
            if conditional { algorithm.strata.iter().filter_map(place).collect() } else { Vec::new() };
        let mut counted = Counted::new();
        let (mut bytes, mut held) = (0, 0);
        let mut busy = Instant::now();
        while self.learned.tuples < wanted as u64 {
            let stop = self.stop.load(Ordering::Relaxed);
            // A broker sends again what was not acknowledged; what stood in a pipe is gone.
            if stop && self.source.replays() {
                return Ok(None);
            }
            let batch = self.source.fetch(BATCH, WAIT)?;
            // No more than are wanted, however many come at once: what is learned must not depend on that.
            for record in &batch.records {
                if self.learned.tuples >= wanted as u64 {
                    break;
                }
                self.learned.frontier.pass(record.partition, record.offset);
                held += record.bytes.len();
                if let Ok(tuple) = self.binding.layout.read(&record.bytes) {
                    let cells: Vec<String> =
                        strata.iter().map(|at| tuple.cells[*at].clone().into_owned()).collect();
                    let value = tuple.value().into_owned();
                    let (known, length) =
                        (counted.len(), value.len() + cells.iter().map(String::len).sum::<usize>());
                    *counted.entry((cells, value)).or_default() += 1;
                    self.learned.tuples += 1;
                    // Only what is new takes room.
                    bytes += if counted.len() > known { length } else { 0 };
                    if counted.len() > MOST_VALUES || bytes > MOST_VALUE_BYTES {
                        let tuples = self.learned.tuples as usize;
                        return Err(StreamError::TooManyValues { tuples, limit: MOST_VALUES });
                    }
                }
            }
            if held > MOST_HELD {
                let tuples = self.learned.tuples as usize;
                return Err(StreamError::TooMuchHeld { tuples, limit: MOST_HELD });
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
        Ok(Some(SensitiveValues::learned(counted, listed, conditional)))
    }

    /// Lets go of those who were learned from. Lines among them that are no tuples are kept as everywhere.
    fn settle_learned(&mut self) -> Result<(), StreamError> {
        let mut letters = DeadLetters::new(self.dead_letters.clone());
        let frontier = &self.learned.frontier;
        let (learned, held) = std::mem::take(&mut self.held)
            .into_iter()
            .partition::<Vec<Record>, _>(|record| frontier.covers(record.partition, record.offset));
        self.held = held;
        for record in &learned {
            if let Err(error) = self.binding.layout.read(&record.bytes) {
                letters.add(record, &Unreleasable::from(error))?;
            }
        }
        letters.settle()?;
        self.learned.letters = Some(letters);
        self.watcher.notice(&format!(
            "{} tuples were learned from and are not published; {} wait to be published",
            self.learned.tuples,
            self.held.len()
        ));
        Ok(())
    }

    /// What is said when the values are too few. A broker keeps what was held back to learn from; what came through a
    /// pipe goes to the dead letters.
    fn too_little(&self, error: PipelineError) -> StreamError {
        if self.held.is_empty() {
            return error.into();
        }
        let (message, hint) = (error.to_string(), error.hint().unwrap_or_default());
        let mut kept_by = "wait in the broker";
        if !self.source.replays() {
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

    /// The key: of the file that the policy names, of the state folder, or one that is forgotten at the end.
    fn read_key(&self) -> Result<StreamKey, StreamError> {
        let file = match (&self.job.policy().state.key_file, &self.folder) {
            (Some(file), _) => Some(self.job.resolve(file)),
            (None, Some(folder)) => Some(folder.join("key")),
            (None, None) => None,
        };
        let Some(file) = file else {
            // A crowd needs no draws that a second run would have to repeat.
            if !matches!(self.binding.promise, StreamPromise::Crowds { .. }) {
                self.watcher.notice("no key-file and no state folder: the key is forgotten at the end, a second run gives other values");
            }
            return key::random();
        };
        if let Some(folder) = &self.folder {
            owner::check_key(folder, &file)?;
        }
        let key = key::read_or_make(&file)?;
        if key.made {
            self.watcher.notice(&format!("a new key was written to `{}`: keep it secret", file.display()));
            if !self.has_state() && self.job.policy().data.person.is_some() {
                self.watcher.notice(
                    "if this stream was published before, under another key, whoever returns gets other values now, and the two sets \
                     can be intersected: name the key of that time in key-file",
                );
            }
        }
        Ok(key)
    }
}

/// The file that says who was learned from.
const LEARNED: &str = "learned";

fn write_secret(file: &Path, text: &str) -> Result<(), StreamError> {
    shoal_io::write_atomically(file, text.as_bytes()).map_err(PipelineError::from)?;
    keep_secret(file)
}

/// How far was learned from. Without the file nobody could tell who must not be published.
fn read_frontier(file: &Path) -> Result<Frontier, StreamError> {
    let text = std::fs::read_to_string(file).map_err(|error| StreamError::File {
        what: "file of who was learned from",
        path: file.to_owned(),
        error,
    })?;
    text.parse()
        .map_err(|error: FrontierError| StreamError::State { path: file.to_owned(), why: error.to_string() })
}

/// A name for what must not change while a key is used.
fn fingerprint(design: &StreamDesign, seed: u64) -> String {
    let strata = design.strata();
    let texts: Vec<&[String]> = (0..strata.len()).map(|stratum| strata.texts(stratum)).collect();
    let columns: Vec<&str> = strata.columns().iter().map(|column| column.name.as_str()).collect();
    let parts = match design.sets(0) {
        SetDesign::Uniform { l, .. } => serde_json::json!(["uniform", l, design.labels()]),
        SetDesign::Calibrated(sets) if columns.is_empty() => {
            serde_json::json!(["calibrated", sets.l(), design.labels(), sets.counts(), seed])
        }
        SetDesign::Calibrated(sets) => {
            let counts = design.all_sets().iter().map(|sets| match sets {
                SetDesign::Calibrated(sets) => sets.counts().to_vec(),
                SetDesign::Uniform { values, .. } => vec![1; *values],
            });
            let counts: Vec<Vec<u64>> = counts.collect();
            let shows_strata = design.shows_strata();
            serde_json::json!([
                "conditional",
                sets.l(),
                design.labels(),
                columns,
                texts,
                counts,
                shows_strata,
                seed
            ])
        }
    };
    parts.to_string()
}
