//! l-diversity in three strengths (A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, *ℓ-Diversity*,
//! TKDD 1(1), 2007): in every class the sensitive values are mixed, by count, by entropy, or in that the most
//! frequent one does not stand out.

use shoal_core::Rule;

use super::judge::{Judge, judge};
use super::spread::Class;
use super::{Column, ConditionError, Spread, TableModel, TableView, is_at_least, is_below, percent};
use crate::{Figure, Outcome, Promise, Unverifiable};

/// How many values of a class are named.
const NAMED: usize = 5;

/// At least l different values.
#[derive(Debug)]
pub(super) struct Distinct {
    column: Column,
    l: usize,
}

impl Distinct {
    pub(super) fn new(column: Column, l: usize) -> Result<Distinct, ConditionError> {
        check_l(&column, l as f64)?;
        Ok(Distinct { column, l })
    }
}

impl TableModel for Distinct {
    fn promise(&self) -> Promise {
        Promise::Values(Rule::Distinct { l: self.l })
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column.name)
    }

    fn verify(&self, view: &TableView<'_>) -> Result<Outcome, Unverifiable> {
        let spread = self.column.spread(view)?;
        Ok(judge(&spread, &JudgeDistinct { spread: &spread, l: self.l }))
    }
}

struct JudgeDistinct<'a> {
    spread: &'a Spread<'a>,
    l: usize,
}

impl Judge for JudgeDistinct<'_> {
    fn badness(&self, class: &Class<'_>) -> f64 {
        -(class.least_mixed().len() as f64)
    }

    fn allows(&self, badness: f64) -> bool {
        -badness >= self.l as f64
    }

    fn found(&self, class: &Class<'_>) -> Figure {
        Figure::Count(class.least_mixed().len() as u64)
    }

    fn why(&self, class: &Class<'_>) -> String {
        too_few(self.spread, class)
    }
}

/// The entropy of the values is at least log l: they are mixed as well as l equally frequent ones.
#[derive(Debug)]
pub(super) struct Entropy {
    column: Column,
    l: f64,
}

impl Entropy {
    pub(super) fn new(column: Column, l: f64) -> Result<Entropy, ConditionError> {
        check_l(&column, l)?;
        Ok(Entropy { column, l })
    }
}

impl TableModel for Entropy {
    fn promise(&self) -> Promise {
        Promise::Values(Rule::Entropy { l: self.l })
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column.name)
    }

    fn verify(&self, view: &TableView<'_>) -> Result<Outcome, Unverifiable> {
        let spread = self.column.spread(view)?;
        Ok(judge(&spread, &JudgeEntropy { spread: &spread, l: self.l }))
    }
}

struct JudgeEntropy<'a> {
    spread: &'a Spread<'a>,
    l: f64,
}

impl Judge for JudgeEntropy<'_> {
    fn badness(&self, class: &Class<'_>) -> f64 {
        // Greater is worse: the fewer values, the nearer to 0.
        -effective(class)
    }

    fn allows(&self, badness: f64) -> bool {
        is_at_least(-badness, self.l)
    }

    fn found(&self, class: &Class<'_>) -> Figure {
        Figure::Number(effective(class))
    }

    fn why(&self, class: &Class<'_>) -> String {
        let (value, records) = most_frequent(class);
        let (value, share) = (self.spread.values.quoted(value), percent(class.share(records)));
        let effective = Figure::Number(effective(class));
        format!("as mixed as {effective} equally frequent values; {value} has {share} of the class")
    }
}

/// exp of the entropy: how many equally frequent values are mixed as well.
fn effective(class: &Class<'_>) -> f64 {
    let size = f64::from(class.size);
    let weighted = |&members: &u32| f64::from(members) * f64::from(members).ln();
    (size.ln() - class.least_mixed().iter().map(weighted).sum::<f64>() / size).exp()
}

