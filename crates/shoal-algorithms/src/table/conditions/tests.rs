//! Every figure once more, slowly and in fractions, and what is refused.

use proptest::prelude::*;
use shoal_core::{
    Column, Condition, Distance, Distribution, Hierarchy, Kind, Likeness, Role, Rule, Table, TablePromise,
};

use super::distance::Spread;
use super::{Conditions, Tally, check_promise};
use crate::fixture;
use crate::table::{ParamsError, TableError};

/// Nine values below three groups, the last of them on its own below the root.
const TREE: [&str; 9] =
    ["1;A;X;*", "2;A;X;*", "3;A;X;*", "4;B;X;*", "5;B;X;*", "6;C;Y;*", "7;C;Y;*", "8;C;Y;*", "9;*"];

fn column(name: &str, role: Role, kind: Kind, values: &[&str]) -> Column {
    fixture::column(name, role, kind, values, None)
}

/// The values of [`nine`].
const NINE: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

fn illnesses(values: &[&str]) -> Table {
    Table { columns: vec![column("illness", Role::Sensitive, Kind::Text, values)], rows: values.len() }
}

fn promise(k: usize, rules: &[Rule]) -> TablePromise {
    let condition = |&rule: &Rule| Condition { column: "illness".into(), rule };
    TablePromise { conditions: rules.iter().map(condition).collect(), ..TablePromise::crowds(k) }
}

/// A sensitive column whose domain is all nine values.
fn nine() -> Column {
    let lines: Vec<Vec<&str>> = TREE.iter().map(|line| line.split(';').collect()).collect();
    let tree = Hierarchy::from_rows(&lines).unwrap();
    fixture::column("illness", Role::Sensitive, Kind::Integer, &NINE, Some(tree))
}

/// The distance of two values, given how often everybody has each value.
fn ground(distance: Distance, all: &[u32], a: usize, b: usize) -> f64 {
    let occurring = |values: &[u32]| values.iter().filter(|&&count| count > 0).count();
    let path = |v: usize| TREE[v].split(';').skip(1).collect::<Vec<_>>();
    match distance {
        _ if a == b => 0.0,
        Distance::Equal => 1.0,
        Distance::Ordered => {
            let steps = occurring(&all[..a]).abs_diff(occurring(&all[..b]));
            steps as f64 / (occurring(all) - 1).max(1) as f64
        }
        Distance::Hierarchical => match path(a).into_iter().find(|node| path(b).contains(node)).unwrap() {
            "*" => 1.0,
            "X" | "Y" => 2.0 / 3.0,
            _ => 1.0 / 3.0,
        },
    }
}

/// The least that it costs to move one distribution of records onto the other, by shortest augmenting paths:
/// slow, and knows nothing of the distance but its values. Supplies and demands are whole numbers.
fn least_transport(supply: &[u64], demand: &[u64], cost: impl Fn(usize, usize) -> f64) -> f64 {
    let (n, mut flow) = (supply.len(), vec![vec![0_u64; demand.len()]; supply.len()]);
    let (mut supply, mut demand) = (supply.to_vec(), demand.to_vec());
    let mut total = 0.0;
    while supply.iter().any(|&left| left > 0) {
        // Bellman and Ford over n sources and n sinks.
        let mut far = vec![f64::INFINITY; 2 * n];
        let mut from = vec![usize::MAX; 2 * n];
        (0..n).filter(|&s| supply[s] > 0).for_each(|s| far[s] = 0.0);
        for _ in 0..2 * n {
            for s in 0..n {
                for d in 0..n {
                    if far[s] + cost(s, d) < far[n + d] - 1e-12 {
                        (far[n + d], from[n + d]) = (far[s] + cost(s, d), s);
                    }
                    if flow[s][d] > 0 && far[n + d] - cost(s, d) < far[s] - 1e-12 {
                        (far[s], from[s]) = (far[n + d] - cost(s, d), n + d);
                    }
                }
            }
        }
        let end =
            (0..n).filter(|&d| demand[d] > 0).min_by(|&a, &b| far[n + a].total_cmp(&far[n + b])).unwrap();
        let mut path = vec![n + end];
        while from[path[path.len() - 1]] != usize::MAX {
            path.push(from[path[path.len() - 1]]);
        }
        let start = path[path.len() - 1];
        let mut amount = supply[start].min(demand[end]);
        for step in path.windows(2).filter(|step| step[0] < n) {
            amount = amount.min(flow[step[0]][step[1] - n]);
        }
        for step in path.windows(2) {
            if step[0] >= n {
                flow[step[1]][step[0] - n] += amount;
            } else {
                flow[step[0]][step[1] - n] -= amount;
            }
        }
        supply[start] -= amount;
        demand[end] -= amount;
        total += far[n + end] * amount as f64;
    }
    total
}

