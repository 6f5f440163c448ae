//! Prints what CASTLE loses on the six numeric columns of Adult, how fast it is, and that a longer stream costs no more
//! per tuple.
//!
//! `cargo run --release -p shoal-bench -- algorithms castle [adult.data.gz]`

use std::error::Error;
use std::time::Instant;

use shoal_algorithms::stream::castle::{
    Castle, CastleCell, CastleColumn, CastleParams, CastleRelease, CastleRules, CastleValue,
};

use crate::data::given_or_shared_text;

/// Age, fnlwgt, education-num, capital-gain, capital-loss, hours-per-week.
const COLUMNS: [usize; 6] = [0, 2, 4, 10, 11, 12];

type Row = [f64; COLUMNS.len()];

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let rows = numbers(arguments.first())?;
    let widths = widths(&rows);
    println!("  tuples rules   delta   k       IL tuples/s suppressed  reused classes merged split");
    for rules in [CastleRules::Paper, CastleRules::Nearest] {
        for delta in [100, 1000] {
            for k in [5, 10, 50] {
                measure_params(
                    CastleParams { rules, ..CastleParams::new(k, delta) },
                    &rows,
                    rows.len(),
                    &widths,
                )?;
            }
        }
    }
    println!("no class is joined later: every tuple leaves with its whole crowd");
    for rules in [CastleRules::Paper, CastleRules::Nearest] {
        for delta in [100, 1000] {
            for k in [5, 10, 50] {
                let params = CastleParams { rules, max_reusable: 0, ..CastleParams::new(k, delta) };
                measure_params(params, &rows, rows.len(), &widths)?;
            }
        }
    }
    println!("the same rows again and again");
    for rules in [CastleRules::Paper, CastleRules::Nearest] {
        for tuples in [100_000, 300_000, 1_000_000] {
            measure_params(CastleParams { rules, ..CastleParams::new(10, 100) }, &rows, tuples, &widths)?;
        }
    }
    Ok(())
}

/// Every tuple is a person of its own; nothing is sensitive.
fn measure_params(
    params: CastleParams,
    rows: &[Row],
    tuples: usize,
    widths: &Row,
) -> Result<(), Box<dyn Error>> {
    let mut castle = Castle::new(params.check()?, &vec![CastleColumn::Number; COLUMNS.len()])?;
    let (mut out, mut lost) = (Vec::new(), 0.0);
    let start = Instant::now();
    for (position, row) in (0_u64..).zip(rows.iter().cycle().take(tuples)) {
        castle.push(position, position, &row.map(CastleValue::Number), 0, &mut out)?;
        lost += out.drain(..).map(|release| loss(&release, widths)).sum::<f64>();
    }
    castle.flush(&mut out);
    let speed = tuples as f64 / start.elapsed().as_secs_f64();
    lost += out.iter().map(|release| loss(release, widths)).sum::<f64>();
    let figures = castle.figures();
    println!(
        "{tuples:8} {:7} {:5} {:3} {:.6} {speed:8.0} {:10} {:7} {:7} {:6} {:5}",
        format!("{:?}", params.rules),
        params.delta,
        params.k,
        lost / tuples as f64,
        figures.suppressed,
        figures.reused,
        figures.classes,
        figures.merged,
        figures.split
    );
    Ok(())
}

/// IL over the domains of the whole file; a suppressed tuple loses all.
fn loss(release: &CastleRelease, widths: &Row) -> f64 {
    if release.suppressed {
        return 1.0;
    }
    let losses = release.cells.iter().zip(widths).map(|(cell, width)| match cell {
        CastleCell::Range(lo, hi) => (hi - lo) / width,
        _ => 1.0,
    });
    losses.sum::<f64>() / widths.len() as f64
}

fn widths(rows: &[Row]) -> Row {
    std::array::from_fn(|column| {
        let values = || rows.iter().map(|row| row[column]);
        values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
    })
}

fn numbers(path: Option<&String>) -> Result<Vec<Row>, Box<dyn Error>> {
    let text = given_or_shared_text(path, "adult/adult.data.gz")?;
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let mut row = Row::default();
        for (number, column) in row.iter_mut().zip(COLUMNS) {
            *number = cells.get(column).ok_or("a line is too short")?.parse()?;
        }
        rows.push(row);
    }
    Ok(rows)
}