/// Recursive (c, l)-diversity: the most frequent value stands in fewer records than c times those that have the
/// l-th most frequent value or a rarer one.
#[derive(Debug)]
pub(super) struct Recursive {
    column: Column,
    l: usize,
    c: f64,
}

impl Recursive {
    pub(super) fn new(column: Column, l: usize, c: f64) -> Result<Recursive, ConditionError> {
        check_l(&column, l as f64)?;
        if !(c > 0.0 && c.is_finite()) {
            return Err(ConditionError::NotAFactor { column: column.name, c });
        }
        Ok(Recursive { column, l, c })
    }
}

impl TableModel for Recursive {
    fn promise(&self) -> Promise {
        Promise::Values(Rule::Recursive { l: self.l, c: self.c })
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column.name)
    }

    fn verify(&self, view: &TableView<'_>) -> Result<Outcome, Unverifiable> {
        let spread = self.column.spread(view)?;
        Ok(judge(&spread, &JudgeRecursive { spread: &spread, l: self.l, c: self.c }))
    }
}

struct JudgeRecursive<'a> {
    spread: &'a Spread<'a>,
    l: usize,
    c: f64,
}

impl JudgeRecursive<'_> {
    /// The members with the l-th most frequent value or a rarer one.
    fn tail(&self, class: &Class<'_>) -> u32 {
        class.least_mixed().iter().skip(self.l - 1).sum()
    }
}

impl Judge for JudgeRecursive<'_> {
    /// Infinite where there are fewer than l values.
    fn badness(&self, class: &Class<'_>) -> f64 {
        f64::from(most_frequent(class).1) / f64::from(self.tail(class))
    }

    fn allows(&self, badness: f64) -> bool {
        is_below(badness, self.c)
    }

    fn found(&self, class: &Class<'_>) -> Figure {
        let ratio = self.badness(class);
        if ratio.is_finite() { Figure::Number(ratio) } else { Figure::Words("infinite".to_owned()) }
    }

    fn why(&self, class: &Class<'_>) -> String {
        if class.least_mixed().len() < self.l {
            return too_few(self.spread, class);
        }
        let (value, records) = most_frequent(class);
        let (value, tail) = (self.spread.values.quoted(value), self.tail(class));
        if self.spread.view.people().is_some() {
            return format!(
                "{records} people have {value}, and only {tail} none of the {} most frequent values",
                self.l - 1
            );
        }
        format!(
            "{value} stands in {records} records, the {}. most frequent value and all rarer ones in {tail}",
            self.l
        )
    }
}

/// The value that most records have, the first of them.
pub(super) fn most_frequent(class: &Class<'_>) -> (u32, u32) {
    class.counts.iter().rev().copied().max_by_key(|(_, records)| *records).unwrap_or_default()
}

fn too_few(spread: &Spread<'_>, class: &Class<'_>) -> String {
    let enough = class.least_mixed().len();
    if enough < class.counts.len() {
        let (value, people) = most_frequent(class);
        let value = spread.values.quoted(value);
        let values = if enough == 1 { "value is" } else { "values are" };
        return format!(
            "{enough} {values} enough for all {} people; {people} of them have {value}",
            class.size
        );
    }
    let values = if class.counts.len() == 1 { "value" } else { "values" };
    let mut named: Vec<String> =
        class.counts.iter().take(NAMED).map(|(value, _)| spread.values.quoted(*value)).collect();
    if class.counts.len() > NAMED {
        named.push("…".to_owned());
    }
    format!("only {} different {values}: {}", class.counts.len(), named.join(", "))
}

