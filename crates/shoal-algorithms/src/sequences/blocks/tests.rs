//! The planner on random sequences.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use shoal_core::{Kind, RawTable, Role};

use super::cut::Counts;
use super::sample::{Compared, Sample};
use super::{BlockSizes, Feature, Plan, Room, Units, plan};
use crate::fixture;
use crate::sequences::costs::Costs;

/// Sequences of two values an event; whoever is marked must not be more than this share of a block.
#[derive(Clone, Debug)]
struct World {
    costs: Costs,
    sequences: Vec<Vec<u32>>,
    is_marked: Vec<bool>,
    most: f64,
    /// How many near ones each needs, where a sample is to choose the cuts.
    needed: Option<usize>,
}

/// Blocks of at most so many people; nobody here has more events than all count at least.
fn of_people(most: usize) -> BlockSizes {
    BlockSizes::of(most * BlockSizes::LEAST)
}

impl World {
    fn new(people: &[(Vec<(usize, usize)>, bool)], groups: &[u8], most: f64) -> World {
        let events = people.iter().flat_map(|(events, _)| events);
        let rows: Vec<Vec<String>> = events.map(|(a, b)| vec![format!("v{a}"), format!("v{b}")]).collect();
        let raw = RawTable::from_rows(&["a", "b"], &rows);
        let tree = || fixture::four_groups(|leaf| format!("v{leaf}"), groups);
        let column = |raw| fixture::encode(raw, Role::QuasiIdentifier, Kind::Text, Some(tree()));
        let columns: Vec<_> = raw.columns.iter().map(column).collect();
        let costs = Costs::new(&columns.iter().collect::<Vec<_>>(), rows.len()).unwrap();
        let mut start = 0;
        let sequences = people
            .iter()
            .map(|(events, _)| {
                start += events.len();
                costs.values(start - events.len()..start).to_vec()
            })
            .collect();
        let is_marked = people.iter().map(|&(_, marked)| marked).collect();
        World { costs, sequences, is_marked, most, needed: None }
    }

    fn plan(&self, most: usize) -> Plan {
        plan(self, &self.costs, of_people(most), &BTreeSet::new())
    }

    /// Who is marked, and the values, of each block: what does not depend on how people are numbered.
    fn content(&self, most: usize) -> Vec<Vec<(&[u32], bool)>> {
        let of = |&unit: &u32| (&*self.sequences[unit as usize], self.is_marked[unit as usize]);
        let blocks = self.plan(most).blocks;
        let mut content: Vec<Vec<_>> = blocks.iter().map(|block| block.iter().map(of).collect()).collect();
        content.iter_mut().for_each(|block| block.sort_unstable());
        content
    }
}

impl Units for World {
    fn count(&self) -> usize {
        self.sequences.len()
    }

    fn events(&self, unit: u32) -> &[u32] {
        &self.sequences[unit as usize]
    }

    fn needed(&self) -> Option<usize> {
        self.needed
    }

    fn fit(&self, units: &[u32], room: Room) -> bool {
        let marked = units.iter().filter(|&&unit| self.is_marked[unit as usize]).count();
        let usual = self.is_marked.iter().filter(|&&marked| marked).count() as f64 / self.count() as f64;
        units.len() >= room.least_people(1)
            && marked as f64 / units.len() as f64 <= room.most(usual, self.most)
    }
}

fn any_world(most: f64) -> impl Strategy<Value = World> {
    let person = (vec((0_usize..9, 0_usize..9), 1..6), any::<bool>());
    (vec(person, 20..200), vec(0_u8..4, 9), prop::option::of(0_usize..6))
        .prop_map(move |(people, groups, needed)| World { needed, ..World::new(&people, &groups, most) })
}

