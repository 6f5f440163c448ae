//! Runs streams: a tuple comes from a source, a kernel decides how it leaves, the gate of `shoal-privacy` reads
//! the bytes that would leave and admits them, the sink takes them, and only then is the tuple acknowledged.
//!
//! [`run`] does that between a policy's source and sink; [`Stream`] is the middle of it for callers that hold tuples in
//! memory.
//!
//! Kernels are plain state machines and know none of this. What they decided survives a crash: a mode that has state
//! journals each tuple before its release leaves, and a replay of the journal gives the same releases.

mod address;
mod connector;
mod dead_letters;
mod drift;
mod engine;
mod error;
mod figures;
mod gated;
mod header;
mod identity;
mod journal;
#[cfg(feature = "kafka")]
pub mod kafka;
mod key;
mod learning;
mod lock;
mod mark;
mod metrics;
#[cfg(feature = "nats")]
pub mod nats;
mod open;
mod owner;
mod partition_figures;
mod redaction;
#[cfg(any(feature = "kafka", feature = "nats"))]
mod retry;
mod runner;
mod seal;
mod start;
mod stdio;
mod stored_key;
mod stream;
#[cfg(any(feature = "kafka", feature = "nats"))]
mod tail;

pub use address::{Address, KafkaAddress, Login, NatsAddress};
pub use connector::{Batch, Message, Record, Sink, Source};
pub use dead_letters::Reason;
pub use engine::{KernelFigures, Unreleasable};
pub use error::{ConnectorError, StreamError};
pub use figures::Figures;
pub use key::StreamKey;
pub use mark::{Frontier, FrontierError, Mark};
pub use open::run;
pub use partition_figures::{GroupFigures, PartitionFigures};
#[cfg(any(feature = "kafka", feature = "nats"))]
pub use retry::RetryPolicy;
pub use seal::Seal;
pub use start::{StreamOptions, Watcher, run_between};
pub use stdio::{StdinSource, StdoutSink};
pub use stream::{PushError, Released, Stream};
