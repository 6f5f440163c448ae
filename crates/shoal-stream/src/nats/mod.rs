//! NATS JetStream. A source reads a stream through a durable consumer, a sink writes one subject of a stream.

mod connection;
mod sink;
mod source;

pub use sink::NatsSink;
pub use source::NatsSource;
