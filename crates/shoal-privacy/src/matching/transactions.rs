//! The origins of published transactions. The recoding is read off the file, so every original has one image: the two
//! sides are compared as multisets.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use shoal_core::{Hierarchy, Progress, RawTable, Table, Transactions};

use super::columns::Pairs;
use super::{NoOrigin, Origins};
use crate::origin::number;
use crate::transactions::Meaning;

/// Finds for every published transaction an original of its own whose image it is. `rest` are the other columns of the
/// table that the items are a column of, the original's and the published ones. Transactions
/// are left out only because of earlier releases: whether that may be is for the caller to know.
pub fn match_transactions(
    original: &Transactions,
    published: &Transactions,
    hierarchy: Option<&Hierarchy>,
    rest: Option<(&Table, &RawTable)>,
    progress: &dyn Progress,
) -> Result<Origins, NoOrigin> {
    let meaning = Meaning::of(published.items(), hierarchy).within(published, original)?;
    let image_of: Vec<Option<u32>> = original.items().iter().map(|item| meaning.image(item)).collect();
    let pairs = match rest {
        Some((before, after)) => Some(Pairs::new(before, after, None)?),
        None => None,
    };
    let beside = |published: bool, row: usize| -> Vec<u32> {
        let columns = pairs.iter().flat_map(|pairs| &pairs.untouched);
        columns.map(|column| if published { column.to[row] } else { column.from[row] }).collect()
    };
    // Originals by image, the first one last, so that they are taken in their order.
    let mut waiting: HashMap<(Vec<u32>, Vec<u32>), Vec<u32>, FixedState> =
        HashMap::with_hasher(FixedState::default());
    for row in (0..original.len()).rev() {
        progress.check();
        let items = original.transaction(row).iter();
        let mut image: Vec<u32> = items.filter_map(|&item| image_of[item as usize]).collect();
        image.sort_unstable();
        image.dedup();
        waiting.entry((image, beside(false, row))).or_default().push(row as u32);
    }
    let counts: HashMap<(Vec<u32>, Vec<u32>), usize, FixedState> =
        waiting.iter().map(|(image, rows)| (image.clone(), rows.len())).collect();
    let mut origin = Vec::with_capacity(published.len());
    for (row, transaction) in published.iter().enumerate() {
        progress.check();
        let image = (transaction.to_vec(), beside(true, row));
        match waiting.get_mut(&image).and_then(Vec::pop) {
            Some(from) => origin.push(from),
            None => {
                let alike = |at: usize| {
                    (published.transaction(at), beside(true, at)) == (transaction, image.1.clone())
                };
                let there = (0..published.len()).filter(|&at| alike(at)).count() as u64;
                let (row, record) = (number(row), "transaction");
                return Err(match counts.get(&image) {
                    None => NoOrigin::TrueOfNobody { row, record },
                    Some(&originals) => {
                        NoOrigin::TooFew { row, published: there, originals: originals as u64, record }
                    }
                });
            }
        }
    }
    let left_out = original.len() - origin.len();
    Ok(Origins { origin, left_out })
}
