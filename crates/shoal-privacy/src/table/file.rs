//! Any file, ours or not, without its original.

use std::collections::HashSet;

use serde::Serialize;
use shoal_core::{Progress, RawTable, Role};

use super::model::ask;
use super::{PersonalK, TableModel, TableView};
use crate::promise::{Answer, settle};
use crate::{BrokenPromise, Finding, OutOfOrder, Outcome, Promise, Seen, Unverifiable, rows_out_of_order};

/// What can be said of a published file without its original.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableVerdict {
    /// Records of the file.
    pub records: usize,
    /// Its equivalence classes.
    pub classes: usize,
    /// Every promise with what was found.
    pub promises: Vec<Finding>,
    /// The promises that are not kept, and where.
    pub broken: Vec<BrokenPromise>,
    /// Columns in the file that must never be published.
    pub withheld_columns: Vec<String>,
    /// The first row that is out of order, where the order of the file may carry something. It breaks no promise.
    pub out_of_order: Option<OutOfOrder>,
}

impl TableVerdict {
    /// Whether every promise is kept and no column is there that must not be.
    pub fn holds(&self) -> bool {
        self.broken.is_empty() && self.withheld_columns.is_empty()
    }

    /// Whether the file has no records, so that every promise is kept by silence.
    pub fn is_vacuous(&self) -> bool {
        self.records == 0
    }
}

/// Checks a file against a policy's models. `roles` names every column of the policy. A column that the
/// policy does not know is an error, since it may name people as well as any other. So is a personal k, which only
/// [`verify_table`](crate::verify_table) can check, since no file says who asks for what. So are promises that count
/// people, unless they are broken already as promises about records: no file says whose its records are.
///
/// ```
/// use shoal_core::{RawTable, Role, Silent};
/// use shoal_privacy::{KAnonymity, TableModel, verify_table_file};
///
/// let roles = [("age", Role::QuasiIdentifier), ("illness", Role::Sensitive)];
/// let models: Vec<Box<dyn TableModel>> = vec![Box::new(KAnonymity::new(2)?)];
/// let verify = |rows: &[Vec<&str>]| {
///     verify_table_file(&RawTable::from_rows(&["age", "illness"], rows), &roles, &models, &Silent)
/// };
/// assert!(verify(&[vec!["[31, 34]", "flu"], vec!["[31, 34]", "gout"]])?.holds());
///
/// let verdict = verify(&[vec!["31", "flu"], vec!["34", "gout"]])?;
/// assert!(!verdict.holds());
/// assert_eq!(
///     verdict.broken[0].to_string(),
///     "k-anonymity does not hold: asked 2, found 1, violating classes: 2; the class age = `31` has size 1 (rows: 1)"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify_table_file(
    published: &RawTable,
    roles: &[(&str, Role)],
    models: &[Box<dyn TableModel>],
    progress: &dyn Progress,
) -> Result<TableVerdict, Unverifiable> {
    let view = view_of(published, roles)?.with_progress(progress);
    let mut answers = Vec::new();
    let mut unknown = None;
    for model in models {
        match ask(&view, model.as_ref()) {
            Ok(answer) => answers.push(answer),
            // What is broken for sure is worth more than what cannot be known.
            Err(error @ Unverifiable::Person { .. }) => unknown = unknown.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    if let Some(error) = unknown.filter(|_| answers.iter().all(|answer| answer.outcome.holds)) {
        return Err(error);
    }
    if let Some(model) = PersonalK::of(of_role(roles, Role::PersonalK)) {
        answers.push(ask(&view, &model)?);
    }
    let (promises, broken) = settle(answers)?;
    let withheld: HashSet<&str> =
        roles.iter().filter(|(_, role)| !role.is_published()).map(|(name, _)| *name).collect();
    let names = published.columns.iter().map(|column| column.name.as_str());
    Ok(TableVerdict {
        records: published.rows,
        classes: view.classes().len(),
        promises,
        broken,
        withheld_columns: names.filter(|name| withheld.contains(name)).map(str::to_owned).collect(),
        out_of_order: rows_out_of_order(published),
    })
}

/// What a file shows of each promise of its policy, those included that only the original shows: promises that count
/// people, personal k, and `max_suppressed`, the share of records that may be left out.
pub fn findings_of_table_file(
    published: &RawTable,
    roles: &[(&str, Role)],
    models: &[Box<dyn TableModel>],
    max_suppressed: Option<f64>,
    progress: &dyn Progress,
) -> Result<Vec<Seen>, Unverifiable> {
    let view = view_of(published, roles)?.with_progress(progress);
    let see = |model: &dyn TableModel| match ask(&view, model) {
        Ok(Answer { promise, column, outcome: Outcome { found, holds, .. } }) => {
            Ok(Seen::Judged(Finding { promise, column, found, holds }))
        }
        Err(Unverifiable::Person { .. }) => {
            let (promise, column) = (model.promise(), model.column().map(str::to_owned));
            Ok(Seen::NotSeen { promise, column })
        }
        Err(error) => Err(error),
    };
    let mut seen = models.iter().map(|model| see(model.as_ref())).collect::<Result<Vec<_>, _>>()?;
    let mut add = |promise, column| seen.push(Seen::NotSeen { promise, column });
    if let Some(model) = PersonalK::of(of_role(roles, Role::PersonalK)) {
        add(model.promise(), model.column().map(str::to_owned));
    }
    if let Some(share) = max_suppressed {
        add(Promise::MaxSuppressed { share }, None);
    }
    Ok(seen)
}

fn view_of<'a>(published: &'a RawTable, roles: &[(&str, Role)]) -> Result<TableView<'a>, Unverifiable> {
    // A file may have thousands of columns.
    let known: HashSet<&str> = roles.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = published.columns.iter().find(|column| !known.contains(column.name.as_str())) {
        return Err(Unverifiable::Unknown { column: unknown.name.clone() });
    }
    let quasi: Vec<&str> = of_role(roles, Role::QuasiIdentifier).collect();
    TableView::new(published, &quasi)
}