const DISTANCES: [Distance; 3] = [Distance::Equal, Distance::Ordered, Distance::Hierarchical];

/// A tally of the nine values; with many keys it is sparse.
fn tally(counts: &[u32], keys: u32) -> Tally {
    let mut tally = Tally::new(keys);
    for (value, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        tally.grow(count);
        tally.add_key(value as u32, count);
    }
    tally
}

/// All parts of a crowd, by the number of records that they have of each value.
fn all_parts(crowd: &[u32]) -> Vec<Vec<u32>> {
    crowd.iter().fold(vec![Vec::new()], |parts, &count| {
        let longer = |part: &Vec<u32>| -> Vec<Vec<u32>> {
            (0..=count).map(|count| part.iter().copied().chain([count]).collect()).collect()
        };
        parts.iter().flat_map(longer).collect()
    })
}

proptest! {
    /// Against all parts of a crowd: what is left holds; it is as large as can be under β-likeness, and nobody is left only if there is nothing.
    #[test]
    fn crowds_are_trimmed_to_the_largest_part_that_holds(
        everybody in prop::collection::vec(0_u32..7, 4), crowd in prop::collection::vec(0_u32..5, 4),
        k in 2_usize..5, bound in 0.05_f64..1.5, kind in 0_usize..4,
    ) {
        prop_assume!(crowd.iter().sum::<u32>() > 0);
        let all: Vec<u32> = everybody.iter().zip(&crowd).map(|(more, own)| more + own).collect();
        let values: Vec<&str> =
            all.iter().enumerate().flat_map(|(value, &count)| vec![NINE[value]; count as usize]).collect();
        prop_assume!(values.len() >= k);
        let rule = match kind {
            0 => Rule::Alike(Likeness::Basic(bound)),
            1 => Rule::Alike(Likeness::Enhanced(bound)),
            2 => Rule::Close { t: bound.min(1.0), distance: Distance::Equal },
            _ => Rule::Close { t: bound.min(1.0), distance: Distance::Ordered },
        };
        let table = Table { columns: vec![column("illness", Role::Sensitive, Kind::Integer, &values)], rows: values.len() };
        let conditions = Conditions::of(&table, &promise(k, &[rule])).unwrap();
        let trimming = conditions.trimming().unwrap();
        // Values that nobody has are not in the domain.
        let mut crowd: Vec<u32> = crowd.iter().zip(&all).filter(|(_, all)| **all > 0).map(|(own, _)| *own).collect();
        let keys = crowd.len() as u32;
        let parts = all_parts(&crowd).into_iter().filter(|part| conditions.hold(&tally(part, keys)));
        let largest = parts.map(|part| part.iter().sum::<u32>()).max().unwrap_or(0);
        trimming.trim(&mut crowd);
        let left: u32 = crowd.iter().sum();
        prop_assert!(left == 0 || conditions.hold(&tally(&crowd, keys)));
        prop_assert!(left <= largest);
        if kind < 2 {
            prop_assert_eq!(left, largest);
        }
    }

    #[test]
    fn distances_are_the_least_cost_of_moving_records(
        class in prop::collection::vec(0_u32..5, 9), others in prop::collection::vec(0_u32..5, 9)
    ) {
        prop_assume!(class.iter().sum::<u32>() > 0);
        let all: Vec<u32> = class.iter().zip(&others).map(|(a, b)| a + b).collect();
        let [records, everybody] = [&class, &all].map(|counts| u64::from(counts.iter().sum::<u32>()));
        let supply: Vec<u64> = class.iter().map(|&count| u64::from(count) * everybody).collect();
        let demand: Vec<u64> = all.iter().map(|&count| u64::from(count) * records).collect();
        for distance in DISTANCES {
            let cost = |a: usize, b: usize| ground(distance, &all, a, b);
            let slow = least_transport(&supply, &demand, cost) / (records * everybody) as f64;
            let spread = Spread::new(&nine(), distance, &all, 0).unwrap();
            for keys in [9, 1000] {
                let fast = spread.of(records, tally(&class, keys).present(0..9));
                prop_assert!((fast - slow).abs() < 1e-9, "{distance:?}: {fast} and {slow}");
            }
            prop_assert_eq!(spread.of(everybody, tally(&all, 9).present(0..9)), 0.0);
        }
    }

    /// What all repairs by merging rest upon.
    #[test]
    fn two_classes_that_hold_do_so_together(
        [a, b, others] in prop::array::uniform3(prop::collection::vec(0_u32..6, 9)),
        l in 1_usize..5, c in 0.3_f64..3.0, t in 0.0_f64..0.6, beta in 0.2_f64..4.0,
    ) {
        // All nine codes, whatever occurs.
        let codes: Vec<u32> = (0..9)
            .flat_map(|value| vec![value as u32; (a[value] + b[value] + others[value]) as usize])
            .collect();
        let table = Table { rows: codes.len(), columns: vec![Column { codes, ..nine() }] };
        let mut rules = vec![
            Rule::Distinct { l }, Rule::Frequency { l }, Rule::Entropy { l: l as f64 }, Rule::Recursive { l, c },
            Rule::Alike(Likeness::Basic(beta)), Rule::Alike(Likeness::Enhanced(beta)),
        ];
        rules.extend(DISTANCES.map(|distance| Rule::Close { t, distance }));
        for rule in rules {
            let Ok(conditions) = Conditions::of(&table, &promise(2, &[rule])) else { continue };
            let [a, b] = [&a, &b].map(|counts| tally(counts, 9));
            let mut both = a.clone();
            both.merge(&b);
            for class in [&a, &b, &both] {
                prop_assert_eq!(conditions.hold(class), conditions.lack(class) == 0.0);
            }
            let parts = conditions.hold(&a) && conditions.hold(&b);
            prop_assert!(!parts || conditions.hold(&both), "{:?}", rule);
        }
    }
}

