//! Prints what SBC, Mondrian and the ribbon lose, and how long they take, on the Adult data.
//!
//! `cargo run --release -p shoal-bench -- algorithms tables`

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use shoal_algorithms::Anonymized;
use shoal_algorithms::table::TableAlgorithm;
use shoal_algorithms::table::mondrian::MondrianParams;
use shoal_algorithms::table::ribbon::RibbonParams;
use shoal_algorithms::table::sbc::SbcParams;
use shoal_core::{
    Cell, Column, Kind, Place, RawColumnBuilder, Role, SUPPRESSED, Silent, Table, TableRecoding, hierarchy,
};

use crate::data::shared_text;

pub(crate) fn run(_arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let thesis = thesis_table()?;
    println!("thesis data: 5,000 records, age, sex, native-country");
    for k in [2, 5, 10, 50, 100] {
        show(&thesis, &SbcParams::new(k).check()?)?;
        show(&thesis, &MondrianParams::new(k).check()?)?;
        show(&thesis, &RibbonParams::new(k).check()?)?;
    }

    let adult = shared_text("adult/adult_arx_30162.csv.gz")?;
    let table = arx_table(&adult, 1)?;
    println!("adult_arx_30162: {} records, 9 quasi-identifiers with hierarchies", table.rows);
    for k in [2, 5, 10, 50, 100] {
        show(&table, &SbcParams::new(k).check()?)?;
        show(&table, &MondrianParams::new(k).check()?)?;
        show(&table, &RibbonParams::new(k).check()?)?;
    }

    let table = arx_table(&adult, 34)?;
    println!("the same repeated, age with noise: {} records", table.rows);
    show(&table, &MondrianParams::new(10).check()?)?;
    show(&table, &RibbonParams::new(10).check()?)?;
    Ok(())
}

fn show(table: &Table, algorithm: &dyn TableAlgorithm) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let Anonymized { recoding, trace } = algorithm.anonymize(table, &Silent)?;
    let seconds = start.elapsed().as_secs_f64();
    let sizes = recoding.sizes();
    println!(
        "  {:8} {:7} classes of {} to {}, NCP {:.3} %, {seconds:.3} s",
        algorithm.name(),
        sizes.len(),
        sizes.iter().min().unwrap_or(&0),
        sizes.iter().max().unwrap_or(&0),
        100.0 * ncp(table, &recoding),
    );
    for start in trace.search.iter().flat_map(|search| &search.constructions) {
        println!(
            "           {:8} {:.3} %, best in {} of {}",
            start.name,
            100.0 * start.loss,
            start.won,
            start.tried
        );
    }
    Ok(())
}

/// The mean loss of all quasi-identifying cells.
pub(super) fn ncp(table: &Table, recoding: &TableRecoding) -> f64 {
    let quasi = table.quasi_identifiers();
    let loss = |cells: &[Cell]| -> f64 { cells.iter().zip(&quasi).map(|(cell, c)| cell_loss(cell, c)).sum() };
    let of_class: Vec<f64> = recoding.classes.iter().map(|class| loss(&class.cells)).collect();
    let of_row =
        |&class: &u32| if class == SUPPRESSED { quasi.len() as f64 } else { of_class[class as usize] };
    recoding.class_of.iter().map(of_row).sum::<f64>() / (table.rows * quasi.len()) as f64
}

fn cell_loss(cell: &Cell, column: &Column) -> f64 {
    let positions = column.domain.positions();
    match cell {
        Cell::Exact(_) => 0.0,
        Cell::Range { lo, hi } => (positions[*hi as usize] - positions[*lo as usize]) / column.domain.span(),
        Cell::Set(codes) => codes.len() as f64 / column.domain.len() as f64,
        Cell::Node(node) => column.hierarchy.as_ref().map_or(1.0, |bound| {
            bound.tree().leaves_below(*node).len() as f64 / f64::from(bound.tree().leaf_count())
        }),
        Cell::Suppressed => 1.0,
    }
}

/// The first 5,000 records of the original file with a known country.
fn thesis_table() -> Result<Table, Box<dyn Error>> {
    let text = shared_text("adult/adult.data.gz")?;
    let rows: Vec<Vec<String>> = text
        .lines()
        .map(|line| line.split(", ").collect::<Vec<_>>())
        .filter(|fields| fields.len() > 13 && fields[13] != "?")
        .take(5000)
        .map(|fields| [0, 9, 13].map(|at| fields[at].to_owned()).to_vec())
        .collect();
    Ok(Table {
        columns: vec![
            column("age", Kind::Integer, rows.iter().map(|r| r[0].as_str()), None)?,
            column("sex", Kind::Text, rows.iter().map(|r| r[1].as_str()), None)?,
            column("native-country", Kind::Text, rows.iter().map(|r| r[2].as_str()), None)?,
        ],
        rows: rows.len(),
    })
}

/// ARX's version of the file, `times` over, every repetition with other ages.
fn arx_table(text: &str, times: usize) -> Result<Table, Box<dyn Error>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(';').collect();
    let once: Vec<Vec<&str>> = lines.map(|line| line.split(';').collect()).collect();
    let rows = once.len() * times;
    let mut columns = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let text = shared_text(&format!("adult/adult_hierarchy_{name}.csv"))?;
        let tree = hierarchy::from_text(&text).map_err(|e| e.to_string())?;
        let ages: Vec<String>;
        let cells: Box<dyn Iterator<Item = &str>> = if *name == "age" {
            ages = (0..rows).map(|row| noisy(once[row % once.len()][at], row, once.len())).collect();
            Box::new(ages.iter().map(String::as_str))
        } else {
            Box::new((0..rows).map(|row| once[row % once.len()][at]))
        };
        let kind = if *name == "age" { Kind::Integer } else { Kind::Text };
        columns.push(column(name, kind, cells, Some(tree))?);
    }
    Ok(Table { columns, rows })
}

/// An age up to 5 years off, 0 in the first repetition.
fn noisy(age: &str, row: usize, period: usize) -> String {
    if row < period {
        return age.to_owned();
    }
    let noise = (row.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) % 11;
    let age: i64 = age.parse().unwrap_or(40);
    (age + noise as i64 - 5).clamp(1, 100).to_string()
}

pub(super) fn column<'a>(
    name: &str,
    kind: Kind,
    cells: impl Iterator<Item = &'a str>,
    tree: Option<hierarchy::Hierarchy>,
) -> Result<Column, Box<dyn Error>> {
    let mut raw = RawColumnBuilder::new(name.to_owned());
    cells.for_each(|cell| raw.push(cell, Place::default()));
    let raw = raw.finish();
    let column =
        Column::encode(&raw, Role::QuasiIdentifier, kind, &[]).map_err(|bad| format!("{name}: {bad:?}"))?;
    Ok(match tree {
        Some(tree) => column.with_hierarchy(&Arc::new(tree)).map_err(|bad| format!("{name}: {bad:?}"))?,
        None => column,
    })
}
