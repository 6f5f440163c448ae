use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a column means for the privacy of the people in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names a person on its own (name, insurance number). Never published.
    Identifier,
    /// Helps to name a person together with others (age, zip, sex). Published in common with a crowd.
    QuasiIdentifier,
    /// What nobody may learn about a person (diagnosis, salary). Published as it is.
    Sensitive,
    /// Neither of them. Published as it is.
    Insensitive,
    /// Holds each person's own k (thesis §5.1). Never published.
    PersonalK,
}

impl Role {
    /// Whether a column of this role appears in the published file.
    pub fn is_published(self) -> bool {
        !matches!(self, Role::Identifier | Role::PersonalK)
    }

    /// The name in a policy.
    pub fn name(self) -> &'static str {
        match self {
            Role::Identifier => "identifier",
            Role::QuasiIdentifier => "quasi-identifier",
            Role::Sensitive => "sensitive",
            Role::Insensitive => "insensitive",
            Role::PersonalK => "personal-k",
        }
    }
}
