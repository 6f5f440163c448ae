use std::collections::VecDeque;
use std::time::{Duration, Instant};

use async_nats::jetstream::stream::{self, RetentionPolicy};
use async_nats::jetstream::{ErrorCode, consumer};
use async_nats::{Message, Subject};
use futures_util::StreamExt;
use serde_json::{Value, json};
use shoal_io::stream::LINE_LIMIT;

use super::connection::Connection;
use crate::connector::BATCH_BYTES;
use crate::retry::BrokerStatus;
use crate::{Batch, ConnectorError, Frontier, NatsAddress, Record, RetryPolicy, Source};

/// The only partition.
const PARTITION: u32 = 0;

/// Beyond the time that a pull may wait at the server, for its last word to arrive.
const GRACE: Duration = Duration::from_secs(2);

/// Reads a stream through a durable pull consumer. An offset is a sequence of the stream.
///
/// The consumer knows what was acknowledged and nothing else: whenever what it delivered may not have arrived, it is
/// made again and starts behind the last acknowledged record, and what was handed out already is passed over. So
/// nobody ever waits for a redelivery.
pub struct NatsSource {
    connection: Connection,
    stream: String,
    consumer: String,
    subject: Option<String>,
    /// The first sequence that has not been handed out.
    next: u64,
    /// The first sequence that has not been acknowledged.
    unacknowledged: u64,
    /// Delivered by the consumer as it is now and not acknowledged: their sequences, and where to acknowledge them.
    delivered: VecDeque<(u64, Subject)>,
    /// The consumer as it is now; none where it has to be made.
    standing: Option<Standing>,
}

struct Standing {
    /// How many it has delivered.
    delivered: u64,
    /// How often there had been a connection when it was made.
    connects: u64,
}

/// Why a pull brought nothing.
enum Fault {
    /// It has to be tried again with a consumer that is made anew.
    Again(String),
    Ended(ConnectorError),
}

impl NatsSource {
    /// Connects. The stream must exist; the consumer need not.
    pub fn open(address: &NatsAddress, retry: RetryPolicy) -> Result<NatsSource, ConnectorError> {
        let source = NatsSource {
            connection: Connection::open(address, retry)?,
            stream: address.stream.clone(),
            consumer: address.consumer.clone().unwrap_or_else(|| "shoal".to_owned()),
            subject: address.subject.clone(),
            next: 1,
            unacknowledged: 1,
            delivered: VecDeque::new(),
            standing: None,
        };
        source.bounds()?;
        Ok(source)
    }

    /// What the server says of the stream, which can be read again and again.
    fn stream_info(&self) -> Result<stream::Info, ConnectorError> {
        let Some(info) = self.connection.stream_info(&self.stream)? else {
            let subject = self.subject.as_ref().unwrap_or(&self.stream);
            return Err(self.connection.status.refused(
                format!("there is no stream `{}`", self.stream),
                format!("make it with  nats stream add {} --subjects {subject} --defaults", self.stream),
            ));
        };
        if info.config.retention != RetentionPolicy::Limits {
            return Err(self.connection.status.refused(
                format!("the stream `{}` forgets records once they are read", self.stream),
                "to go back after a crash, the stream must have retention `limits`; mirror it into one that has",
            ));
        }
        Ok(info)
    }

    /// The first sequence in the stream and the first that is not.
    fn bounds(&self) -> Result<(u64, u64), ConnectorError> {
        let state = self.stream_info()?.state;
        Ok((state.first_sequence, state.last_sequence + 1))
    }

    /// What the server says of the consumer, or nothing where it does not exist.
    fn info(&self) -> Result<Option<consumer::Info>, ConnectorError> {
        match self.connection.ask(&format!("CONSUMER.INFO.{}.{}", self.stream, self.consumer), &json!({}))? {
            Ok(info) => self.refuse_other_subject(&info).map(|()| Some(info)),
            Err(e) if e.error_code() == ErrorCode::CONSUMER_NOT_FOUND => Ok(None),
            Err(e) => Err(self.connection.refused(&e)),
        }
    }

