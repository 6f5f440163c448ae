use std::collections::VecDeque;
use std::time::Duration;

use async_nats::jetstream::context::{PublishAckFuture, PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::stream::RawMessage;
use async_nats::jetstream::{self, ErrorCode};
use async_nats::{HeaderMap, HeaderValue};
use serde::Deserialize;
use serde_json::{Value, json};

use super::connection::Connection;
use crate::tail::{BrokerSink, MarkHeaders, SinkEnd, Tail, follows, spoken, unpublished};
use crate::{ConnectorError, Mark, Message, NatsAddress, RetryPolicy};

const HEADERS: MarkHeaders =
    MarkHeaders { mark: "Shoal-Mark", step: "Shoal-Step", frontier: "Shoal-Frontier" };

/// How many messages may be on their way.
const WINDOW: usize = 512;

/// How often the server may refuse a message that the stream has room for, before somebody else is to blame.
const TRIES: usize = 5;

/// Publishes into one subject of a stream.
///
/// The first message of a call expects the sequence that the subject ended with, each further one the id of the message
/// before it as the last in the stream. The server stores a message only where that holds: there is no gap and no
/// second copy, however often a message is sent and whenever the connection breaks, and a second writer is noticed.
/// (A sequence for every message would not do: behind a foreign message it lets the next but one in.)
pub struct NatsSink {
    connection: Connection,
    stream: String,
    subject: String,
    end: SinkEnd,
}

/// Why not all messages were stored.
enum Trouble {
    /// No answer: what was sent may be there or not.
    Away(String),
    /// Another message is where ours belongs.
    Taken,
    /// The server knows the id; for it, the message is there.
    Known {
        step: u64,
    },
    Ended(ConnectorError),
}

/// JetStream's answer to a request for a message.
#[derive(Deserialize)]
struct Found {
    message: RawMessage,
}

impl NatsSink {
    /// Connects. Makes the stream where it does not exist.
    pub fn open(address: &NatsAddress, retry: RetryPolicy) -> Result<NatsSink, ConnectorError> {
        let subject = address.subject.clone().unwrap_or_else(|| address.stream.clone());
        let wrong =
            |why: &str| Err(ConnectorError::Address { url: address.to_string(), why: why.to_owned() });
        if address.consumer.is_some() {
            return wrong("`consumer` is for a source");
        }
        if subject.split('.').any(|token| ["", "*", ">"].contains(&token)) {
            return wrong("a sink needs one subject, without `*` and `>`");
        }
        let connection = Connection::open(address, retry)?;
        let sink = NatsSink { connection, stream: address.stream.clone(), subject, end: SinkEnd::default() };
        sink.prepare()?;
        Ok(sink)
    }

    fn prepare(&self) -> Result<(), ConnectorError> {
        if self.connection.stream_info(&self.stream)?.is_none() {
            let config = json!({
                "name": self.stream, "subjects": [self.subject], "retention": "limits", "storage": "file",
                "max_consumers": -1, "max_msgs": -1, "max_bytes": -1, "discard": "old", "num_replicas": 1,
                "description": "published by shoal",
            });
            let made = self.connection.ask::<Value>(&format!("STREAM.CREATE.{}", self.stream), &config)?;
            made.map_err(|e| self.connection.refused(&e))?;
            let status = &self.connection.status;
            let (stream, subject) = (&self.stream, &self.subject);
            status.notice(&format!("{}: made the stream `{stream}` for subject `{subject}`", status.url()));
        }
        let listening = self.connection.ask::<Value>("STREAM.NAMES", &json!({ "subject": self.subject }))?;
        let listening = listening.map_err(|e| self.connection.refused(&e))?;
        let names = listening["streams"].as_array().map(Vec::as_slice).unwrap_or_default();
        if names.iter().any(|name| *name == json!(self.stream)) {
            return Ok(());
        }
        Err(self.connection.status.refused(
            format!("the stream `{}` does not take the subject `{}`", self.stream, self.subject),
            "give a subject of the stream:  nats://HOST:4222/STREAM?subject=NAME",
        ))
    }

    /// How many messages the subject has.
    fn count(&self) -> Result<u64, ConnectorError> {
        let body = json!({ "subjects_filter": self.subject });
        let info = self.connection.ask::<Value>(&format!("STREAM.INFO.{}", self.stream), &body)?;
        let info = info.map_err(|e| self.connection.refused(&e))?;
        Ok(info["state"]["subjects"][&self.subject].as_u64().unwrap_or(0))
    }

    /// Sends what is behind the tail and waits for every answer. The tail moves with each message that is stored.
    async fn send(&self, tail: &mut Tail, messages: &[Message<'_>]) -> Result<(), Trouble> {
        let mut waiting: VecDeque<(&Mark, PublishAckFuture)> = VecDeque::new();
        let mut result = Ok(());
        let mut before = None;
        for message in messages {
            // The first one alone: after a purge the server takes the ids of what is gone for the last in the stream.
            let window = if before == Some(messages[0].mark.step) { 1 } else { WINDOW };
            if waiting.len() >= window
                && let Some((mark, answer)) = waiting.pop_front()
            {
                result = self.settle(mark, answer, tail).await;
            }
            if result.is_err() {
                break;
            }
            let outbound = self.outbound(message, before.replace(message.mark.step), tail.place);
            match self.connection.context.send_publish(self.subject.clone(), outbound).await {
                Ok(answer) => waiting.push_back((&message.mark, answer)),
                Err(e) => {
                    result = Err(self.trouble(&e));
                    break;
                }
            }
        }
        for (mark, answer) in waiting {
            // Of an absent server no further answers are awaited. Refused, the others are refused as well; but none
            // of them must be on its way when the next one is sent.
            match result {
                Ok(()) => result = self.settle(mark, answer, tail).await,
                Err(Trouble::Away(_) | Trouble::Ended(_)) => break,
                Err(Trouble::Taken | Trouble::Known { .. }) => drop(answer.await),
            }
        }
        result
    }

    fn outbound(&self, message: &Message<'_>, before: Option<u64>, sequence: u64) -> PublishMessage {
        let mut headers = HeaderMap::new();
        for (name, value) in HEADERS.write(&message.mark, self.end.seal()) {
            headers.insert(name, value);
        }
        let outbound = PublishMessage::build()
            .payload(message.lines.bytes().to_vec().into())
            .headers(headers)
            .message_id(self.id(message.mark.step))
            .expected_stream(&self.stream);
        match before {
            Some(before) => outbound.expected_last_message_id(self.id(before)),
            None => outbound.expected_last_subject_sequence(sequence),
        }
    }

    async fn settle(&self, mark: &Mark, answer: PublishAckFuture, tail: &mut Tail) -> Result<(), Trouble> {
        match answer.await {
            Ok(PublishAck { duplicate: false, sequence, .. }) => {
                *tail = Tail { place: sequence, mark: Some(mark.clone()) };
                Ok(())
            }
            Ok(PublishAck { duplicate: true, .. }) => Err(Trouble::Known { step: mark.step }),
            Err(e) => Err(self.trouble(&e)),
        }
    }

    fn trouble(&self, e: &PublishError) -> Trouble {
        let status = &self.connection.status;
        match e.kind() {
            PublishErrorKind::WrongLastMessageId | PublishErrorKind::WrongLastSequence => Trouble::Taken,
            PublishErrorKind::MaxPayloadExceeded => Trouble::Ended(status.refused(
                "the lines of one step are larger than a message may be",
                "raise `max_payload` in the server's configuration",
            )),
            PublishErrorKind::Other => match std::error::Error::source(e).and_then(|s| s.downcast_ref()) {
                Some(error) => Trouble::Ended(self.connection.refused(error)),
                None => Trouble::Away(e.to_string()),
            },
            _ => Trouble::Away(e.to_string()),
        }
    }

    /// By what the server distinguishes the message of a step from others.
    fn id(&self, step: u64) -> String {
        self.end.seal().map_or_else(|| format!("shoal-{step}"), |seal| seal.id(step))
    }

    fn second_writer(&self, before: Option<&Mark>, now: Option<&Mark>) -> ConnectorError {
        let why = format!(
            "somebody else wrote or deleted there: it ended with {}, now with {}",
            spoken(before),
            spoken(now)
        );
        self.connection.status.refused(why, FOREIGN)
    }
}

const FOREIGN: &str =
    "give every run a subject that nobody else writes, and let one process at a time write it";

impl BrokerSink for NatsSink {
    fn end(&mut self) -> &mut SinkEnd {
        &mut self.end
    }

    fn read_tail(&self) -> Result<Tail, ConnectorError> {
        let what = format!("STREAM.MSG.GET.{}", self.stream);
        let status = &self.connection.status;
        let found = match self.connection.ask::<Found>(&what, &json!({ "last_by_subj": self.subject }))? {
            Ok(found) => found.message,
            Err(e) if e.error_code() == ErrorCode::NO_MESSAGE_FOUND && self.count()? == 0 => {
                return Ok(Tail::default());
            }
            // As servers before 2.10 say when the last one was deleted.
            Err(e) if e.error_code() == ErrorCode::NO_MESSAGE_FOUND => {
                return Err(status.refused("the last message was deleted", "publish into a new stream"));
            }
            Err(e) => return Err(self.connection.refused(&e)),
        };
        let sequence = found.sequence;
        let message: jetstream::message::StreamMessage =
            found.try_into().map_err(|e| status.refused(format!("message {sequence}: {e}"), FOREIGN))?;
        let header = |name: &str| message.headers.get(name).map(HeaderValue::as_str);
        match HEADERS.read(header, self.end.seal(), FOREIGN) {
            Ok(mark) => Ok(Tail { place: sequence, mark: Some(mark) }),
            Err((why, hint)) => Err(status.refused(format!("message {sequence} {why}"), hint)),
        }
    }

    fn pause(&self, time: Duration) {
        self.connection.sleep(time);
    }

    fn publish_behind(&mut self, mut tail: Tail, messages: &[Message<'_>]) -> Result<Tail, ConnectorError> {
        // What may have been stored without an answer: what was on its way when the server went away.
        let mut doubtful: &[Message<'_>] = &[];
        let mut tries = 0;
        loop {
            let rest = unpublished(messages, tail.mark.as_ref());
            let before = tail.clone();
            let trouble = match self.connection.runtime.block_on(self.send(&mut tail, rest)) {
                Ok(()) => return Ok(tail),
                Err(trouble) => trouble,
            };
            tries = if tail == before { tries + 1 } else { 0 };
            let known = match trouble {
                Trouble::Ended(e) => return Err(e),
                Trouble::Away(why) => {
                    doubtful = rest;
                    tries = 0;
                    self.connection.wait(&why)?;
                    None
                }
                Trouble::Taken => None,
                Trouble::Known { step } => Some(step),
            };
            let now = self.read_tail()?;
            if !follows(now.mark.as_ref(), tail.mark.as_ref(), doubtful) || tries > TRIES {
                return Err(self.second_writer(tail.mark.as_ref(), now.mark.as_ref()));
            }
            if let Some(step) = known.filter(|step| now.mark.as_ref().is_none_or(|mark| mark.step < *step)) {
                return Err(self.connection.status.refused(
                    format!("the server remembers step {step} as published, but it was deleted"),
                    "wait until the stream's duplicate window has passed (two minutes by default), or use a new stream",
                ));
            }
            tail = now;
        }
    }
}
