//! Any transactions, ours or not, without their original.

use serde::Serialize;
use shoal_core::{Hierarchy, Transactions};

use super::model::verify_all;
use super::{ItemModel, ItemView, ItemsetViolation, Meaning, TwoImages};
use crate::{BrokenPromise, PromiseResult, Unverifiable, Violations};

/// What can be said of published transactions without their original.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ItemVerdict {
    /// Transactions of the file.
    pub records: usize,
    /// Its different texts.
    pub items: usize,
    /// Every promise with what was found.
    pub promises: Vec<PromiseResult>,
    /// The promises that are not kept, and where.
    pub broken: Vec<BrokenPromise<ItemsetViolation>>,
    /// Texts that stand for the same item, so that no promise about either is worth anything.
    pub items_in_two_images: Violations<TwoImages>,
}

impl ItemVerdict {
    /// Whether every promise is kept and every item has one image.
    pub fn holds(&self) -> bool {
        self.broken.is_empty() && self.items_in_two_images.total == 0
    }

    /// Whether the file has no items, so that every promise is kept by silence.
    pub fn is_vacuous(&self) -> bool {
        self.items == 0
    }
}

/// Checks published transactions against a policy's models. A text is what a stranger reads in it, so a plain
/// one stands for itself.
pub fn verify_transactions_file(
    published: &Transactions,
    hierarchy: Option<&Hierarchy>,
    models: &[Box<dyn ItemModel>],
) -> Result<ItemVerdict, Unverifiable> {
    let meaning = Meaning::of(published.items(), hierarchy);
    let (promises, broken) = verify_all(&ItemView::new(published, &meaning)?, models)?;
    Ok(ItemVerdict {
        records: published.len(),
        items: published.items().len(),
        promises,
        broken,
        items_in_two_images: meaning.two_images().clone(),
    })
}
