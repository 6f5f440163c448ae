//! Every measure against a slow reference that looks at one cell at a time and at the cell that was meant, not at
//! the text that was published.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use shoal_core::{BoundHierarchy, Cell, Column, Hierarchy, Kind, RawTable, Role, Table};
use shoal_measure::table::risk;
use shoal_measure::{LossReport, MeasureError, measure};
use shoal_privacy::{Classes, TableView};

const QUASI: [&str; 3] = ["age", "sex", "city"];
const NAMES: [&str; 5] = ["age", "sex", "city", "illness", "job"];

/// One leaf alone below its region, and two that no record has.
const CITIES: [[&str; 3]; 6] =
    [["a", "A", "*"], ["b", "A", "*"], ["c", "C", "*"], ["d", "D", "*"], ["e", "D", "*"], ["f", "D", "*"]];

#[derive(Debug)]
struct Release {
    original: Table,
    /// For each published record its original row and its cells.
    cells: Vec<(usize, Vec<Cell>)>,
    published: RawTable,
}

fn releases() -> impl Strategy<Value = Release> {
    let person = (0..9u8, 0..4u8, 0..5u8, 0..3u8, 0..2u8);
    let weight = prop::sample::select(vec![1.0, 0.5, 3.0]);
    let weights = prop::array::uniform3(weight);
    let classes = prop::collection::vec(prop::array::uniform3((0..6u8, any::<u8>(), any::<u8>())), 5);
    let records = prop::collection::vec((person, 0..6usize), 1..40);
    (records, classes, weights).prop_map(|(records, classes, weights)| {
        let people: Vec<_> = records.iter().map(|(person, _)| texts(*person)).collect();
        let original = table(&people, weights);
        let cells: Vec<(usize, Vec<Cell>)> = records
            .iter()
            .enumerate()
            .filter_map(|(row, (_, class))| {
                let choices = classes.get(*class)?; // The sixth class is left out.
                let columns = original.columns.iter().zip(choices);
                Some((row, columns.map(|(column, choice)| cell(column, *choice)).collect()))
            })
            .collect();
        let row = |(row, cells): &(usize, Vec<Cell>)| {
            let quasi = original.columns.iter().zip(cells).map(|(column, cell)| column.render(cell));
            quasi.chain(people[*row][3..].iter().cloned()).collect::<Vec<String>>()
        };
        let published = RawTable::from_rows(&NAMES, &cells.iter().map(row).collect::<Vec<_>>());
        Release { original, cells, published }
    })
}

fn texts((age, sex, city, illness, job): (u8, u8, u8, u8, u8)) -> Vec<String> {
    let age = if age == 8 { "?".to_owned() } else { (u32::from(age) * u32::from(age)).to_string() };
    let sex = ["f", "m", "x", "?"][sex as usize];
    let city = ["a", "b", "c", "d", "?"][city as usize];
    [&age, sex, city, ["flu", "gout", "?"][illness as usize], ["cook", "smith"][job as usize]]
        .map(str::to_owned)
        .to_vec()
}

fn table(people: &[Vec<String>], weights: [f64; 3]) -> Table {
    let raw = RawTable::from_rows(&NAMES, people);
    let cities = Arc::new(Hierarchy::from_rows(&CITIES.map(|line| line.to_vec())).unwrap());
    let columns = raw.columns.iter().enumerate().map(|(at, column)| {
        let kind = if at == 0 { Kind::Integer } else { Kind::Text };
        let role = if at < 3 { Role::QuasiIdentifier } else { Role::Sensitive };
        let weight = weights.get(at).copied().unwrap_or(1.0);
        let column = Column::encode(column, role, kind, &["?".to_owned()]).unwrap().with_weight(weight);
        if at == 2 { column.with_hierarchy(&cities).unwrap() } else { column }
    });
    Table { columns: columns.collect(), rows: raw.rows }
}

