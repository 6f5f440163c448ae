//! Puts records into a topic as somebody does who knows nothing of shoal, and is sure that they are there.

use std::time::Duration;

use rdkafka::producer::{BaseProducer, BaseRecord, DeliveryResult, Producer, ProducerContext};
use rdkafka::{ClientConfig, ClientContext};

/// Fails the test where a record did not arrive.
struct Delivered;

impl ClientContext for Delivered {}

impl ProducerContext for Delivered {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, _opaque: ()) {
        if let Err((e, _)) = result {
            panic!("a record was not delivered: {e}");
        }
    }
}

/// Sends texts, each with its key where it has one and to its partition where one is named.
pub(crate) fn deliver(
    config: &ClientConfig,
    topic: &str,
    partition: Option<i32>,
    records: impl IntoIterator<Item = (Option<String>, String)>,
) {
    let producer: BaseProducer<Delivered> = config.create_with_context(Delivered).unwrap();
    for (key, text) in records {
        let mut record = BaseRecord::<str, str>::to(topic).payload(&text);
        record.key = key.as_deref();
        record.partition = partition;
        producer.send(record).map_err(|(e, _)| e).unwrap();
    }
    producer.flush(Duration::from_secs(180)).unwrap();
}
