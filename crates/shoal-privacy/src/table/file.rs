//! Any file, ours or not, without its original.

use std::collections::HashMap;

use serde::Serialize;
use shoal_core::{Progress, RawTable, Role};

use super::model::ask;
use super::{PersonalK, TableModel, TableView};
use crate::promise::settle;
use crate::{BrokenPromise, OutOfOrder, PromiseResult, Unverifiable, rows_out_of_order};

/// What can be said of a published file without its original.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableVerdict {
    /// Records of the file.
    pub records: usize,
    /// Its equivalence classes.
    pub classes: usize,
    /// Every promise with what was found.
    pub promises: Vec<PromiseResult>,
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
    let names = || published.columns.iter().map(|column| column.name.as_str());
    // A file may have thousands of columns.
    let known: HashMap<&str, Role> = roles.iter().copied().collect();
    let role_of = |name: &str| known.get(name).copied();
    if let Some(unknown) = names().find(|name| role_of(name).is_none()) {
        return Err(Unverifiable::Unknown { column: unknown.to_owned() });
    }
    let of_role = |role| roles.iter().filter(move |(_, own)| *own == role).map(|(name, _)| *name);
    let quasi: Vec<&str> = of_role(Role::QuasiIdentifier).collect();
    let view = TableView::new(published, &quasi)?.with_progress(progress);
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
    if let Some(model) = PersonalK::of(of_role(Role::PersonalK)) {
        answers.push(ask(&view, &model)?);
    }
    let (promises, broken) = settle(answers)?;
    let is_withheld = |name: &&str| role_of(name).is_some_and(|role| !role.is_published());
    Ok(TableVerdict {
        records: published.rows,
        classes: view.classes().len(),
        promises,
        broken,
        withheld_columns: names().filter(is_withheld).map(str::to_owned).collect(),
        out_of_order: rows_out_of_order(published),
    })
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
            r#"{"records":2,"classes":1,"promises":[{"name":"k-anonymity","asked":2,"found":2,"holds":true}],"broken":[],"withheld-columns":[],"out-of-order":null}"#
        );
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
