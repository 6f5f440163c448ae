//! A few people are cut into crowds in the best of all ways.

use super::people::People;
use crate::sequences::Work;
use crate::sequences::cluster::Cluster;

/// Up to how many people all ways are tried: with n people that is 2^n crowds and (3^n - 1) / 2 comparisons, 3,280 for 8.
pub(super) const SMALL: usize = 8;

/// The crowds into which the people of some crowds are cut so that least is lost, if that is less than now.
///
/// A set of people is a number with a bit for each, in the order of their own numbers. The crowd of a set is that of
/// all but its last, whom it is then aligned with. The best way to cut a set is the best of all crowds with its last
/// member, and the best way to cut the others; of equally good ones the crowd with the least number.
pub(super) fn recut(crowds: &[&Cluster], people: &People<'_>, work: &mut Work) -> Option<Vec<Cluster>> {
    let mut members: Vec<u32> = crowds.iter().flat_map(|crowd| &crowd.members).copied().collect();
    members.sort_unstable();
    let all = (1_usize << members.len()) - 1;
    // The crowd of each set, from the set 1 onwards.
    let mut crowd_of: Vec<Cluster> = Vec::with_capacity(all);
    // What the crowd of a set loses, if it keeps the promise.
    let mut losses: Vec<Option<i64>> = vec![None];
    // The least loss of a set that is cut into crowds, and the crowd with its last member.
    let mut least: Vec<Option<(i64, usize)>> = vec![Some((0, 0))];
    for set in 1..=all {
        let last = 1 << set.ilog2();
        let others = set ^ last;
        let alone = people.alone(members[set.ilog2() as usize]);
        let crowd = if others == 0 { alone } else { people.joined(&crowd_of[others - 1], &alone) };
        work.alignments_computed += u64::from(others > 0);
        losses.push(people.satisfied(&crowd).then(|| people.loss(&crowd)));
        crowd_of.push(crowd);
        // All subsets of `others`, the empty one last: subtracting 1 and masking counts down through them.
        let subsets = std::iter::successors(Some(others), |&some| Some(some.checked_sub(1)? & others));
        let way = |some: usize| Some((losses[some | last]? + least[others ^ some]?.0, some | last));
        least.push(subsets.filter_map(way).min());
    }
    let now: i64 = crowds.iter().map(|crowd| people.loss(crowd)).sum();
    least[all].filter(|&(loss, _)| loss < now)?;
    let cut = |set: usize| least[set].filter(|_| set > 0).map(|(_, part)| (part, set ^ part));
    let parts = std::iter::successors(cut(all), |&(_, others)| cut(others));
    Some(parts.map(|(part, _)| crowd_of[part - 1].clone()).collect())
}
