//! Brokers that speak Kafka's protocol. A source reads all partitions of a topic, a sink writes partition 0 of one.

mod broker;
mod sink;
mod source;

pub use sink::KafkaSink;
pub use source::KafkaSource;