/// Table 3 of the paper on t-closeness: nine salaries, three of them in the first class.
#[test]
fn the_distances_of_the_paper() {
    let salaries = [1; 9];
    let spread = Spread::new(&nine(), Distance::Ordered, &salaries, 0).unwrap();
    let distance = |class: [u32; 9]| spread.of(3, tally(&class, 9).present(0..9));
    assert!((distance([1, 1, 1, 0, 0, 0, 0, 0, 0]) - 0.375).abs() < 1e-12);
    assert!((distance([0, 0, 0, 1, 0, 1, 0, 0, 1]) - 1.0 / 6.0).abs() < 0.01);
}

#[test]
fn what_no_classes_can_keep_is_refused_and_the_value_is_named() {
    let refused = |values: &[&str], k: usize, rule: Rule| {
        Conditions::of(&illnesses(values), &promise(k, &[rule])).err().unwrap()
    };
    // An empty cell is no value.
    let few = refused(&["flu", "flu", "cold", "?"], 2, Rule::Distinct { l: 4 });
    let values = "`cold`, `flu`".to_owned();
    assert_eq!(few, TableError::TooFewValues { column: "illness".into(), l: 4, found: 2, values });
    assert_eq!(
        few.to_string(),
        "column `illness` has only 2 different values, `cold`, `flu`, but every class needs 4"
    );
    let four = refused(&["flu", "gout", "cold", "cough"], 2, Rule::Distinct { l: 5 });
    assert!(four.to_string().contains("only 4 different values, `cold`, `cough`, `flu`, …, but"), "{four}");
    let frequent = refused(&["flu", "flu", "flu", "cold"], 2, Rule::Entropy { l: 2.0 });
    assert_eq!(
        frequent.to_string(),
        "`flu` stands in 3 of 4 records of column `illness`, too many for entropy 2-diversity"
    );
    let frequent = refused(&["flu", "flu", "cold"], 2, Rule::Recursive { l: 2, c: 2.0 });
    assert_eq!(
        frequent.to_string(),
        "`flu` stands in 2 of 3 records of column `illness`, too many for recursive (2, 2)-diversity"
    );
    assert_eq!(refused(&["a"], 2, Rule::Distinct { l: 1 }), TableError::TooFewRecords { k: 2, records: 1 });
    for (distance, lacking) in [(Distance::Hierarchical, "hierarchy"), (Distance::Ordered, "order")] {
        let error = refused(&["a", "b"], 2, Rule::Close { t: 0.5, distance });
        assert_eq!(error, TableError::NoDistance { column: "illness".into(), lacking });
    }
}