proptest! {
    #[test]
    fn everybody_is_in_one_block_and_no_block_is_too_large(world in any_world(1.0), most in 8_usize..60) {
        let plan = world.plan(most);
        let mut everybody = plan.blocks.concat();
        everybody.sort_unstable();
        prop_assert_eq!(everybody, (0..world.count() as u32).collect::<Vec<_>>());
        // Nobody is marked too often here, and blocks of one are large enough, so every block can be cut.
        for block in &plan.blocks {
            prop_assert!(block.len() <= most, "{} of at most {most}", block.len());
            prop_assert!(block.is_sorted() && !block.is_empty());
        }
    }

    #[test]
    fn every_block_keeps_the_share(world in any_world(0.7), most in 8_usize..60) {
        // Both algorithms refuse people who do not keep the terms together before they plan.
        let everybody: Vec<u32> = (0..world.count() as u32).collect();
        prop_assume!(world.fit(&everybody, Room::Enough));
        let blocks = world.plan(most).blocks;
        if blocks.len() > 1 {
            prop_assert!(blocks.iter().all(|block| world.fit(block, Room::Enough)));
        }
    }

    #[test]
    fn blocks_do_not_depend_on_the_order_of_people(
        world in any_world(1.0),
        most in 8_usize..60,
        turn in any::<prop::sample::Index>(),
    ) {
        // Without marks nothing tells equal people apart.
        let world = World { is_marked: vec![false; world.count()], ..world };
        let mut turned = world.clone();
        turned.sequences.rotate_left(turn.index(world.count()));
        turned.sequences.swap(0, 1);
        prop_assert_eq!(world.content(most), turned.content(most));
    }

    #[test]
    fn counts_of_parts_add_up(world in any_world(1.0), at in any::<prop::sample::Index>()) {
        let count = |part: &[Vec<u32>]| Counts::of(part.iter().map(Vec::as_slice), &world.costs);
        let (one, other) = world.sequences.split_at(at.index(world.count()));
        prop_assert_eq!(count(one).add(count(other)), count(&world.sequences));
    }

    #[test]
    fn a_sample_measures_the_least_loss_of_two(world in any_world(1.0), limit in 0_i64..20 << 20) {
        let (mut heights, mut line) = (Vec::new(), Vec::new());
        for (one, other) in world.sequences.iter().zip(&world.sequences[1..]) {
            let loss = slow_loss(one, other, &world.costs);
            let compared = Compared::new(one, &world.costs, &mut heights);
            prop_assert_eq!(compared.distance(other, i64::MAX, &mut line), Some(loss));
            prop_assert_eq!(compared.distance(other, limit, &mut line), Some(loss).filter(|&loss| loss < limit));
        }
    }

    #[test]
    fn a_sample_says_what_a_cut_adds(world in any_world(1.0), needed in 0_usize..6, at in any::<prop::sample::Index>()) {
        // So few that all look around, among all, and remember everybody.
        let world = World { sequences: world.sequences[..20].to_vec(), ..world };
        let block: Vec<u32> = (0..20).collect();
        let nodes = world.costs.nodes();
        let feature = Feature::at(2 + at.index(Feature::places(nodes) - 2), nodes);
        let losses = |unit: u32, others: &mut dyn Iterator<Item = u32>| {
            let loss = |other: u32| slow_loss(world.events(unit), world.events(other), &world.costs);
            let mut losses: Vec<i64> = others.filter(|&other| other != unit).map(loss).collect();
            losses.sort_unstable();
            losses
        };
        let added: i64 = block.iter().map(|&unit| {
            let side = |unit: u32| feature.is_in(world.events(unit), &world.costs);
            let all = losses(unit, &mut block.iter().copied());
            let mut same = losses(unit, &mut block.iter().copied().filter(|&other| side(other) == side(unit)));
            same.resize(needed.max(same.len()), all[all.len() - 1]);
            same[..needed].iter().sum::<i64>() - all[..needed].iter().sum::<i64>()
        }).sum();
        let sample = Sample::new(&block, needed, &world, &world.costs);
        prop_assert_eq!(sample.added_loss(feature, &world, &world.costs), added as u64);
    }

    #[test]
    fn a_feature_is_counted_in_those_who_have_it(world in any_world(1.0)) {
        // Those of an only sequence are the ones that it has.
        for events in &world.sequences {
            let mut visited = BTreeSet::new();
            Feature::visit(events, &world.costs, |feature, _| {
                visited.insert(feature);
            });
            let nodes = world.costs.nodes();
            let all = (2..Feature::places(nodes)).map(|place| Feature::at(place, nodes));
            let is_root = |feature: &Feature| match *feature {
                Feature::Length(_) => false,
                Feature::Has(node) | Feature::First(node) | Feature::Last(node) => {
                    world.costs.parent(node).is_none()
                }
            };
            let has: BTreeSet<Feature> = all
                .filter(|feature| !is_root(feature) && feature.is_in(events, &world.costs))
                .collect();
            prop_assert_eq!(visited, has);
        }
    }
}

