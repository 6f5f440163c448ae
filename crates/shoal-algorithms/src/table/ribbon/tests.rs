//! Every fast computation compared with the obvious one.

use proptest::prelude::*;
use shoal_core::{Column, Condition, Hierarchy, Kind, RawTable, Role, Rule, Table, TablePromise};

use super::class::{Class, Member, loss, pooled};
use super::class_rule::{ClassRule, Known};
use super::exact;
use super::ladder::Ladder;
use super::ladder::combinations;
use super::looks::Looks;
use super::merge::merge;
use super::open::Opener;
use super::order::cut;
use super::piece::Piece;
use super::prices::Prices;
use super::rng::Rng;
use super::space::{Growing, Space, WHOLE};
use super::split::split;
use crate::fixture;
use crate::table::conditions::Conditions;
use crate::table::mondrian;
use crate::table::names::ranks_by_frequency;
use crate::table::points::Points;
use crate::table::recode::Recoder;

/// A number or nothing, a name, a name of a wide domain, and a leaf of a tree.
type Row = (u32, u32, u32, u32);

fn rows(most: usize) -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((0_u32..7, 0_u32..4, 0_u32..80, 0_u32..6), 1..=most)
}

fn table(rows: &[Row]) -> Table {
    let number = |value: u32| if value == 6 { "?".to_owned() } else { (value * value).to_string() };
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| vec![number(row.0), format!("n{}", row.1), format!("w{}", row.2), format!("t{}", row.3)])
        .collect();
    let raw = RawTable::from_rows(&["number", "name", "wide", "tree"], &cells);
    let lines: Vec<Vec<String>> = (0..300)
        .map(|leaf| {
            vec![format!("t{leaf}"), format!("g{}", leaf / 2), format!("h{}", leaf / 4), "*".to_owned()]
        })
        .collect();
    let tree = Hierarchy::from_rows(&lines).unwrap();
    let kinds = [Kind::Integer, Kind::Text, Kind::Text, Kind::Text];
    let column = |(at, kind): (usize, Kind)| {
        let tree = (at == 3).then(|| tree.clone());
        fixture::encode(&raw.columns[at], Role::QuasiIdentifier, kind, tree).with_weight(at as f64 + 1.0)
    };
    Table { columns: kinds.into_iter().enumerate().map(column).collect(), rows: rows.len() }
}

/// All that the engine looks at.
fn prepare(table: &Table) -> (Points, Space) {
    let quasi = table.quasi_identifiers();
    let points = Points::fold(&quasi, table.rows);
    let space = Space::new(&quasi, &points);
    (points, space)
}

fn everybody(space: &Space) -> Vec<Member> {
    (0..space.len() as u32).map(|point| Member { point, count: space.weight(point) }).collect()
}

fn members_of(classes: &[Class]) -> Vec<Member> {
    pooled(classes.iter().flat_map(|class| class.members.iter().copied()).collect())
}

/// The least loss of all ways to part the records into classes of at least `k`, the first record's class first.
fn least(space: &Space, k: u32, records: &[u32]) -> Option<u64> {
    if records.is_empty() {
        return Some(0);
    }
    let (first, others) = (records[0], &records[1..]);
    (0..1_usize << others.len())
        .filter_map(|with| {
            let (mut class, mut rest) = (vec![Member { point: first, count: 1 }], Vec::new());
            for (at, &point) in others.iter().enumerate() {
                match with >> at & 1 {
                    1 => class.push(Member { point, count: 1 }),
                    _ => rest.push(point),
                }
            }
            let class = Class::of(space, pooled(class));
            (class.size >= k).then(|| least(space, k, &rest).map(|rest| rest + class.loss())).flatten()
        })
        .min()
}

/// The least loss of cutting an order into classes of at least `k`.
fn least_cut(space: &Space, k: usize, records: &[u32]) -> Option<u64> {
    if records.is_empty() {
        return Some(0);
    }
    let first = |size: usize| {
        let members = records[..size].iter().map(|&point| Member { point, count: 1 });
        Class::of(space, pooled(members.collect())).loss()
    };
    let ends = k..=records.len();
    ends.filter_map(|size| least_cut(space, k, &records[size..]).map(|rest| rest + first(size))).min()
}

