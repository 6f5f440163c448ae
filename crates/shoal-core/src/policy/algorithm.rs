//! Which algorithm, and its parameters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;

/// How the promise is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AlgorithmPolicy {
    /// The algorithm. Where nothing is given: ribbon for tables (transparent with privacy.transparent), pcta for transactions, cbmsa for sequences,
    /// and fcla where privacy.length is given, delay-free for streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<AlgorithmName>,
    /// pcta, upcta, coat: what a merge should cost least of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<ObjectivePolicy>,
    /// sbc, cbmsa, cbmsa-baseline: what happens to the records that are too few for a class of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remainder: Option<RemainderPolicy>,
    /// sbc: whether categorical and numeric distances are averaged apart, as in the thesis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separate_distances: Option<bool>,
    /// tables: the share of records that may be left out. Where nothing is given, incognito leaves none out, ribbon
    /// with `outliers = "suppress"` 0.01, and what datafly and sbc leave out is fewer than k records by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_suppressed: Option<f64>,
    /// ribbon: whether records far from all others are published, or left out for the sake of the others' precision;
    /// kept where nothing is given. The summary and audit.json have the price of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outliers: Option<OutliersPolicy>,
    /// ribbon: how long it may go on improving while the loss falls, instead of the usual amount of work. The result
    /// then depends on the machine; the summary and audit.json say how many rounds there were, and `rounds` repeats them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// ribbon: how many rounds of improvement at most, instead of the usual amount of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// incognito: which of the minimal generalizations is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choose: Option<ChoicePolicy>,
    /// delay-free: how the values are chosen among which a tuple's own is hidden; hardened where nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ModePolicy>,
    /// delay-free, hardened: which belief about a value the choice is made for; calibrated where shares are known, uniform
    /// where only the domain is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<PriorPolicy>,
    /// delay-free: a file with a sensitive value and its count or share per line, and for `prior = "conditional"` the
    /// columns of the strata. Relative to the policy's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior_file: Option<String>,
    /// delay-free: from how many tuples the shares of the values are learned. They are the first ones, and they are not
    /// published: what is shown of others would reveal something about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learn: Option<usize>,
    /// delay-free, `prior = "conditional"`: the quasi-identifiers that divide people into strata.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strata: Vec<String>,
    /// delay-free, `prior = "conditional"`: what is published of the quasi-identifiers; the stratum where nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publish: Option<PublishPolicy>,
    /// delay-free, hardened: what happens when the shares of the values become so different that guesses are right far more
    /// often than promised; the stream stops where nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<DriftPolicy>,
    /// delay-free, paper: how many groups may wait for members; beyond that the oldest is given up. 10,000 where
    /// nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_open_groups: Option<usize>,
    /// castle: how many more tuples may arrive until one leaves (δ); 100 where nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<usize>,
    /// castle: how many seconds a tuple may wait at most, whether further ones come or not. Then it leaves in a crowd of those
    /// that wait; where they are too few, nothing of it is shown. Only `delta` counts where nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_wait: Option<f64>,
    /// castle: whether a tuple may leave alone into a class that is out already, as in the paper: more precise, but whoever
    /// knows when it arrived knows its line. `false` where nothing is given: every line leaves with its whole crowd.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse: Option<bool>,
    /// castle: how many clusters may grow at a time (β), with `rules = "paper"`; 50 where nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta: Option<usize>,
    /// castle: whose rules; ours where nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesPolicy>,
    /// tables, sequences: the file of the secret key by which records with equal quasi-identifiers are dealt to classes, and from which
    /// `transparent` draws: 64 hexadecimal digits; made where it is absent. Relative to the policy's folder. Where nothing is given,
    /// every run draws a fresh key, which audit.json keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<String>,
    /// The source of all randomness that is not secret.
    #[serde(default)]
    pub seed: u64,
}

/// How a delay-free stream hides values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModePolicy {
    /// Each tuple by itself, with a key: what leaves does not depend on other tuples.
    #[default]
    Hardened,
    /// The paper's late validation, for comparison: whoever knows the algorithm learns more than promised.
    Paper,
    /// The former name of `paper`.
    Published,
}

impl ModePolicy {
    /// Whether each tuple is hidden by itself; otherwise it is the paper's algorithm, under either name.
    pub fn is_hardened(self) -> bool {
        match self {
            ModePolicy::Hardened => true,
            ModePolicy::Paper | ModePolicy::Published => false,
        }
    }
}

