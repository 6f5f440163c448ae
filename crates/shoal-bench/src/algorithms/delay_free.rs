//! Prints what delay-free release costs on Adult: counterfeits (SAU) beside what no method can avoid, information loss,
//! and the time per tuple of both modes as the stream grows.
//!
//! `cargo run --release -p shoal-bench -- algorithms delay_free [adult.data.gz [tuples …]]`

use std::collections::{BTreeSet, HashMap};
use std::error::Error;
use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant;

use shoal_algorithms::stream::delay_free::{Hardened, Published, PublishedFigures, PublishedParams};
use shoal_core::stream::SetDesign;

use crate::data::given_or_shared_text;

const KEY: [u8; 32] = [42; 32];

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let adult = Adult::read(arguments.first())?;
    let sizes = arguments.iter().skip(1).map(|text| text.parse()).collect::<Result<Vec<usize>, _>>()?;
    println!("{} tuples, {} values, p_max {:.4}", adult.tuples.len(), adult.counts.len(), adult.p_max());
    uncertainty(&adult)?;
    let sizes = if sizes.is_empty() { vec![100_000, 1_000_000, 5_000_000, 10_000_000] } else { sizes };
    for size in sizes {
        throughput(&adult, size, 10)?;
    }
    Ok(())
}

/// Tuples in the order of the file.
struct Adult {
    tuples: Vec<(u128, u32)>,
    counts: Vec<u64>,
}

impl Adult {
    /// Seven quasi-identifiers; salary and occupation are one sensitive value, an unknown occupation one more.
    fn read(path: Option<&String>) -> Result<Adult, Box<dyn Error>> {
        let text = given_or_shared_text(path, "adult/adult.data.gz")?;
        let rows = text.lines().map(|line| line.split(", ").collect::<Vec<_>>());
        let rows: Vec<Vec<&str>> = rows.filter(|cells| cells.len() == 15).collect();
        let sensitive = |cells: &Vec<&str>| format!("{}|{}", cells[14], cells[6]);
        let codes: HashMap<String, u32> =
            rows.iter().map(sensitive).collect::<BTreeSet<_>>().into_iter().zip(0..).collect();
        let mut quasi = HashMap::new();
        let mut counts = vec![0; codes.len()];
        let mut tuples = Vec::with_capacity(rows.len());
        for cells in &rows {
            let next = quasi.len() as u128;
            let number = *quasi.entry([0, 3, 1, 5, 8, 9, 13].map(|column| cells[column])).or_insert(next);
            let value = codes[&sensitive(cells)];
            counts[value as usize] += 1;
            tuples.push((number, value));
        }
        Ok(Adult { tuples, counts })
    }

    fn p_max(&self) -> f64 {
        *self.counts.iter().max().unwrap_or(&0) as f64 / self.tuples.len() as f64
    }

    /// The file again and again.
    fn repeated(&self, size: usize) -> impl Iterator<Item = (u64, u128, u32)> {
        (0..)
            .zip(self.tuples.iter().cycle())
            .take(size)
            .map(|(position, (quasi, value))| (position, *quasi, *value))
    }
}

/// SAU for several pools, and the information loss.
fn uncertainty(adult: &Adult) -> Result<(), Box<dyn Error>> {
    let domain = vec![1; adult.counts.len()];
    let mut first = domain.clone();
    for (_, value) in &adult.tuples[..1_000] {
        first[*value as usize] += 1;
    }
    println!("SAU  l    bound   domain+learned  first 1000+learned  all+learned  domain only  IL (eq. 7)");
    for l in [5, 10, 15, 20, 25] {
        let bound = (1.0 - 1.0 / (l as f64 * adult.p_max())).max(0.0);
        let sau = |pool: &[u64], learn| -> Result<f64, Box<dyn Error>> {
            let params = PublishedParams { max_open_groups: 1_000_000, learn, ..PublishedParams::new(l) };
            let mut kernel = Published::new(params.check()?, KEY, pool)?;
            for (position, quasi, value) in adult.repeated(adult.tuples.len()) {
                kernel.push(position, quasi, value);
            }
            Ok(kernel.figures().sau())
        };
        // Quasi-identifiers lose nothing, the sensitive value hides among l.
        let loss = (l as f64 - 1.0) / l as f64 / 8.0;
        println!(
            "    {l:2}   {bound:.4}   {:.4}          {:.4}              {:.4}       {:.4}       {loss:.4}",
            sau(&domain, true)?,
            sau(&first, true)?,
            sau(&adult.counts, true)?,
            sau(&domain, false)?
        );
    }
    Ok(())
}