    /// What a consumer has acknowledged under another subject says nothing about the records of ours, which would be passed over. And it is
    /// another stream's, which would lose its place if the consumer were made anew here.
    fn refuse_other_subject(&self, info: &consumer::Info) -> Result<(), ConnectorError> {
        let (theirs, ours) = (&info.config.filter_subject, self.subject.as_deref().unwrap_or_default());
        let one = info.config.filter_subjects.is_empty();
        if one && theirs == ours {
            return Ok(());
        }
        // The whole stream has several names.
        let subjects = self.stream_info()?.config.subjects;
        let is_whole = |subject: &str| matches!(subject, "" | ">") || subjects == [subject];
        if one && is_whole(theirs) && is_whole(ours) {
            return Ok(());
        }
        let said = |subject: &str| match subject {
            "" => "all subjects".to_owned(),
            subject => format!("`{subject}`"),
        };
        let theirs = if one { said(theirs) } else { "several subjects".to_owned() };
        let subject = if ours.is_empty() { ">" } else { ours };
        Err(self.connection.status.refused(
            format!("the consumer `{}` reads {theirs}, and this stream reads {}", self.consumer, said(ours)),
            format!(
                "name a consumer of its own:  nats://HOST/{}?subject={subject}&consumer=NAME",
                self.stream
            ),
        ))
    }

    /// Makes the consumer such that it starts at the first record that was not acknowledged.
    fn stand(&mut self) -> Result<(), ConnectorError> {
        let connects = self.connection.connects();
        self.standing = None;
        self.delivered.clear();
        match self.info()? {
            Some(info) if self.is_in_place(&info) => {
                self.standing = Some(Standing { delivered: info.delivered.consumer_sequence, connects });
                return Ok(());
            }
            Some(_) => {
                let what = format!("CONSUMER.DELETE.{}.{}", self.stream, self.consumer);
                match self.connection.ask::<Value>(&what, &json!({}))? {
                    Err(e) if e.error_code() != ErrorCode::CONSUMER_NOT_FOUND => {
                        return Err(self.connection.refused(&e));
                    }
                    _ => {}
                }
            }
            None => {}
        }
        let what = format!("CONSUMER.DURABLE.CREATE.{}.{}", self.stream, self.consumer);
        let body = json!({ "stream_name": self.stream, "config": self.config() });
        let made = self.connection.ask::<consumer::Info>(&what, &body)?.map_err(|e| {
            let hint = "check the subject and what the name of the consumer is used for elsewhere";
            self.connection.status.refused(e.to_string(), hint)
        })?;
        self.standing = Some(Standing { delivered: made.delivered.consumer_sequence, connects });
        Ok(())
    }

    /// Whether a consumer would go on exactly where it should, as nothing that it delivered is open.
    fn is_in_place(&self, info: &consumer::Info) -> bool {
        info.config.ack_policy == consumer::AckPolicy::All
            && info.config.deliver_subject.is_none()
            && info.config.filter_subject == self.subject.as_deref().unwrap_or_default()
            && info.num_ack_pending == 0
            && info.delivered.stream_sequence + 1 == self.unacknowledged
    }

    fn config(&self) -> Value {
        let mut config = json!({
            "durable_name": self.consumer,
            "description": "reads the stream for shoal",
            "deliver_policy": "by_start_sequence",
            "opt_start_seq": self.unacknowledged,
            "ack_policy": "all",
            // Never by itself: a redelivery is asked for by making the consumer again.
            "ack_wait": Duration::from_hours(24).as_nanos() as u64,
            "max_ack_pending": -1,
            "max_deliver": -1,
            "replay_policy": "instant",
        });
        if let Some(subject) = &self.subject {
            config["filter_subject"] = json!(subject);
        }
        config
    }