/// What a stream with strata publishes of the quasi-identifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PublishPolicy {
    /// The quasi-identifiers as they are: whoever learns from the lines that a value goes with them guesses better than 1/l.
    Exact,
    /// The nodes and bands of the stratum, and `*` for quasi-identifiers that are not among the strata.
    #[default]
    Stratum,
}

/// What a stream does when the values it hides are not those that its design was made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DriftPolicy {
    /// Past the second bound it ends with exit code 1.
    #[default]
    Stop,
    /// It says so and goes on.
    Warn,
}

/// How castle gathers a crowd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RulesPolicy {
    /// Ours: a tuple that must leave gathers those nearest to it, or joins a class that is out already.
    #[default]
    Nearest,
    /// The paper's clusters, for comparison.
    Paper,
}

/// The prior for which a hardened stream promises 1/l.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PriorPolicy {
    /// All values equally likely.
    Uniform,
    /// The values' true shares, the same for everybody.
    Calibrated,
    /// The values' true shares in each stratum of people.
    Conditional,
}

/// What the clustering of items loses as little as possible of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectivePolicy {
    /// Occurrences times size: what matters to those who count.
    #[default]
    Ncp,
    /// The paper's utility loss, dominated by size.
    Ul,
}

/// What happens to records that are far from all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutliersPolicy {
    /// They are published in the crowd where they cost least.
    #[default]
    Keep,
    /// The most costly are left out, as long as the others lose less on average by it, up to `max-suppressed`.
    Suppress,
}

/// The algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AlgorithmName {
    /// Ours: the best of several cheap constructions, improved in rounds.
    Ribbon,
    /// Recursive median cuts (LeFevre et al. 2006).
    Mondrian,
    /// Similarity-based clustering; needs no hierarchies.
    Sbc,
    /// The best of all full-domain generalizations (LeFevre et al. 2005).
    Incognito,
    /// Greedy full-domain generalization (Sweeney 1997).
    Datafly,
    /// Ours: crowds that do not depend on who has which sensitive value (after Xiao, Tao and Koudas 2010).
    Transparent,
    /// Clustering of items under privacy constraints.
    Pcta,
    /// Clustering of items under privacy and utility constraints.
    Upcta,
    /// Greedy generalization and suppression under both constraints.
    Coat,
    /// Full-subtree generalization along a hierarchy.
    Apriori,
    /// Agglomerative clustering of sequences by their best alignment.
    Cbmsa,
    /// The same without alignment, for comparison.
    CbmsaBaseline,
    /// Microaggregation of sequences against partial knowledge.
    Fcla,
    /// The same without alignment, for comparison.
    FclaBase1,
    /// Generalization and suppression of the whole data set against partial knowledge.
    Halt,
    /// Each tuple of a stream leaves at once, its sensitive value among l.
    DelayFree,
    /// Tuples of a stream wait for a crowd, a bounded time (Cao et al. 2011).
    Castle,
}

