//! Measures kernels on the public data sets and prints what `docs/performance.md` is written from:
//! `cargo run --release -p shoal-bench -- CRATE NAME [ARGUMENT …]`, for example `-- algorithms castle`. Without arguments it
//! lists what there is. Whole runs of the program are measured by `scripts/measure-*`.

mod algorithms;
mod data;
mod io;
mod measure;
mod pipeline;
mod privacy;

use std::error::Error;
use std::process::ExitCode;

/// The crate, the name and the work of a benchmark.
type Benchmark = (&'static str, &'static str, fn(&[String]) -> Result<(), Box<dyn Error>>);

const BENCHMARKS: &[Benchmark] = &[
    ("algorithms", "apriori", algorithms::apriori::run),
    ("algorithms", "castle", algorithms::castle::run),
    ("algorithms", "cbmsa", algorithms::cbmsa::run),
    ("algorithms", "delay_free", algorithms::delay_free::run),
    ("algorithms", "fcla", algorithms::fcla::run),
    ("algorithms", "halt", algorithms::halt::run),
    ("algorithms", "pcta_coat", algorithms::pcta_coat::run),
    ("algorithms", "starts", algorithms::starts::run),
    ("algorithms", "tables", algorithms::tables::run),
    ("io", "baskets", io::baskets::run),
    ("io", "batches", io::batches::run),
    ("io", "tables", io::tables::run),
    ("measure", "stream_queries", measure::stream_queries::run),
    ("measure", "table", measure::table::run),
    ("pipeline", "cancellation", pipeline::cancellation::run),
    ("privacy", "conditions", privacy::conditions::run),
    ("privacy", "gate", privacy::gate::run),
    ("privacy", "itemsets", privacy::itemsets::run),
    ("privacy", "knowledge", privacy::knowledge::run),
    ("privacy", "sequences", privacy::sequences::run),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let asked = |(of, name, _): &&Benchmark| words.len() >= 2 && *of == words[0] && *name == words[1];
    let Some((.., run)) = BENCHMARKS.iter().find(asked) else {
        eprintln!(
            "Which benchmark? Its file in crates/shoal-bench/src says what it measures and what it is given:"
        );
        BENCHMARKS.iter().for_each(|(of, name, _)| eprintln!("  {of} {name}"));
        return ExitCode::from(2);
    };
    match run(&words[2..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A benchmark that nobody runs stops working unseen. These are small enough for every test run.
    #[test]
    fn benchmarks_run() {
        let small = [
            "io batches 1000",
            "io tables 1000",
            "privacy conditions 1000",
            "privacy knowledge 200",
            "privacy gate",
        ];
        for call in small {
            let words: Vec<String> = call.split(' ').map(str::to_owned).collect();
            let (.., run) =
                BENCHMARKS.iter().find(|(of, name, _)| *of == words[0] && *name == words[1]).unwrap();
            run(&words[2..]).unwrap_or_else(|error| panic!("{call}: {error}"));
        }
    }
}
