use thiserror::Error;

/// What went wrong with a source or a sink.
#[derive(Debug, Error)]
pub enum ConnectorError {
    /// The address is not understood.
    #[error("`{url}` is no address of a source or sink: {why}")]
    Address {
        /// The address.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The program was built without the connector.
    #[error("this program was built without the connector for `{url}`")]
    NotBuilt {
        /// The address.
        url: String,
        /// The feature that brings it.
        feature: &'static str,
    },
    /// The broker refuses for good: no such stream or topic, not allowed, somebody else writes there.
    #[error("`{url}`: {why}")]
    Refused {
        /// The address.
        url: String,
        /// What the broker said.
        why: String,
        /// What to do.
        hint: String,
    },
    /// Standard input or output.
    #[error("standard {which}: {source}")]
    Standard {
        /// `input` or `output`.
        which: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

impl ConnectorError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ConnectorError::Address { .. } => Some(
                "use  -  or  nats://HOST:4222/STREAM?subject=NAME&consumer=NAME  or  kafka://HOST:9092/TOPIC?group=NAME"
                    .to_owned(),
            ),
            ConnectorError::NotBuilt { feature, .. } => {
                Some(format!("build it with  cargo install --path crates/shoal-cli --features {feature}"))
            }
            ConnectorError::Refused { hint, .. } => Some(hint.clone()),
            ConnectorError::Standard { .. } => None,
        }
    }
}
