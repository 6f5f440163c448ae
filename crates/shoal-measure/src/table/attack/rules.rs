use shoal_core::{Distance, Rule};

use super::values::Mix;

/// What a rule says about a crowd, as a chance and its bound: the rule is kept where the first is not above the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Judged {
    pub success: f64,
    pub bound: f64,
}

impl Judged {
    /// How far the chance is above its bound; below 0 where the rule is kept.
    pub(crate) fn excess(self) -> f64 {
        self.success - self.bound
    }
}

/// How the rule is called in an answer, and what the adversary does, in a sentence about the column `of`.
pub(crate) fn in_words(rule: Rule, of: &str) -> (&'static str, String) {
    let knows = "knows somebody's quasi-identifiers";
    match rule {
        Rule::Distinct { .. } => (
            "values left",
            format!("Whoever {knows} lists the values of `{of}` that are left: one of how many?"),
        ),
        Rule::Frequency { .. } => (
            "most frequent value",
            format!("Whoever {knows} guesses the most frequent value of `{of}` in the crowd."),
        ),
        Rule::Entropy { .. } => (
            "values left by entropy",
            format!(
                "Whoever {knows} has as many values of `{of}` left as equally frequent ones would have that entropy."
            ),
        ),
        Rule::Recursive { .. } => (
            "most frequent against rare values",
            format!(
                "Whoever {knows} can exclude the values of `{of}` that come next, and guesses the most frequent one."
            ),
        ),
        Rule::Close { .. } => (
            "gain over everybody's share",
            format!(
                "Whoever {knows} guesses the value of `{of}` that is more frequent in the crowd than among everybody."
            ),
        ),
        Rule::Alike(_) => (
            "gain of a value",
            format!(
                "Whoever {knows} guesses the value of `{of}` that gains most against its share among everybody."
            ),
        ),
    }
}

/// Judges a crowd. None where the rule promises nothing about a chance: t-closeness with a distance between values.
///
/// `everybody` is what all who are published have. Where people are counted, one person may have several values: l-diversity must
/// then hold whichever of their values is counted for each (`dealt`).
pub(crate) fn judge(rule: Rule, mix: &Mix, everybody: &Mix, people: bool) -> Option<Judged> {
    let sorted = if people { dealt(mix) } else { descending(mix) };
    let total = sorted.iter().sum::<u64>() as f64;
    let most = *sorted.first()? as f64;
    Some(match rule {
        Rule::Distinct { l } => Judged { success: 1.0 / sorted.len() as f64, bound: 1.0 / l as f64 },
        Rule::Frequency { l } => Judged { success: most / total, bound: 1.0 / l as f64 },
        Rule::Entropy { l } => {
            let entropy: f64 = sorted.iter().map(|&count| count as f64 / total).map(|p| -p * p.ln()).sum();
            Judged { success: (-entropy).exp(), bound: 1.0 / l }
        }
        // r₁ < c · tail is r₁ / (r₁ + tail) < c / (1 + c): the chance of somebody who has excluded the values between.
        Rule::Recursive { l, c } => {
            let tail: u64 = sorted.iter().skip(l.saturating_sub(1)).sum();
            Judged { success: most / (most + tail as f64), bound: c / (1.0 + c) }
        }
        // With the equal distance, t bounds by how much all shares together may rise, and so by how much one may.
        Rule::Close { t, distance: Distance::Equal } if !people => worst(mix, everybody, |p| p + t)?,
        Rule::Close { .. } => return None,
        Rule::Alike(likeness) => worst(mix, everybody, |p| likeness.allowed(p))?,
    })
}

/// The value whose share is farthest above what is allowed.
fn worst(mix: &Mix, everybody: &Mix, allowed: impl Fn(f64) -> f64) -> Option<Judged> {
    let share = |&(value, count): &(u32, u64)| {
        let at = everybody.counts.binary_search_by_key(&value, |&(value, _)| value).ok()?;
        let among_all = everybody.counts[at].1 as f64 / everybody.total as f64;
        Some(Judged { success: count as f64 / mix.total as f64, bound: allowed(among_all) })
    };
    mix.counts.iter().filter_map(share).max_by(|a, b| a.excess().total_cmp(&b.excess()))
}

fn descending(mix: &Mix) -> Vec<u64> {
    let mut counts: Vec<u64> = mix.counts.iter().map(|&(_, count)| count).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
}

/// The people of a mix dealt out to its values, the most frequent first, each taking as many as have it and are left.
fn dealt(mix: &Mix) -> Vec<u64> {
    let mut left = mix.total;
    let take = |count: u64| {
        let taken = count.min(left);
        left -= taken;
        taken
    };
    descending(mix).into_iter().map(take).take_while(|&taken| taken > 0).collect()
}

#[cfg(test)]
mod tests {
    use shoal_core::Likeness;

    use super::*;

    fn mix(counts: &[u64]) -> Mix {
        Mix { total: counts.iter().sum(), counts: (0..).zip(counts.iter().copied()).collect() }
    }

    #[test]
    fn rules_become_chances_and_bounds() {
        let (crowd, all) = (mix(&[3, 2, 1]), mix(&[10, 10, 20]));
        let judged = |rule| judge(rule, &crowd, &all, false).unwrap();
        assert_eq!(judged(Rule::Distinct { l: 4 }), Judged { success: 1.0 / 3.0, bound: 0.25 });
        assert_eq!(judged(Rule::Frequency { l: 2 }), Judged { success: 0.5, bound: 0.5 });
        let even = judge(Rule::Entropy { l: 2.0 }, &mix(&[5, 5]), &all, false).unwrap();
        assert!((even.success - 0.5).abs() < 1e-12);
        // 3 < c · (2 + 1) exactly where c > 1.
        assert!((judged(Rule::Recursive { l: 2, c: 1.0 }).excess()).abs() < 1e-12);
        assert!(judged(Rule::Recursive { l: 3, c: 2.9 }).excess() > 0.0);
        // The first value is a quarter of everybody and half of the crowd.
        let likeness = Rule::Alike(Likeness::Basic(0.5));
        assert_eq!(judged(likeness), Judged { success: 0.5, bound: 0.375 });
        assert_eq!(judged(Rule::Close { t: 0.2, distance: Distance::Equal }).bound, 0.45);
        assert!(judge(Rule::Close { t: 0.2, distance: Distance::Ordered }, &crowd, &all, false).is_none());
    }

    #[test]
    fn a_person_with_several_values_is_dealt_out_once() {
        // Four people, all of whom have the first value and two another one as well.
        let crowd = Mix { total: 4, counts: vec![(0, 4), (1, 2)] };
        assert_eq!(dealt(&crowd), [4]);
        let judged = judge(Rule::Distinct { l: 2 }, &crowd, &crowd, true).unwrap();
        assert_eq!(judged.success, 1.0);
    }
}
