//! An engine with the gate behind it: the step that every stream takes, from a tuple to lines that may leave. The
//! runner and [`Stream`](crate::Stream) are two ways to call it.

use std::ops::Range;
use std::sync::Arc;

use shoal_core::stream::StreamTuple;
use shoal_io::stream::{LINE_LIMIT, LineError, StreamLayout};
use shoal_pipeline::stream::StreamBinding;
use shoal_privacy::stream::{Admitted, Gate, GateState, StreamViolation};

use crate::engine::{Arrival, Engine, EngineState, Unreleasable};
use crate::key::Key;
use crate::{StreamError, StreamKey};

/// An engine whose lines leave through the gate only.
pub(crate) struct GatedEngine {
    binding: StreamBinding,
    engine: Engine,
    gate: Gate,
    /// What the fingerprints that the gate remembers are made with.
    gate_key: Key,
    /// The number of the next tuple.
    position: u64,
}

/// What an engine has decided in one step and the gate has not seen yet.
pub(crate) struct Decision<'b> {
    /// Where its lines stand among the bytes of the batch.
    lines: Range<usize>,
    /// Whose lines they are.
    tuples: Vec<StreamTuple<'b>>,
    /// The tuple that arrived, where it does not leave at once.
    arrived: Option<StreamTuple<'b>>,
}

impl GatedEngine {
    pub(crate) fn new(binding: StreamBinding, engine: Engine, key: &StreamKey) -> GatedEngine {
        let gate_key = key.part("gate");
        let gate = new_gate(&binding, &engine, gate_key);
        GatedEngine { binding, engine, gate, gate_key, position: 0 }
    }

    /// Decides how a tuple leaves, adds the lines that leave now to `out`. `origin` is the partition and the offset of its
    /// line in the source.
    pub(crate) fn decide<'b>(
        &mut self,
        line: &'b [u8],
        origin: (u32, u64),
        time: u64,
        out: &mut Vec<u8>,
    ) -> Result<Decision<'b>, Unreleasable> {
        if line.len() >= LINE_LIMIT {
            return Err(LineError::TooLong { limit: LINE_LIMIT }.into());
        }
        let position = self.position;
        let tuple = self.binding.layout.read(line)?;
        // Only where tuples wait does the gate have to know of those that have not left.
        let arrived = matches!(self.engine, Engine::Castle(_)).then(|| tuple.clone().at(position));
        let start = out.len();
        let arrival = Arrival { position, time, origin, tuple, line };
        let tuples = self.engine.take(&self.binding.layout, arrival, out)?;
        self.position += 1;
        Ok(Decision { lines: start..out.len(), tuples, arrived })
    }

    /// Lets those out who have waited too long at this time.
    pub(crate) fn tick(&mut self, time: u64, out: &mut Vec<u8>) -> Decision<'static> {
        let start = out.len();
        let tuples = self.engine.tick(&self.binding.layout, time, out);
        Decision { lines: start..out.len(), tuples, arrived: None }
    }

    /// Lets everything out that waits.
    pub(crate) fn flush(&mut self, out: &mut Vec<u8>) -> Decision<'static> {
        let start = out.len();
        let tuples = self.engine.flush(&self.binding.layout, out);
        Decision { lines: start..out.len(), tuples, arrived: None }
    }

    /// Tells the gate what time it is, before it sees what was decided at that time.
    pub(crate) fn advance(&mut self, time: u64) {
        self.gate.advance(time);
    }

    /// Reads back what would leave, as anybody would, and lets the gate look at it. `bytes` are those that the decision was
    /// added to.
    pub(crate) fn admit<'a>(
        &mut self,
        decision: &Decision<'_>,
        bytes: &'a [u8],
    ) -> Result<Admitted<'a>, StreamError> {
        if let Some(tuple) = &decision.arrived {
            self.gate.arrive(tuple).map_err(refused)?;
        }
        let bytes = &bytes[decision.lines.clone()];
        let layout = &self.binding.layout;
        let lines = layout.lines(bytes).map(|line| layout.read_published(line));
        let lines = lines
            .collect::<Result<Vec<_>, LineError>>()
            .map_err(|error| StreamError::Unreadable { error })?;
        self.gate.admit(bytes, &lines, &decision.tuples).map_err(refused)
    }

    /// Whether everything that arrived has left.
    pub(crate) fn finish(&self) -> Result<(), StreamError> {
        self.gate.finish().map_err(refused)
    }

    /// Goes on behind the steps that are in the sink already: all that is needed where the engine has no state.
    pub(crate) fn start_at(&mut self, step: u64) {
        self.gate = new_gate(&self.binding, &self.engine, self.gate_key).starting_at(step);
        self.position = step;
    }

    /// Goes on from a state; `false` where it does not fit.
    pub(crate) fn resume(&mut self, position: u64, gate: GateState, engine: EngineState) -> bool {
        let Ok(gate) = Gate::resume(self.binding.promise, self.binding.columns.clone(), gate) else {
            return false;
        };
        self.gate = gate.with_key(self.gate_key);
        self.position = position;
        self.engine.resume(engine)
    }

    pub(crate) fn state(&self) -> (GateState, EngineState) {
        (self.gate.state().clone(), self.engine.state())
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    pub(crate) fn layout(&self) -> &StreamLayout {
        &self.binding.layout
    }

    /// How many tuples have come that were understood.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }
}

fn new_gate(binding: &StreamBinding, engine: &Engine, key: Key) -> Gate {
    let gate = Gate::new(binding.promise, binding.columns.clone()).with_key(key);
    match engine {
        Engine::Hardened(engine) => gate.for_design(Arc::clone(engine.design())),
        Engine::Published(_) | Engine::Castle(_) => gate,
    }
}

fn refused(violation: StreamViolation) -> StreamError {
    StreamError::Refused { violation: Box::new(violation) }
}
