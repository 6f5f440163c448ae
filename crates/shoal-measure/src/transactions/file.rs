//! What published transactions show of their loss and risk to a reader who has no original.
//!
//! The formulas are those of [`ncp`](super::ncp) and [`ul`]. The items are those that the file names, or the
//! leaves of the hierarchy; how often each occurred before is not known, so a published item counts as often as it is there.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use shoal_core::{Hierarchy, Progress, Transactions, parse_group, unquote_item};

use super::{risk, ul};

/// The loss of transactions as far as their file shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TransactionsFileLoss {
    /// Σ_c sup(c) · ncp(c) / Σ_c sup(c) over the published items c; ncp(c) is 0 where c is one item, else |c| / |I|.
    pub ncp: f64,
    /// 1 − NCP.
    pub utility: f64,
    /// Utility loss of the published items. None where it is too small for a plain number; then see its logarithm.
    pub ul: Option<f64>,
    /// log₂ of the utility loss. None where that is 0.
    pub ul_log2: Option<f64>,
    /// For each size of generalized items, how many there are.
    pub generalized_items: BTreeMap<usize, u64>,
}

/// The items that each published text stands for, by name.
#[derive(Debug)]
pub struct NamedItems {
    members: Vec<Vec<String>>,
    all: usize,
}

impl NamedItems {
    /// Reads every published text as an item, as a group such as `(a,b)`, or as a node of the hierarchy.
    pub fn read(published: &Transactions, hierarchy: Option<&Hierarchy>) -> NamedItems {
        let members: Vec<Vec<String>> =
            published.items().iter().map(|text| members_of(text, hierarchy)).collect();
        let named: HashSet<&str> = members.iter().flatten().map(String::as_str).collect();
        let all = hierarchy.map_or(named.len(), |tree| tree.leaf_count() as usize);
        NamedItems { all: all.max(named.len()), members }
    }
}

fn members_of(text: &str, hierarchy: Option<&Hierarchy>) -> Vec<String> {
    if let Some((tree, node)) = hierarchy.and_then(|tree| Some((tree, tree.node(text)?))) {
        return tree.leaves_below(node).map(|leaf| tree.label(tree.leaf_node(leaf)).to_owned()).collect();
    }
    parse_group(text).unwrap_or_else(|| vec![unquote_item(text).map_or_else(|| text.to_owned(), Into::into)])
}

/// The loss of published transactions. Items have the weights that `weight_of` says.
pub fn measure_transactions_file(
    published: &Transactions,
    items: &NamedItems,
    weight_of: &dyn Fn(&str) -> f64,
) -> TransactionsFileLoss {
    let all = items.all as f64;
    let (mut lost, mut held) = (0.0, 0.0);
    let mut generalized_items = BTreeMap::new();
    let mut parts = Vec::new();
    for (members, support) in items.members.iter().zip(published.supports()) {
        let size = members.len();
        lost += f64::from(support) * if size == 1 { 0.0 } else { size as f64 / all };
        held += f64::from(support);
        *generalized_items.entry(size).or_default() += 1;
        let weight = members.iter().map(|item| weight_of(item)).sum::<f64>() / size as f64;
        parts.extend(ul::log2_of_item(size, items.all, weight, support as usize, published.len()));
    }
    let ncp = if held == 0.0 { 0.0 } else { lost / held };
    let ul_log2 = ul::log2_of_sum(&parts);
    TransactionsFileLoss { ncp, utility: 1.0 - ncp, ul: ul::linear(ul_log2), ul_log2, generalized_items }
}

/// How many items an attacker is taken to know, and the smallest crowd that has some of them; none where no item can be known. A published
/// item can be known where `may_be_known` says so of an item that it stands for.
pub fn smallest_crowd_of_file(
    published: &Transactions,
    items: &NamedItems,
    m: usize,
    may_be_known: &dyn Fn(&str) -> bool,
    progress: &dyn Progress,
) -> (usize, Option<u64>) {
    let known = m.min(risk::MOST_KNOWN);
    let linkable: Vec<bool> =
        items.members.iter().map(|members| members.iter().any(|item| may_be_known(item))).collect();
    let smallest = risk::smallest(&|| progress.check(), published, known, |item| linkable[item as usize]);
    (known, smallest)
}

#[cfg(test)]
mod tests {
    use shoal_core::Silent;

    use super::*;

    #[test]
    fn what_the_file_names_is_what_it_has() {
        let published = Transactions::from_texts(&[vec!["(a,b)", "c"], vec!["c"], vec!["(a,b)"], vec!["c"]]);
        let items = NamedItems::read(&published, None);
        let loss = measure_transactions_file(&published, &items, &|_| 1.0);
        // Two of five occurrences are of two items of three.
        assert!((loss.ncp - 2.0 / 5.0 * 2.0 / 3.0).abs() < 1e-12, "{}", loss.ncp);
        assert_eq!(loss.generalized_items, BTreeMap::from([(1, 1), (2, 1)]));
        assert_eq!(smallest_crowd_of_file(&published, &items, 1, &|_| true, &Silent), (1, Some(2)));
        assert_eq!(smallest_crowd_of_file(&published, &items, 5, &|_| true, &Silent), (2, Some(1)));
        assert_eq!(smallest_crowd_of_file(&published, &items, 1, &|item| item == "c", &Silent), (1, Some(3)));
    }

    #[test]
    fn a_node_stands_for_all_its_leaves() {
        let tree = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]].map(Vec::from);
        let tree = Hierarchy::from_rows(&tree).unwrap();
        let published = Transactions::from_texts(&[vec!["ab"], vec!["c"]]);
        let items = NamedItems::read(&published, Some(&tree));
        assert_eq!((items.all, items.members[0].len()), (4, 2));
        assert!((measure_transactions_file(&published, &items, &|_| 1.0).ncp - 0.25).abs() < 1e-12);
    }
}
