//! Errors of streams without anything from the data.

use shoal_core::without_texts;

use crate::error::{ConnectorError, StreamError};

impl StreamError {
    /// The message without anything from the data.
    pub fn redacted(&self) -> String {
        match self {
            StreamError::Pipeline(error) => error.redacted(),
            StreamError::Connector(error) => error.redacted(),
            // About files, keys, states and counts.
            StreamError::NoRandomness { .. }
            | StreamError::File { .. }
            | StreamError::NoKey { .. }
            | StreamError::WeakKey { .. }
            | StreamError::KeyOpen { .. }
            | StreamError::KeyUnbound { .. }
            | StreamError::KeyLost { .. }
            | StreamError::OtherDesign { .. }
            | StreamError::GuessableKey
            | StreamError::KeyUsedOtherwise
            | StreamError::MemoryLost
            | StreamError::Ended
            | StreamError::TooManyValues { .. }
            | StreamError::TooMuchHeld { .. }
            | StreamError::StateInUse { .. }
            | StreamError::OtherStream { .. }
            | StreamError::OtherFormat { .. }
            | StreamError::OtherSink { .. }
            | StreamError::OtherSource { .. }
            | StreamError::SinkBehind { .. }
            | StreamError::StateBehind { .. }
            | StreamError::NotShared { .. }
            | StreamError::MorePartitions { .. }
            | StreamError::Metrics { .. } => self.to_string(),

            StreamError::State { path, why: _ } => without_texts(self, &[&path.to_string_lossy()]),
            StreamError::NothingLearned { kept_by, message: _, held: _, hint: _ } => {
                without_texts(self, &[kept_by])
            }
            StreamError::Refused { violation: _ }
            | StreamError::Unreadable { error: _ }
            | StreamError::Header { error: _ }
            | StreamError::Drifted { .. } => without_texts(self, &[]),
        }
    }

    /// The hint without anything from the data.
    pub fn redacted_hint(&self) -> Option<String> {
        match self {
            StreamError::Pipeline(error) => error.redacted_hint(),
            error => error.hint(),
        }
    }
}

impl ConnectorError {
    /// The message without what a broker says: it may quote a message.
    fn redacted(&self) -> String {
        match self {
            ConnectorError::Address { .. }
            | ConnectorError::NotBuilt { .. }
            | ConnectorError::Standard { .. } => self.to_string(),
            ConnectorError::Refused { url, why: _, hint: _ }
            | ConnectorError::Interrupted { url, why: _ } => without_texts(self, &[url]),
        }
    }
}

#[cfg(test)]
mod tests {
    use shoal_io::stream::LineError;

    use super::*;

    #[test]
    fn no_error_of_a_stream_lets_a_value_into_a_document() {
        const MARKER: &str = "hiv` of Zoë` (7";
        let line = || LineError::Kind { name: "age".into(), value: MARKER.into(), kind: "number" };
        let errors = [
            StreamError::Connector(ConnectorError::Refused {
                url: "nats://host/visits".into(),
                why: MARKER.into(),
                hint: String::new(),
            }),
            StreamError::Unreadable { error: line() },
            StreamError::Header { error: line() },
            StreamError::NothingLearned {
                message: MARKER.into(),
                held: 3,
                kept_by: "are lost",
                hint: String::new(),
            },
            StreamError::Drifted {
                success: 0.9,
                promised: 0.5,
                stratum: format!(" of {MARKER}"),
                value: MARKER.into(),
                share: 0.9,
                expected: 0.2,
            },
            StreamError::State { path: "state".into(), why: MARKER.into() },
        ];
        for error in errors {
            let said = error.redacted();
            assert!(!["hiv", "Zoë", "(7"].iter().any(|part| said.contains(part)), "{said}");
        }
    }
}