#[test]
fn only_sensitive_columns_that_exist_can_be_promised_about() {
    let mut table = illnesses(&["a", "b"]);
    table.columns.push(column("age", Role::QuasiIdentifier, Kind::Integer, &["1", "2"]));
    let about = |name: &str| {
        let condition = Condition { column: name.into(), rule: Rule::Distinct { l: 1 } };
        Conditions::of(&table, &TablePromise { conditions: vec![condition], ..TablePromise::crowds(2) }).err()
    };
    assert_eq!(about("shoe"), Some(TableError::NoSuchColumn { column: "shoe".into() }));
    let role = "quasi-identifier";
    assert_eq!(about("age"), Some(TableError::NotSensitive { column: "age".into(), role }));
    assert_eq!(about("illness"), None);
}

#[test]
fn a_class_is_as_large_as_its_most_careful_member_asks() {
    let mut table = illnesses(&["a"; 6]);
    table.columns.push(column("own k", Role::PersonalK, Kind::Integer, &["2", "?", "5", "4", "1", "2"]));
    let conditions = Conditions::of(&table, &TablePromise::crowds(2)).unwrap();
    assert!(!conditions.only_size());
    let holds = |rows: &[u32]| conditions.hold(&conditions.tally_of(rows));
    assert!(holds(&[0, 1]) && holds(&[4, 5]) && !holds(&[1]));
    assert!(!holds(&[0, 1, 3]) && holds(&[0, 1, 3, 4]));
    assert!(!holds(&[0, 1, 2, 3]) && holds(&[0, 1, 2, 3, 4]));

    // Those who ask for no more than everybody gets count for nothing.
    assert!(Conditions::of(&table, &TablePromise::crowds(5)).unwrap().only_size());
    table.columns[1] = column("own k", Role::PersonalK, Kind::Integer, &["2", "?", "5", "7", "1", "7"]);
    let refused = Conditions::of(&table, &TablePromise::crowds(2)).err().unwrap();
    assert_eq!(refused, TableError::PersonalKTooLarge { record: 4, k: 7, records: 6 });
}

#[test]
fn bounds_are_kept_to_the_last_record() {
    let table = illnesses(&["a", "a", "b", "b", "c", "c", "d", "d"]);
    let holds = |rule: Rule, rows: &[u32]| {
        let conditions = Conditions::of(&table, &promise(2, &[rule])).unwrap();
        conditions.hold(&conditions.tally_of(rows))
    };
    // Two equally frequent values are exactly two.
    assert!(holds(Rule::Entropy { l: 2.0 }, &[0, 2]) && !holds(Rule::Entropy { l: 2.1 }, &[0, 2]));
    // Fewer than c times the rest, not as many.
    assert!(!holds(Rule::Recursive { l: 2, c: 1.0 }, &[0, 2]));
    assert!(holds(Rule::Recursive { l: 2, c: 1.0 }, &[0, 2, 4]));
    // All in one are never too far from all.
    let none = Rule::Close { t: 0.0, distance: Distance::Equal };
    assert!(holds(none, &[0, 1, 2, 3, 4, 5, 6, 7]) && holds(none, &[0, 2, 4, 6]) && !holds(none, &[0, 2]));
    // A quarter may become a half, or with the bound on gains no more than 0.25 (1 + ln 4).
    assert!(holds(Rule::Alike(Likeness::Basic(1.1)), &[0, 2]));
    assert!(!holds(Rule::Alike(Likeness::Basic(0.9)), &[0, 2]));
    assert!(!holds(Rule::Alike(Likeness::Enhanced(9.0)), &[0, 1, 2]));
}

