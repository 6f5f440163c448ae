//! Monitoring queries on Adult as in §6.4 of the DF paper, for sets and for groups that are drawn here in the plainest
//! way, and what the estimators cost: `cargo run --release -p shoal-bench -- measure stream_queries`.

use std::collections::HashMap;
use std::error::Error;
use std::time::Instant;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use shoal_core::stream::{SetDesign, StreamLine, StreamTuple};
use shoal_core::{DateFormat, Kind, ValueParser};
use shoal_measure::stream::{
    Condition, CountEstimator, Extent, Method, Predicate, Question, StreamLoss, Windows, monitor, sau_bound,
};
use shoal_privacy::stream::GateColumn;

use crate::data::shared_text;

/// The paper's quasi-identifiers, by their place in the file.
const QUASI: [(&str, usize); 7] = [
    ("age", 0),
    ("education", 3),
    ("workclass", 1),
    ("marital", 5),
    ("race", 8),
    ("sex", 9),
    ("country", 13),
];
const WINDOWS: usize = 100;

pub(crate) fn run(_arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let tuples = adult()?;
    let mut counts: HashMap<&str, u64> = HashMap::new();
    tuples.iter().for_each(|tuple| *counts.entry(&tuple.value).or_default() += 1);
    let mut values: Vec<String> = counts.keys().map(|value| (*value).to_owned()).collect();
    values.sort();
    let prior: Vec<u64> = values.iter().map(|value| counts[value.as_str()]).collect();
    let most = *prior.iter().max().expect("there are values");
    println!("{} tuples, {} values, the commonest {most} times", tuples.len(), values.len());

    for l in [5, 9, 10] {
        for (name, design) in [
            ("uniform", SetDesign::uniform(values.len(), l)),
            ("calibrated", SetDesign::calibrated(&prior, l, 1)),
        ] {
            match design {
                Err(error) => println!("l = {l:2} {name:>10}: {error}"),
                Ok(design) => sets(name, &design, &values, &tuples),
            }
        }
        let lines = groups(&tuples, &values, l);
        report(&format!("l = {l:2}     groups"), Method::Groups, &tuples, &lines);
        println!("                 bound of SAU {:.4}", sau_bound(l, most as f64 / tuples.len() as f64));
    }
    cost();
    Ok(())
}

