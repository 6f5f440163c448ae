use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::ConnectorError;

/// How a connector waits for a broker that is away: until it returns or until somebody wants to stop, and not without
/// a word.
#[derive(Clone)]
pub struct RetryPolicy {
    notice: Arc<dyn Fn(&str) + Send + Sync>,
    stop: Arc<AtomicBool>,
}

impl RetryPolicy {
    /// `notice` gets a line when a broker goes away, one when it returns, and one for everything else that somebody
    /// should know. Once `stop` is true, what would wait gives up; what a broker answers at once is still done.
    pub fn new(notice: impl Fn(&str) + Send + Sync + 'static, stop: Arc<AtomicBool>) -> RetryPolicy {
        RetryPolicy { notice: Arc::new(notice), stop }
    }
}

impl fmt::Debug for RetryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryPolicy").field("stop", &self.stop).finish_non_exhaustive()
    }
}

/// Whether a broker is there.
#[derive(Debug)]
pub(crate) struct BrokerStatus {
    url: String,
    retry: RetryPolicy,
    away: Cell<bool>,
}

impl BrokerStatus {
    /// Between two tries.
    pub(crate) const PAUSE: Duration = Duration::from_millis(200);

    pub(crate) fn new(url: String, retry: RetryPolicy) -> BrokerStatus {
        BrokerStatus { url, retry, away: Cell::new(false) }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The broker did not answer.
    pub(crate) fn away(&self, why: &str) {
        if !self.away.replace(true) {
            self.notice(&format!("waiting for {}: {why}", self.url));
        }
    }

    /// The broker did not answer, and it is to be waited for.
    pub(crate) fn still_away(&self, why: &str) -> Result<(), ConnectorError> {
        self.away(why);
        if self.retry.stop.load(Ordering::Relaxed) {
            return Err(ConnectorError::Interrupted { url: self.url.clone(), why: why.to_owned() });
        }
        Ok(())
    }

    /// The broker answered.
    pub(crate) fn here(&self) {
        if self.away.replace(false) {
            self.notice(&format!("{} is back", self.url));
        }
    }

    pub(crate) fn notice(&self, line: &str) {
        (self.retry.notice)(line);
    }

    pub(crate) fn refused(&self, why: impl Into<String>, hint: impl Into<String>) -> ConnectorError {
        ConnectorError::Refused { url: self.url.clone(), why: why.into(), hint: hint.into() }
    }
}
