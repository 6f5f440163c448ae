//! The road of a stream: a tuple comes from a source, a kernel decides how it leaves, the gate of `shoal-privacy` reads
//! the bytes that would leave and admits them, the sink takes them, and only then is the tuple acknowledged.
//!
//! Kernels are plain state machines and know none of this. What they decided survives a crash: a mode that has state
//! journals each tuple before its release leaves, and a replay of the journal gives the same releases.

mod connector;
mod error;
#[cfg(feature = "kafka")]
pub mod kafka;
mod mark;
#[cfg(feature = "nats")]
pub mod nats;

pub use connector::{Batch, Message, Record, Sink, Source};
pub use error::ConnectorError;
pub use mark::{Frontier, FrontierError, Mark};
