//! Items that an earlier release publishes as one, as the items of other transactions: an algorithm that works on them can only make the earlier
//! recoding coarser.

use std::collections::{BTreeSet, HashMap, HashSet};

use shoal_core::{
    Hierarchy, ItemCluster, Transactions, TransactionsBuilder, TransactionsPromise, TransactionsRecoding,
};

use crate::audit::RecodingFile;

/// Items of the new data that stay together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Atoms {
    /// Each with its items, ascending, and the node that is published for them where there is one. The first items ascend, too.
    pub clusters: Vec<ItemCluster>,
}

/// What an earlier recoding makes of the items of the new data.
pub(super) struct EarlierItems {
    pub atoms: Atoms,
    /// Items that were suppressed and stay so.
    pub suppressed: usize,
    /// Items that the earlier data did not have.
    pub unseen: usize,
}

impl EarlierItems {
    /// What one of the releases publishes as one is one.
    pub(super) fn of(
        data: &Transactions,
        hierarchy: Option<&Hierarchy>,
        releases: &[&RecodingFile],
    ) -> EarlierItems {
        let inner = |text: &str| {
            let (tree, node) = hierarchy.and_then(|tree| Some((tree, tree.node(text)?)))?;
            (!tree.is_leaf(node)).then_some((tree, node))
        };
        let mut cluster_of: HashMap<u32, usize> = HashMap::new();
        let mut clusters: Vec<Option<ItemCluster>> = Vec::new();
        for file in releases.iter().flat_map(|release| &release.items) {
            let mut members: Vec<u32> = file.members.iter().filter_map(|item| data.item(item)).collect();
            // A node stands for everything below it, also for what nobody had before.
            if let Some((tree, node)) = inner(&file.item) {
                let leaves = tree.leaves_below(node).map(|leaf| tree.label(tree.leaf_node(leaf)));
                members.extend(leaves.filter_map(|item| data.item(item)));
            }
            members.sort_unstable();
            members.dedup();
            let touched: BTreeSet<usize> =
                members.iter().filter_map(|item| cluster_of.get(item).copied()).collect();
            let name = inner(&file.item).map(|_| file.item.clone());
            let mut joined = ItemCluster { items: members, name };
            for other in touched.iter().filter_map(|&at| clusters[at].take()) {
                joined = join(joined, other);
            }
            if joined.items.is_empty() {
                continue;
            }
            cluster_of.extend(joined.items.iter().map(|&item| (item, clusters.len())));
            clusters.push(Some(joined));
        }
        let mut clusters: Vec<ItemCluster> = clusters.into_iter().flatten().collect();
        let suppressed = releases.iter().flat_map(|release| &release.suppressed);
        let gone: HashSet<u32> = suppressed
            .filter_map(|item| data.item(item))
            .filter(|item| !cluster_of.contains_key(item))
            .collect();
        let mut unseen = 0;
        for item in 0..data.items().len() as u32 {
            if !cluster_of.contains_key(&item) && !gone.contains(&item) {
                unseen += 1;
                clusters.push(ItemCluster { items: vec![item], name: None });
            }
        }
        EarlierItems { atoms: Atoms::sorted(clusters), suppressed: gone.len(), unseen }
    }
}

/// Both together, with the name of the one that holds the other.
fn join(one: ItemCluster, other: ItemCluster) -> ItemCluster {
    let mut items: Vec<u32> = one.items.iter().chain(&other.items).copied().collect();
    items.sort_unstable();
    items.dedup();
    let name = match items {
        _ if items == one.items => one.name,
        _ if items == other.items => other.name,
        _ => None,
    };
    ItemCluster { items, name }
}

impl Atoms {
    fn sorted(mut clusters: Vec<ItemCluster>) -> Atoms {
        clusters.sort_by_key(|cluster| cluster.items[0]);
        Atoms { clusters }
    }

    /// For each item its atom; none for suppressed ones.
    pub(super) fn of_items(&self, items: usize) -> Vec<Option<u32>> {
        let mut atom_of = vec![None; items];
        for (number, cluster) in (0..).zip(&self.clusters) {
            cluster.items.iter().for_each(|&item| atom_of[item as usize] = Some(number));
        }
        atom_of
    }

    /// Some transactions, by their atoms.
    pub(super) fn recode(&self, data: &Transactions, rows: &[u32]) -> Recoded {
        let atom_of = self.of_items(data.items().len());
        let mut builder = TransactionsBuilder::default();
        for &row in rows {
            let atoms = data.transaction(row as usize).iter().filter_map(|&item| atom_of[item as usize]);
            atoms.for_each(|atom| builder.item(&text(atom)));
            builder.end();
        }
        let mut recoded = builder.finish().0;
        if let Some(persons) = data.persons() {
            recoded = recoded.with_persons(rows.iter().map(|&row| persons[row as usize]).collect());
        }
        // Atoms that none of the transactions holds are not among its items.
        let atoms: Vec<u32> = recoded.items().iter().map(atom).collect();
        let place = (0..).zip(&atoms).map(|(place, &atom)| (atom, place)).collect();
        Recoded { data: recoded, atoms, place, atom_of }
    }

