use std::collections::BTreeMap;

use proptest::prelude::*;
use shoal_algorithms::stream::delay_free::{Draws, KeyedDraws, ParamsError, Published, PublishedParams};
use shoal_core::stream::DesignError;

use super::every_choice::EveryChoice;

type Output = Vec<(u64, Option<Vec<u32>>)>;

/// A group of the slow twins.
#[derive(Clone)]
struct Group {
    /// The values, and whether a tuple has taken them.
    slots: BTreeMap<u32, bool>,
    members: Vec<u128>,
    given_up: bool,
}

impl Group {
    fn new(quasi: u128, value: u32, others: &[u32]) -> Group {
        let slots = others.iter().map(|other| (*other, false)).chain([(value, true)]).collect();
        Group { slots, members: vec![quasi], given_up: false }
    }

    fn is_open(&self) -> bool {
        !self.given_up && self.slots.values().any(|taken| !taken)
    }

    fn take(&mut self, quasi: u128, value: u32) {
        self.slots.insert(value, true);
        self.members.push(quasi);
    }
}

fn give_up_oldest(groups: &mut [Group], max_open_groups: usize) {
    if groups.iter().filter(|group| group.is_open()).count() == max_open_groups {
        groups.iter_mut().find(|group| group.is_open()).unwrap().given_up = true;
    }
}

/// Values other than `value`, one by one, each written down as often as it was counted.
fn counterfeits(pool: &[u64], value: u32, count: usize, draws: &mut impl Draws) -> Vec<u32> {
    let mut others = Vec::new();
    while others.len() < count {
        let left: Vec<u32> = (0..)
            .zip(pool)
            .filter(|(other, _)| *other != value && !others.contains(other))
            .flat_map(|(other, count)| (0..*count).map(move |_| other))
            .collect();
        others.push(left[draws.below(left.len() as u64) as usize]);
    }
    others
}

fn learn(pool: &mut Vec<u64>, params: PublishedParams, value: u32) {
    if params.learn {
        pool.resize(pool.len().max(value as usize + 1), 0);
        pool[value as usize] += 1;
    }
}

/// Algorithm 1 of the paper with our counterfeits, as it is written: all groups are scanned, and one of the slots that
/// will do is chosen.
fn as_written(
    params: PublishedParams,
    pool: &[u64],
    stream: &[(u128, u32)],
    draws: &mut impl Draws,
) -> Output {
    let (mut pool, mut groups, mut output) = (pool.to_vec(), Vec::<Group>::new(), Output::new());
    for (quasi, value) in stream {
        learn(&mut pool, params, *value);
        let fits = |group: &Group| {
            !group.given_up && group.slots.get(value) == Some(&false) && !group.members.contains(quasi)
        };
        let fitting: Vec<usize> = (0..groups.len()).filter(|group| fits(&groups[*group])).collect();
        if fitting.is_empty() {
            give_up_oldest(&mut groups, params.max_open_groups);
            groups.push(Group::new(*quasi, *value, &counterfeits(&pool, *value, params.l - 1, draws)));
            let values = groups[groups.len() - 1].slots.keys().copied().collect();
            output.push((groups.len() as u64 - 1, Some(values)));
        } else {
            let group = fitting[draws.below(fitting.len() as u64) as usize];
            groups[group].take(*quasi, *value);
            output.push((group as u64, None));
        }
    }
    output
}

/// The same, but open slots are kept in the order in which the kernel keeps them, so that the same draws choose the same
/// slots. Everything is found by scanning.
fn in_order(
    params: PublishedParams,
    pool: &[u64],
    stream: &[(u128, u32)],
    mut draws: impl FnMut(u64) -> KeyedDraws,
) -> Output {
    let (mut pool, mut groups, mut output) = (pool.to_vec(), Vec::<Group>::new(), Output::new());
    let mut open: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (position, (quasi, value)) in (0..).zip(stream) {
        let mut draws = draws(position);
        learn(&mut pool, params, *value);
        let list = open.entry(*value).or_default();
        let mut found = None;
        for look in 0..params.max_looks.min(list.len()) {
            let last = list.len() - 1 - look;
            let place = draws.below(last as u64 + 1) as usize;
            if !groups[list[place]].members.contains(quasi) {
                found = Some(list.swap_remove(place));
                break;
            }
            list.swap(place, last);
        }
        if let Some(group) = found {
            groups[group].take(*quasi, *value);
            output.push((group as u64, None));
            continue;
        }
        give_up_oldest(&mut groups, params.max_open_groups);
        for (value, list) in &mut open {
            let gone = list
                .iter()
                .position(|group| groups[*group].given_up && groups[*group].slots.contains_key(value));
            gone.map(|place| list.swap_remove(place));
        }
        groups.push(Group::new(*quasi, *value, &counterfeits(&pool, *value, params.l - 1, &mut draws)));
        let values: Vec<u32> = groups[groups.len() - 1].slots.keys().copied().collect();
        for other in values.iter().filter(|other| *other != value) {
            open.entry(*other).or_default().push(groups.len() - 1);
        }
        output.push((groups.len() as u64 - 1, Some(values)));
    }
    output
}