fn of_role<'a>(roles: &[(&'a str, Role)], role: Role) -> impl Iterator<Item = &'a str> {
    roles.iter().filter(move |(_, own)| *own == role).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KAnonymity;

    const ROLES: [(&str, Role); 3] =
        [("name", Role::Identifier), ("age", Role::QuasiIdentifier), ("illness", Role::Sensitive)];

    fn verify(names: &[&str], rows: &[Vec<&str>]) -> Result<TableVerdict, Unverifiable> {
        let models: Vec<Box<dyn TableModel>> = vec![Box::new(KAnonymity::new(2).unwrap())];
        verify_table_file(&RawTable::from_rows(names, rows), &ROLES, &models, &shoal_core::Silent)
    }

    #[test]
    fn a_kept_promise_is_reported_in_the_words_of_the_contract() {
        let verdict = verify(&["age", "illness"], &[vec!["[1, 2]", "x"], vec!["[1, 2]", "y"]]).unwrap();
        assert!(verdict.holds() && !verdict.is_vacuous());
        let json = serde_json::to_string(&verdict).unwrap();
        assert_eq!(
            json,
            r#"{"records":2,"classes":1,"promises":[{"name":"k-anonymity","asked":2,"found":2,"holds":true,"promise":{"kind":"k-anonymity","k":2}}],"broken":[],"withheld-columns":[],"out-of-order":null}"#
        );
    }

    #[test]
    fn what_only_the_original_shows_is_not_seen() {
        let file = RawTable::from_rows(&["age"], &[vec!["1"], vec!["1"]]);
        let of_people = |k| {
            let model: Box<dyn TableModel> = Box::new(KAnonymity::new(k).unwrap());
            vec![Box::new(crate::OfPeople::new(model, "name")) as Box<dyn TableModel>]
        };
        let roles = [("age", Role::QuasiIdentifier), ("wish", Role::PersonalK)];
        let seen = |k| {
            let found = findings_of_table_file(&file, &roles, &of_people(k), Some(0.1), &shoal_core::Silent);
            found.unwrap().iter().map(Seen::holds).collect::<Vec<_>>()
        };
        assert_eq!(seen(2), [None; 3]);
        // Two records are two people at most.
        assert_eq!(seen(3), [Some(false), None, None]);
    }

    #[test]
    fn a_broken_promise_names_the_class() {
        let verdict = verify(&["age"], &[vec!["1"], vec!["2"], vec!["1"]]).unwrap();
        assert!(!verdict.holds());
        assert_eq!(
            verdict.broken[0].to_string(),
            "k-anonymity does not hold: asked 2, found 1, violating classes: 1; the class age = `2` has size 1 (rows: 2)"
        );
    }

    #[test]
    fn an_identifier_in_the_file_breaks_it() {
        let verdict = verify(&["name", "age"], &[vec!["Ann", "1"], vec!["Bob", "1"]]).unwrap();
        assert!(!verdict.holds());
        assert_eq!(verdict.withheld_columns, ["name"]);
    }

    #[test]
    fn an_empty_file_keeps_its_promise_by_silence() {
        let verdict = verify(&["age"], &[]).unwrap();
        assert!(verdict.holds() && verdict.is_vacuous());
        assert_eq!(serde_json::to_value(&verdict.promises[0]).unwrap()["found"], serde_json::Value::Null);
    }

    #[test]
    fn what_cannot_be_asked_is_an_error() {
        let lacking = Unverifiable::Lacking { column: "age".into() };
        assert_eq!(verify(&["illness"], &[vec!["x"]]), Err(lacking));
        let unknown = Unverifiable::Unknown { column: "shoe".into() };
        assert_eq!(verify(&["age", "shoe"], &[vec!["1", "42"]]), Err(unknown));
        let twice = Unverifiable::Twice { column: "age".into() };
        assert_eq!(verify(&["age", "age"], &[vec!["1", "1"]]), Err(twice));
        let file = RawTable::from_rows(&["age"], &[vec!["1"]]);
        assert_eq!(verify_table_file(&file, &ROLES, &[], &shoal_core::Silent), Err(Unverifiable::NoPromise));
    }
}
