//! No adversary beats a stream whose values come as its design says: random streams in memory, then attacked.
//!
//! `PROPTEST_CASES=1000` plays more of them.

use proptest::prelude::*;
use shoal_core::{PolicyDocument, Silent, SplitMix64};
use shoal_measure::attack::{Attack, How, Interval};
use shoal_pipeline::stream::{SensitiveValues, StreamText, attack};
use shoal_pipeline::{Assets, Attacked, Request};
use shoal_stream::{Stream, StreamKey};

const VALUES: [&str; 6] = ["asthma", "cold", "flu", "gout", "measles", "ulcer"];

fn cases() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(32), max_shrink_iters: 100, ..ProptestConfig::default() }
}

fn policy(algorithm: &str, privacy: &str) -> String {
    format!(
        "version = 1\n[data]\nshape = \"stream\"\nperson = \"who\"\n[columns.who]\nrole = \"identifier\"\n\
         [columns.age]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n[columns.city]\nrole = \"quasi-identifier\"\n\
         [columns.illness]\nrole = \"sensitive\"\n[privacy]\n{privacy}\n[algorithm]\n{algorithm}\n"
    )
}

fn request(policy: &str, counts: &[u64]) -> Request {
    let labels = VALUES[..counts.len()].iter().map(|value| (*value).to_owned()).collect();
    let prior = SensitiveValues { labels, counts: counts.to_vec(), shares_known: true, people: None };
    Request::new(PolicyDocument::parse(policy, &[]).unwrap(), Assets::default().with_prior("prior", prior))
        .unwrap()
}

/// Tuples whose values are drawn with the prior's shares; some people come again with the value that they had.
fn tuples(counts: &[u64], number: usize, seed: u64) -> Vec<String> {
    let mut random = SplitMix64(seed);
    let mut below = |bound: u64| random.below(bound);
    let total: u64 = counts.iter().sum();
    let value_of: Vec<usize> = (0..number)
        .map(|_| {
            let mut at = below(total);
            counts
                .iter()
                .position(|&count| {
                    at < count || {
                        at -= count;
                        false
                    }
                })
                .unwrap()
        })
        .collect();
    (0..number)
        .map(|n| {
            let who = if n > 10 && below(4) == 0 { below(n as u64) as usize } else { n };
            let (age, city) = (20 + below(40), ["Ulm", "Bonn", "Kiel"][below(3) as usize]);
            let illness = VALUES[value_of[who]];
            format!("{{\"who\":\"p{who}\",\"age\":{age},\"city\":\"{city}\",\"illness\":\"{illness}\"}}")
        })
        .collect()
}

fn attacked(request: &Request, tuples: &[String]) -> Attacked {
    let mut stream = Stream::open(request, StreamKey::draw().unwrap()).unwrap();
    let mut published = Vec::new();
    for tuple in tuples {
        published.extend_from_slice(stream.push(tuple.as_bytes(), 0).unwrap().bytes());
    }
    published.extend_from_slice(stream.finish().unwrap().bytes());
    let original = tuples.join("\n") + "\n";
    let before = StreamText { place: "original", bytes: &mut original.as_bytes() };
    let after = StreamText { place: "published", bytes: &mut published.as_slice() };
    attack(request, None, before, after, &Silent).unwrap()
}

/// Whether a bound is beaten beyond what chance does in thousands of streams with several attacks each. What is exact may not be
/// beaten at all.
fn beaten(attack: &Attack) -> bool {
    match (attack.how, attack.bound) {
        (How::Sampled(interval), Some(bound)) => {
            let right = (attack.success * interval.tries as f64).round() as u64;
            attack.promised && Interval::with_confidence(right, interval.tries, 0.999_999_9).low > bound
        }
        _ => attack.beaten,
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn hardened_sets_hide_as_promised(
        counts in prop::collection::vec(3..9_u64, 4..=6),
        l in 2..4_usize,
        uniform in any::<bool>(),
        number in 100..600_usize,
        seed in any::<u64>(),
    ) {
        let counts = if uniform { vec![1; counts.len()] } else { counts };
        // No value may be more frequent than one in l.
        prop_assume!(counts.iter().max().unwrap() * l as u64 <= counts.iter().sum());
        let prior = if uniform { "uniform" } else { "calibrated" };
        let policy = policy(&format!("prior = \"{prior}\"\nprior-file = \"prior\""), &format!("l = {l}"));
        let found = attacked(&request(&policy, &counts), &tuples(&counts, number, seed));
        let names: Vec<&str> = found.attacks.attacks.iter().map(|attack| attack.name.as_str()).collect();
        prop_assert!(names.contains(&"belief of the design") && names.contains(&"returning people"), "{names:?}");
        for attack in &found.attacks.attacks {
            prop_assert!(!beaten(attack), "{attack:#?}");
        }
    }

    #[test]
    fn crowds_of_castle_hide_as_promised(k in 2..6_usize, l in 1..3_usize, number in 100..400_usize, seed in any::<u64>()) {
        let privacy = if l > 1 { format!("k = {k}\nl = {l}") } else { format!("k = {k}") };
        let policy = policy("name = \"castle\"\ndelta = 40", &privacy);
        let found = attacked(&request(&policy, &[1; 6]), &tuples(&[1; 6], number, seed));
        prop_assert!(found.attacks.attacks.iter().any(|attack| attack.name == "linkage"));
        for attack in &found.attacks.attacks {
            prop_assert!(!beaten(attack), "{attack:#?}");
        }
    }
}

/// The paper's algorithm joins whenever it can, and that tells.
#[test]
fn the_papers_groups_are_beaten() {
    let policy = policy("mode = \"paper\"\nprior-file = \"prior\"", "l = 2");
    let found = attacked(&request(&policy, &[1; 4]), &tuples(&[1; 4], 3_000, 5));
    let beaten: Vec<&str> = found
        .attacks
        .attacks
        .iter()
        .filter(|attack| beaten(attack))
        .map(|attack| attack.name.as_str())
        .collect();
    assert_eq!(beaten, ["joining or not", "returning people"], "{:#?}", found.attacks);
}
