//! The largest cluster of all: everybody.
//!
//! A cluster of about k people must be made nearly alike, whatever L is. That is more than a small L asks for: what few
//! of a cluster share may be shared by hundreds elsewhere. So the other end is tried too: everybody is one cluster, for
//! which [`halt`] decides on levels and suppression. The paper names the one large cluster as its worst case; for L up to
//! three or four it loses less by far (docs/performance.md). What has been hidden for short L stays hidden for longer
//! ones, so the attempt is given up as soon as it loses as much as the small clusters do. Cutting everybody into
//! halves that decide for themselves was tried as well: on SynPUF it gained nothing for C = 0.7 and up to a tenth for
//! β = 6, and took longer; it is left out.
//!
//! Where people are cut into blocks, the attempt has a budget that is proportional to the data, and is given up when that is
//! used up; the trace says so.

use shoal_core::{NodeId, Progress, Sequences, Support};

use crate::sequences::costs::Costs;
use crate::sequences::halt::{self, ForCluster};
use crate::sequences::terms::Terms;
use crate::sequences::{SequencesError, Work};

use super::crowd::{Draft, GONE};
use super::tree::Forest;

/// What became of the attempt.
pub(super) enum Whole {
    /// It loses less than small clusters do.
    Published(Draft, Work),
    /// It does not.
    LosesMore,
    /// It was given up, see [`PLACES_PER_CELL`].
    GivenUp,
}

/// In how many places patterns are looked for in a large data set, for each value of its events. The number of patterns grows with
/// the data and with L; this keeps the attempt linear. Where one cluster is the better choice (SynPUF, L = 3) it takes some
/// hundred, on long histories (L = 8), where it is not, many thousand.
const PLACES_PER_CELL: u64 = 500;

/// What everybody publishes as one cluster, where that loses less than `small`, what small clusters lose.
pub(super) fn publish(
    data: &Sequences,
    terms: &Terms,
    forest: &Forest,
    costs: &Costs,
    small: f64,
    is_large: bool,
    progress: &dyn Progress,
) -> Result<Whole, SequencesError> {
    let own = costs.values(0..data.events().rows);
    let codes = |nodes: &[Option<NodeId>]| -> Vec<u32> {
        let quasi = (0..forest.quasi()).cycle();
        let code = |((&node, &own), quasi): ((&Option<NodeId>, &u32), usize)| {
            let nothing = || if terms.support == Support::Compatible { GONE } else { forest.root(own) };
            node.map_or_else(nothing, |node| costs.code(quasi, node))
        };
        nodes.iter().zip(own).zip(quasi).map(code).collect()
    };
    let people: Vec<u32> = (0..data.persons() as u32).collect();
    let starts: Vec<usize> = std::iter::once(0).chain(data.iter().map(|events| events.end)).collect();
    let draft = |nodes: &[Option<NodeId>]| Draft {
        people: people.clone(),
        starts: starts.clone(),
        codes: codes(nodes),
    };
    let most = is_large.then_some(PLACES_PER_CELL * own.len() as u64);
    let too_much = |nodes: &[Option<NodeId>]| draft(nodes).loss(forest) >= small;
    Ok(match halt::for_cluster(data, terms, too_much, most, progress)? {
        ForCluster::Decided(decided) => {
            let work = Work {
                invalid_found: decided.found,
                invalid_removed: decided.found,
                items_suppressed: decided.suppressed_items,
                ..Work::default()
            };
            Whole::Published(draft(&decided.nodes), work)
        }
        ForCluster::LosesTooMuch => Whole::LosesMore,
        ForCluster::TooMuchWork => Whole::GivenUp,
    })
}