    /// The atoms after an algorithm has put some of them together, or left some out. Names are those of a hierarchy's nodes, which stand for all
    /// that is below them.
    pub(super) fn coarser(
        &self,
        data: &Transactions,
        recoded: &Recoded,
        recoding: &TransactionsRecoding,
        hierarchy: Option<&Hierarchy>,
    ) -> Atoms {
        let mut is_left = vec![true; self.clusters.len()];
        recoded.atoms.iter().for_each(|&atom| is_left[atom as usize] = false);
        let mut clusters: Vec<ItemCluster> = Vec::new();
        for cluster in &recoding.clusters {
            let atoms: Vec<u32> = cluster.items.iter().map(|&item| recoded.atoms[item as usize]).collect();
            let mut items: Vec<u32> =
                atoms.iter().flat_map(|&atom| self.clusters[atom as usize].items.iter().copied()).collect();
            let mut name = cluster.name.clone();
            if let (None, [only]) = (&name, atoms.as_slice()) {
                name = self.clusters[*only as usize].name.clone();
            }
            if let Some((tree, node)) =
                name.as_ref().zip(hierarchy).and_then(|(name, tree)| Some((tree, tree.node(name)?)))
            {
                let below: Vec<u32> = tree
                    .leaves_below(node)
                    .filter_map(|leaf| data.item(tree.label(tree.leaf_node(leaf))))
                    .collect();
                for (atom, other) in self.clusters.iter().enumerate() {
                    if is_left[atom] && below.contains(&other.items[0]) {
                        is_left[atom] = false;
                        items.extend(&other.items);
                    }
                }
            }
            items.sort_unstable();
            items.dedup();
            clusters.push(ItemCluster { items, name });
        }
        clusters.extend(self.clusters.iter().zip(is_left).filter(|(_, left)| *left).map(|(c, _)| c.clone()));
        Atoms::sorted(clusters)
    }
}

/// Transactions of atoms.
pub(super) struct Recoded {
    pub data: Transactions,
    /// For each of its items the atom.
    pub atoms: Vec<u32>,
    /// For each atom its item.
    place: HashMap<u32, u32>,
    /// For each item of the data its atom.
    atom_of: Vec<Option<u32>>,
}

impl Recoded {
    /// What some items of the data are here, ascending; items that are suppressed or that nobody has are none.
    pub(super) fn image(&self, items: &[u32]) -> Vec<u32> {
        let place = |item: &u32| self.place.get(&self.atom_of[*item as usize]?).copied();
        let mut image: Vec<u32> = items.iter().filter_map(place).collect();
        image.sort_unstable();
        image.dedup();
        image
    }

    /// A promise about items, as one about atoms. Whoever knows some items knows no more atoms than that.
    pub(super) fn promise(&self, promise: &TransactionsPromise) -> TransactionsPromise {
        let items = self.data.items().len();
        let most = self.data.iter().map(<[u32]>::len).max().unwrap_or_default();
        match promise {
            TransactionsPromise::Itemsets { k, m, linkable } => {
                let of_atoms = |linkable: &Vec<bool>| {
                    let mut known = vec![false; items];
                    for item in (0..linkable.len() as u32).filter(|&item| linkable[item as usize]) {
                        self.image(&[item]).iter().for_each(|&atom| known[atom as usize] = true);
                    }
                    known
                };
                let linkable = linkable.as_ref().map(of_atoms);
                TransactionsPromise::Itemsets { k: *k, m: (*m).min(most.max(1)), linkable }
            }
            TransactionsPromise::Complete { k } => TransactionsPromise::Complete { k: *k },
            TransactionsPromise::Constraints { k, sets } => {
                let known = |set: &Vec<u32>| Some(self.image(set)).filter(|image| !image.is_empty());
                TransactionsPromise::Constraints { k: *k, sets: sets.iter().filter_map(known).collect() }
            }
        }
    }

    /// How much each atom matters, from 0 to 1: as much as its items together, against the one that matters most.
    pub(super) fn weights(&self, weights: &[f64]) -> Vec<f64> {
        let mut of_atoms = vec![0.0; self.data.items().len()];
        for item in 0..weights.len() as u32 {
            let image = self.image(&[item]);
            image.iter().for_each(|&atom| of_atoms[atom as usize] += weights[item as usize]);
        }
        let most = of_atoms.iter().copied().fold(1.0, f64::max);
        of_atoms.iter().map(|weight| weight / most).collect()
    }

    /// The hierarchy above the atoms.
    pub(super) fn hierarchy(
        &self,
        atoms: &Atoms,
        data: &Transactions,
        tree: &Hierarchy,
    ) -> Option<Hierarchy> {
        let rows = tree.rows();
        let row = |&atom: &u32| {
            let cluster = &atoms.clusters[atom as usize];
            let leaf = tree.leaf(data.items().get(cluster.items[0]))?;
            let mut row = rows[leaf as usize].clone();
            let own = cluster.name.as_ref().unwrap_or(&row[0]);
            // All that is below the atom is the atom.
            let last = row.iter().rposition(|label| label == own)?;
            row[..=last].fill(text(atom));
            Some(row)
        };
        let rows: Vec<Vec<String>> = self.atoms.iter().map(row).collect::<Option<_>>()?;
        Hierarchy::from_rows(&rows).ok()
    }
}

/// How an atom is called: as no item and no node is.
fn text(atom: u32) -> String {
    format!("\u{1}{atom:010}")
}

fn atom(text: &str) -> u32 {
    text.trim_start_matches('\u{1}').parse().unwrap_or(u32::MAX)
}