pub(super) fn check_l(column: &Column, l: f64) -> Result<(), ConditionError> {
    if l > 1.0 && l.is_finite() {
        Ok(())
    } else {
        Err(ConditionError::NotDiverse { column: column.name.clone(), l })
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::{Distance, Likeness, Rule};

    use super::super::fixture::{number, rule, verify};
    use super::*;

    #[test]
    fn the_class_with_the_fewest_values_decides() {
        let classes: [&[&str]; 2] = [&["flu", "flu", "cold", "ulcer"], &["flu", "flu", "cold"]];
        assert!(verify(Rule::Distinct { l: 2 }, &classes).holds);
        let outcome = verify(Rule::Distinct { l: 3 }, &classes);
        assert_eq!((outcome.holds, outcome.found), (false, Figure::Count(2)));
        assert_eq!(outcome.violations.total, 1);
        assert_eq!(
            outcome.violations.worst[0].to_string(),
            "the class q = `class 2` has size 3 (rows: 5, 6, 7): only 2 different values: `flu`, `cold`"
        );
        let same = verify(Rule::Distinct { l: 2 }, &[&["flu", "flu"]]);
        assert_eq!(same.violations.worst[0].why.as_deref(), Some("only 1 different value: `flu`"));
    }

    #[test]
    fn an_empty_cell_is_nobodys_secret_and_hides_nobody() {
        let rules = [
            Rule::Distinct { l: 2 },
            Rule::Frequency { l: 2 },
            Rule::Entropy { l: 2.0 },
            Rule::Recursive { l: 2, c: 1.5 },
            Rule::Close { t: 0.0, distance: Distance::Equal },
            Rule::Alike(Likeness::Basic(0.1)),
        ];
        let (nobody, even, one): (&[&str], &[&str], &[&str]) =
            (&["?", "", "?"], &["flu", "?", "cold", "?"], &["?", "", "flu"]);
        for rule in rules {
            assert!(verify(rule, &[nobody, even, even]).holds, "{rule:?}");
            let outcome = verify(rule, &[nobody, nobody]);
            assert_eq!((outcome.holds, outcome.found), (true, Figure::Nothing), "{rule:?}");
            // Whoever knows that somebody of the last class has a value knows it.
            let outcome = verify(rule, &[nobody, even, one]);
            let is_named = outcome.violations.worst.iter().any(|class| class.rows.first() == Some(&8));
            assert!(!outcome.holds && is_named, "{rule:?}");
        }
    }

    #[test]
    fn many_values_are_not_all_named() {
        let outcome = verify(Rule::Distinct { l: 9 }, &[&["a", "b", "c", "d", "e", "f", "f"]]);
        let why = outcome.violations.worst[0].why.as_deref();
        assert_eq!(why, Some("only 6 different values: `a`, `b`, `c`, `d`, `e`, …"));
    }

    #[test]
    fn entropy_is_told_as_a_number_of_values() {
        let even: &[&str] = &["flu", "flu", "cold", "cold"];
        assert!((number(Rule::Entropy { l: 2.0 }, &[even]) - 2.0).abs() < 1e-12);
        assert!(verify(Rule::Entropy { l: 2.0 }, &[even]).holds);
        for l in 2..40 {
            let texts: Vec<String> = (0..3 * l).map(|n| (n % l).to_string()).collect();
            let all: Vec<&str> = texts.iter().map(String::as_str).collect();
            assert!(verify(Rule::Entropy { l: f64::from(l) }, &[&all]).holds, "{l} equally frequent values");
            let outcome = verify(Rule::Entropy { l: f64::from(l) + 1e-6 }, &[&all]);
            assert!(!outcome.holds, "and no more than {l}");
        }
        // −¾ ln ¾ − ¼ ln ¼ = 0.562335 = ln 1.754765
        let outcome = verify(Rule::Entropy { l: 1.8 }, &[even, &["flu", "cold", "flu", "flu"]]);
        assert_eq!(outcome.found.to_string(), "1.754765");
        assert_eq!(
            outcome.violations.worst[0].why.as_deref(),
            Some("as mixed as 1.754765 equally frequent values; `flu` has 75 % of the class")
        );
    }

    #[test]
    fn the_most_frequent_value_must_not_stand_out() {
        let class: &[&str] = &["a", "a", "a", "a", "b", "b", "c", "d"];
        assert_eq!(number(Rule::Recursive { l: 2, c: 1.5 }, &[class]), 1.0);
        assert_eq!(number(Rule::Recursive { l: 3, c: 1.5 }, &[class]), 2.0);
        assert_eq!(number(Rule::Recursive { l: 4, c: 1.5 }, &[class]), 4.0);
        assert!(verify(Rule::Recursive { l: 3, c: 2.1 }, &[class]).holds);
        let outcome = verify(Rule::Recursive { l: 3, c: 2.0 }, &[class]);
        assert!(!outcome.holds, "as many as c times are not fewer");
        let why = "`a` stands in 4 records, the 3. most frequent value and all rarer ones in 2";
        assert_eq!(outcome.violations.worst[0].why.as_deref(), Some(why));
    }

    #[test]
    fn as_many_as_c_times_are_never_fewer_however_c_is_rounded() {
        for tenths in 1..40_u32 {
            let texts: Vec<&str> = std::iter::repeat_n("a", tenths as usize)
                .chain(["b", "c", "d", "e", "f", "g", "h", "i", "j", "k"])
                .collect();
            let c: f64 = format!("{}.{}", tenths / 10, tenths % 10).parse().unwrap();
            assert!(!verify(Rule::Recursive { l: 2, c }, &[&texts]).holds, "{tenths} of 10");
            assert!(verify(Rule::Recursive { l: 2, c: c + 1e-6 }, &[&texts]).holds, "{tenths} of 10");
        }
    }

    #[test]
    fn with_fewer_than_l_values_nothing_is_left_to_hide_behind() {
        let outcome = verify(Rule::Recursive { l: 3, c: 1e9 }, &[&["a", "b"]]);
        assert_eq!((outcome.holds, outcome.found), (false, Figure::Words("infinite".into())));
        assert_eq!(outcome.violations.worst[0].why.as_deref(), Some("only 2 different values: `a`, `b`"));
    }

    #[test]
    fn a_file_of_nothing_is_diverse() {
        for rule in [Rule::Distinct { l: 2 }, Rule::Entropy { l: 2.0 }, Rule::Recursive { l: 2, c: 1.0 }] {
            let outcome = verify(rule, &[]);
            assert_eq!((outcome.holds, outcome.found), (true, Figure::Nothing));
        }
    }

    #[test]
    fn what_promises_nothing_is_refused() {
        let not_diverse = |asked: Rule| matches!(rule(asked), Err(ConditionError::NotDiverse { .. }));
        assert!([0, 1].into_iter().all(|l| not_diverse(Rule::Distinct { l })));
        assert!([0, 1].into_iter().all(|l| not_diverse(Rule::Recursive { l, c: 1.0 })));
        assert!([1.0, -2.0, f64::NAN, f64::INFINITY].into_iter().all(|l| not_diverse(Rule::Entropy { l })));
        for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = rule(Rule::Recursive { l: 2, c }).map(|_| ());
            assert!(matches!(refused, Err(ConditionError::NotAFactor { .. })));
        }
    }

    #[test]
    fn values_are_named_up_to_five_and_where_there_are_l_of_them_their_frequencies() {
        let five = ["a", "b", "c", "d", "e"];
        let why =
            |rule: Rule, class: &[&str]| verify(rule, &[class]).violations.worst[0].why.clone().unwrap();
        let all = "only 5 different values: `a`, `b`, `c`, `d`, `e`";
        assert_eq!(why(Rule::Distinct { l: 7 }, &five), all);
        let six = [&five[..], &["f"]].concat();
        assert_eq!(why(Rule::Distinct { l: 7 }, &six), all.replace('5', "6") + ", …");
        assert_eq!(
            why(Rule::Recursive { l: 2, c: 2.0 }, &["a", "a", "b"]),
            "`a` stands in 2 records, the 2. most frequent value and all rarer ones in 1"
        );
    }
}
