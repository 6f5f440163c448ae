//! The groups that an index finds against those of a row of distances to everybody.

use std::collections::BTreeSet;

use proptest::prelude::*;
use shoal_core::{Bound, SequencesPromise, Silent, Support};

use super::data::{any_visits, promise};
use crate::sequences::Work;
use crate::sequences::costs::Costs;
use crate::sequences::fcla::Distance;
use crate::sequences::fcla::free::{Free, Reach};
use crate::sequences::fcla::groups::People;
use crate::sequences::fcla::growth::Group;
use crate::sequences::limits::Limits;
use crate::sequences::terms::Terms;

proptest! {
    #[test]
    fn an_index_finds_the_same_groups(
        data in any_visits(20..80, 6),
        k in 1..5_usize,
        bound in prop_oneof![Just(Bound::Gain(0.5)), Just(Bound::Gain(6.0)), Just(Bound::Share(0.7))],
        distance in prop_oneof![Just(Distance::Aligned), Just(Distance::EventPairs)],
        start in any::<prop::sample::Index>(),
    ) {
        let terms = Terms::new(&promise(k, 2, None, bound), &data, "fcla").unwrap();
        let costs = Costs::new(&data.events().quasi_identifiers(), data.events().rows).unwrap();
        let nothing = SequencesPromise { k, length: None, support: Support::Paper, limits: Vec::new(), distributions: Default::default() };
        let limits = Limits::new(&nothing, data.events(), "fcla").unwrap();
        let people = People::new(data.iter().collect(), &costs, limits, &Silent);
        // Some of everybody, as in a block.
        let block: Vec<u32> = (0..data.persons() as u32).filter(|person| person % 7 != 3).collect();
        let free = |reach| Free::new(&block, reach, &people, distance);
        let (mut fast, mut slow) = (free(Reach::Index), free(Reach::Everybody));
        let mut work = Work::default();
        let mut from = Some(block[start.index(block.len())]);
        while let Some(person) = from {
            let found = [&mut fast, &mut slow].map(|free| free.around(person, &terms, &mut work));
            let groups = found.map(|found| found.map(|(group, _)| group));
            // Where no more than k are left, a row is taken as it comes: by number, or the nearest first.
            let sorted = |people: &[u32]| people.iter().copied().collect::<BTreeSet<_>>();
            let names = groups.each_ref().map(|group| {
                let of = |group: &Group| (group.people.first().copied(), sorted(&group.people), sorted(&group.hidden));
                group.as_ref().map(of)
            });
            prop_assert_eq!(&names[0], &names[1]);
            let [Some(group), _] = groups else { break };
            fast.take(&group);
            slow.take(&group);
            prop_assert_eq!(&fast.people, &slow.people);
            from = fast.people.first().copied();
        }
    }
}
