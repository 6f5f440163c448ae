//! What an attacker may know of the finest lines.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use shoal_core::is_drawn;

use super::ItemCell;
use crate::{
    CompleteAnonymity, ItemConstraints, ItemsetAnonymity, ItemsetParamError, KnownShare, TransactionsModel,
};

/// What an attacker may know, in items of the original data.
#[derive(Clone, Debug, PartialEq)]
pub enum KnownItems {
    /// Up to m items, of all items or of a drawn share.
    Any(usize, Option<KnownShare>),
    /// All items of a transaction.
    All,
    /// One of these sets.
    Listed(Vec<Vec<String>>),
}

impl KnownItems {
    /// The promise about the refined images of a cell.
    pub(super) fn model(
        &self,
        cell: &ItemCell,
        k: u32,
    ) -> Result<Box<dyn TransactionsModel>, ItemsetParamError> {
        Ok(match self {
            KnownItems::Any(m, _) => Box::new(ItemsetAnonymity::new(k, *m, None)?),
            KnownItems::All => Box::new(CompleteAnonymity::new(k)?),
            KnownItems::Listed(sets) => {
                let sets = cell.images_of(sets).into_iter();
                let texts = sets.map(|set| set.iter().map(u32::to_string).collect());
                Box::new(ItemConstraints::new(k, texts.collect())?)
            }
        })
    }

    /// The lines of a cell without what nobody may know.
    pub(super) fn lines<'a>(&self, cell: &'a ItemCell) -> Cow<'a, [Vec<u32>]> {
        let KnownItems::Any(_, Some(KnownShare { share, seed })) = self else { return (&cell.held).into() };
        let is_known: Vec<bool> =
            cell.names.iter().map(|names| names.iter().any(|name| is_drawn(name, *share, *seed))).collect();
        let known =
            |line: &Vec<u32>| line.iter().copied().filter(|&image| is_known[image as usize]).collect();
        cell.held.iter().map(known).collect()
    }
}

impl ItemCell {
    /// What is known of somebody who has one of some sets of items: for each line that may hold it, the images of its items.
    pub(super) fn images_of(&self, sets: &[Vec<String>]) -> BTreeSet<Vec<u32>> {
        let published: HashSet<&str> = self.names.iter().flatten().map(String::as_str).collect();
        let mut starting: HashMap<&str, Vec<Vec<&str>>> = HashMap::new();
        for set in sets {
            // Items that no release publishes lead nowhere.
            let asked: Vec<&str> =
                set.iter().map(String::as_str).filter(|item| published.contains(item)).collect();
            if let Some(&first) = asked.first() {
                starting.entry(first).or_default().push(asked);
            }
        }
        let mut found = BTreeSet::new();
        for own in &self.own {
            let mut images_of: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
            for &image in own {
                self.names[image as usize]
                    .iter()
                    .for_each(|name| images_of.entry(name).or_default().push(image));
            }
            for set in images_of.keys().filter_map(|first| starting.get(first)).flatten() {
                let images: Option<Vec<&Vec<u32>>> = set.iter().map(|item| images_of.get(item)).collect();
                found.extend(images.map(|images| {
                    images.into_iter().flatten().copied().collect::<BTreeSet<u32>>().into_iter().collect()
                }));
            }
        }
        found
    }
}
