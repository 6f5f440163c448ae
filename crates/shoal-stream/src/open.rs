//! The source and the sink that a policy names.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use shoal_core::policy::Shape;
use shoal_io::stream::StreamLayout;
use shoal_pipeline::PipelineError;
use shoal_pipeline::files::Job;

use crate::{
    Address, ConnectorError, Figures, Sink, Source, StdinSource, StdoutSink, StreamError, StreamOptions,
    Watcher, run_between,
};

/// Runs a stream from the policy's source to its sink, until the source ends or `stop` is set.
pub fn run(
    job: &Job,
    options: &StreamOptions,
    stop: &Arc<AtomicBool>,
    watcher: &Arc<dyn Watcher>,
) -> Result<Figures, StreamError> {
    let shape = job.policy().data.shape;
    if shape != Shape::Stream {
        return Err(PipelineError::NotStream { shape: shape.name() }.into());
    }
    let layout = StreamLayout::of(job.policy());
    let output = job.policy().output.path.as_deref().unwrap_or("-");
    let (source, sink) = (Address::parse(&job.policy().data.source)?, Address::parse(output)?);
    #[cfg(feature = "kafka")]
    if let Address::Kafka(from) = &source
        && from.balance
    {
        let Address::Kafka(to) = &sink else {
            let why = "the partitions of a source can be balanced where the sink is a topic of Kafka, too"
                .to_owned();
            return Err(ConnectorError::Address { url: source.to_string(), why }.into());
        };
        let retry = || retry(stop, watcher);
        return crate::start::run_group(job, (from, to), options, stop, watcher.as_ref(), &retry);
    }
    let source = open_source(source, &layout, stop, watcher)?;
    let sink = open_sink(sink, &layout, stop, watcher)?;
    run_between(job, source, sink, options, stop, watcher.as_ref())
}

fn open_source(
    address: Address,
    layout: &StreamLayout,
    stop: &Arc<AtomicBool>,
    watcher: &Arc<dyn Watcher>,
) -> Result<Box<dyn Source>, ConnectorError> {
    Ok(match address {
        Address::Stdio => Box::new(StdinSource::new(std::io::stdin(), layout.is_csv())),
        #[cfg(feature = "nats")]
        Address::Nats(address) => Box::new(crate::nats::NatsSource::open(&address, retry(stop, watcher))?),
        #[cfg(feature = "kafka")]
        Address::Kafka(address) => Box::new(crate::kafka::KafkaSource::open(&address, retry(stop, watcher))?),
        #[cfg(not(all(feature = "nats", feature = "kafka")))]
        address => return Err(not_built(&address, stop, watcher)),
    })
}

fn open_sink(
    address: Address,
    layout: &StreamLayout,
    stop: &Arc<AtomicBool>,
    watcher: &Arc<dyn Watcher>,
) -> Result<Box<dyn Sink>, ConnectorError> {
    Ok(match address {
        Address::Stdio => Box::new(StdoutSink::new(std::io::stdout(), layout.header())),
        #[cfg(feature = "nats")]
        Address::Nats(address) => Box::new(crate::nats::NatsSink::open(&address, retry(stop, watcher))?),
        #[cfg(feature = "kafka")]
        Address::Kafka(address) => Box::new(crate::kafka::KafkaSink::open(&address, retry(stop, watcher))?),
        #[cfg(not(all(feature = "nats", feature = "kafka")))]
        address => return Err(not_built(&address, stop, watcher)),
    })
}

/// Waits for a broker that is away, and says so.
#[cfg(any(feature = "nats", feature = "kafka"))]
fn retry(stop: &Arc<AtomicBool>, watcher: &Arc<dyn Watcher>) -> crate::RetryPolicy {
    let watcher = Arc::clone(watcher);
    crate::RetryPolicy::new(move |line| watcher.notice(line), Arc::clone(stop))
}

#[cfg(not(all(feature = "nats", feature = "kafka")))]
fn not_built(address: &Address, _stop: &Arc<AtomicBool>, _watcher: &Arc<dyn Watcher>) -> ConnectorError {
    let feature = if matches!(address, Address::Kafka(_)) { "kafka" } else { "nats" };
    ConnectorError::NotBuilt { url: address.to_string(), feature }
}
