//! What else must be true of a class than its size: how much it may give away about one sensitive column.
//!
//! Everything is read off the published file: its [`values`], how they are [`spread`] over the classes, and how
//! frequent they are in the whole file, records of nothing but `*` included. Texts that fold to one value
//! ([`shoal_core::SameValue`]) are one. What the file alone does not say
//! comes from the policy ([`SensitiveColumn`]). Every condition asks each class for one figure ([`judge`]).
//!
//! An empty cell is nobody's secret ([`shoal_core::TablePromise`] says why and what follows): members without a value
//! are not counted here, and a class of which nobody has one keeps every condition.
//!
//! Where it is known whose the records are, people are counted: those of a class, those of them who have a value in some
//! record of it, and the same of the whole file ([`shoal_core::TablePromise`] says what each condition means then).
//!
//! Counts are compared as whole numbers as far as possible. What differs from its bound by less than 1e-12 of it
//! counts as equal to it: a bound in decimals is not exact either.

mod beta_likeness;
mod error;
#[cfg(test)]
mod fixture;
mod frequency;
mod judge;
mod l_diversity;
mod spread;
mod t_closeness;
mod values;

use std::sync::Arc;

use shoal_core::{Condition, Distribution, Hierarchy, MissingTexts, Rule, ValueParser};

pub use error::ConditionError;

use self::beta_likeness::BetaLikeness;
use self::frequency::Frequency;
use self::l_diversity::{Distinct, Entropy, Recursive};
use self::spread::Spread;
use self::t_closeness::TCloseness;
use self::values::Values;
use super::{TableModel, TableView};
use crate::Unverifiable;

/// What a published file does not say about a sensitive column.
#[derive(Clone, Debug)]
pub struct SensitiveColumn {
    /// How its texts are read, for an order of them.
    pub parser: ValueParser,
    /// The texts that stand for the missing value.
    pub missing: MissingTexts,
    /// The policy's hierarchy, where it says how far values are apart.
    pub hierarchy: Option<Arc<Hierarchy>>,
}

/// The model that checks a condition: l-diversity, t-closeness or β-likeness. Its parameters are checked here.
///
/// ```
/// use shoal_core::{Condition, DateFormat, Kind, MissingTexts, RawTable, Rule, ValueParser};
/// use shoal_privacy::table::model;
/// use shoal_privacy::{SensitiveColumn, TableView};
///
/// let illness = || SensitiveColumn {
///     parser: ValueParser::new(Kind::Text, DateFormat::default()),
///     missing: MissingTexts::default(),
///     hierarchy: None,
/// };
/// let condition = |l| Condition { column: "illness".to_owned(), rule: Rule::Distinct { l } };
/// let diverse = model(&condition(2), illness())?;
/// let holds = |rows: &[Vec<&str>]| -> Result<bool, shoal_privacy::Unverifiable> {
///     let file = RawTable::from_rows(&["age", "illness"], rows);
///     Ok(diverse.verify(&TableView::new(&file, &["age"])?)?.holds)
/// };
/// assert!(holds(&[vec!["3*", "flu"], vec!["3*", "gout"]])?);
/// // A crowd in which all have gout tells who has gout.
/// assert!(!holds(&[vec!["3*", "gout"], vec!["3*", "gout"]])?);
/// // Every class has at least one value, so l = 1 promises nothing.
/// assert!(model(&condition(1), illness()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn model(condition: &Condition, ground: SensitiveColumn) -> Result<Box<dyn TableModel>, ConditionError> {
    model_against(condition, ground, None)
}

/// The same where the file is a part of something larger, and t-closeness and β-likeness compare its classes with
/// `everybody` instead of the file. They are people where the file's records are known to be people's.
pub fn model_against(
    condition: &Condition,
    ground: SensitiveColumn,
    everybody: Option<Distribution>,
) -> Result<Box<dyn TableModel>, ConditionError> {
    let SensitiveColumn { parser, missing, hierarchy } = ground;
    let column = Column { name: condition.column.clone(), missing, parser: parser.clone(), everybody };
    Ok(match condition.rule {
        Rule::Distinct { l } => Box::new(Distinct::new(column, l)?),
        Rule::Frequency { l } => Box::new(Frequency::new(column, l)?),
        Rule::Entropy { l } => Box::new(Entropy::new(column, l)?),
        Rule::Recursive { l, c } => Box::new(Recursive::new(column, l, c)?),
        Rule::Close { t, distance } => Box::new(TCloseness::new(column, t, distance, parser, hierarchy)?),
        Rule::Alike(likeness) => Box::new(BetaLikeness::new(column, likeness)?),
    })
}

/// The column that a condition is about.
#[derive(Clone, Debug)]
struct Column {
    name: String,
    /// The texts that stand for the missing value.
    missing: MissingTexts,
    /// How its texts are read: 7 and 7.0 are one number.
    parser: ValueParser,
    /// How often values occur among everybody, where that is not what the file says.
    everybody: Option<Distribution>,
}