proptest! {
    #[test]
    fn costs_are_those_of_the_recoder(rows in rows(12)) {
        let table = table(&rows);
        let quasi = table.quasi_identifiers();
        let (points, space) = prepare(&table);
        let recoder = Recoder::new(&quasi);
        let mut covers = recoder.nothing();
        let mut class = Class::of(&space, vec![Member { point: 0, count: space.weight(0) }]);
        let mut growing = Growing::new(&space);
        recoder.add(&mut covers, points.point(0));
        for point in 1..space.len() as u32 {
            let expected = recoder.cost_with(&covers, points.point(point as usize));
            let found = space.union_cost(&class.cover, space.point(point));
            prop_assert!((f64::from(found) / f64::from(WHOLE) - expected).abs() < 1e-6);
            recoder.add(&mut covers, points.point(point as usize));
            class.add(&space, point, space.weight(point));
            // The cover that remembers what its columns cost comes to the same.
            if point == 1 {
                growing.start(space.point(0));
            }
            growing.join(space.point(point));
            prop_assert_eq!(growing.cost(), found);
            prop_assert_eq!(space.union_cost_within(&class.cover, space.point(point), found), Some(found));
            if found > 0 {
                prop_assert_eq!(space.union_cost_within(&class.cover, space.point(point), found - 1), None);
            }
        }
        prop_assert!((f64::from(class.cost) / f64::from(WHOLE) - recoder.cost(&covers)).abs() < 1e-6);
    }

    /// A cover that knows what it cannot grow beyond, and no longer looks at columns that are there, costs the same.
    #[test]
    fn a_cover_within_a_limit_costs_the_same(rows in rows(12)) {
        let table = table(&rows);
        let (_, space) = prepare(&table);
        let whole = Class::of(&space, everybody(&space));
        let (mut free, mut within) = (Growing::new(&space), Growing::within(&space, &whole.cover));
        free.start(space.point(0));
        within.start(space.point(0));
        for point in 1..space.len() as u32 {
            free.join(space.point(point));
            within.join(space.point(point));
            prop_assert_eq!(free.cost(), within.cost());
        }
        prop_assert_eq!(within.cost(), whole.cost);
    }

    /// Columns that are looked up together look as they do one by one.
    #[test]
    fn fused_columns_look_as_they_do_alone(rows in rows(30), levels in prop::collection::vec(any::<prop::sample::Index>(), 4)) {
        let table = table(&rows);
        let quasi = table.quasi_identifiers();
        let (points, space) = prepare(&table);
        let ladders = Ladder::of_all(&quasi, &points);
        let looks = Looks::of(&ladders, &points);
        let levels: Vec<u8> = ladders.iter().zip(levels).map(|(ladder, level)| level.index(ladder.len()) as u8).collect();
        let view = looks.on(&levels);
        for point in 0..space.len() {
            let codes = points.point(point).iter();
            let alone = ladders.iter().zip(&levels).zip(codes).map(|((ladder, &level), &code)| ladder.images(level)[code as usize]);
            prop_assert_eq!(view.hash(point as u32), alone.fold(0, |hash, image| hash ^ image));
        }
    }

    /// Blocks hold Mondrian's own classes, whatever their size, and every point once.
    #[test]
    fn blocks_are_made_of_the_classes_of_the_whole(rows in rows(60), k in 2_usize..6, most in 1_usize..40) {
        prop_assume!(rows.len() >= k);
        let table = table(&rows);
        let quasi = table.quasi_identifiers();
        let (points, _) = prepare(&table);
        let promise = TablePromise::crowds(k);
        let conditions = Conditions::of(&table, &promise).unwrap();
        let classes = |most: usize| -> Vec<Vec<u32>> {
            let blocks = mondrian::blocks(&quasi, &points, &conditions, most, &shoal_core::Silent);
            let sorted = |class: &[u32]| { let mut class = class.to_vec(); class.sort_unstable(); class };
            let mut classes: Vec<Vec<u32>> = blocks.iter().flat_map(|block| block.classes().map(sorted).collect::<Vec<_>>()).collect();
            classes.sort_unstable();
            classes
        };
        prop_assert_eq!(classes(most), classes(usize::MAX));
        let mut all = classes(most).concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..points.len() as u32).collect::<Vec<_>>());
    }

    #[test]
    fn what_a_move_changes_is_predicted(rows in rows(12), at in any::<prop::sample::Index>(), half in any::<bool>()) {
        let table = table(&rows);
        let (_, space) = prepare(&table);
        let whole = Class::of(&space, everybody(&space));
        let at = at.index(whole.members.len());
        let Member { point, count } = whole.members[at];
        let count = if half { count.div_ceil(2) } else { count };
        let mut without = whole.clone();
        without.take(point, count);
        without.refresh(&space);
        prop_assert_eq!(whole.saved(&space, at, count, &mut Vec::new()), whole.loss() - without.loss());
        let others = (0..whole.members.len()).filter(|&i| i != at).map(|i| space.point(whole.members[i].point));
        if whole.members.len() > 1 {
            let rest = whole.members.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, m)| *m).collect();
            let same = Class::of(&space, rest).cover == whole.cover;
            prop_assert_eq!(space.is_same_without(&whole.cover, space.point(point), &others), same);
        }
        if without.size > 0 {
            let added = whole.loss() - without.loss();
            let below = |least: u64| without.added_below(&space, space.point(point), count, least);
            prop_assert_eq!(below(u64::MAX), Some(added));
            prop_assert_eq!(below(added + 1), Some(added));
            prop_assert_eq!(below(added), None);
            without.add(&space, point, count);
            prop_assert_eq!(without.loss(), whole.loss());
        }
    }

    #[test]
    fn few_records_get_the_best_partition(rows in rows(8), k in 2_u32..4) {
        let table = table(&rows);
        let (points, space) = prepare(&table);
        let members = everybody(&space);
        let records: Vec<u32> =
            members.iter().flat_map(|m| std::iter::repeat_n(m.point, m.count as usize)).collect();
        let promise = TablePromise::crowds(1);
        let conditions = Conditions::of(&table, &promise).unwrap();
        let [rule, _] = ClassRule::both(k, &conditions, &points);
        let best = exact::best(&space, &rule, &members);
        prop_assert_eq!(best.as_deref().map(loss), least(&space, k, &records));
        if let Some(best) = best {
            prop_assert_eq!(members_of(&best), members);
        }
    }

    #[test]
    fn the_ribbon_is_cut_where_it_costs_least(rows in rows(11), k in 2_u32..5) {
        prop_assume!(rows.len() >= k as usize);
        let table = table(&rows);
        let (_, space) = prepare(&table);
        let (cost, records, ends) = cut(&space, k, &everybody(&space));
        prop_assert_eq!(Some(cost), least_cut(&space, k as usize, &records));
        prop_assert_eq!(ends.last(), Some(&rows.len()));
    }

    #[test]
    fn every_way_keeps_all_records_and_gains_what_it_says(rows in rows(60), k in 2_u32..6, seed in any::<u64>()) {
        prop_assume!(rows.len() >= k as usize);
        let table = table(&rows);
        let (points, space) = prepare(&table);
        let promise = TablePromise::crowds(k as usize);
        let conditions = Conditions::of(&table, &promise).unwrap();
        let members = everybody(&space);
        let mut parts = Vec::new();
        for rule in ClassRule::both(k, &conditions, &points) {
            let mut made = Vec::new();
            split(&space, &rule, Class::of(&space, members.clone()), &mut made);
            for classes in [merge(&space, &rule, &members), made] {
                prop_assert_eq!(members_of(&classes), members.clone());
                prop_assert!(classes.iter().all(|class| rule.holds(&class.members)));
                let before = loss(&classes) as i64;
                let mut piece = Piece { space: &space, rule: &rule, classes, rng: Rng::new(seed, 0), tolerance: 0, quick: false, scratch: Vec::new() };
                let gains = piece.improve(40);
                prop_assert_eq!(before - loss(&piece.classes) as i64, gains.moved + gains.swapped + gains.recreated + gains.reformed);
                prop_assert!(loss(&piece.classes) as i64 <= before);
                prop_assert_eq!(members_of(&piece.classes), members.clone());
                for class in &piece.classes {
                    prop_assert!(rule.holds(&class.members));
                    prop_assert_eq!(class, &Class::of(&space, class.members.clone()));
                }
                parts.push(piece.classes.len());
            }
        }
        prop_assert!(parts.iter().all(|&parts| parts > 0));
    }

    /// Opening classes keeps all records, gains what it says and never breaks a class.
    #[test]
    fn opened_classes_gain_what_they_say(rows in rows(80), k in 2_u32..8, seed in any::<u64>()) {
        prop_assume!(rows.len() >= k as usize);
        let table = table(&rows);
        let (points, space) = prepare(&table);
        let promise = TablePromise::crowds(k as usize);
        let conditions = Conditions::of(&table, &promise).unwrap();
        let members = everybody(&space);
        let [rule, _] = ClassRule::both(k, &conditions, &points);
        let ladders = Ladder::of_all(&table.quasi_identifiers(), &points);
        let (looks, all) = (Looks::of(&ladders, &points), combinations(&ladders));
        let mut classes = Vec::new();
        split(&space, &rule, Class::of(&space, members.clone()), &mut classes);
        // Some worse ones, so that there is something to gain.
        let poor: Vec<Member> = classes.drain(..classes.len() / 2).flat_map(|class| class.members).collect();
        classes.extend((!poor.is_empty()).then(|| Class::of(&space, pooled(poor))));
        let mut opener = Opener::new(&space, &rule, &looks, &ladders, &all, seed);
        for _ in 0..2 {
            let before = loss(&classes) as i64;
            let gained = opener.open(&mut classes);
            prop_assert!(gained >= 0);
            prop_assert_eq!(before - loss(&classes) as i64, gained);
            prop_assert_eq!(members_of(&classes), members.clone());
            for class in &classes {
                prop_assert!(rule.holds(&class.members));
                prop_assert_eq!(class.loss(), Class::of(&space, class.members.clone()).loss());
            }
        }
    }

    /// Prices are those of the obvious search through all classes, also where only some classes have changed.
    #[test]
    fn prices_are_those_of_the_cheapest_class(rows in rows(40), of in prop::collection::vec(0_usize..6, 40), moved in any::<prop::sample::Index>()) {
        let table = table(&rows);
        let (_, space) = prepare(&table);
        let mut classes = vec![Vec::new(); 6];
        everybody(&space).into_iter().zip(&of).for_each(|(m, &class)| classes[class].push(m));
        let made = |classes: &[Vec<Member>]| classes.iter().map(|m| Class::of(&space, m.clone())).collect::<Vec<_>>();
        let before = made(&classes);
        let prices = Prices::of(&space, &before);
        for entry in &prices.entries {
            let point = space.point(entry.member.point);
            let others = before.iter().enumerate().filter(|(at, class)| *at != entry.class as usize && class.size > 0);
            let covering = others.filter(|(_, class)| space.union_cost(&class.cover, point) == class.cost);
            prop_assert_eq!(entry.elsewhere, covering.map(|(_, class)| class.cost).min().unwrap_or(WHOLE));
            prop_assert_eq!(entry.cost, before[entry.class as usize].cost);
        }
        // One class gives a member to the next one.
        let from = moved.index(6);
        if let Some(member) = classes[from].pop() {
            classes[(from + 1) % 6].push(member);
        }
        let after = made(&classes);
        let changed = [from as u32, (from as u32 + 1) % 6];
        prop_assert_eq!(prices.after(&space, &after, &changed), Prices::of(&space, &after));
    }

    /// What is kept of a class from one question to the next answers like a class that is counted anew.
    #[test]
    fn what_is_known_of_a_class_is_as_good_as_the_class(
        rows in rows(30),
        k in 1_usize..4,
        people in any::<bool>(),
        questions in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), 1_u32..3), 1..30),
    ) {
        let mut table = table(&rows);
        table.columns[3].role = Role::Sensitive;
        let rule = Rule::Frequency { l: 2 };
        let conditions = vec![Condition { column: "tree".to_owned(), rule }];
        let person = people.then(|| "name".to_owned());
        let promise = TablePromise { conditions, person, ..TablePromise::crowds(k) };
        let Ok(conditions) = Conditions::of(&table, &promise) else { return Ok(()) };
        // Records of one point have one value and are one person's.
        let columns: Vec<&Column> = table.columns.iter().collect();
        let points = Points::fold(&columns, table.rows);
        let space = Space::new(&table.quasi_identifiers(), &points);
        let [_, rule] = ClassRule::both(k as u32, &conditions, &points);
        let class = Class::of(&space, everybody(&space).into_iter().step_by(2).collect());
        let mut known = Known::default();
        for (which, is_spare, count) in questions {
            if is_spare {
                let at = which.index(class.members.len());
                prop_assert_eq!(rule.spare(&class, at, &mut known), rule.spare(&class, at, &mut Known::default()));
            } else {
                let point = which.index(space.len()) as u32;
                prop_assert_eq!(
                    rule.takes(&class, point, count, &mut known),
                    rule.takes(&class, point, count, &mut Known::default())
                );
            }
        }
    }
}

#[test]
fn the_commonest_name_comes_first() {
    let table = table(&[(0, 2, 0, 0), (0, 1, 0, 0), (0, 2, 0, 0), (0, 0, 0, 0)]);
    assert_eq!(ranks_by_frequency(&table.columns[1]), [1, 2, 0]);
}
