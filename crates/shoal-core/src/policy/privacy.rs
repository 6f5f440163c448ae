//! What is promised, and from the policy's words to a table's promise.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ColumnPolicy, Policy, Preset};
use crate::{Condition, Distance, Kind, Likeness, Role, Rule, Support, TablePromise};

/// What is promised. All that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PrivacyPolicy {
    /// tables, transactions, sequences: a rule by the name that people know it by. It sets k where no k is given; a smaller k is
    /// an error. `shoal help preset` says what each means and where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// tables: what share of the population the data are a random sample of, 0.1 for one in ten. The journalist's risk is then
    /// estimated for that population. It changes what is reported, not what is promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_fraction: Option<f64>,
    /// tables: a file that counts the population, with a column `count` and one for each of some quasi-identifiers, named and
    /// written as in the data. The journalist's risk is then counted in that population. It changes what is reported, not
    /// what is promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<String>,
    /// Everybody is in a crowd of at least k who look the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// streams: how many sensitive values each tuple could have, for all that is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l: Option<usize>,
    /// transactions: how many items of a person somebody may know (k^m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub m: Option<usize>,
    /// transactions: somebody may know all items of a person.
    #[serde(default, skip_serializing_if = "is_false")]
    pub complete: bool,
    /// transactions: a file with the sets of items that somebody may know, a set per line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraints: Option<String>,
    /// transactions: the random share of items of which somebody may know any two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// transactions: the items that are secrets, for which the release says how well a reader who knows other items of a person
    /// guesses them. It changes what is reported, not what is promised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive_items: Vec<String>,
    /// sequences: the share of a crowd that may have a highly sensitive value in one of their events; with
    /// `length`, of those who share what somebody knows, and for each value by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c: Option<f64>,
    /// sequences: the highly sensitive values, where one column is sensitive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive_values: Vec<String>,
    /// sequences: how much more frequent than among everybody a sensitive value may be among those who share
    /// what somebody knows (β).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// sequences: how many values of a person's events somebody may know (L).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
    /// sequences, with `length`: who counts as sharing what somebody knows. `compatible`, where nothing is given: everybody
    /// who may be the one, whose cells lie at, below or above it. `paper`: only those whose cells lie at or below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<Support>,
    /// tables: every crowd has well-mixed values in each sensitive column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l_diversity: Option<LDiversityPolicy>,
    /// tables: l-diversity holds against whoever knows the algorithm, the policy and every quasi-identifier, and takes
    /// everybody to be equally likely to have each value: crowds are made without looking at who has which value. Its
    /// random choices come from a secret key, see algorithm.key-file.
    #[serde(default, skip_serializing_if = "is_false")]
    pub transparent: bool,
    /// tables: every crowd's values of each sensitive column are distributed nearly as everybody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t_closeness: Option<TClosenessPolicy>,
    /// tables: no value of a sensitive column is much more frequent in a crowd than among everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta_likeness: Option<BetaLikenessPolicy>,
}

/// How well a crowd's sensitive values are mixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LDiversityPolicy {
    /// What counts as mixed.
    pub kind: LDiversityKind,
    /// How many values; a whole number, except for entropy.
    pub l: f64,
    /// The ratio of recursive diversity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c: Option<f64>,
}

/// What counts as well mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LDiversityKind {
    /// l distinct values.
    Distinct,
    /// No value in more than one record of l.
    Frequency,
    /// Entropy at least log l.
    Entropy,
    /// The most frequent value is rarer than c times the rare ones together.
    Recursive,
}

/// How near a crowd's sensitive values are to everybody's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    rename_all_fields = "kebab-case",
    deny_unknown_fields,
    expecting = "expected a number such as 0.2, or a table such as { t = 0.2, distance = \"ordered\" } (ordered, equal or hierarchical)"
)]
pub enum TClosenessPolicy {
    /// The greatest distance of the two distributions, from 0 to 1. Numbers and dates are ordered, names with a
    /// hierarchy are as far apart as it says, other values are equally far apart.
    Plain(f64),
    /// The same, with the distance of two values.
    Full {
        /// The greatest distance of the two distributions, from 0 to 1.
        t: f64,
        /// How far two values are apart.
        distance: DistanceName,
    },
}

