//! Whether a promise that was kept is still kept after one item has left its cluster.

use shoal_core::{Transactions, TransactionsPromise};

use super::clusters::{Cluster, Clusters};
use super::itemsets::all_frequent;
use super::violations::sorted;

/// A promise, ready to be checked where an item has left. Only sets that hold the item, or what it has left,
/// are looked at.
pub(super) struct Recheck<'a> {
    k: usize,
    asked: Asked<'a>,
}

enum Asked<'a> {
    Itemsets {
        m: usize,
        linkable: Option<&'a [bool]>,
    },
    /// `holding` has the sets of each item.
    Sets {
        sets: Vec<Vec<u32>>,
        holding: Vec<Vec<u32>>,
    },
}

impl<'a> Recheck<'a> {
    /// The promise must speak of the items of the data.
    pub(super) fn new(data: &Transactions, promise: &'a TransactionsPromise) -> Recheck<'a> {
        let asked = match promise {
            TransactionsPromise::Itemsets { m, linkable, .. } => {
                // No set is larger than the longest transaction.
                let longest = data.iter().map(<[u32]>::len).max().unwrap_or(0);
                Asked::Itemsets { m: longest.min(*m), linkable: linkable.as_deref() }
            }
            TransactionsPromise::Complete { .. } => of_sets(data, data.iter().map(<[u32]>::to_vec).collect()),
            TransactionsPromise::Constraints { sets, .. } => of_sets(data, sets.clone()),
        };
        Recheck { k: promise.k(), asked }
    }

    /// The linkable items, where nothing is promised but single items and pairs of them.
    pub(super) fn only_pairs(&self) -> Option<Option<&'a [bool]>> {
        match self.asked {
            Asked::Itemsets { m: 2, linkable } => Some(linkable),
            _ => None,
        }
    }

    /// False where the item cannot be published alone, whatever it leaves.
    pub(super) fn may_be_alone(&self, item: &Cluster) -> bool {
        match self.asked {
            Asked::Itemsets { linkable, .. } => {
                !is_known(item, linkable) || !self.is_infrequent(item.people() as usize)
            }
            Asked::Sets { .. } => true,
        }
    }

    /// Whether the promise is kept, now that `item` has left the cluster `rest`; before it was kept.
    pub(super) fn holds(&self, clusters: &Clusters<'_>, item: u32, rest: u32) -> bool {
        match &self.asked {
            Asked::Itemsets { m, linkable } => {
                self.item_holds(clusters, item, *m, *linkable)
                    && self.rest_holds(clusters, item, rest, *m, *linkable)
            }
            Asked::Sets { sets, holding } => {
                let held = |&set: &u32| {
                    let image = clusters.image(&sets[set as usize]);
                    !self.is_infrequent(clusters.support(&image, self.k))
                };
                // The sets of the item come first, since they lose most.
                let changed = std::iter::once(&item).chain(&clusters.get(rest).items);
                changed.flat_map(|&item| &holding[item as usize]).all(held)
            }
        }
    }

    /// Whether all sets that hold the item occur often enough.
    fn item_holds(&self, clusters: &Clusters<'_>, item: u32, m: usize, linkable: Option<&[bool]>) -> bool {
        if !is_known(clusters.get(item), linkable) {
            return true;
        }
        let others = co_occurring(clusters, item, |id| id != item && is_known(clusters.get(id), linkable));
        self.is_frequent(clusters, item, &others, m)
    }

    /// Whether all sets that hold the rest, but not the item, occur often enough. They occur as often as with
    /// the whole cluster, except in the transactions that held nothing of it but the item. So only what occurs
    /// there can be in a set that has become infrequent.
    fn rest_holds(
        &self,
        clusters: &Clusters<'_>,
        item: u32,
        rest: u32,
        m: usize,
        linkable: Option<&[bool]>,
    ) -> bool {
        if !is_known(clusters.get(rest), linkable) {
            return true;
        }
        let mut lost = vec![false; clusters.items()];
        let mut any = false;
        clusters.each_transaction(item, |_, items| {
            let image = clusters.image(items);
            if !image.contains(&rest) {
                any = true;
                image.iter().for_each(|&id| lost[id as usize] = is_known(clusters.get(id), linkable));
            }
        });
        if !any {
            return true;
        }
        let others = co_occurring(clusters, rest, |id| id != item && lost[id as usize]);
        self.is_frequent(clusters, rest, &others, m)
    }

    /// Whether the cluster, and all sets of up to m that hold it and some of what occurs with it, occur often enough.
    fn is_frequent(&self, clusters: &Clusters<'_>, id: u32, others: &CoOccurring, m: usize) -> bool {
        let persons = others.persons.as_deref();
        !self.is_infrequent(clusters.get(id).people() as usize)
            && all_frequent(&others.images, persons, clusters.items(), m - 1, self.k)
    }

    fn is_infrequent(&self, support: usize) -> bool {
        // What nobody holds gives nobody away.
        support > 0 && support < self.k
    }
}

fn of_sets<'a>(data: &Transactions, sets: Vec<Vec<u32>>) -> Asked<'a> {
    let sets = sorted(sets);
    let mut holding = vec![Vec::new(); data.items().len()];
    for (number, set) in sets.iter().enumerate() {
        set.iter().for_each(|&item| holding[item as usize].push(number as u32));
    }
    Asked::Sets { sets, holding }
}

fn is_known(cluster: &Cluster, linkable: Option<&[bool]>) -> bool {
    linkable.is_none_or(|linkable| cluster.items.iter().any(|&item| linkable[item as usize]))
}

/// What occurs together with a cluster: the published transactions that hold it.
struct CoOccurring {
    /// Of each those of its clusters that count.
    images: Vec<Vec<u32>>,
    /// Whose each is, where somebody may have two.
    persons: Option<Vec<u32>>,
}

/// The published transactions that hold the cluster, in their order.
fn co_occurring(clusters: &Clusters<'_>, id: u32, counts: impl Fn(u32) -> bool) -> CoOccurring {
    let persons = clusters.persons();
    let mut others = CoOccurring { images: Vec::new(), persons: persons.map(|_| Vec::new()) };
    clusters.each_transaction(id, |number, items| {
        let mut image = clusters.image(items);
        image.retain(|&id| counts(id));
        others.images.push(image);
        if let (Some(of), Some(persons)) = (&mut others.persons, persons) {
            of.push(persons[number as usize]);
        }
    });
    others
}
