//! All that chance could have done, with the probability of each. Shares no code with the estimators.

use shoal_core::stream::SetDesign;

/// Every set that a tuple with this value may get, and how likely.
pub(crate) fn sets(design: &SetDesign, value: u32) -> Vec<(Vec<u32>, f64)> {
    let mut all: Vec<Vec<u32>> = Vec::new();
    match design {
        SetDesign::Uniform { values, l } => {
            let bits =
                |mask: u32| (0..*values as u32).filter(|bit| mask & (1 << bit) != 0).collect::<Vec<_>>();
            all.extend((0..1_u32 << values).map(bits).filter(|set| set.len() == *l && set.contains(&value)));
        }
        SetDesign::Calibrated(calibrated) => {
            for ring in 0..calibrated.rings().len() {
                let length = calibrated.counts()[value as usize] * calibrated.l() as u64;
                all.extend((0..length).map(|offset| calibrated.set_at(ring, value, offset).to_vec()));
            }
        }
    }
    let chance = 1.0 / all.len() as f64;
    let mut distinct: Vec<(Vec<u32>, f64)> = Vec::new();
    for set in all {
        match distinct.iter_mut().find(|(known, _)| *known == set) {
            Some((_, sum)) => *sum += chance,
            None => distinct.push((set, chance)),
        }
    }
    distinct
}

/// Every list of sets that tuples with these values may get, and how likely.
pub(crate) fn streams(design: &SetDesign, values: &[u32]) -> Vec<(Vec<Vec<u32>>, f64)> {
    let mut all = vec![(Vec::new(), 1.0)];
    for value in values {
        let longer = |(stream, chance): (Vec<Vec<u32>>, f64)| {
            sets(design, *value)
                .into_iter()
                .map(move |(set, also)| ([stream.clone(), vec![set]].concat(), chance * also))
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// M[v][v'], the chance that v is shown where the true value is v'.
pub(crate) fn shown(design: &SetDesign) -> Vec<Vec<f64>> {
    let values = design.values() as u32;
    let chance = |shown: u32, own: u32| -> f64 {
        sets(design, own).iter().filter(|(set, _)| set.contains(&shown)).map(|(_, chance)| chance).sum()
    };
    (0..values).map(|shown| (0..values).map(|own| chance(shown, own)).collect()).collect()
}

/// Every way in which `asked` of the places of a group, with these values, can be the members': how many of them have
/// the value, each way as likely as any other.
pub(crate) fn hands(places: &[&str], asked: usize, value: &str) -> Vec<f64> {
    let masks = (0_u32..1 << places.len()).filter(|mask| mask.count_ones() as usize == asked);
    let held = |mask: u32| {
        (0..places.len()).filter(|at| mask & (1 << at) != 0 && places[*at] == value).count() as f64
    };
    masks.map(held).collect()
}