    /// Whether the consumer is as it was made and everything it delivered arrived, as far as can be known.
    fn stands(&self) -> bool {
        self.standing.as_ref().is_some_and(|standing| standing.connects == self.connection.connects())
    }

    /// At most `max` records: those that are there at once or, with `wait`, those that come until then.
    fn pull(&mut self, max: usize, wait: Option<Duration>) -> Result<Vec<Record>, Fault> {
        if !self.stands() {
            self.stand().map_err(Fault::Ended)?;
        }
        // All messages of a request are held at once, each as long as the server allows.
        let largest = self.connection.client.server_info().max_payload.max(1);
        let max = max.min((BATCH_BYTES / largest).max(1));
        let arrived = self.connection.runtime.block_on(self.request(max, wait)).map_err(Fault::Again)?;
        self.connection.status.here();
        let mut records = Vec::with_capacity(arrived.len());
        for message in arrived {
            if !self.take(message, &mut records) {
                // One was lost before it: what follows comes again.
                self.standing = None;
                break;
            }
        }
        Ok(records)
    }

    async fn request(&self, max: usize, wait: Option<Duration>) -> Result<Vec<Message>, String> {
        let client = &self.connection.client;
        let inbox = client.new_inbox();
        let mut inbound = client.subscribe(inbox.clone()).await.map_err(|e| e.to_string())?;
        let body = match wait {
            Some(wait) => json!({ "batch": max, "expires": wait.as_nanos() as u64 }),
            None => json!({ "batch": max, "no_wait": true }),
        };
        let what = format!("$JS.API.CONSUMER.MSG.NEXT.{}.{}", self.stream, self.consumer);
        client.publish_with_reply(what, inbox, body.to_string().into()).await.map_err(|e| e.to_string())?;
        let end = tokio::time::Instant::now() + wait.unwrap_or_default() + GRACE;
        let mut arrived = Vec::new();
        while arrived.len() < max {
            match tokio::time::timeout_at(end, inbound.next()).await {
                Err(_) => return Err("no answer".to_owned()),
                Ok(None) => return Err("the connection was closed".to_owned()),
                Ok(Some(message)) => match message.status.map(|status| status.as_u16()) {
                    None => arrived.push(message),
                    Some(100) => {}
                    // Nothing there, or nothing more.
                    Some(404 | 408) => break,
                    Some(status) => {
                        return Err(format!("{status} {}", message.description.unwrap_or_default()));
                    }
                },
            }
        }
        Ok(arrived)
    }

    /// Takes a record unless it was handed out before; false where one before it is missing.
    fn take(&mut self, message: Message, records: &mut Vec<Record>) -> bool {
        let Some(reply) = message.reply else { return false };
        let Some((sequence, count)) = places(&reply) else { return false };
        let Some(standing) = &mut self.standing else { return false };
        if count != standing.delivered + 1 {
            return false;
        }
        standing.delivered = count;
        self.delivered.push_back((sequence, reply));
        if sequence >= self.next {
            self.next = sequence + 1;
            // What is longer than a line may be is not kept: its beginning goes to the dead letters, and the stream has
            // the rest.
            let bytes = message.payload[..message.payload.len().min(LINE_LIMIT)].to_vec();
            records.push(Record { partition: PARTITION, offset: sequence, bytes });
        }
        true
    }

    /// Acknowledges through the consumer as it is now; false where that did not work.
    fn confirm(&self, reply: Option<Subject>) -> bool {
        let Some(reply) = reply.filter(|_| self.stands()) else { return false };
        let confirmed =
            self.connection.runtime.block_on(self.connection.client.request(reply, "+ACK".into())).is_ok();
        // A server that was killed confirms what it no longer knows to have delivered.
        confirmed && self.stands()
    }
}

impl Source for NatsSource {
    fn replays(&self) -> bool {
        true
    }

