//! Brokers that speak Kafka's protocol. A source reads all partitions of a topic and a sink writes partition 0 of one, or
//! the processes of a group share the partitions, and each partition has a sink of its own.

mod broker;
mod group;
mod sink;
mod source;

pub(crate) use group::{Change, KafkaGroup};
pub use sink::KafkaSink;
pub(crate) use sink::SinkClients;
pub use source::KafkaSource;
