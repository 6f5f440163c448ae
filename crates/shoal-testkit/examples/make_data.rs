//! Writes the data that `docs/performance.md` is measured on to standard output:
//!
//! `make_data adult 1000000`     the example's table repeated to so many records, ages moved by up to two years
//! `make_data thesis FILE 5000`  the thesis' tuples, from UCI's adult.data.gz

use std::io::Write as _;
use std::path::Path;

use shoal_testkit::data;

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let csv = match words[..] {
        ["adult", rows] => rows.parse().ok().map(|rows| data::adult_repeated(rows, 0)),
        ["thesis", file, count] => count.parse().ok().map(|count| data::thesis_csv(Path::new(file), count)),
        _ => None,
    };
    match csv {
        Some(csv) => std::io::stdout().write_all(csv.as_bytes()),
        None => {
            eprintln!("usage: make_data adult ROWS | make_data thesis ADULT_DATA_GZ COUNT");
            std::process::exit(2)
        }
    }
}
