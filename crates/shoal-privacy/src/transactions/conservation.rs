//! Conservation: published transactions against the input.
//!
//! There is one recoding, read off the published texts: an item's image is the text that stands for it, and
//! an item that no text stands for is suppressed. Every published transaction must be exactly what this
//! recoding makes of the input transaction that it is said to come from: a text is there if and only if the
//! person held one of its items. So an item cannot be generalized here and published as it is there, and
//! counts over any text are those of the input.

use shoal_core::Transactions;

use super::Meaning;
use crate::OriginError;
use crate::origin::{check_origins, number};
use crate::refusal::DEFECT;

/// How published transactions differ from what their input allows. Rows count from 1.
///
/// Errors show published texts and places only: an original item is for its owner to look up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TransactionsConservationError {
    /// Transactions have come or gone, or are said to come from where they cannot.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// A column is published that must never be.
    #[error("column `{column}` is published, and must not be: the policy publishes the items without it")]
    Withheld {
        /// The column.
        column: String,
    },
    /// A text stands for something that no transaction of the input holds.
    #[error("published row {row}: `{text}` stands for `{item}`, which is not an item of the input")]
    Unknown {
        /// The first published transaction with this text.
        row: u64,
        /// The text.
        text: String,
        /// What it stands for.
        item: String,
    },
    /// A text reads like a node, but is an item of the input.
    #[error("published row {row}: `{text}` is an item of the input, but reads like a group of others")]
    Ambiguous {
        /// The first published transaction with this text.
        row: u64,
        /// The text.
        text: String,
    },
    /// An item has two images.
    #[error("item in two images: `{first}` and `{second}` stand for the same item")]
    TwoImages {
        /// One of the texts.
        first: String,
        /// Another.
        second: String,
    },
    /// A text is published of somebody who held none of its items.
    #[error(
        "published row {row}: `{text}` is not true of input row {original_row}, which holds none of its items \
         ({rows} rows differ from their originals)"
    )]
    Untrue {
        /// The first published transaction that differs from its original.
        row: u64,
        /// The transaction it comes from.
        original_row: u64,
        /// The text.
        text: String,
        /// How many published transactions differ.
        rows: usize,
    },
    /// A text is missing where somebody held one of its items.
    #[error(
        "published row {row} lacks `{text}`, though input row {original_row} holds one of its items \
         ({rows} rows differ from their originals)"
    )]
    Lacking {
        /// The first published transaction that differs from its original.
        row: u64,
        /// The transaction it comes from.
        original_row: u64,
        /// The text.
        text: String,
        /// How many published transactions differ.
        rows: usize,
    },
    /// A group holds items that should not be mixed.
    #[error("published row {row}: `{text}` stands for items of more than one utility constraint")]
    Mixed {
        /// The first published transaction with this text.
        row: u64,
        /// The text.
        text: String,
    },
    /// More items are suppressed than is allowed.
    #[error("{suppressed} of {items} items are suppressed, more than the share of {allowed} that is allowed")]
    Suppressed {
        /// How many items no published text stands for.
        suppressed: usize,
        /// How many items the input has.
        items: usize,
        /// The largest share that may be suppressed.
        allowed: f64,
    },
}

impl TransactionsConservationError {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            TransactionsConservationError::Withheld { .. } => "remove the column from the file",
            TransactionsConservationError::Ambiguous { .. } => "rename the item before publishing",
            _ => DEFECT,
        }
    }
}

/// Compares published transactions with their input.
///
/// `meaning` is that of the published texts [within](Meaning::within) the original; `origin` holds, for every
/// published transaction, the input transaction it comes from, both counted from 0. None is ever left out:
/// one that has lost all its items is published empty. Returns the image of each original item.
pub fn check(
    original: &Transactions,
    published: &Transactions,
    meaning: &Meaning,
    origin: &[u32],
) -> Result<Vec<Option<u32>>, TransactionsConservationError> {
    check_origins(original.len(), published.len(), origin, 0)?;
    check_one_image(meaning)?;
    let image_of: Vec<Option<u32>> = original.items().iter().map(|item| meaning.image(item)).collect();
    match first_difference(original, published, &image_of, origin) {
        None => Ok(image_of),
        Some(difference) => Err(difference),
    }
}

/// Global recoding: no item may be in two texts.
fn check_one_image(meaning: &Meaning) -> Result<(), TransactionsConservationError> {
    match meaning.two_images().worst.first() {
        None => Ok(()),
        Some(pair) => {
            let [first, second] = pair.texts.clone();
            Err(TransactionsConservationError::TwoImages { first, second })
        }
    }
}

fn first_difference(
    original: &Transactions,
    published: &Transactions,
    image_of: &[Option<u32>],
    origin: &[u32],
) -> Option<TransactionsConservationError> {
    let image = |from: u32| {
        let items = original.transaction(from as usize).iter();
        let mut image: Vec<u32> = items.filter_map(|&item| image_of[item as usize]).collect();
        image.sort_unstable();
        image.dedup();
        image
    };
    let mut different =
        published.iter().zip(origin).enumerate().filter(|(_, (row, from))| **row != image(**from)[..]);
    let (at, (found, &from)) = different.next()?;
    let rows = 1 + different.count();
    let (row, original_row) = (number(at), u64::from(from) + 1);
    let text = |text: u32| published.items().get(text).to_owned();
    let expected = image(from);
    let untrue = found.iter().find(|text| expected.binary_search(text).is_err());
    Some(match untrue {
        Some(&untrue) => {
            TransactionsConservationError::Untrue { row, original_row, text: text(untrue), rows }
        }
        None => {
            let lacking = expected.into_iter().find(|text| found.binary_search(text).is_err())?;
            TransactionsConservationError::Lacking { row, original_row, text: text(lacking), rows }
        }
    })
}
