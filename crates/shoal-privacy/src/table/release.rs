use shoal_core::{Progress, RawTable, Role, Table};

use super::model::ask;
use super::people::people_of;
use super::{Classes, Crowds, PersonalK, SuppressionLimit, TableModel, TableView, conservation};
use crate::origin::check_origins;
use crate::promise::settle;
use crate::refinement::table::{Places, cells, cells_by_values};
use crate::{
    Findings, ReadBack, RecordOrder, Refusal, Staged, TableConservationError, Unverifiable, Verified,
    rows_out_of_order,
};

/// What is said about a file that shall be released; every word of it is checked.
#[derive(Clone, Copy, Debug)]
pub struct TableClaim<'a> {
    /// The input, with the hierarchies of the policy and no others.
    pub original: &'a Table,
    /// For every published record the input record that it comes from, both counted from 0.
    pub origin: &'a [u32],
    /// How many input records are not in the file.
    pub left_out: usize,
    /// How many records may be suppressed, where that is limited.
    pub suppression: Option<SuppressionLimit>,
    /// In which order the records are said to stand.
    pub order: RecordOrder,
}

/// What was found about a table that keeps its promise.
#[derive(Debug)]
pub struct TableFindings {
    findings: Findings,
    classes: Classes,
    people: Option<Crowds>,
    starred: usize,
}

/// A table that may be published, and what was seen on the way.
#[derive(Debug)]
pub struct VerifiedTable<S> {
    /// The staged data with their certificate.
    pub release: Verified<S>,
    /// What was read back from them.
    pub published: RawTable,
    /// What was found about it.
    pub findings: TableFindings,
}

/// Judges what was staged, and certifies it where it keeps every promise. [`judge_table`] says what that takes; this
/// function is the only one that makes a table publishable.
///
/// ```
/// use shoal_core::{Column, Kind, RawTable, Role, Silent, Table};
/// use shoal_privacy::{
///     Certificate, KAnonymity, ReadBack, RecordOrder, Refusal, Staged, TableClaim, TableModel, verify_table,
/// };
///
/// /// Rows that nobody else has seen yet.
/// struct Pending(RawTable);
///
/// impl Staged for Pending {
///     type Receipt = RawTable;
///     type Error = String;
///
///     fn publish(self, certificate: &Certificate) -> Result<RawTable, String> {
///         // A real one compares a digest of what it holds with the certificate's.
///         if certificate.sha256() == "digest" { Ok(self.0) } else { Err("not what was verified".into()) }
///     }
/// }
///
/// let input = RawTable::from_rows(&["age"], &[vec!["31"], vec!["34"], vec!["50"]]);
/// let age = Column::encode(&input.columns[0], Role::QuasiIdentifier, Kind::Integer, &[]).unwrap();
/// let original = Table { columns: vec![age], rows: 3 };
/// let models: Vec<Box<dyn TableModel>> = vec![Box::new(KAnonymity::new(2)?)];
/// let verify = |rows: &[Vec<&str>], origin: &[u32], left_out: usize| {
///     let staged = Pending(RawTable::from_rows(&["age"], rows));
///     let read = |staged: &Pending| Ok::<_, Refusal>((staged.0.clone(), "digest".to_owned()));
///     let order = RecordOrder::Published;
///     let claim = TableClaim { original: &original, origin, left_out, suppression: None, order };
///     verify_table(ReadBack::of(staged, read)?, claim, &models, &Silent)
/// };
///
/// // The first two share a class, the third is left out: k = 2 holds, and the data may go out.
/// let verified = verify(&[vec!["[31, 34]"], vec!["[31, 34]"]], &[0, 1], 1)?;
/// assert_eq!(verified.release.publish()?.rows, 2);
///
/// // With the third person beside them, somebody is alone: nothing comes out.
/// let refused = verify(&[vec!["50"], vec!["[31, 34]"], vec!["[31, 34]"]], &[2, 0, 1], 0);
/// assert!(matches!(refused, Err(Refusal::BrokenTable { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify_table<S: Staged>(
    staged: ReadBack<S, RawTable>,
    claim: TableClaim<'_>,
    models: &[Box<dyn TableModel>],
    progress: &dyn Progress,
) -> Result<VerifiedTable<S>, Refusal> {
    let findings = judge_table(staged.content(), claim, models, progress)?;
    let (release, published) = staged.certify(findings.findings.clone());
    Ok(VerifiedTable { release, published, findings })
}