/// Whoever looks for the next record of a class goes by this: a value that is missing must never look useless.
#[test]
fn a_rare_value_brings_a_class_of_one_value_nearer() {
    let table = illnesses(&["a", "a", "a", "a", "a", "a", "b", "b", "c", "c", "d", "d"]);
    let rules = [
        Rule::Distinct { l: 3 },
        Rule::Frequency { l: 2 },
        Rule::Entropy { l: 2.9 },
        Rule::Recursive { l: 3, c: 3.0 },
        Rule::Close { t: 0.2, distance: Distance::Equal },
        Rule::Alike(Likeness::Basic(0.2)),
    ];
    for rule in rules {
        let conditions = Conditions::of(&table, &promise(2, &[rule])).unwrap();
        let lack = |rows: &[u32]| conditions.lack(&conditions.tally_of(rows));
        let lacks = [&[0, 1, 2, 3][..], &[0, 1, 2, 3, 6], &[0, 1, 2, 3, 6, 8]].map(lack);
        assert!(lacks[0] > lacks[1] && lacks[1] > lacks[2], "{rule:?}: {lacks:?}");
    }
}

#[test]
fn left_out_records_count_no_more() {
    // One class of five with one a, two with four, and one with none: 45 % of all are a.
    let table =
        illnesses(&"abbbbaaaabaaaabbbbbb".split("").filter(|text| !text.is_empty()).collect::<Vec<_>>());
    let standing = |t: f64| {
        let close = promise(2, &[Rule::Close { t, distance: Distance::Equal }]);
        let conditions = Conditions::of(&table, &close).unwrap();
        let class = |first: u32| conditions.tally_of(&(first..first + 5).collect::<Vec<_>>());
        conditions.standing(&[0, 5, 10, 15].map(class))
    };
    assert_eq!(standing(0.46), [true; 4]);
    // Without the last class it is 60 %, and the first, which was near enough before, is not any more.
    assert_eq!(standing(0.41), [true, true, true, false]);
    assert_eq!(standing(0.38), [false, true, true, false]);
}

#[test]
fn promises_that_make_no_sense_are_refused() {
    let refused = |rule: Rule| check_promise(&promise(2, &[rule])).err();
    assert_eq!(check_promise(&promise(1, &[])), Err(ParamsError::KTooSmall { k: 1 }));
    assert_eq!(refused(Rule::Distinct { l: 0 }), Some(ParamsError::LTooSmall { l: 0.0 }));
    assert_eq!(refused(Rule::Entropy { l: 0.5 }), Some(ParamsError::LTooSmall { l: 0.5 }));
    assert!(refused(Rule::Entropy { l: f64::NAN }).is_some());
    let c = Some(ParamsError::NotPositive { name: "c", value: 0.0 });
    assert_eq!(refused(Rule::Recursive { l: 2, c: 0.0 }), c);
    for t in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(
            refused(Rule::Close { t, distance: Distance::Equal }),
            Some(ParamsError::NotAShare { name: "t", .. })
        ));
    }
    for likeness in [Likeness::Basic(0.0), Likeness::Enhanced(f64::INFINITY)] {
        assert!(matches!(
            refused(Rule::Alike(likeness)),
            Some(ParamsError::NotPositive { name: "beta", .. })
        ));
    }
    assert_eq!(refused(Rule::Close { t: 0.0, distance: Distance::Equal }), None);
}

/// The promise about a part of a table, with the whole table as everybody.
fn against_all(rules: &[Rule], all: &[u32]) -> TablePromise {
    let counts =
        NINE.iter().zip(all).filter(|(_, count)| **count > 0).map(|(value, count)| ((*value).into(), *count));
    let everybody = Distribution::new(counts).unwrap();
    TablePromise { distributions: [("illness".to_owned(), everybody)].into(), ..promise(2, rules) }
}

