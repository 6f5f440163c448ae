//! How long the verifier of bounded knowledge needs:
//! `cargo run --release -p shoal-bench -- privacy knowledge [people] [L] [k] [spread]`.
//!
//! Clusters of k to 2k − 1 people with one to five events each, five quasi-identifiers with trees of four levels, as
//! a clustering algorithm publishes them: each cluster has one level per quasi-identifier, and in every cell that
//! many per cent (`spread`) take another value than the cluster's own, which breaks the promise; without spread it
//! holds. In half of the clusters somebody has more events than the others, which publish nothing.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use shoal_core::{Bound, Hierarchy, Limit, RawTable, SplitMix64};
use shoal_privacy::{BoundedKnowledge, SequencesModel, SequencesView};

const NAMES: [&str; 7] = ["id", "q0", "q1", "q2", "q3", "q4", "illness"];

/// Leaves of each tree; three leaves make a node, three nodes the next one.
const LEAVES: [usize; 5] = [9, 270, 54, 27, 18];

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let mut args = arguments.iter().map(|arg| arg.parse::<usize>().expect("a number"));
    let mut arg = |default| args.next().unwrap_or(default);
    let (people, length, k, spread) = (arg(13_000), arg(3), arg(5), arg(0));
    let file = RawTable::from_rows(&NAMES, &rows(people, k, spread as u64));
    let quasi = &NAMES[1..6];
    let view = SequencesView::new(&file, "id", quasi).expect("a file");
    let trees = quasi.iter().zip(LEAVES).map(|(name, leaves)| ((*name).to_owned(), tree(leaves))).collect();
    let limit = Limit {
        column: "illness".into(),
        values: Some(vec!["0".into(), "1".into()]),
        bound: Bound::Share(0.5),
    };
    let model = BoundedKnowledge::new(k as u32, length, vec![limit], trees, BoundedKnowledge::WORK);
    let model = model.expect("a promise");
    let start = Instant::now();
    let outcome = model.verify(&view).expect("a verifiable file");
    println!(
        "{} people, {} classes, L = {length}: {:.2} s",
        view.people(),
        view.classes().len(),
        start.elapsed().as_secs_f64()
    );
    println!("holds: {}, {}, broken: {}", outcome.holds, outcome.found, outcome.violations.total);
    outcome.violations.worst.iter().take(3).for_each(|violation| println!("  {violation}"));
    Ok(())
}

fn node(leaf: usize, level: usize) -> String {
    match level {
        0 => leaf.to_string(),
        1 => format!("n{}", leaf / 3),
        2 => format!("m{}", leaf / 9),
        _ => "*".to_owned(),
    }
}

fn tree(leaves: usize) -> Arc<Hierarchy> {
    let lines: Vec<Vec<String>> =
        (0..leaves).map(|leaf| (0..4).map(|level| node(leaf, level)).collect()).collect();
    Arc::new(Hierarchy::from_rows(&lines).expect("a tree"))
}

fn rows(people: usize, k: usize, spread: u64) -> Vec<Vec<String>> {
    let mut random = SplitMix64(1);
    let mut draw = move |below: u64| random.below(below);
    let (mut rows, mut person) = (Vec::new(), 0);
    while person < people {
        let size = (k as u64 + draw(k as u64)) as usize;
        let events = 1 + draw(5);
        let levels: Vec<usize> = (0..5).map(|_| draw(4) as usize).collect();
        let own: Vec<Vec<usize>> = (0..events)
            .map(|_| LEAVES.iter().map(|leaves| draw(*leaves as u64) as usize).collect())
            .collect();
        let is_uneven = draw(2) == 0;
        for member in 0..size {
            person += 1;
            for event in &own {
                let cell = |(quasi, (&leaf, &level)): (usize, (&usize, &usize))| {
                    let other = draw(100) < spread;
                    node(if other { draw(LEAVES[quasi] as u64) as usize } else { leaf }, level)
                };
                let cells: Vec<String> = event.iter().zip(&levels).enumerate().map(cell).collect();
                let illness = if member == 0 { draw(40) } else { 2 + draw(38) };
                // In uneven clusters the last one has twice as many events, every other one with nothing in it.
                let more = usize::from(is_uneven && member == size - 1);
                for blank in 0..=more {
                    let mut row = vec![person.to_string()];
                    row.extend(
                        cells.iter().map(|cell| if blank == 1 { "*".to_owned() } else { cell.clone() }),
                    );
                    row.push(illness.to_string());
                    rows.push(row);
                }
            }
        }
    }
    rows
}