/// Checks that a file keeps every promise and is true of its input. Columns of the role personal k are promises
/// as well; no model need be given for them. Where the models count people ([`TableModel::person`]), so do these.
///
/// ```
/// use shoal_core::{Column, Kind, RawTable, Role, Silent, Table};
/// use shoal_privacy::{KAnonymity, RecordOrder, Refusal, TableClaim, TableModel, judge_table};
///
/// let input = RawTable::from_rows(&["age"], &[vec!["31"], vec!["34"]]);
/// let age = Column::encode(&input.columns[0], Role::QuasiIdentifier, Kind::Integer, &[]).unwrap();
/// let original = Table { columns: vec![age], rows: 2 };
/// let models: Vec<Box<dyn TableModel>> = vec![Box::new(KAnonymity::new(2)?)];
/// let judge = |text: &str| {
///     let published = RawTable::from_rows(&["age"], &[vec![text], vec![text]]);
///     let order = RecordOrder::Published;
///     let claim = TableClaim { original: &original, origin: &[0, 1], left_out: 0, suppression: None, order };
///     judge_table(&published, claim, &models, &Silent)
/// };
/// assert_eq!(judge("[31, 34]")?.classes().len(), 1);
///
/// // Two of a kind are a crowd, but nobody was in their twenties: a release must also be true.
/// assert!(matches!(judge("[20, 29]"), Err(Refusal::TableConservation(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn judge_table(
    published: &RawTable,
    claim: TableClaim<'_>,
    models: &[Box<dyn TableModel>],
    progress: &dyn Progress,
) -> Result<TableFindings, Refusal> {
    let TableClaim { original, origin, left_out, suppression, order } = claim;
    check_original(original)?;
    let names_of = |role| original.of_role(role).map(|column| column.name.as_str());
    let quasi: Vec<&str> = names_of(Role::QuasiIdentifier).collect();
    let mut view = TableView::new(published, &quasi)?.with_progress(progress);
    check_origins(original.rows, published.rows, origin, left_out).map_err(TableConservationError::from)?;
    let published_classes = view.classes().clone();
    let person_of = people_of(models, original, origin)?;
    let mut cells_of_people = None;
    if let Some(person_of) = &person_of {
        // All rows of a person count together: people with the same list of classes are a cell of each of these classes.
        if models.iter().any(|model| !model.by_rows()) {
            let places = Places { class_of: &published_classes.class_of, person_of };
            let cell_of = cells(&[places], person_of.iter().max().map_or(0, |&last| last as usize + 1));
            view = view.cut_into(&of_rows(&cell_of, person_of));
            cells_of_people = Some((places, cell_of));
        }
        view = view.with_people(person_of.clone());
    }
    let mut answers = Vec::new();
    for model in models {
        let cells = cells_of_people.as_ref().zip(model.column()).and_then(|((places, cell_of), column)| {
            cells_by_values(&[(*places, has_value(original, origin, column)?)], cell_of)
        });
        answers.push(match (cells, &person_of) {
            (Some(cells), Some(person_of)) => {
                let view = TableView::new(published, &quasi)?.cut_into(&of_rows(&cells, person_of));
                ask(&view.with_people(person_of.clone()).with_progress(progress), model.as_ref())?
            }
            _ => ask(&view, model.as_ref())?,
        });
    }
    if let (Some(model), Some(asked)) = (PersonalK::of(names_of(Role::PersonalK)), original.personal_k()) {
        view = view.with_personal_k(origin.iter().map(|&row| asked[row as usize]).collect());
        answers.push(ask(&view, &model)?);
    }
    if answers.is_empty() {
        // A limit of what is left out protects nobody.
        return Err(Unverifiable::NoPromise.into());
    }
    answers.extend(suppression.map(|limit| limit.answer(&view, original, left_out)));
    let (promises, broken) = settle(answers)?;
    if !broken.is_empty() {
        return Err(Refusal::BrokenTable { broken, promises });
    }
    conservation::check_columns(original, published, None, origin, progress)?;
    progress.check();
    if order == RecordOrder::Published {
        rows_out_of_order(published).map_or(Ok(()), Err)?;
    }
    let findings = Findings::new(promises, original.rows, published.rows);
    let starred = view.starred();
    let people = person_of.map(|person_of| Crowds::of(&published_classes, person_of));
    Ok(TableFindings { findings, classes: published_classes, people, starred })
}

/// The cell of each row.
fn of_rows(cell_of: &[u32], person_of: &[u32]) -> Vec<u32> {
    person_of.iter().map(|&person| cell_of[person as usize]).collect()
}

/// Of each published record whether it has a value in a column.
fn has_value(original: &Table, origin: &[u32], column: &str) -> Option<Vec<bool>> {
    let column = original.columns.iter().find(|own| own.name == column)?;
    let missing = column.domain.missing();
    Some(origin.iter().map(|&row| Some(column.codes[row as usize]) != missing).collect())
}

/// A table that is not rectangular cannot be compared with anything.
pub(crate) fn check_original(original: &Table) -> Result<(), Unverifiable> {
    let rows = original.rows;
    match original.columns.iter().find(|column| column.codes.len() != rows) {
        None => Ok(()),
        Some(column) => {
            Err(Unverifiable::Ragged { column: column.name.clone(), cells: column.codes.len(), rows })
        }
    }
}

impl TableFindings {
    /// What was found, for any shape.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// The equivalence classes of the published file.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The people in these classes, where people were counted.
    pub fn people(&self) -> Option<&Crowds> {
        self.people.as_ref()
    }

    /// Records of the file that say nothing: `*` in every quasi-identifier.
    pub fn rows_starred(&self) -> usize {
        self.starred
    }
}