fn throughput(adult: &Adult, size: usize, l: usize) -> Result<(), Box<dyn Error>> {
    println!("{size} tuples, l = {l}");
    let start = Instant::now();
    let mut sum = 0;
    for (position, quasi, value) in adult.repeated(size) {
        sum = black_box(sum ^ position ^ quasi as u64 ^ u64::from(value));
    }
    let floor = start.elapsed().as_secs_f64();
    println!("  reading alone         {:7.2} million/s", size as f64 / floor / 1e6);

    // With p_max = 0.1002, ten values cannot be calibrated to the file as it is; its commonest value is cut to a tenth.
    let uniform = SetDesign::uniform(adult.counts.len(), l)?;
    let calibrated = SetDesign::calibrated(&eligible(&adult.counts, l), l, 1)?;
    for (name, design) in [("hardened, uniform", uniform), ("hardened, calibrated", calibrated)] {
        let kernel = Hardened::new(design, KEY);
        let (mut person, mut set) = (Vec::new(), Vec::new());
        report(name, floor, adult, size, |position, _, value| {
            person.clear();
            write!(person, "{position}")?;
            kernel.draw(&person, value, &mut set)?;
            black_box(&set);
            Ok(())
        })?;
    }
    for max_open_groups in [10_000, 100_000] {
        let params = PublishedParams { max_open_groups, ..PublishedParams::new(l) }.check()?;
        let start = || Published::new(params, KEY, &vec![1; adult.counts.len()]);
        let mut kernel = start()?;
        report(&format!("paper, {max_open_groups}"), floor, adult, size, |position, quasi, value| {
            if position == 0 {
                kernel = start()?;
            }
            black_box(kernel.push(position, quasi, value));
            Ok(())
        })?;
        let figures @ PublishedFigures { given_up, .. } = kernel.figures();
        println!("    SAU {:.4}, {} groups open, {given_up} given up", figures.sau(), figures.open());
    }
    Ok(())
}

/// The counts with none above 1/l of their sum.
fn eligible(counts: &[u64], l: usize) -> Vec<u64> {
    let mut counts = counts.to_vec();
    while let Some(code) = counts.iter().position(|count| count * l as u64 > counts.iter().sum()) {
        counts[code] = (counts.iter().sum::<u64>() - counts[code]) / (l as u64 - 1);
    }
    counts
}

/// Runs twice: without looking at the clock, and looking at it for every tuple.
fn report(
    name: &str,
    floor: f64,
    adult: &Adult,
    size: usize,
    mut step: impl FnMut(u64, u128, u32) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    for (position, quasi, value) in adult.repeated(size) {
        step(position, quasi, value)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let mut times = Vec::with_capacity(size);
    for (position, quasi, value) in adult.repeated(size) {
        let start = Instant::now();
        step(position, quasi, value)?;
        times.push(start.elapsed().as_nanos() as u32);
    }
    let at = size * 99 / 100;
    let (_, percentile, _) = times.select_nth_unstable(at);
    println!(
        "  {name:21} {:7.2} million/s, mean {:4.0} ns, 99th percentile {percentile} ns, {:.0} × reading alone",
        size as f64 / seconds / 1e6,
        seconds / size as f64 * 1e9,
        seconds / floor
    );
    Ok(())
}
