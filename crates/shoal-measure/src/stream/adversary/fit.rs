use super::{Guess, Sightings};

/// Rounds of expectation maximization. On Adult the guesses are best after five to ten; further rounds fit the lines better and
/// the truth worse, as naive Bayes believes itself.
const ROUNDS: usize = 10;
/// People that smoothing adds to each value, with cells as everybody has them: without them, a cell that was seen with
/// a value once would be thought to prove it.
const SMOOTHING: f64 = 10.0;

/// What the adversary believes.
struct Belief {
    /// ln π, or 0 where it cancels out.
    shares: Vec<f64>,
    /// ln θ of each feature, by code and value.
    cells: Vec<Vec<f64>>,
}

pub(super) fn guess(seen: &Sightings) -> Vec<Guess> {
    let lines = seen.ends.len();
    let values = seen.shares.len();
    // The shares of each code among everybody; they never change.
    let among_all: Vec<Vec<f64>> = seen
        .features
        .iter()
        .map(|feature| {
            let mut counts = vec![0.0; feature.size];
            feature.codes.iter().for_each(|code| counts[*code as usize] += 1.0 / lines.max(1) as f64);
            counts
        })
        .collect();
    let log_shares = |shares: &[f64]| match seen.by_frequency {
        true => vec![0.0; values],
        false => shares.iter().map(|share| share.max(f64::MIN_POSITIVE).ln()).collect(),
    };
    let seen_before = seen_before(seen, &among_all);
    let mut belief = Belief {
        shares: log_shares(&seen.shares),
        cells: seen.features.iter().map(|feature| vec![0.0; feature.size * values]).collect(),
    };
    let mut posterior = Vec::new();
    let mut guesses = vec![Guess { value: 0, confidence: 0.0 }; lines];
    for _ in 0..ROUNDS {
        let mut sums: Vec<Vec<f64>> = belief.cells.iter().map(|table| vec![0.0; table.len()]).collect();
        let mut people = vec![0.0; values];
        for (line, guess) in guesses.iter_mut().enumerate() {
            let candidates = seen.candidates(line);
            expect(seen, &belief, line, candidates, &mut posterior);
            let mut best = 0;
            for (at, ((value, _), chance)) in candidates.iter().zip(&posterior).enumerate() {
                people[*value as usize] += chance;
                for (feature, sums) in seen.features.iter().zip(&mut sums) {
                    sums[feature.codes[line] as usize * values + *value as usize] += chance;
                }
                if *chance > posterior[best] {
                    best = at;
                }
            }
            if let (Some((value, _)), Some(chance)) = (candidates.get(best), posterior.get(best)) {
                *guess = Guess { value: *value, confidence: *chance };
            }
        }
        let total: f64 = people.iter().zip(&seen_before.people).map(|(now, before)| now + before).sum();
        let shares: Vec<f64> =
            people.iter().zip(&seen_before.people).map(|(now, before)| (now + before) / total).collect();
        belief.shares = log_shares(&shares);
        for ((table, sums), before) in belief.cells.iter_mut().zip(&sums).zip(&seen_before.cells) {
            // People with each value, as this column has seen them.
            let mut all = people.clone();
            before.iter().enumerate().for_each(|(at, before)| all[at % values] += before);
            for (at, (cell, (sum, before))) in table.iter_mut().zip(sums.iter().zip(before)).enumerate() {
                *cell = ((sum + before) / all[at % values]).max(f64::MIN_POSITIVE).ln();
            }
        }
    }
    guesses
}

/// People whom the adversary has seen before the lines.
struct SeenBefore {
    /// By value.
    people: Vec<f64>,
    /// Of each feature by code and value.
    cells: Vec<Vec<f64>>,
}

/// [`SMOOTHING`] people like everybody for each value, and one for all values together; of the stratum those of the prior.
fn seen_before(seen: &Sightings, among_all: &[Vec<f64>]) -> SeenBefore {
    let values = seen.shares.len();
    let like_everybody = |shares: &Vec<f64>| {
        shares.iter().flat_map(|share| std::iter::repeat_n(SMOOTHING * share, values)).collect::<Vec<f64>>()
    };
    let mut cells: Vec<Vec<f64>> = among_all.iter().map(like_everybody).collect();
    let mut people = vec![1.0 / values as f64; values];
    if let (Some(prior), Some(stratum)) = (&seen.prior, cells.last_mut()) {
        people.iter_mut().for_each(|people| *people = 0.0);
        prior.iter().enumerate().for_each(|(at, count)| people[at % values] += count);
        stratum.clone_from(prior);
    }
    SeenBefore { people, cells }
}

/// The posterior of each candidate of a line. In logarithms: the product over many columns would vanish.
fn expect(
    seen: &Sightings,
    belief: &Belief,
    line: usize,
    candidates: &[(u32, f64)],
    posterior: &mut Vec<f64>,
) {
    let values = seen.shares.len();
    posterior.clear();
    posterior.extend(candidates.iter().map(|(value, weight)| {
        let mut log = weight.max(f64::MIN_POSITIVE).ln() + belief.shares[*value as usize];
        for (feature, table) in seen.features.iter().zip(&belief.cells) {
            log += table[feature.codes[line] as usize * values + *value as usize];
        }
        log
    }));
    let most = posterior.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    posterior.iter_mut().for_each(|log| *log = (*log - most).exp());
    let total: f64 = posterior.iter().sum();
    posterior.iter_mut().for_each(|chance| *chance /= total);
}
