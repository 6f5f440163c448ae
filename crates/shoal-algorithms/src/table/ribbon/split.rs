//! Top-down: a class is cut where that leaves the smallest loss, as long as both parts hold.

use super::class::{Class, Member};
use super::class_rule::ClassRule;
use super::space::{Growing, Space};
use super::tuning::Tuning;

/// Cuts a class, and what comes of it, while the loss falls.
pub(super) fn split(space: &Space, rule: &ClassRule<'_>, whole: Class, out: &mut Vec<Class>) {
    let mut waiting = vec![whole];
    while let Some(class) = waiting.pop() {
        rule.check_cancelled();
        match best_cut(space, rule, &class) {
            Some((low, high)) => {
                waiting.push(Class::of(space, high));
                waiting.push(Class::of(space, low));
            }
            None => out.push(class),
        }
    }
}

fn best_cut(space: &Space, rule: &ClassRule<'_>, whole: &Class) -> Option<(Vec<Member>, Vec<Member>)> {
    let n = whole.members.len();
    if whole.size < 2 * rule.k() || whole.cost == 0 || n < 2 {
        return None;
    }
    let is_large = n > Tuning::SPLIT_MIDDLE_MEMBERS;
    let margin = if is_large { n / Tuning::SPLIT_MARGIN_DIVISOR } else { 1 };
    let mut candidates: Vec<(u64, usize, usize)> = Vec::new();
    let mut order: Vec<(u32, Member)> = Vec::with_capacity(n);
    let mut after = vec![u64::MAX; n];
    let mut cover = Growing::within(space, &whole.cover);
    for column in (0..space.dims()).filter(|&c| space.cost_in(c, &whole.cover) > 0) {
        rule.check_cancelled();
        sort(space, column, &whole.members, &mut order);
        // From the back: what the upper part of a cut at each place would lose.
        let mut size = 0;
        for i in (margin..n).rev() {
            grow(space, &mut cover, order[i].1.point, i == n - 1);
            size += order[i].1.count;
            let possible = size >= rule.k() && i <= n - margin;
            after[i] = if possible { u64::from(size) * u64::from(cover.cost()) } else { u64::MAX };
        }
        // From the front: the lower part, and with it the loss of both.
        let mut best: Option<(u64, usize, usize)> = None;
        let mut size = 0;
        for (i, (_, m)) in order[..n - margin].iter().enumerate() {
            grow(space, &mut cover, m.point, i == 0);
            size += m.count;
            let at = i + 1;
            if at >= margin && size >= rule.k() && after[at] != u64::MAX {
                let left = u64::from(size) * u64::from(cover.cost()) + after[at];
                if best.is_none_or(|best| left < best.0) {
                    best = Some((left, column, at));
                }
            }
        }
        // A large class is cut even if that gains nothing yet: its parts may be cut with gain.
        candidates.extend(best.filter(|best| best.0 < whole.loss() || is_large));
    }
    // Only sizes were looked at so far. The best cut of each column, the best column first, until one holds.
    candidates.sort_unstable();
    candidates.iter().find_map(|&(_, column, at)| {
        sort(space, column, &whole.members, &mut order);
        let mut low: Vec<Member> = order.iter().map(|o| o.1).collect();
        let high = low.split_off(at);
        (rule.holds(&low) && rule.holds(&high)).then_some((low, high))
    })
}

fn sort(space: &Space, column: usize, members: &[Member], order: &mut Vec<(u32, Member)>) {
    order.clear();
    order.extend(members.iter().map(|&m| (space.place(column, space.point(m.point)), m)));
    order.sort_unstable_by_key(|(place, m)| (*place, m.point));
}

fn grow(space: &Space, cover: &mut Growing<'_>, point: u32, first: bool) {
    if first {
        cover.start(space.point(point));
    } else {
        cover.join(space.point(point));
    }
}