    fn seek(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        let (first, end) = self.bounds()?;
        let start = match frontier.next(PARTITION) {
            Some(start) => start,
            None => self.info()?.map_or(first, |info| acknowledged(&info) + 1),
        };
        if start > end {
            return Err(self.connection.status.refused(
                format!("record {} has been read before, but the stream ends before {end}", start - 1),
                "this is another stream, or it was made anew: publish into a new sink",
            ));
        }
        if start < first && start > 1 {
            let lost = format!("records {start} to {} are no longer in the stream", first - 1);
            self.connection.status.notice(&format!("{}: {lost}", self.connection.status.url()));
        }
        (self.next, self.unacknowledged) = (start, start);
        self.stand()
    }

    fn fetch(&mut self, max: usize, wait: Duration) -> Result<Batch, ConnectorError> {
        let end = Instant::now() + wait;
        let mut records = Vec::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let brought = match self.pull(max, None) {
                // Below a millisecond the server takes it for no limit at all.
                Ok(none) if none.is_empty() && left >= Duration::from_millis(1) => self.pull(1, Some(left)),
                other => other,
            };
            match brought {
                Ok(brought) => records = brought,
                Err(Fault::Ended(e)) => return Err(e),
                Err(Fault::Again(why)) => {
                    self.standing = None;
                    self.connection.status.away(&why);
                    let pause = BrokerStatus::PAUSE.min(end.saturating_duration_since(Instant::now()));
                    self.connection.sleep(pause);
                }
            }
            if !records.is_empty() || Instant::now() >= end {
                return Ok(Batch { records, ended: false });
            }
        }
    }

    fn identity(&mut self) -> Result<Option<String>, ConnectorError> {
        // A stream that was deleted and made anew numbers its messages from the beginning.
        let made = self.stream_info()?.created;
        // Under another subject other records stand before the same position, and would be passed over.
        let subject = self.subject.as_deref().unwrap_or(">");
        Ok(Some(format!("nats {} {} {subject}", self.stream, made.unix_timestamp_nanos())))
    }

    fn acknowledge(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        let Some(next) = frontier.next(PARTITION).filter(|next| *next > self.unacknowledged) else {
            return Ok(());
        };
        self.unacknowledged = next;
        let covered = self.delivered.partition_point(|(sequence, _)| *sequence < next);
        let last = self.delivered.drain(..covered).next_back().map(|(_, reply)| reply);
        // A consumer that starts behind them has acknowledged them, too.
        if self.confirm(last) { Ok(()) } else { self.stand() }
    }

    fn lag(&mut self) -> Option<u64> {
        let what = format!("CONSUMER.INFO.{}.{}", self.stream, self.consumer);
        let info: consumer::Info = self.connection.try_ask(&what, &json!({})).ok()?.ok()?;
        Some(info.num_pending)
    }
}

/// The last sequence that is behind a consumer: acknowledged, or before its start.
fn acknowledged(info: &consumer::Info) -> u64 {
    let before = match info.config.deliver_policy {
        consumer::DeliverPolicy::ByStartSequence { start_sequence } => start_sequence.saturating_sub(1),
        _ => 0,
    };
    info.ack_floor.stream_sequence.max(before)
}

/// The sequence in the stream and in the consumer, from where a record is to be acknowledged:
/// `$JS.ACK.stream.consumer.deliveries.sequence.count.time.pending`, in later servers with a domain and an account
/// before the stream.
fn places(reply: &str) -> Option<(u64, u64)> {
    let parts: Vec<&str> = reply.split('.').collect();
    let shift = if parts.len() >= 11 { 2 } else { 0 };
    Some((parts.get(5 + shift)?.parse().ok()?, parts.get(6 + shift)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn places_are_read_in_both_forms() {
        assert_eq!(places("$JS.ACK.visits.shoal.1.100.7.1790230470084404000.42"), Some((100, 7)));
        assert_eq!(places("$JS.ACK.hub.ACC.visits.shoal.1.100.7.1790230470084404000.42.t"), Some((100, 7)));
        assert_eq!(places("$JS.ACK.visits"), None);
    }
}
