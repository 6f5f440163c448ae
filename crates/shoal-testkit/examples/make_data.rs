//! Makes the data that `docs/performance.md` is measured on. The first three go to standard output:
//!
//! `make_data adult 1000000`     the example's table repeated to this many records, ages moved by up to two years
//! `make_data thesis FILE 5000`  the thesis' tuples, from UCI's adult.data.gz
//! `make_data baskets 1000000 40000 8 1`
//!     a million baskets of 40,000 items by Zipf's law, 8 draws each on average, from seed 1
//! `make_data people FOLDER 10000000 1`
//!     ten million made-up people, hardly two alike, from seed 1: people.csv, their hierarchies and a policy, in that folder
//! `make_data wide FOLDER 1000000 1`
//!     the same people with twelve more columns, 20 quasi-identifiers in all
//! `make_data patients FOLDER 1000 5 3 1`
//!     1,000 made-up patients with 5 visits on average and 3 quasi-identifiers, from seed 1: the visits, their
//!     hierarchies and a policy, in that folder

use std::io::Write as _;
use std::path::Path;

use shoal_testkit::baskets;
use shoal_testkit::data;
use shoal_testkit::patients::PatientParams;
use shoal_testkit::people;

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let csv = match words[..] {
        ["adult", rows] => rows.parse().ok().map(|rows| data::adult_repeated(rows, 0)),
        ["thesis", file, count] => count.parse().ok().map(|count| data::thesis_csv(Path::new(file), count)),
        ["baskets", ref numbers @ ..] => match basket_numbers(numbers) {
            Some((count, items, mean, seed)) => {
                let mut out = std::io::BufWriter::new(std::io::stdout().lock());
                baskets::write(&mut out, count, items, mean, seed)?;
                return out.flush();
            }
            None => None,
        },
        [kind @ ("people" | "wide"), folder, rows, seed] => match (rows.parse(), seed.parse()) {
            (Ok(rows), Ok(seed)) => return people(Path::new(folder), kind == "wide", rows, seed),
            _ => None,
        },
        ["patients", folder, ref numbers @ ..] => match patient_params(numbers) {
            Some(params) => return patients(Path::new(folder), params),
            None => None,
        },
        _ => None,
    };
    match csv {
        Some(csv) => std::io::stdout().write_all(csv.as_bytes()),
        None => stop(
            "usage: make_data adult ROWS | make_data thesis ADULT_DATA_GZ COUNT \
             | make_data baskets COUNT ITEMS MEAN_DRAWS SEED \
             | make_data people FOLDER ROWS SEED | make_data wide FOLDER ROWS SEED | make_data patients FOLDER SEQUENCES MEAN_EVENTS QUASI_IDENTIFIERS SEED",
        ),
    }
}

fn people(folder: &Path, is_wide: bool, rows: usize, seed: u64) -> std::io::Result<()> {
    let (from, to) = (data::adult_example().join("hierarchies"), folder.join("hierarchies"));
    std::fs::create_dir_all(&to)?;
    for name in ["sex", "race", "marital-status", "education", "workclass", "occupation"] {
        let file = format!("{name}.csv");
        std::fs::copy(from.join(&file), to.join(&file))?;
    }
    let mut out = std::io::BufWriter::new(std::fs::File::create(folder.join("people.csv"))?);
    if is_wide {
        std::fs::write(folder.join("policy.toml"), people::wide_policy())?;
        people::write_wide(&mut out, rows, seed)?;
    } else {
        std::fs::write(folder.join("policy.toml"), people::POLICY)?;
        people::write(&mut out, rows, seed)?;
    }
    out.flush()
}

/// How many baskets, of how many items, with how many draws on average, from which seed.
fn basket_numbers(numbers: &[&str]) -> Option<(usize, usize, f64, u64)> {
    let &[count, items, mean, seed] = numbers else { return None };
    let (items, mean) =
        (items.parse().ok().filter(|&items| items > 0)?, mean.parse().ok().filter(|&mean| mean >= 1.0)?);
    Some((count.parse().ok()?, items, mean, seed.parse().ok()?))
}

fn patient_params(numbers: &[&str]) -> Option<PatientParams> {
    let &[sequences, mean_events, quasi_identifiers, seed] = numbers else { return None };
    Some(PatientParams {
        sequences: sequences.parse().ok()?,
        mean_events: mean_events.parse().ok()?,
        quasi_identifiers: quasi_identifiers.parse().ok()?,
        seed: seed.parse().ok()?,
    })
}

fn patients(folder: &Path, params: PatientParams) -> std::io::Result<()> {
    match params.check() {
        Ok(params) => params.generate().write(folder),
        Err(e) => stop(&format!("{e}; {}", e.hint())),
    }
}

fn stop(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(2)
}
