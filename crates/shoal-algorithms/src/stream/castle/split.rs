//! A cluster that holds several crowds becomes several classes.

use shoal_core::SplitMix64;

use super::crowd::{Gathering, Needs, gather};
use super::space::Space;
use super::window::Window;

/// Parts that are crowds each. A random seed and its nearest are a part, again and again while the rest is a crowd; then
/// every tuple that is left joins the part that it widens least. A cluster that is one crowd stays whole.
pub(super) fn split(
    mut rest: Vec<u32>,
    needs: Needs,
    growing: bool,
    draws: &mut SplitMix64,
    space: &Space,
    window: &Window,
) -> Vec<Vec<u32>> {
    rest.sort_unstable_by_key(|slot| window.tuple(*slot).position);
    let mut parts = Vec::new();
    let how = Gathering { needs, growing, limit: f64::INFINITY };
    while needs.met_by(rest.iter().copied(), window)
        && let Some(part) = gather(rest[draws.below(rest.len() as u64) as usize], &rest, how, space, window)
    {
        rest.retain(|slot| !part.contains(slot));
        let region = space.around(part.iter().map(|slot| window.cells(*slot)));
        parts.extend(region.map(|region| (part, region)));
    }
    for slot in rest {
        let cells = window.cells(slot);
        let widened =
            parts.iter().map(|(_, region)| space.loss_with(region.view(), cells) - space.loss(region.view()));
        let least = widened.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at);
        if let Some((part, region)) = least.map(|at| &mut parts[at]) {
            part.push(slot);
            space.include(region, cells);
        }
    }
    parts.into_iter().map(|(part, _)| part).collect()
}