/// The least that two lose when they are published as one, of all ways to match their events.
fn slow_loss(one: &[u32], other: &[u32], costs: &Costs) -> i64 {
    let gap = |event: &[u32]| i64::from(costs.suppressed() - costs.event_height(event));
    let gaps = |events: &[u32]| events.chunks(costs.quasi()).map(gap).sum::<i64>();
    let (Some((a, rest)), Some((b, others))) =
        (one.split_at_checked(costs.quasi()), other.split_at_checked(costs.quasi()))
    else {
        return gaps(one) + gaps(other);
    };
    let together: u32 = a.iter().zip(b).map(|(&a, &b)| costs.height(costs.lowest_common(a, b))).sum();
    let lifted = |event: &[u32]| i64::from(together - costs.event_height(event));
    let matched = lifted(a) + lifted(b) + slow_loss(rest, others, costs);
    matched.min(gap(a) + slow_loss(rest, other, costs)).min(gap(b) + slow_loss(one, others, costs))
}

/// Where a sample chooses, those who are nearest stay together although another feature has a higher charge.
#[test]
fn a_sample_keeps_the_nearest_together() {
    // Two kinds of people, who differ in both values; half of each have a second event. Everybody needs some more than there are of
    // their kind and length, and those of the other length are nearer than those of the other kind.
    let groups = [0, 0, 0, 1, 1, 1, 2, 2, 3];
    let value = |at: usize| at % 2 * 3 + at / 2 % 3;
    let people: Vec<_> = (0..96).map(|at| (vec![(value(at), value(at)); 1 + at / 6 % 2], false)).collect();
    let by_counts = World::new(&people, &groups, 1.0);
    assert_eq!(by_counts.plan(60).cuts, BTreeSet::from([Feature::Length(2)]));
    let by_sample = World { needed: Some(30), ..by_counts };
    let kind = |kind: u32| (kind..96).step_by(2).collect::<Vec<u32>>();
    let mut blocks = by_sample.plan(60).blocks;
    blocks.sort_unstable();
    assert_eq!(blocks, [kind(0), kind(1)]);
}

/// Two kinds of people that have nothing in common are not mixed.
#[test]
fn a_cut_parts_people_who_are_far_apart() {
    let groups = [0, 0, 0, 1, 1, 1, 2, 2, 3];
    let kind = |first: usize| (0..40).map(move |at| (vec![(first + at % 3, first + at % 2)], false));
    let people: Vec<_> = kind(0).chain(kind(3)).collect();
    let world = World::new(&people, &groups, 1.0);
    let plan = world.plan(40);
    let kinds: Vec<Vec<u32>> = vec![(0..40).collect(), (40..80).collect()];
    assert!(plan.blocks.iter().all(|block| kinds.contains(block)), "{:?}", plan.blocks);
}

/// An avoided feature is not cut at.
#[test]
fn another_plan_cuts_elsewhere() {
    let groups = [0, 0, 0, 1, 1, 1, 2, 2, 3];
    let people: Vec<_> = (0..90).map(|at| (vec![(at % 9, at / 9 % 9)], false)).collect();
    let world = World::new(&people, &groups, 1.0);
    let first = world.plan(50);
    assert!(!first.cuts.is_empty());
    let second = plan(&world, &world.costs, of_people(50), &first.cuts);
    assert!(second.cuts.is_disjoint(&first.cuts));
    assert_ne!(first.blocks, second.blocks);
}

/// Equal people are dealt out.
#[test]
fn equal_people_are_cut_too() {
    let people: Vec<_> = (0..64).map(|at| (vec![(1, 2)], at < 32)).collect();
    let world = World::new(&people, &[0; 9], 0.75);
    let blocks = world.plan(16).blocks;
    assert_eq!(blocks.len(), 4);
    for block in blocks {
        assert_eq!(block.iter().filter(|&&unit| world.is_marked[unit as usize]).count(), 8);
    }
}
