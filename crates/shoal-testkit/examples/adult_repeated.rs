//! Writes the example's table repeated to as many records as you like to standard output:
//! `cargo run --release -p shoal-testkit --example adult_repeated -- 1000000 > adult1m.csv`

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    let rows = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    std::io::stdout().write_all(shoal_testkit::data::adult_repeated(rows, 0).as_bytes())
}
