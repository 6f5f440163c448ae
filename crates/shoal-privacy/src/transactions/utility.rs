use foldhash::fast::FixedState;
use hashbrown::HashMap;
use shoal_core::Transactions;

use super::meaning::first_row;
use super::{Meaning, TransactionsConservationError};

/// What a release must stay good for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Utility {
    /// Which items may be published as one, by name: those of one constraint. All may where none is given.
    pub constraints: Option<Vec<Vec<String>>>,
    /// The largest share of items that may be suppressed.
    pub max_suppressed: Option<f64>,
}

impl Utility {
    /// Checks that no group mixes constraints and that not too many items are suppressed. An item in no
    /// constraint may be published only alone.
    pub fn check(
        &self,
        original: &Transactions,
        published: &Transactions,
        meaning: &Meaning,
    ) -> Result<(), TransactionsConservationError> {
        if let Some(constraints) = &self.constraints {
            check_unmixed(constraints, published, meaning)?;
        }
        match self.max_suppressed {
            Some(allowed) => check_suppressed(allowed, original, meaning),
            None => Ok(()),
        }
    }
}

fn check_unmixed(
    constraints: &[Vec<String>],
    published: &Transactions,
    meaning: &Meaning,
) -> Result<(), TransactionsConservationError> {
    let mut constraint_of: HashMap<&str, usize, FixedState> = HashMap::with_hasher(FixedState::default());
    for (number, items) in constraints.iter().enumerate() {
        constraint_of.extend(items.iter().map(|item| (item.as_str(), number)));
    }
    let is_mixed = |text: u32| {
        let mut of = meaning.items(text).iter().map(|item| constraint_of.get(item.as_str()));
        let first = of.next().flatten();
        of.any(|other| other.is_none() || other != first)
    };
    match (0..published.items().len() as u32).find(|&text| is_mixed(text)) {
        None => Ok(()),
        Some(text) => {
            let row = first_row(published, text);
            Err(TransactionsConservationError::Mixed { row, text: published.items().get(text).to_owned() })
        }
    }
}

fn check_suppressed(
    allowed: f64,
    original: &Transactions,
    meaning: &Meaning,
) -> Result<(), TransactionsConservationError> {
    let items = original.items().len();
    let suppressed = original.items().iter().filter(|item| meaning.image(item).is_none()).count();
    // Written so that an `allowed` that is not a number allows nothing.
    if suppressed == 0 || suppressed as f64 / items as f64 <= allowed {
        Ok(())
    } else {
        Err(TransactionsConservationError::Suppressed { suppressed, items, allowed })
    }
}
