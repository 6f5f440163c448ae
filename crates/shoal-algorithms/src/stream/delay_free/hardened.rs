use shoal_core::stream::SetDesign;
use thiserror::Error;

use super::draws::{Draws, KeyedDraws};

/// The mode `hardened`: every tuple leaves with l values, drawn for its person and value alone. It keeps nothing.
#[derive(Clone)]
pub struct Hardened {
    design: SetDesign,
    key: [u8; 32],
}

/// A value that the design does not hold, so that there is no set to hide it in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("value number {value} is not among the {known} values that can be hidden")]
pub struct UnknownValue {
    /// The value.
    pub value: u32,
    /// How many values the design holds.
    pub known: usize,
}

impl UnknownValue {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        "give a domain or a prior that holds the value; a new prior needs a new key"
    }
}

impl Hardened {
    /// Hides values by this design. Whoever has the key can tell the true values.
    pub fn new(design: SetDesign, key: [u8; 32]) -> Hardened {
        Hardened { design, key }
    }

    /// The design.
    pub fn design(&self) -> &SetDesign {
        &self.design
    }

    /// The l values, ascending, among which this person's `value` is: the same ones whenever the same is asked.
    /// What `set` held before is gone.
    pub fn draw(&self, person: &[u8], value: u32, set: &mut Vec<u32>) -> Result<(), UnknownValue> {
        draw_set(&self.design, value, &mut KeyedDraws::of_person(&self.key, person, value), set)
    }
}

/// Does not print the key.
impl std::fmt::Debug for Hardened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hardened").field("design", &self.design).finish_non_exhaustive()
    }
}

/// Draws a set for `value` by the design, from any source of choices.
pub fn draw_set(
    design: &SetDesign,
    value: u32,
    draws: &mut impl Draws,
    set: &mut Vec<u32>,
) -> Result<(), UnknownValue> {
    set.clear();
    if !design.holds(value) {
        let known = (0..design.values() as u32).filter(|v| design.holds(*v)).count();
        return Err(UnknownValue { value, known });
    }
    match design {
        SetDesign::Uniform { values, l } if *values <= FEW => few(*values, *l, value, draws, set),
        SetDesign::Uniform { values, l } => many(*values, *l, value, draws, set),
        SetDesign::Calibrated(design) => {
            let ring = draws.below(design.rings().len() as u64) as usize;
            let offset = draws.below(design.l() as u64 * design.counts()[value as usize]);
            set.extend_from_slice(design.set_at(ring, value, offset));
        }
    }
    Ok(())
}

/// Values that are marked in a few words on the stack, which also sorts them; beyond, they are kept in order one by
/// one.
const FEW: usize = 512;

/// A uniform set by Floyd's method: the others are numbered as if the value itself were not there, and a number that
/// was drawn before gives way to the largest that could have been drawn, which nothing before could be.
fn few(values: usize, l: usize, value: u32, draws: &mut impl Draws, set: &mut Vec<u32>) {
    let mut marks = [0_u64; FEW / 64];
    let code = |other: u32| other + u32::from(other >= value);
    marks[value as usize / 64] |= 1 << (value % 64);
    for last in (values - l) as u32..values as u32 - 1 {
        let drawn = code(draws.below(u64::from(last) + 1) as u32);
        let before = marks[drawn as usize / 64] >> (drawn % 64) & 1 == 1;
        let other = if before { code(last) } else { drawn };
        marks[other as usize / 64] |= 1 << (other % 64);
    }
    for (word, mut bits) in (0..).zip(marks).take(values.div_ceil(64)) {
        while bits != 0 {
            set.push(word * 64 + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
}

/// The same for any number of values.
fn many(values: usize, l: usize, value: u32, draws: &mut impl Draws, set: &mut Vec<u32>) {
    for last in (values - l) as u32..values as u32 - 1 {
        let drawn = draws.below(u64::from(last) + 1) as u32;
        let place = set.partition_point(|other| *other < drawn);
        if set.get(place) == Some(&drawn) {
            set.push(last);
        } else {
            set.insert(place, drawn);
        }
    }
    let below = set.partition_point(|other| *other < value);
    for other in &mut set[below..] {
        *other += 1;
    }
    set.insert(below, value);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn marking_and_sorting_in_give_the_same_set(
            (values, l, value) in (2_usize..=FEW).prop_flat_map(|d| (Just(d), 1..=d, 0..d as u32)),
            position in any::<u64>(),
        ) {
            let draws = || KeyedDraws::of_position(&[5; 32], position);
            let (mut marked, mut sorted) = (Vec::new(), Vec::new());
            few(values, l, value, &mut draws(), &mut marked);
            many(values, l, value, &mut draws(), &mut sorted);
            prop_assert_eq!(marked, sorted);
        }
    }
}
