//! A stream in memory: tuples are pushed, and the lines that may leave are handed back.
//!
//! For fronts that hold tuples themselves, Python for instance. It is the step of the command's runner
//! ([`GatedEngine`]) without what is around it: no source, no sink, no clock, no file, no thread.

use shoal_core::policy::Shape;
use shoal_core::stream::StreamPromise;
use shoal_io::stream::StreamLayout;
use shoal_pipeline::stream::{SensitiveValues, StreamBinding, Words, bind, words};
use shoal_pipeline::{PipelineError, Request};
use shoal_privacy::stream::Admitted;
use thiserror::Error;

use crate::drift::DriftWatch;
use crate::engine::{Engine, KernelFigures, Unreleasable};
use crate::gated::GatedEngine;
use crate::identity::{of_design, of_key_use};
use crate::learning::Learning;
use crate::{StreamError, StreamKey};

/// A stream that lives as long as this object.
///
/// The same tuples, policy and key give the same lines as `shoal stream` gives, and they pass the same gate. A tuple is
/// the text of one line, a JSON object or a CSV row in the order of the policy's columns, because what leaves keeps what
/// it does not hide as it was written: a number stays a number, with its digits. Its place, of which the choices depend
/// where the policy names no person, is its number among all tuples that were pushed.
///
/// # What is not remembered
///
/// There is no journal. A process that ends takes the kernel's memory with it, and what that means differs:
///
/// - **delay-free, hardened**: there is nothing to remember but the key and the design. With the same key and the same
///   values of the design, whoever returns gets the same set again, as promised. Values that were learned must be kept
///   ([`Stream::learned`]) and given back ([`Stream::open_with_learned`]): a stream that learns again makes another
///   design, which is refused under the old key ([`StreamError::KeyUsedOtherwise`]). The counts by which a drift is
///   noticed start from 0.
/// - **delay-free, paper**: the groups and their numbers are gone, and the draws, which depend on a tuple's number,
///   would repeat. A used key is refused ([`StreamError::MemoryLost`]).
/// - **castle**: tuples that wait are lost; they were not published. New crowds are made of new tuples alone, so k and
///   l hold in what leaves. Call [`Stream::finish`] before the end.
///
/// All of this rests on what the caller says about the key ([`StreamKey::used`]). Whoever hands over a used key as unused
/// gives up the promise to people who return.
///
/// ```
/// use shoal_core::PolicyDocument;
/// use shoal_pipeline::{Assets, Request};
/// use shoal_stream::{PushError, Stream, StreamKey};
///
/// let policy = r#"
///     version = 1
///     [data]
///     shape = "stream"
///     person = "who"
///     [columns.who]
///     role = "identifier"
///     [columns.age]
///     role = "quasi-identifier"
///     kind = "integer"
///     [columns.illness]
///     role = "sensitive"
///     domain = ["asthma", "cold", "flu", "gout"]
///     [privacy]
///     l = 2
/// "#;
/// let request = Request::new(PolicyDocument::parse(policy, &[]).unwrap(), Assets::default()).unwrap();
/// let mut stream = Stream::open(&request, StreamKey::draw()?)?;
/// let released = stream.push(br#"{"who":"ann","age":34,"illness":"flu"}"#, 0).unwrap();
/// let line = std::str::from_utf8(released.bytes()).unwrap();
/// assert!(line.contains("34") && line.contains("flu") && !line.contains("ann"), "{line}");
///
/// // A tuple that cannot be hidden is handed back; the stream goes on.
/// let refused = stream.push(br#"{"who":"bob","age":41,"illness":"unheard of"}"#, 0);
/// assert!(matches!(refused, Err(PushError::Tuple(_))));
/// assert_eq!(stream.push(br#"{"who":"cy","age":29,"illness":"cold"}"#, 0).unwrap().lines().count(), 1);
/// assert_eq!(stream.finish()?.bytes(), b"");
/// # Ok::<(), shoal_stream::StreamError>(())
/// ```
pub struct Stream {
    request: Request,
    /// What the policy asks for; the layout of the lines that leave is read from it.
    binding: StreamBinding,
    key: StreamKey,
    phase: Phase,
    learned: Option<SensitiveValues>,
    /// How many tuples were pushed, those that were handed back included.
    pushed: u64,
    /// The lines of the last step.
    bytes: Vec<u8>,
}

enum Phase {
    /// The first tuples are learned from and not published.
    Learning(Learning),
    Running(Box<Running>),
    /// Nothing may leave any more: it has ended, or an error has ended it.
    Ended,
}

struct Running {
    gated: GatedEngine,
    drift: Option<DriftWatch>,
    key_use: String,
}

/// What leaves together, and must be shown together or not at all.
#[derive(Clone, Copy, Debug)]
pub struct Released<'s> {
    admitted: Option<Admitted<'s>>,
    layout: &'s StreamLayout,
}

