//! How long a million records with nine quasi-identifiers take to verify and to measure:
//! `cargo run --release -p shoal-bench -- measure table`.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use shoal_core::{Cell, Column, Hierarchy, Kind, Place, RawColumnBuilder, RawTable, Role, SplitMix64, Table};
use shoal_measure::measure;
use shoal_privacy::{KAnonymity, RecordOrder, TableClaim, TableModel, TableView, judge_table};

const ROWS: usize = 1_000_000;
const K: usize = 10;
const QUASI: [(&str, u64, Kind); 9] = [
    ("age", 74, Kind::Integer),
    ("hours", 99, Kind::Integer),
    ("gain", 12_000, Kind::Integer),
    ("workclass", 9, Kind::Text),
    ("education", 16, Kind::Text),
    ("marital", 7, Kind::Text),
    ("occupation", 15, Kind::Text),
    ("country", 42, Kind::Text),
    ("sex", 2, Kind::Text),
];

pub(crate) fn run(_arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let original = original();
    let (published, origin) = publish(&original);
    let quasi: Vec<&str> = QUASI.iter().map(|(name, ..)| *name).collect();
    let models: Vec<Box<dyn TableModel>> =
        vec![Box::new(KAnonymity::new(K as u32).expect("k is large enough"))];
    let texts: Vec<usize> = published.columns.iter().map(|column| column.labels.len()).collect();
    println!("distinct texts per column: {texts:?}");

    for _ in 0..3 {
        let start = Instant::now();
        let view = TableView::new(&published, &quasi).expect("every column is there");
        println!("classes      {:7.1} ms ({} of them)", ms(start), view.classes().len());

        let start = Instant::now();
        let claim = TableClaim {
            original: &original,
            origin: &origin,
            left_out: 0,
            suppression: None,
            order: RecordOrder::Input,
        };
        let verified =
            judge_table(&published, claim, &models, &shoal_core::Silent).expect("the release is correct");
        println!("verification {:7.1} ms (classes, promise, conservation)", ms(start));

        let start = Instant::now();
        let measures = measure(&original, &published, verified.classes(), Some(K)).expect("it is measurable");
        println!("measures     {:7.1} ms (NCP {:.4})", ms(start), black_box(measures).loss.ncp);
    }
    Ok(())
}

fn ms(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn original() -> Table {
    let mut random = SplitMix64(1);
    let sensitive = ("salary", 30, Kind::Text);
    let columns = QUASI.iter().chain([&sensitive]).enumerate().map(|(at, &(name, card, kind))| {
        let mut raw = RawColumnBuilder::new(name.to_owned());
        (0..ROWS).for_each(|_| raw.push(&label(kind, random.below(card)), Place::default()));
        let raw = raw.finish();
        let role = if at < QUASI.len() { Role::QuasiIdentifier } else { Role::Sensitive };
        let column = Column::encode(&raw, role, kind, &[]).expect("labels are of their kind");
        match at {
            4..8 => column.with_hierarchy(&Arc::new(tree(card))).expect("the tree knows every value"),
            _ => column,
        }
    });
    Table { columns: columns.collect(), rows: ROWS }
}

fn label(kind: Kind, value: u64) -> String {
    if kind == Kind::Text { format!("value {value:03}") } else { value.to_string() }
}

fn tree(values: u64) -> Hierarchy {
    let line = |value: u64| vec![label(Kind::Text, value), format!("group {}", value / 4), "*".to_owned()];
    Hierarchy::from_rows(&(0..values).map(line).collect::<Vec<_>>()).expect("the tree is one")
}

/// Classes of k records that are near each other in the first columns, their rows shuffled.
fn publish(original: &Table) -> (RawTable, Vec<u32>) {
    let mut order: Vec<u32> = (0..ROWS as u32).collect();
    order.sort_by_key(|&row| {
        let code = |column: usize| original.columns[column].codes[row as usize];
        (code(8), code(3), code(0) / 8, code(7), code(5), row)
    });
    let mut origin: Vec<(u64, u32, u32)> = Vec::with_capacity(ROWS);
    let mut random = SplitMix64(2);
    for (at, &row) in order.iter().enumerate() {
        origin.push((random.next(), row, (at / K) as u32));
    }
    let crowds: Vec<&[u32]> = order.chunks(K).collect();
    origin.sort_unstable();
    let columns = original.columns.iter().map(|column| {
        let mut raw = RawColumnBuilder::new(column.name.clone());
        let texts: Vec<String> = if column.role == Role::QuasiIdentifier {
            crowds.iter().map(|crowd| column.render(&generalize(column, crowd))).collect()
        } else {
            Vec::new()
        };
        for &(_, row, crowd) in &origin {
            let own = column.domain.label(column.codes[row as usize]);
            raw.push(texts.get(crowd as usize).map_or(own, String::as_str), Place::default());
        }
        raw.finish()
    });
    let published = RawTable { columns: columns.collect(), rows: ROWS, files: Vec::new() };
    (published, origin.into_iter().map(|(_, row, _)| row).collect())
}

fn generalize(column: &Column, crowd: &[u32]) -> Cell {
    let mut codes: Vec<u32> = crowd.iter().map(|&row| column.codes[row as usize]).collect();
    codes.sort_unstable();
    codes.dedup();
    match (&codes[..], &column.hierarchy) {
        ([one], _) => Cell::Exact(*one),
        (_, Some(bound)) => {
            let leaves = codes.iter().map(|&code| bound.leaf_of(code));
            let (lo, hi) = leaves.fold((u32::MAX, 0), |(lo, hi), leaf| (lo.min(leaf), hi.max(leaf)));
            Cell::Node(bound.tree().lowest_common(lo, hi))
        }
        ([lo, .., hi], None) if column.domain.is_ordered() => Cell::Range { lo: *lo, hi: *hi },
        _ => Cell::Set(codes),
    }
}