impl AlgorithmName {
    /// The name in a policy.
    pub fn name(self) -> &'static str {
        match self {
            AlgorithmName::Ribbon => "ribbon",
            AlgorithmName::Mondrian => "mondrian",
            AlgorithmName::Sbc => "sbc",
            AlgorithmName::Incognito => "incognito",
            AlgorithmName::Datafly => "datafly",
            AlgorithmName::Transparent => "transparent",
            AlgorithmName::Pcta => "pcta",
            AlgorithmName::Upcta => "upcta",
            AlgorithmName::Coat => "coat",
            AlgorithmName::Apriori => "apriori",
            AlgorithmName::Cbmsa => "cbmsa",
            AlgorithmName::CbmsaBaseline => "cbmsa-baseline",
            AlgorithmName::Fcla => "fcla",
            AlgorithmName::FclaBase1 => "fcla-base1",
            AlgorithmName::Halt => "halt",
            AlgorithmName::DelayFree => "delay-free",
            AlgorithmName::Castle => "castle",
        }
    }

    /// The same name among those of its shape. Whoever adds an algorithm must say here what it works on, and the code that
    /// runs the algorithms of a shape does not compile until it knows the new one.
    pub fn by_shape(self) -> ShapeAlgorithm {
        use {SequencesAlgorithmName as Sequences, TableAlgorithmName as Table};
        use {StreamAlgorithmName as Stream, TransactionsAlgorithmName as Transactions};
        match self {
            AlgorithmName::Ribbon => ShapeAlgorithm::Table(Table::Ribbon),
            AlgorithmName::Mondrian => ShapeAlgorithm::Table(Table::Mondrian),
            AlgorithmName::Sbc => ShapeAlgorithm::Table(Table::Sbc),
            AlgorithmName::Incognito => ShapeAlgorithm::Table(Table::Incognito),
            AlgorithmName::Datafly => ShapeAlgorithm::Table(Table::Datafly),
            AlgorithmName::Transparent => ShapeAlgorithm::Table(Table::Transparent),
            AlgorithmName::Pcta => ShapeAlgorithm::Transactions(Transactions::Pcta),
            AlgorithmName::Upcta => ShapeAlgorithm::Transactions(Transactions::Upcta),
            AlgorithmName::Coat => ShapeAlgorithm::Transactions(Transactions::Coat),
            AlgorithmName::Apriori => ShapeAlgorithm::Transactions(Transactions::Apriori),
            AlgorithmName::Cbmsa => ShapeAlgorithm::Sequences(Sequences::Cbmsa),
            AlgorithmName::CbmsaBaseline => ShapeAlgorithm::Sequences(Sequences::CbmsaBaseline),
            AlgorithmName::Fcla => ShapeAlgorithm::Sequences(Sequences::Fcla),
            AlgorithmName::FclaBase1 => ShapeAlgorithm::Sequences(Sequences::FclaBase1),
            AlgorithmName::Halt => ShapeAlgorithm::Sequences(Sequences::Halt),
            AlgorithmName::DelayFree => ShapeAlgorithm::Stream(Stream::DelayFree),
            AlgorithmName::Castle => ShapeAlgorithm::Stream(Stream::Castle),
        }
    }

    /// The shape of data that it works on.
    pub fn shape(self) -> Shape {
        match self.by_shape() {
            ShapeAlgorithm::Table(_) => Shape::Table,
            ShapeAlgorithm::Transactions(_) => Shape::Transactions,
            ShapeAlgorithm::Sequences(_) => Shape::Sequences,
            ShapeAlgorithm::Stream(_) => Shape::Stream,
        }
    }

    /// Whether it works against somebody who knows a part of a person's events only.
    pub fn is_for_partial_knowledge(self) -> bool {
        matches!(self, AlgorithmName::Fcla | AlgorithmName::FclaBase1 | AlgorithmName::Halt)
    }
}

/// An algorithm, among those of its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeAlgorithm {
    /// For tables.
    Table(TableAlgorithmName),
    /// For transactions.
    Transactions(TransactionsAlgorithmName),
    /// For sequences.
    Sequences(SequencesAlgorithmName),
    /// For streams.
    Stream(StreamAlgorithmName),
}

/// Declares the algorithms of a shape, and a list of all of them for tests that must forget none.
macro_rules! algorithms {
    ($(#[$doc:meta])* $name:ident: $($variant:ident),*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each is documented in `AlgorithmName`")]
        pub enum $name {
            $($variant),*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The names of all of them in a policy.
            pub fn names() -> impl Iterator<Item = &'static str> {
                $name::ALL.iter().map(|algorithm| algorithm.name())
            }

            /// The name in a policy.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => AlgorithmName::$variant.name()),*
                }
            }
        }
    };
}

algorithms! {
    /// The algorithms for tables.
    TableAlgorithmName: Ribbon, Mondrian, Sbc, Incognito, Datafly, Transparent
}
algorithms! {
    /// The algorithms for transactions.
    TransactionsAlgorithmName: Pcta, Upcta, Coat, Apriori
}
algorithms! {
    /// The algorithms for sequences.
    SequencesAlgorithmName: Cbmsa, CbmsaBaseline, Fcla, FclaBase1, Halt
}
algorithms! {
    /// The algorithms for streams.
    StreamAlgorithmName: DelayFree, Castle
}

/// What happens to left-over records: fewer than k of them (sbc), or a cluster that nothing can repair (cbmsa).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RemainderPolicy {
    /// Each joins the class where it adds the least loss.
    #[default]
    Nearest,
    /// All join the last class.
    Last,
    /// They are left out.
    Suppress,
}

/// Which of the minimal generalizations incognito publishes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChoicePolicy {
    /// The one with the least loss.
    #[default]
    Ncp,
    /// The one with the least sum of levels, as in the thesis.
    Height,
}
