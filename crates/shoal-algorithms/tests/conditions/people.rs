//! Every table algorithm where one person may have several records: k, l, t and β count people. Judged by a slow reading
//! that goes through people and values one by one, and for l-diversity also through every choice of one value for
//! each person.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use shoal_algorithms::table::{TableError, obstacle, star_suppression};
use shoal_core::{
    Column, Kind, Likeness, Role, Rule, SUPPRESSED, Silent, Table, TablePromise, TableRecoding,
};

use crate::keeps::{asked_by, far};
use crate::tables::{any_promise, any_table, column};
use crate::{about_s, algorithms, patterned};

const WHO: &str = "who";

/// A table whose records belong to a few people, and a promise about people.
fn any_people() -> impl Strategy<Value = (Table, TablePromise)> {
    (any_table(2..32), any_promise(), prop::collection::vec(0_usize..1000, 32), 1_usize..24).prop_map(
        |(mut table, promise, whose, people)| {
            let texts: Vec<String> =
                whose[..table.rows].iter().map(|who| (who % people).to_string()).collect();
            table.columns.insert(0, column(WHO, Role::Identifier, Kind::Text, &texts, false));
            (table, TablePromise { person: Some(WHO.to_owned()), ..promise })
        },
    )
}

/// The classes as a reader of the file finds them: records that publish the same texts.
fn classes(table: &Table, recoding: &TableRecoding, stars: bool) -> Vec<Vec<usize>> {
    let quasi = table.quasi_identifiers();
    let mut classes: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (row, &class) in recoding.class_of.iter().enumerate() {
        let texts = match class {
            SUPPRESSED if !stars => continue,
            SUPPRESSED => vec!["*".to_owned(); quasi.len()],
            class => {
                let cells = &recoding.classes[class as usize].cells;
                quasi.iter().zip(cells).map(|(column, cell)| column.render(cell)).collect()
            }
        };
        classes.entry(texts).or_default().push(row);
    }
    classes.into_values().collect()
}

fn keeps(table: &Table, recoding: &TableRecoding, promise: &TablePromise, stars: bool) -> bool {
    let classes = classes(table, recoding, stars);
    let published: Vec<usize> = classes.iter().flatten().copied().collect();
    classes.iter().all(|class| may_be_class(table, class, &published, promise))
}

/// Everybody's values, each once.
type People = BTreeMap<u32, BTreeSet<u32>>;

fn people(who: &Column, of: &Column, rows: &[usize]) -> People {
    let mut people = People::new();
    // An empty cell is nobody's secret: only people with a value count.
    rows.iter().filter(|&&row| of.domain.missing() != Some(of.codes[row])).for_each(|&row| {
        people.entry(who.codes[row]).or_default().insert(of.codes[row]);
    });
    people
}

fn may_be_class(table: &Table, class: &[usize], published: &[usize], promise: &TablePromise) -> bool {
    let named = |name: &str| table.columns.iter().find(|column| column.name == name).unwrap();
    let who = named(WHO);
    let crowd: BTreeSet<u32> = class.iter().map(|&row| who.codes[row]).collect();
    let asked = class.iter().map(|&row| asked_by(table, row)).max().unwrap_or(0);
    crowd.len() >= promise.k.max(asked)
        && promise.conditions.iter().all(|condition| {
            let column = named(&condition.column);
            follows(condition.rule, column, &people(who, column, class), &people(who, column, published))
        })
}

