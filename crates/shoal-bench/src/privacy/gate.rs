//! What the gate costs per tuple: `cargo run --release -p shoal-bench -- privacy gate`.
//!
//! Lines and tuples are made while the clock stands: 7 cells like Adult's, 30 values, l = 10, one step a tuple. The
//! median of thousands is shown, so that other programs on the machine do not count.

use std::collections::HashMap;
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use shoal_core::stream::{StreamLine, StreamPromise, StreamTuple};
use shoal_core::{DateFormat, Kind, ValueParser};
use shoal_privacy::stream::{Gate, GateColumn};

const TUPLES: u64 = 500_000;
const VALUES: usize = 30;
const L: usize = 10;

type Steps = Vec<(Vec<StreamLine<'static>>, Vec<StreamTuple<'static>>)>;

pub(crate) fn run(_arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let promises = [
        StreamPromise::Sets { l: L },
        StreamPromise::Groups { l: L, max_open_groups: 100_000 },
        StreamPromise::Crowds { k: 10, l: 1, delta: 100, max_wait: None, reuse: true },
    ];
    for promise in promises {
        let mut kernel = Kernel { state: 42, free: HashMap::new(), groups: 0 };
        let mut gate = Gate::new(promise, columns());
        let mut spent: Vec<Duration> = Vec::new();
        for first in (0..TUPLES).step_by(1_000) {
            let tuples: Vec<_> = (first..first + 1_000).map(|at| kernel.tuple(at)).collect();
            let steps = match promise {
                StreamPromise::Sets { .. } => kernel.sets(&tuples),
                StreamPromise::Groups { .. } => kernel.groups(&tuples),
                StreamPromise::Crowds { .. } => crowds(&tuples),
            };
            let start = Instant::now();
            let mut arriving = tuples.iter();
            for (lines, released) in &steps {
                // Tuples arrive in their turn, whatever the order in which a crowd leaves.
                arriving.by_ref().take(released.len()).for_each(|tuple| gate.arrive(tuple).unwrap());
                black_box(gate.admit(b"", lines, released).unwrap());
            }
            spent.push(start.elapsed());
        }
        gate.finish().unwrap();
        spent.sort_unstable();
        let [fast, usual] = [10, 2].map(|part| spent[spent.len() / part].as_nanos() / 1_000);
        println!("{usual} ns per tuple ({fast} in the fastest tenth): {promise:?}");
    }
    Ok(())
}

struct Kernel {
    state: u64,
    free: HashMap<String, Vec<u64>>,
    groups: u64,
}

impl Kernel {
    fn next(&mut self, below: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.state >> 33) % below as u64) as usize
    }

    fn tuple(&mut self, position: u64) -> StreamTuple<'static> {
        let columns = [
            ("", 74),
            ("Bachelors-", 16),
            ("Private-", 8),
            ("Married-", 7),
            ("Race-", 5),
            ("Sex-", 2),
            ("Country-", 40),
        ];
        let mut cells = columns.map(|(name, values)| format!("{name}{}", self.next(values))).to_vec();
        // No two tuples are alike, since the groups below do not look at that.
        cells[0] = position.to_string();
        let cells = cells.into_iter().map(Into::into).collect();
        StreamTuple { position, person: None, cells, value: value(self.next(VALUES)).into() }
    }

    /// Ten values with the tuple's own, ascending.
    fn hide(&mut self, own: &str) -> Vec<String> {
        let mut values = vec![own.to_owned()];
        while values.len() < L {
            let other = value(self.next(VALUES));
            if !values.contains(&other) {
                values.push(other);
            }
        }
        values.sort();
        values
    }

    fn sets(&mut self, tuples: &[StreamTuple<'static>]) -> Steps {
        let step = |tuple: &StreamTuple<'static>| {
            let values = self.hide(&tuple.value).into_iter().map(Into::into).collect();
            (vec![StreamLine::Set { cells: tuple.cells.clone(), values }], vec![tuple.clone()])
        };
        tuples.iter().map(step).collect()
    }

    fn groups(&mut self, tuples: &[StreamTuple<'static>]) -> Steps {
        tuples.iter().map(|tuple| (self.join(tuple), vec![tuple.clone()])).collect()
    }

    fn join(&mut self, tuple: &StreamTuple<'static>) -> Vec<StreamLine<'static>> {
        let mut lines = Vec::new();
        let open = self.free.get_mut(&*tuple.value).and_then(Vec::pop);
        let group = open.unwrap_or_else(|| {
            self.groups += 1;
            let group = self.groups;
            for value in self.hide(&tuple.value) {
                if value != tuple.value {
                    self.free.entry(value.clone()).or_default().push(group);
                }
                lines.push(StreamLine::Slot { group, value: value.into(), count: 1 });
            }
            group
        });
        lines.push(StreamLine::Member { group, cells: tuple.cells.clone() });
        lines
    }
}

/// Classes of ten that leave together.
fn crowds(tuples: &[StreamTuple<'static>]) -> Steps {
    let married = "{Married-0, Married-1, Married-2, Married-3, Married-4, Married-5, Married-6}";
    let wide = ["[0, 500000]", "*", "*", married, "*", "*", "*"];
    let row = |tuple: &StreamTuple<'static>| StreamLine::Row {
        cells: wide.map(Into::into).to_vec(),
        value: tuple.value.clone(),
    };
    let step = |chunk: &[StreamTuple<'static>]| {
        // A crowd leaves sorted by what its lines say, or the order would tell who came first.
        let mut crowd = chunk.to_vec();
        crowd.sort_by(|a, b| a.value.cmp(&b.value));
        (crowd.iter().map(row).collect(), crowd)
    };
    tuples.chunks(10).map(step).collect()
}

fn value(code: usize) -> String {
    format!("<=50K|Occupation-{code:02}")
}

fn columns() -> Vec<GateColumn> {
    let column = |number: usize| GateColumn {
        name: format!("c{number}"),
        quasi: true,
        parser: ValueParser::new(if number == 0 { Kind::Integer } else { Kind::Text }, DateFormat::default()),
        hierarchy: None,
    };
    (0..7).map(column).collect()
}