/// Why a push gave no lines.
#[derive(Debug, Error)]
pub enum PushError {
    /// The tuple cannot leave. It is the caller's to keep; the stream goes on.
    #[error(transparent)]
    Tuple(#[from] Unreleasable),
    /// The stream has ended.
    #[error(transparent)]
    Stream(#[from] StreamError),
}

impl Stream {
    /// Opens a stream. Where the policy asks to learn, the first tuples give no lines.
    pub fn open(request: &Request, key: StreamKey) -> Result<Stream, StreamError> {
        Stream::open_with(request, key, None)
    }

    /// Opens a stream with what an earlier one has learned, under the same key. Whoever was learned from then must not be
    /// pushed now: what is shown of others depends on them, so they are never published.
    pub fn open_with_learned(
        request: &Request,
        key: StreamKey,
        learned: SensitiveValues,
    ) -> Result<Stream, StreamError> {
        Stream::open_with(request, key, Some(learned))
    }

    fn open_with(
        request: &Request,
        key: StreamKey,
        learned: Option<SensitiveValues>,
    ) -> Result<Stream, StreamError> {
        let shape = request.policy().data.shape;
        if shape != Shape::Stream {
            return Err(PipelineError::NotStream { shape: shape.name() }.into());
        }
        let binding = bind(request);
        if matches!(binding.promise, StreamPromise::Groups { .. }) && key.used_for().is_some() {
            return Err(StreamError::MemoryLost);
        }
        let phase = match (binding.learn, &learned) {
            (Some(wanted), None) => Phase::Learning(Learning::new(request, &binding, wanted)),
            _ => {
                let values = binding.values_of_design(learned.as_ref());
                Phase::Running(Box::new(Running::new(request, &binding, &key, values)?))
            }
        };
        Ok(Stream { request: request.clone(), binding, key, phase, learned, pushed: 0, bytes: Vec::new() })
    }

    /// Takes a tuple, without a line end, and gives the lines that leave now: its own, those of others who have waited with
    /// it, or none. `now` is in milliseconds from any beginning and must not go back; it matters where the policy
    /// limits waiting (`algorithm.max-wait`).
    ///
    /// A stream whose values have drifted (`algorithm.drift`) gives the line that shows it, and refuses the next tuple.
    pub fn push(&mut self, tuple: &[u8], now: u64) -> Result<Released<'_>, PushError> {
        // Counted whatever becomes of it: places must not move up when a tuple before them is handed back.
        let offset = self.pushed;
        self.pushed += 1;
        self.bytes.clear();
        match &mut self.phase {
            Phase::Ended => Err(StreamError::Ended.into()),
            Phase::Learning(_) => {
                self.learn(tuple)?;
                Ok(self.nothing())
            }
            Phase::Running(running) => {
                running.has_drifted()?;
                let time = running.time(now);
                let decision = running.gated.decide(tuple, (0, offset), time, &mut self.bytes)?;
                running.gated.advance(time);
                match running.gated.admit(&decision, &self.bytes) {
                    Ok(lines) => Ok(Released { admitted: Some(lines), layout: &self.binding.layout }),
                    Err(error) => {
                        self.phase = Phase::Ended;
                        Err(error.into())
                    }
                }
            }
        }
    }

    /// Gives the lines of those who have waited too long, where no tuple comes that would bring them along.
    pub fn tick(&mut self, now: u64) -> Result<Released<'_>, StreamError> {
        self.bytes.clear();
        match &mut self.phase {
            Phase::Ended => Err(StreamError::Ended),
            Phase::Learning(_) => Ok(self.nothing()),
            Phase::Running(running) => {
                let time = running.time(now);
                if !running.gated.engine().is_due(time) {
                    return Ok(self.nothing());
                }
                let decision = running.gated.tick(time, &mut self.bytes);
                running.gated.advance(time);
                match running.gated.admit(&decision, &self.bytes) {
                    Ok(lines) => Ok(Released { admitted: Some(lines), layout: &self.binding.layout }),
                    Err(error) => {
                        self.phase = Phase::Ended;
                        Err(error)
                    }
                }
            }
        }
    }