/// How far two values of a sensitive column are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DistanceName {
    /// By their ranks: for numbers and dates.
    Ordered,
    /// All equally far.
    Equal,
    /// By the height of the lowest node above both in the column's hierarchy.
    Hierarchical,
}

impl TClosenessPolicy {
    /// The greatest distance of the two distributions.
    pub fn t(self) -> f64 {
        match self {
            TClosenessPolicy::Plain(t) | TClosenessPolicy::Full { t, .. } => t,
        }
    }

    /// How far two values of a column are apart.
    pub fn distance(self, column: &ColumnPolicy) -> Distance {
        match self {
            TClosenessPolicy::Full { distance: DistanceName::Ordered, .. } => Distance::Ordered,
            TClosenessPolicy::Full { distance: DistanceName::Equal, .. } => Distance::Equal,
            TClosenessPolicy::Full { distance: DistanceName::Hierarchical, .. } => Distance::Hierarchical,
            TClosenessPolicy::Plain(_) if column.kind != Kind::Text => Distance::Ordered,
            TClosenessPolicy::Plain(_) if column.hierarchy.is_some() => Distance::Hierarchical,
            TClosenessPolicy::Plain(_) => Distance::Equal,
        }
    }
}

/// How much more frequent than among everybody a sensitive value may be in a crowd.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    rename_all_fields = "kebab-case",
    deny_unknown_fields,
    expecting = "expected a number such as 2.0, or a table such as { beta = 2.0, kind = \"basic\" } (basic or enhanced)"
)]
pub enum BetaLikenessPolicy {
    /// β, enhanced.
    Plain(f64),
    /// The same, with what counts as a gain.
    Full {
        /// β: by how many times its share may rise.
        beta: f64,
        /// Whether frequent values may gain as much.
        kind: LikenessKind,
    },
}

/// Whether frequent values may gain as much as rare ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LikenessKind {
    /// Every share may rise by β times itself.
    Basic,
    /// That of a frequent value only by −ln of it: nothing becomes certain.
    Enhanced,
}

impl BetaLikenessPolicy {
    /// The bound.
    pub fn likeness(self) -> Likeness {
        match self {
            BetaLikenessPolicy::Full { beta, kind: LikenessKind::Basic } => Likeness::Basic(beta),
            BetaLikenessPolicy::Full { beta, .. } | BetaLikenessPolicy::Plain(beta) => {
                Likeness::Enhanced(beta)
            }
        }
    }
}

impl LDiversityPolicy {
    fn rule(&self) -> Rule {
        match self.kind {
            LDiversityKind::Distinct => Rule::Distinct { l: self.l as usize },
            LDiversityKind::Frequency => Rule::Frequency { l: self.l as usize },
            LDiversityKind::Entropy => Rule::Entropy { l: self.l },
            LDiversityKind::Recursive => {
                Rule::Recursive { l: self.l as usize, c: self.c.unwrap_or_default() }
            }
        }
    }
}

impl Policy {
    /// What is promised about a table: k, and for each sensitive column what it says itself or else what holds
    /// for all of them.
    pub fn table_promise(&self) -> TablePromise {
        let mut conditions = Vec::new();
        let sensitive = self.columns.iter().filter(|(_, column)| column.role == Role::Sensitive);
        for (name, column) in sensitive {
            let mut promise = |rule| conditions.push(Condition { column: name.clone(), rule });
            if let Some(diversity) = column.l_diversity.as_ref().or(self.privacy.l_diversity.as_ref()) {
                let rule = diversity.rule();
                promise(rule);
                // Whoever knows the algorithm guesses by the shares in a crowd, so these are what must be bounded.
                if let (true, Rule::Distinct { l }) = (self.privacy.transparent, rule) {
                    promise(Rule::Frequency { l });
                }
            }
            if let Some(closeness) = column.t_closeness.or(self.privacy.t_closeness) {
                promise(Rule::Close { t: closeness.t(), distance: closeness.distance(column) });
            }
            if let Some(likeness) = column.beta_likeness.or(self.privacy.beta_likeness) {
                promise(Rule::Alike(likeness.likeness()));
            }
        }
        let k = self.privacy.k.unwrap_or_default();
        TablePromise { conditions, person: self.data.person.clone(), ..TablePromise::crowds(k) }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