/// Any cell that the column allows. Losses do not care whether it is true of the record.
fn cell(column: &Column, (what, one, two): (u8, u8, u8)) -> Cell {
    let domain = &column.domain;
    let pick = |of: usize, choice: u8| (choice as usize % of) as u32;
    let (a, b) = (pick(domain.len(), one), pick(domain.len(), two));
    let present = domain.len() - usize::from(domain.missing().is_some());
    match what {
        0 => Cell::Suppressed,
        1 => Cell::Exact(a),
        2 | 3 if domain.is_ordered() && present > 0 => {
            let (a, b) = (pick(present, one), pick(present, two));
            Cell::Range { lo: a.min(b), hi: a.max(b) }
        }
        4 | 5 if a != b => Cell::Set(vec![a.min(b), a.max(b)]),
        _ => match &column.hierarchy {
            // A leaf is published as the exact value where it is one; here it stays a node.
            Some(bound) => Cell::Node(shoal_core::NodeId(pick(bound.tree().node_count(), one))),
            None => Cell::Exact(b),
        },
    }
}

/// The values that a cell allows, counted one by one, and the number of all values.
fn covered(cell: &Cell, column: &Column) -> (usize, usize) {
    let all = match &column.hierarchy {
        Some(bound) => (0..bound.tree().node_count() as u32)
            .filter(|&node| bound.tree().is_leaf(shoal_core::NodeId(node)))
            .count(),
        None => column.domain.labels().iter().count(),
    };
    let covered = match cell {
        Cell::Exact(_) => 1,
        Cell::Range { lo, hi } => (*lo..=*hi).count(),
        Cell::Set(codes) => codes.len(),
        Cell::Node(node) => {
            let tree = column.hierarchy.as_ref().unwrap().tree();
            if tree.label(*node) == "*" { all } else { leaves_by_walking(tree, *node) }
        }
        Cell::Suppressed => all,
    };
    (covered, all)
}

fn leaves_by_walking(tree: &Hierarchy, node: shoal_core::NodeId) -> usize {
    let is_below = |leaf: u32| {
        let mut at = Some(tree.leaf_node(leaf));
        while at.is_some_and(|at| at != node) {
            at = at.and_then(|at| tree.parent(at));
        }
        at.is_some()
    };
    (0..tree.leaf_count()).filter(|&leaf| is_below(leaf)).count()
}

fn is_star(cell: &Cell, column: &Column) -> bool {
    column.render(cell) == "*"
}

fn ncp(cell: &Cell, column: &Column) -> f64 {
    if is_star(cell, column) {
        return 1.0;
    }
    let number = |code: u32| column.domain.label(code).parse::<f64>().unwrap();
    match cell {
        Cell::Range { lo, hi } => {
            let ages = column.domain.labels().iter().filter_map(|label| label.parse::<f64>().ok());
            let (min, max) = ages.fold((f64::MAX, f64::MIN), |(min, max), age| (min.min(age), max.max(age)));
            if min == max { 0.0 } else { (number(*hi) - number(*lo)) / (max - min) }
        }
        _ => match covered(cell, column) {
            (1, _) => 0.0,
            (covered, all) => covered as f64 / all as f64,
        },
    }
}

fn classes(release: &Release) -> Classes {
    TableView::new(&release.published, &QUASI).unwrap().classes().clone()
}

