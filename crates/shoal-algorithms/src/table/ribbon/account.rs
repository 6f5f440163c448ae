use serde::{Deserialize, Serialize};

/// What the ribbon did and what it gained. Losses are total NCP, in [0, 1].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Account {
    /// The constructions that were tried.
    pub constructions: Vec<Construction>,
    /// The rounds of improvement, one after the other. Asking for so many gives the same classes again.
    pub rounds: Vec<Round>,
    /// What leaving records out has brought, or would bring; not said about very large tables where it was not asked for.
    pub outliers: Option<Price>,
    /// The loss in the end.
    pub loss: f64,
}

/// The name of the construction where Mondrian did it all.
pub(super) const BY_CUTS: &str = "mondrian";

impl Account {
    /// Whether names were too many for sets of them, so that Mondrian made the classes: without rounds, and with
    /// everybody.
    pub fn is_by_cuts(&self) -> bool {
        self.constructions.iter().any(|construction| construction.name == BY_CUTS)
    }
}

/// One way to start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Construction {
    /// Its name.
    pub name: String,
    /// What it loses by itself, in the blocks where it was tried.
    pub loss: f64,
    /// In how many blocks of the table it was the best.
    pub won: usize,
    /// In how many blocks it was tried.
    pub tried: usize,
}

/// One round of improvement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Round {
    /// What was gained by moving records.
    pub moved: f64,
    /// By exchanging members between two classes.
    pub swapped: f64,
    /// By pooling neighbours and parting them anew.
    pub recreated: f64,
    /// By giving up dear classes.
    pub reformed: f64,
    /// The loss after it.
    pub loss: f64,
}

/// The price of keeping everybody and that of leaving some out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Price {
    /// Whether they are left out; otherwise this is what it would bring.
    pub done: bool,
    /// The loss with everybody.
    pub keeping: f64,
    /// How many records are left out.
    pub suppressed: usize,
    /// The loss without them, each of them counting as lost in every cell.
    pub suppressing: f64,
    /// The loss among those that are published.
    pub published: f64,
}
