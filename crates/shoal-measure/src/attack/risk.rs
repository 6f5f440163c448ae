/// What one record of the original risks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PersonRisk {
    /// The record in its source, counted from 0; for sequences the first record of the person.
    pub record: u32,
    /// How many could be the one: published rows that fit, people where promises count people; 0 for whoever fits nothing.
    pub crowd: u64,
    /// The best guess for each sensitive column and how likely it is, where there is one.
    pub guesses: Vec<BestGuess>,
}

/// What an adversary would guess of somebody.
#[derive(Clone, Debug, PartialEq)]
pub struct BestGuess {
    /// The sensitive column.
    pub column: String,
    /// The value.
    pub value: String,
    /// Its share of the crowd.
    pub probability: f64,
}

impl PersonRisk {
    /// The chance of being linked: one of the crowd.
    pub fn linked(&self) -> f64 {
        if self.crowd == 0 { 0.0 } else { 1.0 / self.crowd as f64 }
    }
}
