use std::collections::HashMap;

use hashbrown::HashSet;
use rayon::prelude::*;
use shoal_core::Progress;

use super::lattice::{Lattice, Node, NodeSet, Subset, members};
use super::params::IncognitoParams;
use crate::table::TableError;
use crate::table::full_domain::{FrequencySet, FullDomain};
use crate::table::suppress::is_within;

/// What the search has found.
pub(super) struct Found {
    /// The minimal nodes, a step per quasi-identifier, in lexicographic order.
    pub(super) minimal: Vec<Vec<usize>>,
    /// A frequency set that is at least as specific as every minimal node.
    pub(super) floor: FrequencySet,
    /// How many frequency sets were looked at.
    pub(super) checked: u64,
    /// How many nodes the lattice over all quasi-identifiers has.
    pub(super) nodes: u64,
}

/// Searches the lattices of larger and larger subsets of the quasi-identifiers; only nodes that survived in all smaller
/// subsets are candidates.
pub(super) fn search(
    domain: &FullDomain<'_>,
    params: &IncognitoParams,
    progress: &dyn Progress,
) -> Result<Found, TableError> {
    let lattice = Lattice::over(domain.ladders())?;
    let digits = lattice.digits();
    progress.stage("searching the lattice", (1 << digits) - 1);
    let mut context = Context {
        domain,
        params,
        progress,
        survivors: NodeSet::empty(&lattice),
        floor: domain.finest(),
        lattice: &lattice,
    };
    let mut checked = 0;
    // Before the first round: of no quasi-identifier at all, the one node holds everybody in one group.
    let mut found = vec![SubsetResult::only(lattice.nothing())];
    for size in 1..=digits as u32 {
        let before: HashMap<Subset, &SubsetResult> =
            found.iter().map(|result| (result.subset, result)).collect();
        let subsets: Vec<Subset> = (0..1 << digits).filter(|s: &Subset| s.count_ones() == size).collect();
        let round: Vec<SubsetResult> = subsets
            .par_iter()
            .map(|&subset| {
                let last = subset.ilog2() as usize;
                let result = context.search_subset(subset, last, &before[&(subset & !(1 << last))].survivors);
                progress.advance(1);
                result
            })
            .collect();
        found = round;
        checked += found.iter().map(|result| result.checked).sum::<u64>();
        progress.check();
        context.record_survivors(&found);
    }
    // The last round has one subset, that of all quasi-identifiers.
    let mut minimal: Vec<Vec<usize>> =
        found.iter().flat_map(|result| &result.minimal).map(|&node| lattice.to_steps(node)).collect();
    minimal.sort_unstable();
    let nodes = (0..digits).map(|digit| lattice.steps(digit) as u64).product();
    Ok(Found { minimal, floor: context.floor, checked, nodes })
}

/// What all subsets of one size can look at.
struct Context<'a> {
    domain: &'a FullDomain<'a>,
    params: &'a IncognitoParams,
    progress: &'a dyn Progress,
    lattice: &'a Lattice,
    /// The nodes of all smaller subsets that keep the promise.
    survivors: NodeSet,
    /// A frequency set at least as specific as any node that can still come.
    floor: FrequencySet,
}

/// The outcome of one subset.
struct SubsetResult {
    subset: Subset,
    /// The nodes that keep the promise, by height.
    survivors: Vec<Node>,
    /// Those of them with no more specific survivor.
    minimal: Vec<Node>,
    checked: u64,
}

impl SubsetResult {
    fn only(node: Node) -> SubsetResult {
        SubsetResult { subset: 0, survivors: vec![node], minimal: vec![node], checked: 0 }
    }
}

/// What became of one node.
enum Outcome {
    /// A more specific node survived, hence this one does.
    Marked,
    /// Looked at; keeps the promise.
    Kept,
    /// Looked at; breaks it. Its frequency set serves the nodes above.
    Broken(FrequencySet),
}

