use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::jetstream::context::{Context, ContextBuilder};
use async_nats::jetstream::response::Response;
use async_nats::jetstream::stream::Info;
use async_nats::jetstream::{self, ErrorCode};
use async_nats::{Client, ConnectErrorKind, ConnectOptions};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::retry::BrokerStatus;
use crate::{ConnectorError, NatsAddress, RetryPolicy};

/// After that long without an answer the server counts as away.
const ANSWER: Duration = Duration::from_secs(3);

/// A connection to a server and the runtime that it lives in. Both stand still between two calls.
pub(crate) struct Connection {
    pub(crate) runtime: Runtime,
    pub(crate) client: Client,
    pub(crate) context: Context,
    pub(crate) status: BrokerStatus,
}

impl Connection {
    /// Connects; waits for a server that is not there yet.
    pub(crate) fn open(address: &NatsAddress, retry: RetryPolicy) -> Result<Connection, ConnectorError> {
        let status = BrokerStatus::new(address.to_string(), retry);
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| status.refused(e.to_string(), "free some memory or open files"))?;
        let client = loop {
            match runtime.block_on(options(address).connect(&address.servers)) {
                Ok(client) => break client,
                Err(e) => {
                    let why = match std::error::Error::source(&e) {
                        Some(source) => format!("{}: {source}", e.kind()),
                        None => e.to_string(),
                    };
                    if matches!(
                        e.kind(),
                        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation
                    ) {
                        return Err(status.refused(why, "put the right NAME:PASSWORD@ before the host"));
                    }
                    status.still_away(&why)?;
                    std::thread::sleep(BrokerStatus::PAUSE);
                }
            }
        };
        let inside = runtime.enter();
        let context = ContextBuilder::new().timeout(ANSWER).max_ack_inflight(1 << 20).build(client.clone());
        drop(inside);
        Ok(Connection { runtime, client, context, status })
    }

    /// How often it has connected: another number than before means that something may not have arrived.
    pub(crate) fn connects(&self) -> u64 {
        self.client.statistics().connects.load(Ordering::Relaxed)
    }

    /// Asks JetStream, and waits while it is away. The outer error ends everything, the inner one is JetStream's.
    pub(crate) fn ask<T: DeserializeOwned>(
        &self,
        what: &str,
        body: &Value,
    ) -> Result<Result<T, jetstream::Error>, ConnectorError> {
        loop {
            let why = match self.try_ask(what, body) {
                Ok(answer) => return Ok(answer),
                Err(why) => why,
            };
            self.wait(&why)?;
        }
    }

    /// Asks JetStream once. The outer error says why it counts as away.
    pub(crate) fn try_ask<T: DeserializeOwned>(
        &self,
        what: &str,
        body: &Value,
    ) -> Result<Result<T, jetstream::Error>, String> {
        match self.runtime.block_on(self.context.request(what.to_owned(), body)) {
            Ok(Response::Err { error }) if is_passing(&error) => Err(error.to_string()),
            Ok(answer) => {
                self.status.here();
                Ok(match answer {
                    Response::Ok(value) => Ok(value),
                    Response::Err { error } => Err(error),
                })
            }
            Err(e) => Err(match std::error::Error::source(&e) {
                Some(source) => source.to_string(),
                None => e.to_string(),
            }),
        }
    }

    /// A pause before the next try; an error where it is no use to wait.
    pub(crate) fn wait(&self, why: &str) -> Result<(), ConnectorError> {
        // A server that has just come back says so before its JetStream answers; one without JetStream never does.
        let connected = self.client.connection_state() == async_nats::connection::State::Connected;
        if connected && !self.client.server_info().jetstream {
            return Err(self
                .status
                .refused("the server has no JetStream", "start it with  nats-server --jetstream"));
        }
        self.status.still_away(why)?;
        self.sleep(BrokerStatus::PAUSE);
        Ok(())
    }

    /// Waits while the connection lives on.
    pub(crate) fn sleep(&self, time: Duration) {
        self.runtime.block_on(async { tokio::time::sleep(time).await });
    }

    /// What there is to know about the stream, or nothing where it does not exist.
    pub(crate) fn stream_info(&self, stream: &str) -> Result<Option<Info>, ConnectorError> {
        match self.ask(&format!("STREAM.INFO.{stream}"), &json!({}))? {
            Ok(info) => Ok(Some(info)),
            Err(e) if e.error_code() == ErrorCode::STREAM_NOT_FOUND => Ok(None),
            Err(e) => Err(self.refused(&e)),
        }
    }

    /// JetStream's own words.
    pub(crate) fn refused(&self, e: &jetstream::Error) -> ConnectorError {
        self.status.refused(e.to_string(), "see what the server's log says and what  nats stream info  shows")
    }
}

fn options(address: &NatsAddress) -> ConnectOptions {
    let options = ConnectOptions::new()
        .name("shoal")
        .connection_timeout(ANSWER)
        .request_timeout(Some(ANSWER))
        .max_reconnects(None)
        .reconnect_delay_callback(|_| BrokerStatus::PAUSE)
        // A batch of records comes in one go; none may be dropped for want of room.
        .subscription_capacity(1 << 20);
    match &address.login {
        Some(login) => options.user_and_password(login.user.clone(), login.password.clone()),
        None => options,
    }
}

/// Whether JetStream says so only until its cluster has found itself.
fn is_passing(error: &jetstream::Error) -> bool {
    [
        ErrorCode::CLUSTER_NOT_AVAILABLE,
        ErrorCode::CLUSTER_NOT_LEADER,
        ErrorCode::CLUSTER_NOT_ACTIVE,
        ErrorCode::STREAM_OFFLINE,
        ErrorCode::CONSUMER_OFFLINE,
    ]
    .contains(&error.error_code())
}
