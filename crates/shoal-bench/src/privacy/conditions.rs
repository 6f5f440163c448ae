//! How long the conditions on sensitive columns take to verify:
//! `cargo run --release -p shoal-bench -- privacy conditions [rows] [class size] [values]`.
//!
//! One quasi-identifier and classes of equal size whose records are scattered over the file, as a run publishes them;
//! the sensitive column has whole numbers, the first ones more often than the others.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use shoal_core::{
    Condition, DateFormat, Distance, Hierarchy, Kind, Labels, Likeness, MissingTexts, Place, RawColumn,
    RawTable, Rule, ValueParser,
};
use shoal_privacy::table::model;
use shoal_privacy::{KAnonymity, SensitiveColumn, TableModel, TableView};

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let mut args = arguments.iter().map(|arg| arg.parse::<usize>().expect("a number"));
    let mut arg = |default| args.next().unwrap_or(default);
    let (rows, size, values) = (arg(10_000_000), arg(10), arg(1_000));
    let file = file(rows, size, values);
    let start = Instant::now();
    let view = TableView::new(&file, &["zip"]).expect("a file");
    println!("{rows} rows, {} classes, {values} values", view.classes().len());
    println!("{:24} {:8.0} ms", "classes", ms(start));

    let k = KAnonymity::new(2).expect("a promise");
    time("k-anonymity", &view, &k);
    let close = |distance| Rule::Close { t: 0.3, distance };
    let rules = [
        ("distinct, groups the rows", Rule::Distinct { l: 3 }),
        ("distinct", Rule::Distinct { l: 3 }),
        ("entropy", Rule::Entropy { l: 3.0 }),
        ("recursive", Rule::Recursive { l: 3, c: 2.0 }),
        ("t-closeness ordered", close(Distance::Ordered)),
        ("t-closeness equal", close(Distance::Equal)),
        ("t-closeness hierarchical", close(Distance::Hierarchical)),
        ("β-likeness", Rule::Alike(Likeness::Enhanced(2.0))),
    ];
    let tree = Arc::new(tree(values));
    for (name, rule) in rules {
        let ground = SensitiveColumn {
            parser: ValueParser::new(Kind::Integer, DateFormat::default()),
            missing: MissingTexts::new(&["?"]),
            hierarchy: Some(Arc::clone(&tree)),
        };
        let condition = Condition { column: "pay".to_owned(), rule };
        time(name, &view, model(&condition, ground).expect("a promise").as_ref());
    }
    Ok(())
}

fn time(name: &str, view: &TableView<'_>, model: &dyn TableModel) {
    let start = Instant::now();
    let outcome = model.verify(view).expect("a verifiable file");
    println!(
        "{name:24} {:8.0} ms (found {}, {} classes break it)",
        ms(start),
        outcome.found,
        outcome.violations.total
    );
}

fn ms(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn file(rows: usize, size: usize, values: usize) -> RawTable {
    let mut random = 1_u64;
    let mut draw = |below: usize| {
        // xorshift64*: the same everywhere.
        random ^= random >> 12;
        random ^= random << 25;
        random ^= random >> 27;
        (random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16) as usize % below
    };
    let mut classes: Vec<u32> = (0..rows).map(|row| (row / size) as u32).collect();
    (1..rows).for_each(|row| classes.swap(row, draw(row + 1)));
    let mut pay = || {
        let most = draw(values) + 1;
        draw(most) as u32
    };
    let pay = (0..rows).map(|_| pay()).collect();
    let columns = vec![column("zip", rows.div_ceil(size), classes), column("pay", values, pay)];
    RawTable { columns, rows, files: Vec::new() }
}

fn column(name: &str, labels: usize, codes: Vec<u32>) -> RawColumn {
    let labels: Labels = (0..labels).map(|label| label.to_string()).collect();
    let first_seen = vec![Place::default(); labels.len()];
    RawColumn { name: name.to_owned(), labels, first_seen, null: None, codes }
}

/// Ten values make a node, ten nodes the next one.
fn tree(values: usize) -> Hierarchy {
    let line = |value: usize| {
        vec![value.to_string(), format!("n{}", value / 10), format!("m{}", value / 100), "*".to_owned()]
    };
    Hierarchy::from_rows(&(0..values).map(line).collect::<Vec<_>>()).expect("a tree")
}