fn sets(name: &str, design: &SetDesign, values: &[String], tuples: &[StreamTuple<'static>]) {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let line = |tuple: &StreamTuple<'static>| {
        let own = values.binary_search(&tuple.value.to_string()).expect("every value is known") as u32;
        let set = draw(design, own, &mut random);
        let values = set.iter().map(|code| values[*code as usize].clone().into()).collect();
        StreamLine::Set { cells: tuple.cells.clone(), values }
    };
    let lines: Vec<_> = tuples.iter().map(line).collect();
    let estimator = CountEstimator::new(design).expect("counts can be told apart");
    let expected = estimator.standard_error(tuples.len().div_ceil(WINDOWS) as u64);
    let method = Method::Sets { estimator: &estimator, values };
    report(&format!("l = {:2} {name:>10}", design.l()), method, tuples, &lines);
    println!("                 worst expected standard error in a window {:.2}", expected.worst);
}

fn draw(design: &SetDesign, own: u32, random: &mut ChaCha8Rng) -> Vec<u32> {
    match design {
        SetDesign::Uniform { values, l } => {
            let mut set = vec![own];
            while set.len() < *l {
                let other = random.random_range(0..*values as u32);
                if !set.contains(&other) {
                    set.push(other);
                }
            }
            set.sort_unstable();
            set
        }
        SetDesign::Calibrated(design) => {
            let ring = random.random_range(0..design.rings().len());
            let offset = random.random_range(0..design.counts()[own as usize] * design.l() as u64);
            design.set_at(ring, own, offset).to_vec()
        }
    }
}

/// The published algorithm, without an eye on equal quasi-identifiers, and with the whole file as its past.
fn groups(tuples: &[StreamTuple<'static>], values: &[String], l: usize) -> Vec<StreamLine<'static>> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut free: HashMap<String, Vec<u64>> = HashMap::new();
    let mut opened = 0;
    let mut lines = Vec::new();
    for tuple in tuples {
        let open = free.entry(tuple.value.to_string()).or_default();
        let group = if open.is_empty() {
            opened += 1;
            let mut shown = vec![tuple.value.to_string()];
            while shown.len() < l {
                let other = tuples[random.random_range(0..tuples.len())].value.to_string();
                if !shown.contains(&other) {
                    free.entry(other.clone()).or_default().push(opened);
                    shown.push(other);
                }
            }
            debug_assert!(shown.iter().all(|value| values.contains(value)));
            lines.extend(shown.into_iter().map(|value| StreamLine::Slot {
                group: opened,
                value: value.into(),
                count: 1,
            }));
            opened
        } else {
            let at = random.random_range(0..open.len());
            open.swap_remove(at)
        };
        lines.push(StreamLine::Member { group, cells: tuple.cells.clone() });
    }
    lines
}

fn report(name: &str, method: Method<'_>, tuples: &[StreamTuple<'static>], lines: &[StreamLine<'static>]) {
    let columns = columns();
    let extents = Extent::of(&columns, tuples.iter().map(|tuple| tuple.cells.as_slice()));
    let loss = StreamLoss::of(&columns, &extents, lines.iter().cloned()).expect("lines of one kind");
    let is = |column, text: &str| Predicate { column, condition: Condition::OneOf(vec![text.to_owned()]) };
    let (female, divorced) = (is(5, "Female"), is(3, "Divorced"));
    print!("{name}: IL {:.4}, SAU {}", loss.il, loss.sau.map_or("-".to_owned(), |sau| format!("{sau:.4}")));
    let start = Instant::now();
    for predicates in [vec![], vec![female.clone()], vec![female, divorced]] {
        let question = Question {
            values: vec!["<=50K|Sales".to_owned()],
            predicates,
            windows: Windows::Tuples(tuples.len().div_ceil(WINDOWS) as u64),
        };
        let found = monitor(method, &columns, &extents, &question, tuples, lines.iter().cloned());
        let found = found.expect("the question fits")[0];
        let (error, standard) = (found.mean_absolute_error, found.mean_standard_error);
        print!("; count {:.2} error {error:.2} s.e. {standard:.2}", found.mean_count);
    }
    println!(" ({:.0} ms)", start.elapsed().as_secs_f64() * 1e3);
}

/// The matrix of many values.
fn cost() {
    for values in [100, 500, 2000] {
        let counts: Vec<u64> = (0..values).map(|value| 1000 + value * 7 % 501).collect();
        let design = SetDesign::calibrated(&counts, 10, 1).expect("no value is frequent");
        let start = Instant::now();
        let estimator = CountEstimator::new(&design).expect("counts can be told apart");
        let made = start.elapsed();
        let start = Instant::now();
        estimator.scorer(0);
        let row = start.elapsed();
        let start = Instant::now();
        let worst = estimator.standard_error(1_000_000).worst;
        println!(
            "{values} values: made in {made:.2?}, a row in {row:.2?}, all standard errors in {:.2?} (worst {worst:.0})",
            start.elapsed()
        );
    }
}

fn columns() -> Vec<GateColumn> {
    let column = |(name, place): (&str, usize)| GateColumn {
        name: name.to_owned(),
        quasi: true,
        parser: ValueParser::new(if place == 0 { Kind::Integer } else { Kind::Text }, DateFormat::default()),
        hierarchy: None,
    };
    QUASI.map(column).to_vec()
}

fn adult() -> Result<Vec<StreamTuple<'static>>, Box<dyn Error>> {
    let text = shared_text("adult/adult.data.gz")?;
    let fields = text.lines().map(|line| line.split(", ").collect::<Vec<_>>()).filter(|f| f.len() == 15);
    let tuple = |(position, f): (u64, Vec<&str>)| StreamTuple {
        position,
        person: None,
        cells: QUASI.iter().map(|(_, place)| f[*place].to_owned().into()).collect(),
        value: format!("{}|{}", f[14], f[6]).into(),
    };
    Ok((0..).zip(fields).map(tuple).collect())
}
