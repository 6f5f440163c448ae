//! Frequency l-diversity (X. Xiao, Y. Tao, *Anatomy*, VLDB 2006): no value stands in more than one record of l, so that
//! whoever finds a class and guesses its commonest value is right with a probability of at most 1/l.

use shoal_core::Rule;

use super::judge::{Judge, judge};
use super::l_diversity::{check_l, most_frequent};
use super::spread::Class;
use super::{Column, ConditionError, Spread, TableModel, TableView, percent};
use crate::{Figure, Outcome, Promise, Unverifiable};

/// Every value has at most the share 1/l of every class.
#[derive(Debug)]
pub(super) struct Frequency {
    column: Column,
    l: usize,
}

impl Frequency {
    pub(super) fn new(column: Column, l: usize) -> Result<Frequency, ConditionError> {
        check_l(&column, l as f64)?;
        Ok(Frequency { column, l })
    }
}

impl TableModel for Frequency {
    fn promise(&self) -> Promise {
        Promise::Values(Rule::Frequency { l: self.l })
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column.name)
    }

    fn verify(&self, view: &TableView<'_>) -> Result<Outcome, Unverifiable> {
        let spread = self.column.spread(view)?;
        Ok(judge(&spread, &JudgeFrequency { spread: &spread, l: self.l }))
    }
}

struct JudgeFrequency<'a> {
    spread: &'a Spread<'a>,
    l: usize,
}

impl Judge for JudgeFrequency<'_> {
    /// The records of the commonest value times l, by the size of the class.
    fn badness(&self, class: &Class<'_>) -> f64 {
        let records = u64::from(most_frequent(class).1) * self.l as u64;
        // A quotient of whole numbers is above 1 exactly where the first is the greater one.
        records as f64 / f64::from(class.size)
    }

    fn allows(&self, badness: f64) -> bool {
        badness <= 1.0
    }

    fn found(&self, class: &Class<'_>) -> Figure {
        Figure::Number(class.share(most_frequent(class).1))
    }

    fn why(&self, class: &Class<'_>) -> String {
        let (value, records) = most_frequent(class);
        let (value, share) = (self.spread.values.quoted(value), percent(class.share(records)));
        format!("{value} has {share} of the class, allowed {}", percent(1.0 / self.l as f64))
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::Rule;

    use super::super::fixture::{number, rule, verify};
    use super::*;

    #[test]
    fn the_commonest_value_of_any_class_decides() {
        let classes: [&[&str]; 2] = [&["flu", "flu", "cold", "ulcer"], &["flu", "cold", "ulcer"]];
        assert_eq!(number(Rule::Frequency { l: 2 }, &classes), 0.5);
        assert!(verify(Rule::Frequency { l: 2 }, &classes).holds, "a half is not more than a half");
        let outcome = verify(Rule::Frequency { l: 3 }, &classes);
        assert_eq!((outcome.holds, outcome.violations.total), (false, 1));
        let why = outcome.violations.worst[0].why.as_deref();
        assert_eq!(why, Some("`flu` has 50 % of the class, allowed 33.33 %"));
    }

    #[test]
    fn a_share_of_exactly_one_in_l_is_allowed_and_one_record_more_is_not() {
        for l in 2..40_usize {
            let even: Vec<String> = (0..3 * l).map(|n| (n % l).to_string()).collect();
            let mut class: Vec<&str> = even.iter().map(String::as_str).collect();
            assert!(verify(Rule::Frequency { l }, &[&class]).holds, "{l}");
            class.push("0");
            assert!(!verify(Rule::Frequency { l }, &[&class]).holds, "{l}");
        }
    }

    #[test]
    fn l_below_2_promises_nothing() {
        for l in [0, 1] {
            let refused = rule(Rule::Frequency { l }).map(|_| ());
            assert_eq!(refused, Err(ConditionError::NotDiverse { column: "x".into(), l: l as f64 }));
        }
    }
}
