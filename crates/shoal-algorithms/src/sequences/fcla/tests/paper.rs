//! The examples of the paper, on its table 2.

use std::collections::BTreeSet;

use shoal_core::{Bound, NodeId, Sequences, SequencesPromise, Support};

use super::data::{promise, rows, visits};
use super::searching::search;
use super::slow::{Item, View};
use crate::sequences::SequencesAlgorithm;
use crate::sequences::fcla::search::Until;
use crate::sequences::fcla::{Distance, FclaParams};

/// Person, year, zip code, days since the first claim of the year, length of stay, disease.
const TABLE_2: &str = "
     1 2018 41002  0 21 Infection
     2 2018 41001  0 10 Cancer
     2 2018 43003 30  1 Flu
     3 2018 40012  0 30 Fever
     3 2019 40012  0 35 Infection
     3 2020 41001  0  3 Flu
     4 2017 41001  0 10 HeartAttack
     4 2018 42003  0 10 Flu
     4 2021 42003  0 35 Hepatitis
     5 2018 42005  0  3 Fever
     5 2018 42005 80 10 Cancer
     6 2017 41001  0  5 Infection
     6 2019 43002  0 30 Hepatitis
     7 2018 42016  0  4 Fever
     8 2020 43003  0  5 Fever
     9 2019 42016  0  1 Flu
    10 2018 42016  0 14 HeartAttack";

fn table_2() -> Sequences {
    let rows = rows(TABLE_2);
    let line = |value: &str, groups: &[String]| format!("{value};{};*", groups.join(";"));
    let number = |value: &str| value.parse::<u32>().unwrap();
    let within = |value: &str, width: u32| {
        let low = number(value) / width * width;
        format!("[{low}:{}]", low + width - 1)
    };
    let hierarchy = |column: usize, groups: &dyn Fn(&str) -> Vec<String>| {
        let values: BTreeSet<&str> = rows.iter().map(|row| row[column].as_str()).collect();
        values.into_iter().map(|value| line(value, &groups(value))).collect::<Vec<_>>().join(" ")
    };
    let hierarchies = [
        hierarchy(1, &|year| vec![within(year, 2), within(year, 4)]),
        hierarchy(2, &|zip| (1..5).rev().map(|digits| format!("{:*<5}", &zip[..digits])).collect()),
        hierarchy(3, &|days| vec![within(days, 30)]),
        hierarchy(4, &|stay| vec![within(stay, 5), within(stay, 20)]),
    ];
    visits(&rows, &hierarchies)
}

fn known(view: &View<'_>, events: &[&[(usize, &str)]]) -> Vec<Vec<Item>> {
    let item = |&(quasi, label): &(usize, &str)| -> (usize, NodeId) {
        (quasi, view.tree(quasi).node(label).unwrap())
    };
    events.iter().map(|event| event.iter().map(item).collect()).collect()
}

#[test]
fn supports_are_those_of_the_paper() {
    let data = table_2();
    let view = View::original(&data);
    let support = |events: &[&[(usize, &str)]]| -> Vec<usize> {
        view.support(&known(&view, events)).into_iter().map(|person| person + 1).collect()
    };
    assert_eq!(support(&[&[(0, "2017")], &[(0, "2019")]]), [6]);
    assert_eq!(support(&[&[(0, "2018")], &[(0, "2018")]]), [2, 5]);
    assert_eq!(support(&[&[(0, "2017")], &[(1, "42003")]]), [4]);
    assert_eq!(support(&[&[(0, "[2018:2019]")], &[(0, "2020"), (3, "3")]]), [3]);
}

#[test]
fn two_visits_in_2018_give_cancer_away() {
    let data = table_2();
    let view = View::original(&data);
    let pattern = known(&view, &[&[(0, "2018")], &[(0, "2018")]]);
    let people = view.support(&pattern);
    // conf(Cancer) = 1 and p = 0.2, so D = 4, which β = 1 does not allow, nor any β: −ln 0.2 < 4.
    for beta in [1.0, 3.9, 4.0, 100.0] {
        let promise = promise(2, 2, Some(&["Hepatitis", "Cancer"]), Bound::Gain(beta));
        assert!(!view.keeps(&people, &promise));
        let found = search(&data, &promise, Until::All);
        assert!(found.iter().any(|pattern| view.support(pattern) == people), "{beta}");
    }
    let pi = promise(2, 2, Some(&["Hepatitis"]), Bound::Gain(1.0));
    assert!(view.keeps(&people, &pi));
}

#[test]
fn one_person_alone_is_found_where_a_crowd_of_two_is_asked_for() {
    let data = table_2();
    let view = View::original(&data);
    let promise = SequencesPromise {
        k: 2,
        length: Some(2),
        support: Support::Paper,
        limits: Vec::new(),
        distributions: Default::default(),
    };
    let years = known(&view, &[&[(0, "2017")], &[(0, "2019")]]);
    let found = search(&data, &promise, Until::All);
    // Found as this or as something more general that tells the same person apart.
    let alone = view.support(&years);
    assert!(found.iter().any(|pattern| pattern.len() == 2 && view.support(pattern) == alone), "{found:?}");
}

#[test]
fn the_table_is_published_so_that_nothing_is_left() {
    let data = table_2();
    for distance in [Distance::Aligned, Distance::EventPairs] {
        for length in 1..=3 {
            let promise = promise(2, length, Some(&["Hepatitis", "Cancer"]), Bound::Gain(1.0));
            let result = FclaParams { distance, alternatives: true, ..FclaParams::default() }
                .check()
                .anonymize(&data, &promise, &shoal_core::Silent)
                .unwrap();
            let view = View::published(&data, &result.recoding);
            assert_eq!(view.broken(&promise), None);
            assert!(result.trace.counts.get("invalid-found") > 0);
        }
    }
}