impl Context<'_> {
    /// Breadth first, from the most specific candidates upwards. `shorter` are the survivors of the subset
    /// without its last digit.
    fn search_subset(&self, subset: Subset, last: usize, shorter: &[Node]) -> SubsetResult {
        let mut candidates = self.candidates(subset, last, shorter);
        // By height, so that all more specific nodes are decided before a node is.
        candidates.sort_unstable_by_key(|&node| (self.lattice.height(node, subset), node));
        let root = self.domain.roll_up(&self.floor, &self.common_root(&candidates, subset));

        let mut result = SubsetResult { subset, survivors: Vec::new(), minimal: Vec::new(), checked: 0 };
        // Never iterated, only asked: its order cannot reach the result.
        let mut kept: HashSet<Node, foldhash::fast::FixedState> = HashSet::default();
        let mut broken: HashMap<Node, FrequencySet> = HashMap::new();
        let same_height =
            |a: &Node, b: &Node| self.lattice.height(*a, subset) == self.lattice.height(*b, subset);
        for layer in candidates.chunk_by(same_height) {
            let outcomes: Vec<Outcome> = layer
                .par_iter()
                .map(|&node| {
                    self.progress.check();
                    if self.lattice.below(node, subset).any(|below| kept.contains(&below)) {
                        return Outcome::Marked;
                    }
                    // From the smallest frequency set of the layer below, since a roll-up takes time by its groups.
                    let below = self.lattice.below(node, subset).filter_map(|below| broken.get(&below));
                    let finer = below.min_by_key(|set| set.groups().len()).unwrap_or(&root);
                    let set = self.domain.roll_up(finer, &self.lattice.to_steps(node));
                    if self.keeps_promise(&set) { Outcome::Kept } else { Outcome::Broken(set) }
                })
                .collect();
            // Only the layer right below is ever rolled up.
            broken.clear();
            for (&node, outcome) in layer.iter().zip(outcomes) {
                result.checked += u64::from(!matches!(outcome, Outcome::Marked));
                match outcome {
                    Outcome::Broken(set) => {
                        broken.insert(node, set);
                        continue;
                    }
                    Outcome::Kept => result.minimal.push(node),
                    Outcome::Marked => {}
                }
                result.survivors.push(node);
                kept.insert(node);
            }
        }
        result
    }

    /// The nodes of a subset that survive in every subset with one member less (a-priori join and prune).
    fn candidates(&self, subset: Subset, last: usize, shorter: &[Node]) -> Vec<Node> {
        let others: Vec<usize> = members(subset).filter(|&digit| digit != last).collect();
        let survives = |node: Node| {
            others.iter().all(|&digit| self.survivors.contains(self.lattice.without(node, digit)))
        };
        let joined =
            |&node: &Node| (0..self.lattice.steps(last)).map(move |step| self.lattice.with(node, last, step));
        let single = others.is_empty();
        shorter.iter().flat_map(joined).filter(|&node| single || survives(node)).collect()
    }

    /// The most general node that is at least as specific as all candidates (the paper's super-root).
    fn common_root(&self, candidates: &[Node], subset: Subset) -> Vec<usize> {
        let mut root = self.lattice.nothing();
        for digit in members(subset) {
            let least = candidates.iter().map(|&node| self.lattice.step(node, digit)).min();
            root = self.lattice.with(root, digit, least.unwrap_or(0));
        }
        self.lattice.to_steps(root)
    }

    fn keeps_promise(&self, set: &FrequencySet) -> bool {
        let left_out = self.domain.standing(set).left_out();
        is_within(left_out, self.domain.rows(), self.params.max_suppressed)
    }

    /// Remembers the survivors of one round and lifts the floor: on no later node can a quasi-identifier
    /// stand lower than it does in any survivor.
    fn record_survivors(&mut self, found: &[SubsetResult]) {
        let mut least: Vec<usize> = (0..self.lattice.digits()).map(|d| self.lattice.steps(d) - 1).collect();
        for result in found {
            for &node in &result.survivors {
                self.survivors.insert(node);
                for digit in members(result.subset) {
                    least[digit] = least[digit].min(self.lattice.step(node, digit));
                }
            }
        }
        let floor = least
            .iter()
            .enumerate()
            .fold(self.lattice.nothing(), |node, (digit, &step)| self.lattice.with(node, digit, step));
        self.floor = self.domain.roll_up(&self.floor, &self.lattice.to_steps(floor));
    }
}
