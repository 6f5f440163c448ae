//! From a policy to a stream that runs: the key, the state, what is learned, the connectors.

#[cfg(feature = "kafka")]
mod group;
mod key;
mod learn;
#[cfg(feature = "kafka")]
mod partition;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use shoal_core::policy::without_password;
use shoal_core::stream::StreamPromise;
use shoal_pipeline::Request;
use shoal_pipeline::files::{Job, state_folder};
use shoal_pipeline::stream::{StreamBinding, Words, bind, words};

#[cfg(feature = "kafka")]
pub(crate) use self::group::run_group;
use self::learn::Learned;
use crate::dead_letters::DeadLetters;
use crate::drift::DriftWatch;
use crate::engine::Engine;
use crate::gated::GatedEngine;
use crate::header::Headed;
use crate::identity::{self, has_memory};
use crate::journal::{Journal, make_folder};
use crate::lock::FolderLock;
use crate::metrics::{self, Shared};
use crate::owner::{self, Owner};
use crate::runner::{Progress, Runner};
use crate::stored_key::StoredKey;
use crate::{Figures, Record, Seal, Sink, Source, StreamError, StreamKey};

/// What the command line says beyond the policy.
#[derive(Clone, Debug, Default)]
pub struct StreamOptions {
    /// Stop when nothing has come for as long as this.
    pub idle_exit: Option<Duration>,
    /// How often the figures are reported; never where nothing is given.
    pub status_every: Option<Duration>,
    /// Where the figures are served for Prometheus.
    pub metrics: Option<std::net::SocketAddr>,
    /// What time it is, in milliseconds from any beginning; the system's clock where nothing is given.
    pub clock: Option<fn() -> u64>,
}

/// Gets notices and figures of a stream.
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
    let mut start = Start::new(job, job.request()?, source, stop, watcher, options);
    // Held until the stream ends: two processes that were started by accident would both publish the next batch before one of them notices the other.
    let _lock = match &start.folder {
        None => None,
        Some(folder) => {
            make_folder(folder)?;
            let in_use = |_| StreamError::StateInUse { path: folder.clone() };
            Some(FolderLock::try_take(folder)?.map_err(in_use)?)
        }
    };
    let words = words(&start.request, &start.binding);
    start.warn(&words);
    let key = start.read_key()?;
    // Before anything is read or learned: what belongs to another stream must not even be looked into.
    start.own_folder(&key.key, owner::check)?;
    sink.seal(Seal::new(key.key.bytes()));
    start.in_sink = sink.last()?.map_or(0, |last| last.step);
    let Some(engine) = start.engine(&key)? else { return Ok(Figures::default()) };
    // From here on nothing but the world can stop it, so the folder is its own.
    start.own_folder(&key.key, owner::claim)?;
    let held = std::mem::take(&mut start.held);
    start.runner(engine, &key.key, sink, shared, words)?.run(&held)
}

/// A stream that is about to start.
struct Start<'s> {
    /// For the places of files only; what the policy asks for is in `request`.
    job: &'s Job,
    request: Request,
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
        request: Request,
        source: Box<dyn Source>,
        stop: &'s AtomicBool,
        watcher: &'s dyn Watcher,
        options: &'s StreamOptions,
    ) -> Start<'s> {
        let policy = job.policy();
        let folder = state_folder(job);
        let dead_letters = match (&policy.output.dead_letters, &folder) {
            (Some(file), _) => job.resolve(file),
            (None, Some(folder)) => folder.join("dead-letters.ndjson"),
            (None, None) => job.path.with_extension("dead-letters.ndjson"),
        };
        let binding = bind(&request);
        Start {
            job,
            request,
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
        }
    }

    /// The stream, gone on to where an earlier run stopped, with its source ready to be read.
    fn runner(
        self,
        mut engine: Engine,
        key: &StreamKey,
        sink: Box<dyn Sink>,
        shared: Shared,
        words: Words,
    ) -> Result<Runner<'s>, StreamError> {
        let journal = self.open_journal(key)?;
        let drift = self.watch_drift(&mut engine)?;
        let Start { request, binding, source, learned, dead_letters, stop, watcher, options, .. } = self;
        let mut runner = Runner {
            gated: GatedEngine::new(binding, engine, key),
            drift,
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
            let header = request.policy().data.header();
            runner.source.start(&runner.progress.mark.frontier, header, runner.gated.layout(), stop)?;
        }
        Ok(runner)
    }

    /// What a careful reader of the policy would ask.
    fn warn(&self, words: &Words) {
        words.not_covered.iter().for_each(|text| self.watcher.notice(text));
    }

    /// What of the policy must not change while a state folder is used.
    fn identity(&self) -> String {
        identity::of_policy(self.request.policy(), self.binding.promise)
    }

    /// Looks whether the state folder is bound to another policy, key, sink or source, or binds it to these.
    fn own_folder(
        &mut self,
        key: &StreamKey,
        own: fn(&Path, &StreamKey, &Owner<'_>) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        let source = self.source.identity()?;
        let Some(folder) = &self.folder else { return Ok(()) };
        let (policy, sink) = (self.identity(), self.sink_name());
        own(folder, key, &Owner { policy: &policy, sink: sink.as_deref(), source: source.as_deref() })
    }

    /// The sink that a state belongs to. Where nothing is remembered, further lines make sense in any.
    fn sink_name(&self) -> Option<String> {
        let address = self.request.policy().output.path.as_deref().unwrap_or("-");
        has_memory(self.binding.promise).then(|| without_password(address))
    }

    /// Opens the state of those modes that have one, where there is a folder.
    fn open_journal(&self, key: &StreamKey) -> Result<Option<Journal>, StreamError> {
        match &self.folder {
            Some(folder) if has_memory(self.binding.promise) => {
                Journal::open(folder, &key.name_of("policy", &self.identity())).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The engine of the policy; none where somebody asked to stop before enough was learned.
    fn engine(&mut self, key: &StoredKey) -> Result<Option<Engine>, StreamError> {
        let values = match self.binding.promise {
            StreamPromise::Crowds { .. } => None,
            StreamPromise::Sets { .. } | StreamPromise::Groups { .. } => match self.values(&key.key)? {
                Some(values) => Some(values),
                None => return Ok(None),
            },
        };
        let engine = Engine::build(&self.request, &self.binding, &key.key, values.as_ref())
            .map_err(|error| self.too_little(error))?;
        // Before a line leaves, and only once there is something that lines could leave from.
        let key_use = identity::of_key_use(self.request.policy(), self.binding.promise, &engine);
        key.bind(&key_use, self.folder.as_deref())?;
        Ok(Some(engine))
    }

    /// Counts values while the stream runs, where the mode hides each by itself.
    fn watch_drift(&self, engine: &mut Engine) -> Result<Option<DriftWatch>, StreamError> {
        let Engine::Hardened(engine) = engine else { return Ok(None) };
        let algorithm = &self.request.policy().algorithm;
        let name = identity::of_design(engine.design(), algorithm.seed);
        let watch = DriftWatch::new(self.folder.as_deref(), name, algorithm.drift.unwrap_or_default());
        watch.take_up(engine, self.source.replays())?;
        Ok(Some(watch))
    }
}
