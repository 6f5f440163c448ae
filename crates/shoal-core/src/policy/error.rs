use std::ops::Range;

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
}
