//! Somebody moves to another crowd, or changes places with one of its people.

use std::cmp::Reverse;

use super::people::People;
use crate::sequences::Work;
use crate::sequences::cluster::Cluster;
use crate::sequences::matching::{Matching, Numbered, Query};

/// How many of a crowd may be the ones who change places: those who save most. Trying all would align everybody with
/// everybody.
const CANDIDATES: usize = 8;

/// A member whom the others would rather not have.
#[derive(Clone, Debug)]
pub(super) struct Loose {
    /// How much less is lost without them.
    saved: i64,
    alone: Cluster,
    rest: Cluster,
}

impl Loose {
    /// The members without whom most is saved; of equal ones those who came first. Who is alone is not loose.
    pub(super) fn of(crowd: &Cluster, people: &People<'_>) -> Vec<Loose> {
        if crowd.size() == 1 {
            return Vec::new();
        }
        let loss = people.loss(crowd);
        let saved = |at: usize| loss - people.loss(&people.without(crowd, at));
        let mut order: Vec<(Reverse<i64>, usize)> =
            (0..crowd.size()).map(|at| (Reverse(saved(at)), at)).collect();
        order.sort_unstable();
        order.truncate(CANDIDATES);
        let loose = |(Reverse(saved), at): (Reverse<i64>, usize)| Loose {
            saved,
            alone: people.alone(crowd.members[at]),
            rest: people.without(crowd, at),
        };
        order.into_iter().map(loose).collect()
    }
}

/// Two crowds between which somebody moves.
pub(super) struct Exchange<'a> {
    pub(super) one: &'a Cluster,
    pub(super) two: &'a Cluster,
    /// Those of the second crowd who may come for somebody of the first.
    pub(super) loose: &'a [Loose],
    pub(super) people: &'a People<'a>,
}

impl Exchange<'_> {
    /// The crowds after somebody of the first has gone to the second and nobody, or one of its loose members, has come for
    /// them, in the way that lowers the loss most. Who stays keeps the events that they publish, who comes is
    /// aligned with them. Of equally good ways the first counts.
    pub(super) fn best(&self, person: u32, work: &mut Work) -> Option<[Cluster; 2]> {
        let Exchange { one, two, loose, people } = *self;
        let (costs, matching) = (people.search.costs, people.search.matching);
        let at = one.members.iter().position(|&member| member == person).filter(|_| one.size() > 1)?;
        let (goes, stay) = (people.alone(person), people.without(one, at));
        let saved = people.loss(one) - people.loss(&stay);
        let (mut of_goes, mut of_stay, mut line) = (Vec::new(), Vec::new(), Vec::new());
        let goer = Query::new(Numbered { id: 1, cluster: &goes }, costs, &mut of_goes);
        let stayers = Query::new(Numbered { id: 1, cluster: &stay }, costs, &mut of_stay);
        // What aligning one with another adds, if no more than this.
        let mut added = |query: &Query<'_>, cluster: &Cluster, most: i64| {
            work.alignments_computed += 1;
            matching.distance(query, Numbered { id: 0, cluster }, costs, most, &mut line)
        };

        // `added` gets the most that an alignment may cost, so that hopeless ones stop early; `- 1` because an exchange
        // that gains nothing is not made, which is what makes the passes end.
        let mut gained = 0;
        let mut best = None;
        if people.satisfied(&stay)
            && let Some(lost) = added(&goer, two, saved - 1)
        {
            let grown = people.joined(two, &goes);
            if people.satisfied(&grown) {
                gained = saved - lost;
                best = Some([stay.clone(), grown]);
            }
        }
        for Loose { saved: also, alone: comes, rest } in loose {
            let most = saved + also - gained - 1;
            let Some(there) = added(&goer, rest, most) else { continue };
            let Some(here) = added(&stayers, comes, most - there) else { continue };
            let after = [people.joined(&stay, comes), people.joined(rest, &goes)];
            if after.iter().all(|crowd| people.satisfied(crowd)) {
                gained = saved + also - there - here;
                best = Some(after);
            }
        }
        best
    }
}