proptest! {
    #[test]
    fn a_class_of_a_part_is_compared_with_everybody_as_a_class_of_the_whole_is(
        class in prop::collection::vec(0_u32..4, 9), part in prop::collection::vec(0_u32..4, 9),
        others in prop::collection::vec(0_u32..9, 9), t in 0.0_f64..0.8, beta in 0.1_f64..3.0,
    ) {
        prop_assume!(class.iter().sum::<u32>() > 0);
        let table = |counts: &[u32]| {
            let values: Vec<&str> =
                counts.iter().enumerate().flat_map(|(value, &count)| vec![NINE[value]; count as usize]).collect();
            illnesses(&values)
        };
        let part: Vec<u32> = class.iter().zip(&part).map(|(a, b)| a + b).collect();
        let all: Vec<u32> = part.iter().zip(&others).map(|(a, b)| a + b).collect();
        // Each table numbers the values that it has.
        let own = |counts: &[u32]| -> Vec<u32> {
            class.iter().zip(counts).filter(|(_, count)| **count > 0).map(|(own, _)| *own).collect()
        };
        let (small, large) = (table(&part), table(&all));
        for rule in [
            Rule::Close { t, distance: Distance::Equal },
            Rule::Alike(Likeness::Basic(beta)),
            Rule::Alike(Likeness::Enhanced(beta)),
        ] {
            let Ok(whole) = Conditions::of(&large, &promise(2, &[rule])) else { continue };
            // A part that does not hold as one class is refused, as a table is.
            let Ok(of_part) = Conditions::of(&small, &against_all(&[rule], &all)) else { continue };
            let in_part = tally(&own(&part), own(&part).len() as u32);
            let in_whole = tally(&own(&all), own(&all).len() as u32);
            prop_assert_eq!(of_part.hold(&in_part), whole.hold(&in_whole), "{:?}", rule);
            prop_assert_eq!(of_part.lack(&in_part), whole.lack(&in_whole), "{:?}", rule);
            // Who is left out changes nothing: everybody stays who they are.
            prop_assert_eq!(of_part.against(&in_part).lack(&in_part), of_part.lack(&in_part));
        }
    }
}

#[test]
fn everybody_must_have_what_the_table_has_and_distances_need_a_place_for_all() {
    let table = illnesses(&["1", "1", "2", "2"]);
    let close = |distance| Rule::Close { t: 0.9, distance };
    let refused = |all: &[u32], rule| Conditions::of(&table, &against_all(&[rule], all)).err();
    let column = || "illness".to_owned();
    let lacking = TableError::NotInDistribution { column: column(), value: "2".into() };
    assert_eq!(refused(&[5, 0, 3], close(Distance::Equal)), Some(lacking));
    assert_eq!(refused(&[5, 4, 3], close(Distance::Equal)), None);
    let mut numbers = table.clone();
    numbers.columns[0] = column_of_numbers(&["1", "1", "2", "2"]);
    let refused =
        |all: &[u32]| Conditions::of(&numbers, &against_all(&[close(Distance::Ordered)], all)).err();
    assert_eq!(refused(&[5, 4, 3]), Some(TableError::BeyondTable { column: column(), value: "3".into() }));
    assert_eq!(refused(&[5, 4]), None);
}

fn column_of_numbers(values: &[&str]) -> Column {
    column("illness", Role::Sensitive, Kind::Integer, values)
}

proptest! {
    /// People may have several records, in the part or only elsewhere.
    #[test]
    fn a_class_of_people_of_a_part_is_compared_with_everybody_as_a_class_of_the_whole_is(
        class in prop::collection::vec((0_u32..6, 0_usize..5), 1..12),
        part in prop::collection::vec((0_u32..9, 0_usize..5), 0..9),
        others in prop::collection::vec((0_u32..9, 0_usize..7), 0..20),
        t in 0.1_f64..0.9, beta in 0.2_f64..3.0,
    ) {
        let of = |prefix: &str, rows: &[(u32, usize)]| -> Vec<(String, &str)> {
            rows.iter().map(|&(who, value)| (format!("{prefix}{who}"), NINE[value])).collect()
        };
        // The people of the class and the rest of the part may be the same; those elsewhere are others.
        let part = [of("p", &class), of("p", &part)].concat();
        let all = [part.clone(), of("o", &others)].concat();
        let table = |rows: &[(String, &str)]| {
            let (people, values): (Vec<&str>, Vec<&str>) = rows.iter().map(|(who, value)| (who.as_str(), *value)).unzip();
            let who = column("who", Role::Identifier, Kind::Text, &people);
            let illness = column("illness", Role::Sensitive, Kind::Text, &values);
            Table { columns: vec![illness, who], rows: rows.len() }
        };
        let different: std::collections::BTreeSet<(&str, &str)> =
            all.iter().map(|(who, value)| (who.as_str(), *value)).collect();
        let counts = NINE.iter().map(|value| {
            ((*value).to_owned(), different.iter().filter(|(_, own)| own == value).count() as u32)
        });
        let people = different.iter().map(|(who, _)| who).collect::<std::collections::BTreeSet<_>>().len();
        let everybody = Distribution::of_people(counts.filter(|(_, count)| *count > 0), people as u64).unwrap();
        let (small, large) = (table(&part), table(&all));
        let rows: Vec<u32> = (0..class.len() as u32).collect();
        for rule in [
            Rule::Close { t, distance: Distance::Equal },
            Rule::Alike(Likeness::Basic(beta)),
            Rule::Alike(Likeness::Enhanced(beta)),
        ] {
            let whole = TablePromise { person: Some("who".to_owned()), ..promise(1, &[rule]) };
            let distributions = [("illness".to_owned(), everybody.clone())].into();
            let of_part = TablePromise { distributions, ..whole.clone() };
            let Ok(whole) = Conditions::of(&large, &whole) else { continue };
            let Ok(of_part) = Conditions::of(&small, &of_part) else { continue };
            let [in_part, in_whole] = [&of_part, &whole].map(|conditions| {
                let tally = conditions.tally_of(&rows);
                (conditions.hold(&tally), conditions.lack(&tally))
            });
            prop_assert_eq!(in_part.0, in_whole.0, "{:?}", rule);
            prop_assert!((in_part.1 - in_whole.1).abs() < 1e-9, "{:?} {:?}", in_part, in_whole);
        }
    }
}

