use std::ops::Range;

use crate::redaction::hide_all;

/// What is wrong with a policy, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{problem}")]
pub struct PolicyError {
    /// What is wrong.
    pub problem: PolicyProblem,
    /// The key, dotted, where there is one.
    pub key: Option<String>,
    /// The bytes of the policy's text in question; `None` when the key was given by `--set` or is absent.
    pub span: Option<Range<usize>>,
    /// How to fix it.
    pub hint: Option<String>,
}

/// The ways in which a policy can be wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PolicyProblem {
    /// Not TOML.
    #[error("this is not TOML: {message}")]
    Syntax {
        /// What the parser said.
        message: String,
    },
    /// A key that does not exist.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// The key, dotted.
        key: String,
    },
    /// A value of the wrong type, or a missing key.
    #[error("{message}")]
    Type {
        /// What the parser said.
        message: String,
    },
    /// `--set` without a key and a value.
    #[error("`--set {given}` is not of the form KEY=VALUE")]
    Override {
        /// As given.
        given: String,
    },
    /// A value of the right type that makes no sense.
    #[error("{message}")]
    Value {
        /// Why it makes no sense.
        message: String,
    },
    /// The policy and a file contradict each other. The message or the hint quotes what stands in the file, its header
    /// included: that is a record where the header is missing.
    #[error("{message}")]
    Data {
        /// What contradicts what.
        message: String,
        /// The texts in it that are from the file.
        texts: Vec<String>,
    },
}

impl PolicyError {
    /// The message without anything from the data. The policy's own text stays.
    pub fn redacted(&self) -> String {
        match &self.problem {
            PolicyProblem::Syntax { .. }
            | PolicyProblem::UnknownKey { .. }
            | PolicyProblem::Type { .. }
            | PolicyProblem::Override { .. }
            | PolicyProblem::Value { .. } => self.to_string(),
            PolicyProblem::Data { message, texts } => hide_all(message.clone(), texts.clone()),
        }
    }

    /// The hint, unless it may quote the data.
    pub fn redacted_hint(&self) -> Option<&str> {
        match &self.problem {
            PolicyProblem::Syntax { .. }
            | PolicyProblem::UnknownKey { .. }
            | PolicyProblem::Type { .. }
            | PolicyProblem::Override { .. }
            | PolicyProblem::Value { .. } => self.hint.as_deref(),
            PolicyProblem::Data { .. } => None,
        }
    }
}