fn follows(rule: Rule, column: &Column, class: &People, all: &People) -> bool {
    if class.is_empty() {
        return true;
    }
    let values: BTreeSet<u32> = all.values().flatten().copied().collect();
    let having = |people: &People, value: u32| people.values().filter(|own| own.contains(&value)).count();
    let share = |people: &People, value: u32| having(people, value) as f64 / people.len() as f64;
    let pairs = |people: &People| people.values().map(BTreeSet::len).sum::<usize>() as f64;
    match rule {
        Rule::Distinct { .. } | Rule::Frequency { .. } | Rule::Entropy { .. } | Rule::Recursive { .. } => {
            let mut counts: Vec<usize> = values.iter().map(|&value| having(class, value)).collect();
            counts.sort_by(|a, b| b.cmp(a));
            let mut left = class.len();
            for count in &mut counts {
                *count = left.min(*count);
                left -= *count;
            }
            is_diverse(rule, counts)
        }
        Rule::Alike(likeness) => values.iter().all(|&value| {
            let p = share(all, value);
            let gain = match likeness {
                Likeness::Basic(beta) => beta,
                Likeness::Enhanced(beta) => beta.min(-p.ln()),
            };
            share(class, value) <= p * (1.0 + gain) + 1e-12
        }),
        Rule::Close { t, distance } => {
            let part = |people: &People, value: u32| having(people, value) as f64 / pairs(people);
            let extra = values.iter().map(|&value| (value, part(class, value) - part(all, value))).collect();
            let [own, everybodys] = [class, all].map(|people| pairs(people) / people.len() as f64);
            everybodys * far(column, distance, &extra) + (own - everybodys).max(0.0) <= t + 1e-12
        }
    }
}

/// l-diversity of people who have one value each.
fn is_diverse(rule: Rule, mut counts: Vec<usize>) -> bool {
    counts.retain(|&count| count > 0);
    counts.sort_by(|a, b| b.cmp(a));
    let all: usize = counts.iter().sum();
    match rule {
        Rule::Distinct { l } => counts.len() >= l,
        Rule::Frequency { l } => counts[0] * l <= all,
        Rule::Entropy { l } => {
            let shares = counts.iter().map(|&count| count as f64 / all as f64);
            -shares.map(|share| share * share.ln()).sum::<f64>() >= l.ln() - 1e-12
        }
        Rule::Recursive { l, c } => (counts[0] as f64) < c * counts.iter().skip(l - 1).sum::<usize>() as f64,
        Rule::Close { .. } | Rule::Alike(_) => panic!("no l-diversity"),
    }
}