    /// Gives the lines of everybody who waits, and ends the stream. An error says that the promise was not kept to the end,
    /// or that too little came to learn from.
    pub fn finish(&mut self) -> Result<Released<'_>, StreamError> {
        self.bytes.clear();
        if matches!(self.phase, Phase::Learning(_)) {
            // As the command does: whether what came would have been enough is said.
            self.settle_learning()?;
        }
        match std::mem::replace(&mut self.phase, Phase::Ended) {
            Phase::Ended => Err(StreamError::Ended),
            Phase::Learning(_) => unreachable!("settled above"),
            Phase::Running(mut running) => {
                running.has_drifted()?;
                if !running.gated.engine().has_state() {
                    return Ok(self.nothing());
                }
                let decision = running.gated.flush(&mut self.bytes);
                let lines = running.gated.admit(&decision, &self.bytes)?;
                running.gated.finish()?;
                Ok(Released { admitted: Some(lines), layout: &self.binding.layout })
            }
        }
    }

    /// The line of column names that stands before all others, where lines are CSV.
    pub fn header(&self) -> Option<Vec<u8>> {
        self.binding.layout.header()
    }

    /// What is promised, and what that does not cover. Show it beside the lines.
    pub fn words(&self) -> Words {
        words(&self.request, &self.binding)
    }

    /// What the kernel knows of itself; none before it has learned and after the end.
    pub fn figures(&self) -> Option<KernelFigures> {
        match &self.phase {
            Phase::Running(running) => Some(running.gated.engine().figures(running.gated.position())),
            Phase::Learning(_) | Phase::Ended => None,
        }
    }

    /// What was learned from the first tuples, once it is complete. As secret as they are.
    pub fn learned(&self) -> Option<&SensitiveValues> {
        self.learned.as_ref()
    }

    /// A text that says what the key is used for and nothing else, to be stored with the key and given to
    /// [`StreamKey::used`] next time. None before it has learned and after the end.
    pub fn key_use(&self) -> Option<&str> {
        match &self.phase {
            Phase::Running(running) => Some(&running.key_use),
            Phase::Learning(_) | Phase::Ended => None,
        }
    }

    fn learn(&mut self, tuple: &[u8]) -> Result<(), PushError> {
        let Phase::Learning(learning) = &mut self.phase else { return Ok(()) };
        let tuple = self.binding.layout.read(tuple).map_err(Unreleasable::from)?;
        let added = learning.add(&tuple);
        if added.is_err() {
            self.phase = Phase::Ended;
        } else if learning.is_complete() {
            self.settle_learning()?;
        }
        Ok(added?)
    }

    /// Goes from learning to running; ends where too little was learned.
    fn settle_learning(&mut self) -> Result<(), StreamError> {
        let Phase::Learning(learning) = std::mem::replace(&mut self.phase, Phase::Ended) else {
            return Ok(());
        };
        let values = learning.values(&self.binding);
        let running = Running::new(&self.request, &self.binding, &self.key, Some(&values))?;
        self.phase = Phase::Running(Box::new(running));
        self.learned = Some(values);
        Ok(())
    }

    fn nothing(&self) -> Released<'_> {
        Released { admitted: None, layout: &self.binding.layout }
    }
}

impl Running {
    fn new(
        request: &Request,
        binding: &StreamBinding,
        key: &StreamKey,
        values: Option<&SensitiveValues>,
    ) -> Result<Running, StreamError> {
        let engine = Engine::build(request, binding, key, values)?;
        let key_use = key.name_of("design", &of_key_use(request.policy(), binding.promise, &engine));
        if key.used_for().is_some_and(|used_for| used_for != key_use) {
            return Err(StreamError::KeyUsedOtherwise);
        }
        let algorithm = &request.policy().algorithm;
        let drift = match &engine {
            Engine::Hardened(engine) => {
                let design = of_design(engine.design(), algorithm.seed);
                Some(DriftWatch::new(None, design, algorithm.drift.unwrap_or_default()))
            }
            Engine::Published(_) | Engine::Castle(_) => None,
        };
        Ok(Running { gated: GatedEngine::new(binding.clone(), engine, key), drift, key_use })
    }

    /// What time it is, where anything depends on it; as for the runner, so that states are the same.
    fn time(&self, now: u64) -> u64 {
        if self.gated.engine().has_clock() { now } else { 0 }
    }

    /// Whether values are still hidden as promised.
    fn has_drifted(&self) -> Result<(), StreamError> {
        match (&self.drift, self.gated.engine()) {
            (Some(watch), Engine::Hardened(engine)) => watch.verdict(engine),
            _ => Ok(()),
        }
    }
}

impl<'s> Released<'s> {
    /// All lines, each with its line end.
    pub fn bytes(&self) -> &'s [u8] {
        self.admitted.map_or(&[], |admitted| admitted.bytes())
    }

    /// The lines one by one.
    pub fn lines(&self) -> impl Iterator<Item = &'s [u8]> + use<'s> {
        self.layout.lines(self.bytes())
    }
}

impl std::fmt::Debug for Stream {
    /// Says how far it is, and nothing of tuples or keys.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let phase = match self.phase {
            Phase::Learning(_) => "learning",
            Phase::Running(_) => "running",
            Phase::Ended => "ended",
        };
        f.debug_struct("Stream").field("phase", &phase).field("pushed", &self.pushed).finish_non_exhaustive()
    }
}
