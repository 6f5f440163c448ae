//! The thesis' own numbers (§3.4, §3.5, §3.8).

use shoal_core::{Column, Kind, RawTable, Role};

use super::contingency::Contingency;
use super::distance::Distances;
use super::similarity::SimilarityOrder;
use crate::fixture;
use crate::table::points::Points;

/// Its table 3-1: 9 men and 11 women from three countries.
const PEOPLE: [(&str, &str, usize); 6] = [
    ("Male", "Japan", 4),
    ("Male", "USA", 4),
    ("Male", "Iran", 1),
    ("Female", "Japan", 4),
    ("Female", "USA", 1),
    ("Female", "Iran", 6),
];

fn people() -> [Column; 2] {
    let rows: Vec<Vec<&str>> =
        PEOPLE.iter().flat_map(|&(sex, country, n)| vec![vec![sex, country]; n]).collect();
    let raw = RawTable::from_rows(&["sex", "nationality"], &rows);
    [0, 1].map(|c| Column::encode(&raw.columns[c], Role::QuasiIdentifier, Kind::Text, &[]).unwrap())
}

/// Counts of Japan, USA and Iran as a man sees them.
fn observed(table: &Contingency, [sex, country]: &[Column; 2], k: usize) -> [u32; 3] {
    let mut counts = [0; 3];
    table.observe(sex.domain.code_of("Male").unwrap(), k, &mut counts);
    ["Japan", "USA", "Iran"].map(|label| counts[country.domain.code_of(label).unwrap() as usize])
}

#[test]
fn a_row_counts_alone_where_it_holds_k_and_merged_where_not() {
    let columns = people();
    let points = Points::fold(&[&columns[0], &columns[1]], 20);
    let mut table = Contingency::count(&points, (0, 2), (1, 3));
    assert_eq!(observed(&table, &columns, 3), [4, 4, 1]);
    assert_eq!(observed(&table, &columns, 9), [4, 4, 1]);
    assert_eq!(observed(&table, &columns, 10), [8, 5, 7]);

    let male_usa = (columns[0].domain.code_of("Male").unwrap(), columns[1].domain.code_of("USA").unwrap());
    table.remove(male_usa.0, male_usa.1, 2);
    assert_eq!(observed(&table, &columns, 3), [4, 2, 1]);
    assert_eq!(observed(&table, &columns, 8), [8, 3, 7]);
}

#[test]
fn japan_is_half_as_far_from_the_usa_as_from_iran() {
    let columns = people();
    let points = Points::fold(&[&columns[0], &columns[1]], 20);
    let code = |c: usize, label: &str| columns[c].domain.code_of(label).unwrap();
    let distances_to_japan = |k: usize| {
        let mut distances = Distances::new(&[&columns[0], &columns[1]], &points, k, false);
        distances.measure_from(&[code(0, "Male"), code(1, "Japan")]);
        let one = distances.rulers()[0].distance(code(0, "Female")) as f64;
        ["Japan", "USA", "Iran"].map(|label| distances.rulers()[1].distance(code(1, label)) as f64 / one)
    };
    assert_eq!(distances_to_japan(3), [0.0, 0.5, 1.0]);
    // Merged, 7 Iranians are closer to 8 Japanese than 5 Americans are.
    assert_eq!(distances_to_japan(10), [0.0, 1.0, 0.5]);
}

#[test]
fn the_first_column_of_all_goes_by_its_own_frequencies() {
    let [_, country] = people();
    let points = Points::fold(&[&country], 20);
    let code = |label: &str| country.domain.code_of(label).unwrap();
    let mut distances = Distances::new(&[&country], &points, 3, false);
    distances.measure_from(&[code("Japan")]);
    let ruler = &distances.rulers()[0];
    assert_eq!(ruler.distance(code("USA")), 2 * ruler.distance(code("Iran")));
}

#[test]
fn ties_go_to_the_more_frequent_then_to_the_label() {
    let mut order = SimilarityOrder::new(7);
    // Own is number 2 with 4; apart by 4, 2, 0, 0, 2, 4, 4.
    assert_eq!(order.indexes(&[0, 2, 4, 4, 6, 8, 0], 2), [5, 3, 0, 1, 2, 4, 6]);
    // With a count beyond twice its own, the unobserved come before it.
    assert_eq!(order.indexes(&[9, 0, 2, 1, 0, 4, 0], 2), [6, 3, 0, 1, 4, 2, 5]);
}

#[test]
fn the_same_share_of_a_line_and_of_names_is_the_same_distance() {
    for last in 3..=36_u32 {
        let texts: Vec<String> = (0..=last).map(|value| value.to_string()).collect();
        let [line, names] = [Kind::Integer, Kind::Text]
            .map(|kind| fixture::column("c", Role::QuasiIdentifier, kind, &texts, None));
        let points = Points::fold(&[&line, &names], texts.len());
        let mut distances = Distances::new(&[&line, &names], &points, 2, false);
        distances.measure_from(&[0, 0]);
        // All names are equally frequent, so they are similar in the order of their codes.
        for code in 0..=last {
            let [along, by_similarity] = [0, 1].map(|c| distances.rulers()[c].distance(code));
            assert_eq!(along, by_similarity, "{code} of {last}");
        }
    }
}