/// Whether l-diversity holds whichever of their values everybody is looked at with. Not for many people.
fn in_every_choice(rule: Rule, class: &People) -> bool {
    // Nobody of the class has a value.
    if class.is_empty() {
        return true;
    }
    let mut choices: Vec<Vec<u32>> = vec![Vec::new()];
    for own in class.values() {
        choices = choices
            .into_iter()
            .flat_map(|chosen| own.iter().map(move |&value| [&chosen[..], &[value]].concat()))
            .collect();
        if choices.len() > 3000 {
            return true;
        }
    }
    choices.iter().all(|chosen| {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        chosen.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
        is_diverse(rule, counts.into_values().collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(700))]

    /// As without people: an algorithm fails if and only if all records together do not keep the promise. What is
    /// left out, and what becomes `*`, leaves classes that keep it.
    #[test]
    fn every_algorithm_counts_people((table, promise) in any_people()) {
        let all: Vec<usize> = (0..table.rows).collect();
        let feasible = may_be_class(&table, &all, &all, &promise);
        prop_assert_eq!(obstacle(&table, &promise).is_none(), feasible);
        for (algorithm, _) in algorithms(&promise) {
            let mut recoding = match algorithm.anonymize(&table, &Silent) {
                Ok(anonymized) => anonymized.recoding,
                Err(error) => {
                    prop_assert!(!feasible, "{}: {}", algorithm.name(), error);
                    continue;
                }
            };
            prop_assert!(feasible, "{}", algorithm.name());
            prop_assert!(keeps(&table, &recoding, &promise, false), "{}", algorithm.name());
            let who = table.columns.iter().find(|column| column.name == WHO).unwrap();
            for condition in &promise.conditions {
                let of = table.columns.iter().find(|column| column.name == condition.column).unwrap();
                let is_l = !matches!(condition.rule, Rule::Close { .. } | Rule::Alike(_));
                for class in classes(&table, &recoding, false).iter().filter(|_| is_l) {
                    prop_assert!(in_every_choice(condition.rule, &people(who, of, class)), "{}", algorithm.name());
                }
            }
            star_suppression(&mut recoding, &table, &promise).unwrap();
            prop_assert!(keeps(&table, &recoding, &promise, true), "{} with stars", algorithm.name());
        }
    }

    /// A person for each record changes nothing.
    #[test]
    fn one_record_each_is_as_without_people((mut table, promise) in any_people()) {
        let texts: Vec<String> = (0..table.rows).map(|row| row.to_string()).collect();
        table.columns[0] = column(WHO, Role::Identifier, Kind::Text, &texts, false);
        let rows = TablePromise { person: None, ..promise.clone() };
        for ((one, _), (other, _)) in algorithms(&promise).into_iter().zip(algorithms(&rows)) {
            prop_assert_eq!(one.anonymize(&table, &Silent), other.anonymize(&table, &Silent), "{}", one.name());
        }
    }
}

/// Three records each of 1,000 people, next to each other: their own crowd as long as records are counted.
#[test]
fn nobody_is_their_own_crowd_and_threads_change_nothing() {
    let mut table = patterned(3000);
    let texts: Vec<String> = (0..3000).map(|row| (row / 3).to_string()).collect();
    table.columns.push(column(WHO, Role::Identifier, Kind::Text, &texts, false));
    let rules: [&[Rule]; 3] = [&[], &[Rule::Distinct { l: 2 }], &[Rule::Alike(Likeness::Basic(3.0))]];
    for rules in rules {
        let promise = TablePromise { person: Some(WHO.to_owned()), ..about_s(5, rules) };
        for (algorithm, _) in algorithms(&promise) {
            let with = |threads: usize| -> TableRecoding {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| algorithm.anonymize(&table, &Silent).unwrap().recoding)
            };
            let one = with(1);
            assert!(keeps(&table, &one, &promise, false), "{}", algorithm.name());
            assert!(one == with(4), "{}", algorithm.name());
            let least = if algorithm.needs_hierarchies() { 1 } else { 20 };
            assert!(one.classes.len() >= least, "{}: {}", algorithm.name(), one.classes.len());
        }
    }
}

#[test]
fn what_people_cannot_keep_is_said_in_people() {
    let texts = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
    let table = |who: &str, s: &str, own: &str| Table {
        rows: who.len(),
        columns: vec![
            column("q", Role::QuasiIdentifier, Kind::Integer, &texts(&"0123456789"[..who.len()]), false),
            column(WHO, Role::Identifier, Kind::Text, &texts(who), false),
            column("s", Role::Sensitive, Kind::Text, &texts(s), false),
            column("own", Role::PersonalK, Kind::Integer, &texts(own), false),
        ],
    };
    let refused = |table: &Table, k: usize, rules: &[Rule]| {
        let promise = TablePromise { person: Some(WHO.to_owned()), ..about_s(k, rules) };
        obstacle(table, &promise).unwrap()
    };
    let few = refused(&table("aaabbb", "xyxyxy", "111111"), 3, &[]);
    assert_eq!(few, TableError::TooFewPeople { k: 3, people: 2, records: 6 });
    assert_eq!(few.to_string(), "k = 3 asks for crowds of 3 people, but the 6 records belong to only 2");
    let own = refused(&table("aaabbb", "xyxyxy", "111141"), 2, &[]);
    assert_eq!(own.to_string(), "record 5 asks for a crowd of 4 people, but there are only 2");
    // Two values, but everybody has one of them.
    let all = refused(&table("aabbcc", "xyxyxx", "111111"), 2, &[Rule::Distinct { l: 2 }]);
    assert_eq!(
        all.to_string(),
        "3 of 3 people have `x` in column `s`; since people have several values, too many for distinct 2-diversity \
         of the table as a whole"
    );
    let unknown = TablePromise { person: Some("nobody".to_owned()), ..TablePromise::crowds(2) };
    let lacking = TableError::NoSuchColumn { column: "nobody".into() };
    assert_eq!(obstacle(&table("ab", "xy", "11"), &unknown), Some(lacking));
}