impl Column {
    /// The column's values in a file.
    fn values<'a>(&self, view: &TableView<'a>) -> Result<Values<'a>, Unverifiable> {
        let lacking = || Unverifiable::Lacking { column: self.name.clone() };
        let column = view.published().column(&self.name).ok_or_else(lacking)?;
        let values = Values::of(column, &self.missing, &self.parser);
        match (view.people(), &self.everybody) {
            (Some(crowds), None) => Ok(values.of_people(crowds)),
            (people, Some(everybody)) if people.is_some() != everybody.counts_people() => {
                Err(Unverifiable::OtherMembers { column: self.name.clone() })
            }
            (_, Some(everybody)) => values.among(everybody, &self.missing, &self.parser),
            (None, None) => Ok(values),
        }
    }

    /// The same, class by class.
    fn spread<'a>(&self, view: &'a TableView<'a>) -> Result<Spread<'a>, Unverifiable> {
        Ok(Spread::new(view, self.values(view)?))
    }
}

/// What a bound and a figure may differ by and still count as equal, relative to the bound.
const TOLERANCE: f64 = 1e-12;

/// Whether a figure does not exceed a bound.
fn is_at_most(figure: f64, bound: f64) -> bool {
    figure <= bound * (1.0 + TOLERANCE)
}

/// Whether a figure reaches a bound.
fn is_at_least(figure: f64, bound: f64) -> bool {
    figure >= bound * (1.0 - TOLERANCE)
}

/// Whether a figure stays below a bound.
fn is_below(figure: f64, bound: f64) -> bool {
    figure < bound * (1.0 - TOLERANCE)
}

/// A share as people read it.
fn percent(share: f64) -> String {
    format!("{} %", (share * 1e4).round() / 1e2)
}

#[cfg(test)]
mod tests {
    use shoal_core::{Distance, Likeness};

    use super::*;
    use crate::{Figure, Promise};

    #[test]
    fn a_condition_promises_its_rule_of_its_column() {
        for rule in [
            Rule::Distinct { l: 3 },
            Rule::Frequency { l: 4 },
            Rule::Entropy { l: 2.5 },
            Rule::Recursive { l: 3, c: 1.5 },
            Rule::Close { t: 0.2, distance: Distance::Equal },
            Rule::Alike(Likeness::Basic(0.7)),
        ] {
            let model = fixture::rule(rule).unwrap();
            assert_eq!((model.promise(), model.column()), (Promise::Values(rule), Some("x")));
        }
    }

    /// The model of a rule about a file that is a part of something larger.
    fn against(rule: Rule, everybody: &[(&str, u32)]) -> Box<dyn TableModel> {
        let parser = ValueParser::new(shoal_core::Kind::Text, shoal_core::DateFormat::default());
        let ground = SensitiveColumn { parser, missing: MissingTexts::new(&["?"]), hierarchy: None };
        let everybody = Distribution::new(everybody.iter().map(|&(value, count)| (value.to_owned(), count)));
        model_against(&Condition { column: "x".to_owned(), rule }, ground, everybody).unwrap()
    }

    fn verified(
        rule: Rule,
        everybody: &[(&str, u32)],
        values: &[&str],
    ) -> Result<(bool, Figure), Unverifiable> {
        let rows: Vec<Vec<&str>> = values.iter().map(|value| vec!["a class", value]).collect();
        let file = shoal_core::RawTable::from_rows(&["q", "x"], &rows);
        let outcome = against(rule, everybody).verify(&TableView::new(&file, &["q"])?)?;
        Ok((outcome.holds, outcome.found))
    }

    #[test]
    fn a_part_is_compared_with_everybody_who_is_given() {
        let close = |t| Rule::Close { t, distance: Distance::Equal };
        // 3 of 4 have the flu here, and half of everybody; a tenth of them has something that the part does not have.
        // Those without a value are in none of these shares.
        let (part, all) =
            (["flu", "Flu ", "flu", "cold", "?"], [("flu", 50), ("", 7), ("cold", 40), ("gout", 10)]);
        assert_eq!(verified(close(0.25), &all, &part), Ok((true, Figure::Number(0.25))));
        assert!(!verified(close(0.24), &all, &part).unwrap().0);
        // As one file of their own, they are like everybody there.
        let alone = verified(close(0.0), &[("flu", 3), ("?", 1), ("cold", 1)], &part);
        assert_eq!(alone, Ok((true, Figure::Number(0.0))));
        let alike = |beta| Rule::Alike(Likeness::Basic(beta));
        assert_eq!(verified(alike(0.5), &all, &part), Ok((true, Figure::Number(0.5))));
        assert!(!verified(alike(0.49), &all, &part).unwrap().0);
        let nobody = Unverifiable::NotAmongEverybody { row: 4, column: "x".into(), value: "cold".into() };
        assert_eq!(verified(close(0.5), &[("flu", 9)], &part), Err(nobody));
        let parser = ValueParser::new(shoal_core::Kind::Integer, shoal_core::DateFormat::default());
        let ground = SensitiveColumn { parser, missing: MissingTexts::default(), hierarchy: None };
        let everybody = Distribution::new([("1".to_owned(), 2), ("2".to_owned(), 1)]);
        let rule = Rule::Close { t: 0.9, distance: Distance::Ordered };
        let model = model_against(&Condition { column: "x".to_owned(), rule }, ground, everybody).unwrap();
        let file = shoal_core::RawTable::from_rows(&["q", "x"], &[vec!["a", "1"], vec!["a", "1"]]);
        let beyond = Unverifiable::BeyondFile { column: "x".into(), value: "2".into() };
        assert_eq!(model.verify(&TableView::new(&file, &["q"]).unwrap()), Err(beyond));
    }
}