proptest! {
    /// An empty cell is nobody's secret and no company: a class keeps a rule exactly if those of it
    /// with a value do, compared with all who have one. A class of which nobody has one keeps it.
    #[test]
    fn who_has_no_value_counts_in_no_rule(
        class in prop::collection::vec(0_usize..4, 1..10),
        others in prop::collection::vec(0_usize..4, 0..20),
        several in any::<bool>(), t in 0.05_f64..0.9, beta in 0.2_f64..3.0, l in 1_usize..4,
    ) {
        let texts = ["?", "1", "2", "3"];
        let table = |values: &[usize]| {
            let values: Vec<&str> = values.iter().map(|&value| texts[value]).collect();
            let people: Vec<String> = (0..values.len()).map(|row| (row / 2).to_string()).collect();
            let people: Vec<&str> = people.iter().map(String::as_str).collect();
            let who = column("who", Role::Identifier, Kind::Text, &people);
            let illness = column("illness", Role::Sensitive, Kind::Integer, &values);
            Table { columns: vec![illness, who], rows: values.len() }
        };
        let all = [class.clone(), others].concat();
        // Two rows each: those of a pair are one person, whether one of them is left out or not.
        let kept: Vec<usize> = (0..all.len()).filter(|&row| all[row] > 0).collect();
        let present: Vec<usize> = kept.iter().map(|&row| all[row]).collect();
        let (whole, mut without) = (table(&all), table(&present));
        if let Some(who) = without.columns.last_mut() {
            let people: Vec<String> = kept.iter().map(|row| (row / 2).to_string()).collect();
            let people: Vec<&str> = people.iter().map(String::as_str).collect();
            *who = column("who", Role::Identifier, Kind::Text, &people);
        }
        let rows: Vec<u32> = (0..class.len() as u32).collect();
        let rows_without: Vec<u32> = (0..kept.iter().filter(|&&row| row < class.len()).count() as u32).collect();
        for rule in [
            Rule::Distinct { l },
            Rule::Frequency { l },
            Rule::Entropy { l: l as f64 },
            Rule::Recursive { l, c: 1.5 },
            Rule::Close { t, distance: Distance::Equal },
            Rule::Close { t, distance: Distance::Ordered },
            Rule::Alike(Likeness::Enhanced(beta)),
        ] {
            let asked = TablePromise { person: several.then(|| "who".to_owned()), ..promise(0, &[rule]) };
            let Ok(conditions) = Conditions::of(&whole, &asked) else { continue };
            let found = conditions.hold(&conditions.tally_of(&rows));
            if rows_without.is_empty() {
                prop_assert!(found, "{rule:?}");
                continue;
            }
            let alone = Conditions::of(&without, &asked).unwrap();
            prop_assert_eq!(found, alone.hold(&alone.tally_of(&rows_without)), "{:?}", rule);
        }
    }
}
