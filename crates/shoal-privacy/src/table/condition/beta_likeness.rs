//! β-likeness (J. Cao, P. Karras, *Publishing Microdata with a Robust Privacy Guarantee*, PVLDB 5(11), 2012): no
//! value is much more frequent in a class than in the whole file.

use shoal_core::{Likeness, Rule};

use super::judge::{Judge, judge};
use super::spread::Class;
use super::{Column, ConditionError, Spread, TOLERANCE, TableModel, TableView, is_at_most, percent};
use crate::{Figure, Outcome, Promise, Unverifiable};

/// β-likeness, basic or enhanced. A value that becomes rarer in a class gives nothing away.
///
/// What is found is the greatest gain (q − p) / p of a value that has the share p of the file and q of the class.
/// Where enhanced likeness lets a value gain less than β, its gain counts for as much more, so that what is found
/// exceeds β exactly where the promise is broken.
#[derive(Debug)]
pub(super) struct BetaLikeness {
    column: Column,
    likeness: Likeness,
}

impl BetaLikeness {
    pub(super) fn new(column: Column, likeness: Likeness) -> Result<BetaLikeness, ConditionError> {
        let beta = likeness.beta();
        if !(beta > 0.0 && beta.is_finite()) {
            return Err(ConditionError::NotAGain { column: column.name, beta });
        }
        Ok(BetaLikeness { column, likeness })
    }
}

impl TableModel for BetaLikeness {
    fn promise(&self) -> Promise {
        Promise::Values(Rule::Alike(self.likeness))
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column.name)
    }

    fn verify(&self, view: &TableView<'_>) -> Result<Outcome, Unverifiable> {
        let spread = self.column.spread(view)?;
        let values = 0..spread.values.totals.len() as u32;
        let allowed = values.map(|value| self.likeness.allowed(spread.values.share(value))).collect();
        Ok(judge(&spread, &JudgeLikeness { spread: &spread, allowed, beta: self.likeness.beta() }))
    }
}

struct JudgeLikeness<'a> {
    spread: &'a Spread<'a>,
    /// The greatest share that a class may have of each value that occurs.
    allowed: Vec<f64>,
    beta: f64,
}

impl JudgeLikeness<'_> {
    /// The value that comes nearest to what is allowed of it or exceeds it most, and its share by that.
    fn worst(&self, class: &Class<'_>) -> (u32, f64) {
        let used =
            |&(value, records): &(u32, u32)| (value, class.share(records) / self.allowed[value as usize]);
        class.counts.iter().map(used).max_by(|one, two| one.1.total_cmp(&two.1)).unwrap_or_default()
    }
}

impl Judge for JudgeLikeness<'_> {
    fn badness(&self, class: &Class<'_>) -> f64 {
        self.worst(class).1
    }

    fn allows(&self, badness: f64) -> bool {
        is_at_most(badness, 1.0)
    }

    fn found(&self, class: &Class<'_>) -> Figure {
        let (value, used) = self.worst(class);
        let (share, allowed) = (self.spread.values.share(value), self.allowed[value as usize]);
        let (gain, may_gain) = (used * allowed / share - 1.0, allowed / share - 1.0);
        let is_less = may_gain < self.beta * (1.0 - TOLERANCE);
        // Everybody's value can gain nothing, and gains nothing.
        let counted = if is_less && gain > 0.0 { gain * self.beta / may_gain } else { gain };
        Figure::Number(counted.max(0.0))
    }

    fn why(&self, class: &Class<'_>) -> String {
        let (value, used) = self.worst(class);
        let allowed = self.allowed[value as usize];
        let (share, most) = (percent(used * allowed), percent(allowed));
        let everybody = percent(self.spread.values.share(value));
        let value = self.spread.values.quoted(value);
        format!("{value} has {share} of the class, allowed {most} ({everybody} of the file)")
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::Rule;

    use super::super::fixture::{number, rule, verify};
    use super::*;

    /// `flu` has a fifth of the file and two fifths of the first class.
    const FIFTH: [&[&str]; 2] =
        [&["flu", "flu", "cold", "ulcer", "ulcer"], &["cold", "cold", "cold", "ulcer", "ulcer"]];

    fn basic(beta: f64) -> Rule {
        Rule::Alike(Likeness::Basic(beta))
    }

    fn enhanced(beta: f64) -> Rule {
        Rule::Alike(Likeness::Enhanced(beta))
    }

    #[test]
    fn a_value_may_gain_beta_times_itself() {
        assert!((number(basic(1.0), &FIFTH) - 1.0).abs() < 1e-12);
        assert!(verify(basic(1.0), &FIFTH).holds);
        let outcome = verify(basic(0.7), &FIFTH);
        assert!(!outcome.holds);
        let why = "`flu` has 40 % of the class, allowed 34 % (20 % of the file)";
        assert_eq!(outcome.violations.worst[0].why.as_deref(), Some(why));
    }

    #[test]
    fn who_only_gets_rarer_gains_nothing() {
        let outcome = verify(basic(0.1), &[&["flu", "cold"], &["flu", "cold"]]);
        assert_eq!((outcome.holds, outcome.found), (true, Figure::Number(0.0)));
    }

    #[test]
    fn a_frequent_value_may_gain_less() {
        // p = ½, so that the gain may be ln 2 = 0.693 and the share 0.847.
        let classes: [&[&str]; 2] =
            [&["flu", "flu", "flu", "flu", "flu", "cold"], &["cold", "cold", "cold", "cold", "cold", "flu"]];
        assert!(verify(basic(2.0), &classes).holds);
        assert!(verify(enhanced(2.0), &classes).holds, "5 of 6 are 0.833");
        // A gain of 2/3 where ln 2 is allowed counts as much as 1.924 of 2.
        let expected = 2.0 / 3.0 / std::f64::consts::LN_2 * 2.0;
        assert!((number(enhanced(2.0), &classes) - expected).abs() < 1e-9);
        assert!((number(basic(2.0), &classes) - 2.0 / 3.0).abs() < 1e-9);

        let alone: [&[&str]; 2] = [&["flu", "flu"], &["cold", "cold"]];
        assert!(verify(basic(1.0), &alone).holds);
        let outcome = verify(enhanced(2.0), &alone);
        assert!(!outcome.holds && outcome.violations.total == 2);
        assert!(matches!(outcome.found, Figure::Number(found) if found > 2.0));
    }

    #[test]
    fn a_value_that_everybody_has_is_no_secret() {
        for rule in [basic(0.5), enhanced(0.5)] {
            let outcome = verify(rule, &[&["flu", "flu"], &["flu"]]);
            assert_eq!((outcome.holds, outcome.found), (true, Figure::Number(0.0)));
            assert_eq!(verify(rule, &[]).found, Figure::Nothing);
        }
    }

    #[test]
    fn what_promises_nothing_is_refused() {
        for beta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            for asked in [basic(beta), enhanced(beta)] {
                assert!(matches!(rule(asked).map(|_| ()), Err(ConditionError::NotAGain { .. })));
            }
        }
    }
}