/// Records by their published texts: rows of the original.
fn crowds(release: &Release) -> BTreeMap<Vec<String>, Vec<usize>> {
    let mut crowds: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (row, cells) in &release.cells {
        let texts = release.original.columns.iter().zip(cells).map(|(column, cell)| column.render(cell));
        crowds.entry(texts.collect()).or_default().push(*row);
    }
    crowds
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

fn loss(release: &Release) -> LossReport {
    measure(&release.original, &release.published, &classes(release), Some(2)).unwrap().loss
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn cell_losses(release in releases()) {
        let loss = loss(&release);
        let records = release.original.rows;
        let left_out = (records - release.cells.len()) as f64;
        let (mut total, mut iloss, mut distortion, mut weights) = (0.0, 0.0, 0, 0.0);
        for (at, column) in release.original.columns[..3].iter().enumerate() {
            let cells: Vec<&Cell> = release.cells.iter().map(|(_, cells)| &cells[at]).collect();
            let by_column = (cells.iter().map(|cell| ncp(cell, column)).sum::<f64>() + left_out) / records as f64;
            prop_assert!(close(loss.ncp_by_column[at], by_column));
            total += column.weight * by_column;
            weights += column.weight;
            let (_, all) = covered(&Cell::Suppressed, column);
            let gone = (all - 1) as f64 / all as f64;
            iloss += cells.iter().map(|cell| (covered(cell, column).0 - 1) as f64 / all as f64).sum::<f64>();
            iloss += left_out * gone;
            let vague = |cell: &&&Cell| match cell {
                // Ages are squares, so that different codes are different ages.
                Cell::Range { lo, hi } => lo != hi,
                _ => is_star(cell, column) || covered(cell, column).0 > 1,
            };
            distortion += cells.iter().filter(vague).count() as u64 + left_out as u64;
        }
        prop_assert!(close(loss.ncp, total / weights));
        prop_assert!(close(loss.utility, 1.0 - loss.ncp));
        prop_assert!(close(loss.iloss, iloss / (3 * records) as f64));
        prop_assert_eq!(loss.minimal_distortion, distortion);
        prop_assert_eq!(loss.minimal_distortion_by_column.values().sum::<u64>(), distortion);
        for share in [loss.ncp, loss.utility, loss.iloss].iter().chain(loss.ncp_by_column.values()) {
            prop_assert!((0.0..=1.0).contains(share));
        }
    }

    #[test]
    fn class_losses(release in releases()) {
        let loss = loss(&release);
        let records = release.original.rows;
        let crowds = crowds(&release);
        let stars = |texts: &[String]| texts.iter().all(|text| text == "*");

        // Charged record by record: with its crowd, or with all when it says nothing or is not there.
        let mut discernibility = (records - release.cells.len()) * records;
        let mut penalties = [0.0; 2];
        for (texts, rows) in &crowds {
            for row in rows {
                discernibility += if stars(texts) { records } else { rows.len() };
                for (at, penalty) in penalties.iter_mut().enumerate() {
                    let column = &release.original.columns[3 + at];
                    let count = |code: u32| rows.iter().filter(|&&other| column.codes[other] == code).count();
                    let smaller = |&code: &u32| (count(code), std::cmp::Reverse(column.domain.label(code).to_owned()));
                    let majority = (0..column.domain.len() as u32).max_by_key(smaller).unwrap();
                    let fits = column.codes[*row] == majority && !stars(texts);
                    *penalty += f64::from(u8::from(!fits)) / records as f64;
                }
            }
        }
        let left_out = (records - release.cells.len()) as f64 / records as f64;
        let metric = loss.classification_metric.unwrap();
        prop_assert_eq!(loss.discernibility, discernibility as u64);
        prop_assert!(close(metric, (penalties[0] + penalties[1]) / 2.0 + left_out));
        prop_assert!((0.0..=1.0 + 1e-12).contains(&metric));
        let average = (!crowds.is_empty()).then(|| release.cells.len() as f64 / crowds.len() as f64);
        prop_assert_eq!(loss.average_class_size, average);
        prop_assert_eq!(loss.normalized_average_class_size, average.map(|size| size / 2.0));
    }

    #[test]
    fn risks(release in releases(), k in 2..8usize) {
        let measures = measure(&release.original, &release.published, &classes(&release), Some(k)).unwrap();
        let crowds = crowds(&release);
        // Every record's own risk, one by one.
        let after: Vec<f64> =
            crowds.values().flat_map(|rows| vec![1.0 / rows.len() as f64; rows.len()]).collect();
        let before: Vec<f64> = (0..release.original.rows).map(|row| {
            let alike = |other: &usize| {
                release.original.columns[..3].iter().all(|column| column.codes[*other] == column.codes[row])
            };
            1.0 / (0..release.original.rows).filter(alike).count() as f64
        }).collect();
        for (found, each) in [(measures.risk.before, before), (measures.risk.after, after)] {
            let count = each.len().max(1) as f64;
            let mean = each.iter().sum::<f64>() / count;
            prop_assert_eq!(found.prosecutor.highest, each.iter().copied().fold(0.0, f64::max));
            prop_assert!(close(found.prosecutor.mean, mean) && close(found.marketer, mean));
            let above = each.iter().filter(|&&risk| risk > 1.0 / k as f64).count() as f64 / count;
            prop_assert!(close(found.prosecutor.share_above_threshold, above));
            let unique = each.iter().filter(|&&risk| risk == 1.0).count() as u64;
            prop_assert_eq!(found.prosecutor.unique_records, unique);
            prop_assert_eq!(found.journalist.highest, found.prosecutor.highest);
        }
    }
}

fn small() -> Table {
    let people = [texts((3, 0, 0, 0, 0)), texts((4, 1, 1, 1, 1))];
    table(&people, [1.0; 3])
}

fn file(rows: &[[&str; 5]]) -> RawTable {
    RawTable::from_rows(&NAMES, &rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>())
}

fn outcome(published: &RawTable) -> Result<(), MeasureError> {
    let classes = Classes::of_codes(published.rows, &[]);
    measure(&small(), published, &classes, None).map(|_| ())
}

#[test]
fn foreign_files_are_errors_that_say_why() {
    let good = ["[9, 16]", "{f, m}", "A", "flu", "cook"];
    assert_eq!(outcome(&file(&[good, good])), Ok(()));
    let more = MeasureError::MoreRecords { published: 3, original: 2 };
    assert_eq!(outcome(&file(&[good, good, good])), Err(more));
    let strange = ["[9, 16]", "{f, m}", "Z", "flu", "cook"];
    assert!(matches!(
        outcome(&file(&[good, strange])),
        Err(MeasureError::Unreadable { row: 2, column, .. }) if column == "city"
    ));
    let mut lacking = file(&[good]);
    lacking.columns.remove(3);
    assert_eq!(outcome(&lacking), Err(MeasureError::Lacking { column: "illness".into() }));
    let mut ragged = file(&[good, good]);
    ragged.columns[1].codes.pop();
    assert!(matches!(outcome(&ragged), Err(MeasureError::Ragged { cells: 1, rows: 2, .. })));
    let foreign = Classes::of_codes(7, &[]);
    assert!(measure(&small(), &file(&[good]), &foreign, None).is_err());
    let mut original = small();
    original.columns.iter_mut().for_each(|column| column.role = Role::Insensitive);
    let classes = Classes::of_codes(1, &[]);
    assert_eq!(measure(&original, &file(&[good]), &classes, None), Err(MeasureError::NoQuasiIdentifier));
}

#[test]
fn ranges_are_cut_to_the_domain_and_nothing_published_loses_all() {
    let wide = ["[-100, 1000]", "f", "a", "flu", "cook"];
    let published = file(&[wide]);
    let classes = Classes::of_codes(1, &[]);
    let loss = measure(&small(), &published, &classes, None).unwrap().loss;
    // The range says nothing, and the other record is not there.
    assert_eq!(loss.ncp_by_column[0], 1.0);

    let nothing = file(&[]);
    let measures = measure(&small(), &nothing, &Classes::default(), Some(2)).unwrap();
    assert_eq!((measures.loss.ncp, measures.loss.utility), (1.0, 0.0));
    assert_eq!(measures.loss.average_class_size, None);
    assert_eq!(measures.risk.after, risk::of(&Classes::default(), Some(2)));
}

#[test]
fn a_star_has_lost_all_even_above_a_single_leaf() {
    let mut original = table(&[texts((3, 0, 0, 0, 0))], [1.0; 3]);
    let tree = Arc::new(Hierarchy::from_rows(&[vec!["a", "A", "*"]]).unwrap());
    let city = &mut original.columns[2];
    city.hierarchy = Some(BoundHierarchy::new(&tree, &city.domain).unwrap());
    let classes = Classes::of_codes(1, &[]);
    let loss = |city: &str| {
        let published = file(&[["9", "f", city, "flu", "cook"]]);
        let loss = measure(&original, &published, &classes, None).unwrap().loss;
        (loss.ncp_by_column["city"], loss.minimal_distortion)
    };
    assert_eq!(loss("*"), (1.0, 1));
    assert_eq!(loss("A"), (0.0, 0));
    assert_eq!(loss("a"), (0.0, 0));
}