fn fast(kernel: &mut Published, stream: &[(u128, u32)], choices: &mut impl Draws) -> Output {
    let place = |(quasi, value): &(u128, u32)| {
        let placement = kernel.push_with(choices, *quasi, *value);
        (placement.group, placement.opened.map(<[u32]>::to_vec))
    };
    stream.iter().map(place).collect()
}

prop_compose! {
    /// Parameters, a pool of at least l values, and a stream in which people return and new values turn up.
    fn streams(tuples: usize)(l in 2_usize..5)(
        params in (1_usize..8, 1_usize..5, any::<bool>()).prop_map(move |(max_open_groups, max_looks, learn)| {
            PublishedParams { l, max_open_groups, max_looks, learn }
        }),
        pool in prop::collection::vec(1_u64..6, l..9),
        stream in prop::collection::vec((0_u128..12, 0_u32..11), 1..tuples),
    ) -> (PublishedParams, Vec<u64>, Vec<(u128, u32)>) {
        (params, pool, stream)
    }
}

proptest! {
    #[test]
    fn the_kernel_places_tuples_where_the_scanning_twin_does(
        (params, pool, stream) in streams(120),
        seed in any::<u8>(),
    ) {
        let key = [seed; 32];
        let mut kernel = Published::new(params.check().unwrap(), key, &pool).unwrap();
        let mut output = Output::new();
        for (position, (quasi, value)) in (0..).zip(&stream) {
            let placement = kernel.push(position, *quasi, *value);
            output.push((placement.group, placement.opened.map(<[u32]>::to_vec)));
        }
        let slow = in_order(params, &pool, &stream, |position| KeyedDraws::of_position(&key, position));
        prop_assert_eq!(&output, &slow);

        let figures = kernel.figures();
        let opened = output.iter().filter(|(_, values)| values.is_some()).count() as u64;
        prop_assert_eq!(figures.tuples, stream.len() as u64);
        prop_assert_eq!((figures.opened, figures.joins), (opened, figures.tuples - opened));
        prop_assert_eq!(figures.slots, opened * params.l as u64);
        prop_assert!(figures.open() <= params.max_open_groups as u64);
    }

    /// What an outsider may check: l distinct values, and at no time more members than values or two alike.
    #[test]
    fn groups_are_diverse_and_hold_nobody_twice((params, pool, stream) in streams(200)) {
        let mut kernel = Published::new(params.check().unwrap(), [1; 32], &pool).unwrap();
        let mut groups = Vec::new();
        for (position, (quasi, value)) in (0..).zip(&stream) {
            let placement = kernel.push(position, *quasi, *value);
            if let Some(values) = placement.opened {
                prop_assert!(values.len() == params.l && values.is_sorted_by(|a, b| a < b));
                prop_assert_eq!(placement.group, groups.len() as u64);
                groups.push((values.to_vec(), Vec::new()));
            }
            let (values, members) = &mut groups[placement.group as usize];
            prop_assert!(values.contains(value));
            prop_assert!(members.iter().all(|(other, taken)| other != quasi && taken != value));
            members.push((*quasi, *value));
        }
        let closed = groups.iter().filter(|(values, members)| values.len() == members.len()).count();
        prop_assert_eq!(kernel.figures().closed, closed as u64);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Not only the same places for the same draws, but exactly the probabilities of the algorithm as it is written.
    #[test]
    fn the_kernel_has_the_probabilities_of_the_paper(
        stream in prop::collection::vec((0_u128..3, 0_u32..4), 1..6),
        max_open_groups in 1_usize..5,
        learn in any::<bool>(),
    ) {
        let params = PublishedParams { max_open_groups, learn, ..PublishedParams::new(2) };
        let pool = [1, 1, 2];
        let start = Published::new(params.check().unwrap(), [0; 32], &pool).unwrap();
        let (mut found, mut expected) = (BTreeMap::new(), BTreeMap::new());
        EveryChoice::walk(|choices| {
            let output = fast(&mut start.clone(), &stream, choices);
            *found.entry(output).or_insert(0) += choices.weight(10);
        });
        EveryChoice::walk(|choices| {
            let output = as_written(params, &pool, &stream, choices);
            *expected.entry(output).or_insert(0) += choices.weight(10);
        });
        prop_assert_eq!(found, expected);
    }
}

/// Example 1 and §4.1 of the paper, with two diagnoses in all: the second patient has the other one and validates the
/// counterfeit; one with the same, or the first patient again, needs a new group.
#[test]
fn the_papers_example_validates_late() {
    let params = PublishedParams::new(2).check().unwrap();
    let mut kernel = Published::new(params, [0; 32], &[1, 1]).unwrap();
    let (young_man, woman, old_man, a, b) = (24, 32, 80, 0, 1);
    let new = |group| (group, Some(vec![a, b]));
    let stream = [(young_man, a), (old_man, a), (woman, b), (young_man, b)];
    let mut place = |position: usize| {
        let (quasi, value) = stream[position];
        let placement = kernel.push(position as u64, quasi, value);
        (placement.group, placement.opened.map(<[u32]>::to_vec))
    };
    assert_eq!([place(0), place(1)], [new(0), new(1)]);
    let joined = place(2);
    assert!([(0, None), (1, None)].contains(&joined));
    // The young man's own group will not have him, whether it is open or closed.
    assert_eq!(place(3), if joined.0 == 0 { (1, None) } else { new(2) });
    assert_eq!(kernel.figures().joins + kernel.figures().opened, 4);
}

#[test]
fn too_small_a_pool_is_refused_at_the_start() {
    let params = PublishedParams::new(3).check().unwrap();
    let error = Published::new(params, [0; 32], &[1, 0, 4]).unwrap_err();
    assert_eq!(error, DesignError::TooFewValues { known: 2, l: 3 });
    let error = Published::new(params, [0; 32], &[u64::MAX, 1, 1]).unwrap_err();
    assert_eq!(error, DesignError::TooLarge);
}

#[test]
fn parameters_without_sense_are_refused() {
    let usual = PublishedParams::new(10);
    let error = |params: PublishedParams| params.check().unwrap_err();
    assert_eq!(error(PublishedParams { l: 1, ..usual }), ParamsError::NothingHidden { l: 1 });
    assert_eq!(
        error(PublishedParams { max_open_groups: 0, ..usual }),
        ParamsError::Zero { name: "max_open_groups" }
    );
    assert_eq!(error(PublishedParams { max_looks: 0, ..usual }), ParamsError::Zero { name: "max_looks" });
    let many = error(PublishedParams { max_open_groups: usize::MAX, ..usual });
    assert_eq!(many, ParamsError::TooManySlots { max_open_groups: usize::MAX, l: 10 });
    assert!(!many.hint().is_empty());
}

/// Two combinations of quasi-identifiers only: no group gets more than two members, most open slots will not do,
/// and every push must still end soon.
#[test]
fn few_combinations_neither_fill_groups_nor_take_ever_longer() {
    struct Counted(KeyedDraws, usize);
    impl Draws for Counted {
        fn below(&mut self, bound: u64) -> u64 {
            self.1 += 1;
            self.0.below(bound)
        }
    }
    let params = PublishedParams { max_open_groups: 500, ..PublishedParams::new(5) };
    let mut kernel = Published::new(params.check().unwrap(), [0; 32], &[1; 8]).unwrap();
    for position in 0..20_000 {
        let mut draws = Counted(KeyedDraws::of_position(&[0; 32], position), 0);
        kernel.push_with(&mut draws, u128::from(position % 2), (position % 7) as u32);
        assert!(draws.1 <= params.max_looks + params.l);
    }
    let figures = kernel.figures();
    assert_eq!((figures.open(), figures.closed), (500, 0));
    assert!(figures.sau() >= 0.6, "{figures:?}");
}
