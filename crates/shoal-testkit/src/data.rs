//! The real data sets that tests and benches run on, and larger ones made from them.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha20Rng;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the public data sets, which are not part of the repository: `scripts/data` fetches them. `SHOAL_DATA` names
/// their folder; a relative path starts at the root of the repository.
///
/// A test that needs one is marked `#[ignore = "needs SHOAL_DATA"]`, so that it is counted as skipped without them.
///
/// # Panics
/// When the variable is not set or the file is not there.
pub fn public(name: &str) -> PathBuf {
    let folder = std::env::var_os("SHOAL_DATA")
        .filter(|folder| !folder.is_empty())
        .expect("SHOAL_DATA must name the folder of the public data sets; scripts/data fetches them");
    let path = root().join(folder).join(name);
    assert!(path.is_file(), "{} is not there; scripts/data fetches it", path.display());
    path
}

/// The text of a file of the public data sets, unpacked where its name ends in `.gz`.
pub fn public_text(name: &str) -> String {
    let path = public(name);
    match name.ends_with(".gz") {
        true => gunzip(&path),
        false => std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())),
    }
}

/// The folder of the example that ships with the project.
pub fn adult_example() -> PathBuf {
    root().join("examples/adult")
}

/// The example's table, 30,162 records, as text.
pub fn adult_csv() -> String {
    gunzip(&adult_example().join("adult.csv.gz"))
}

/// The example's table repeated to `rows` records, ages moved by up to two years so that rows differ.
pub fn adult_repeated(rows: usize, seed: u64) -> String {
    let text = adult_csv();
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let records: Vec<&str> = lines.collect();
    let mut random = ChaCha20Rng::seed_from_u64(seed);
    let mut csv = String::with_capacity(rows * 90);
    csv.push_str(header);
    csv.push('\n');
    for row in 0..rows {
        let mut cells = records[row % records.len()].splitn(3, ';');
        let (sex, age, rest) = (cells.next(), cells.next(), cells.next());
        let age: i32 = age.and_then(|a| a.parse().ok()).expect("the second column is the age");
        let age = (age + random.random_range(-2..=2)).clamp(17, 90);
        let _ = writeln!(csv, "{};{age};{}", sex.unwrap_or_default(), rest.unwrap_or_default());
    }
    csv
}

/// The tuples of the thesis' evaluation: of UCI's `adult.data`, the first `count` whose native country is
/// known; age, sex, native-country and income.
pub fn thesis_csv(adult_data_gz: &Path, count: usize) -> String {
    let text = gunzip(adult_data_gz);
    let mut csv = String::from("age,sex,native-country,income\n");
    let known = text.lines().map(|line| line.split(", ").collect::<Vec<_>>());
    for cells in known.filter(|cells| cells.len() == 15 && cells[13] != "?").take(count) {
        let _ = writeln!(csv, "{},{},{},{}", cells[0], cells[9], cells[13], cells[14]);
    }
    csv
}

/// The text of a file that is packed with gzip.
pub fn gunzip(path: &Path) -> String {
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text
}
