//! The edition of the report that goes out with the data: `report.json`, and `report.html` on top of it.
//!
//! It is a function of the published data and the public part of the policy: [`Outgoing::of`] takes a [`Public`] and a
//! [`Published`] and nothing else, so it cannot see the original. An attacker who tries possible originals against this
//! program learns nothing from it that the published file does not say. `shoal report` makes it again from the file, byte for
//! byte.
//!
//! What depends on the original is in `audit.json`: how many records it has and how many are left out, errors of counts, the
//! risk before, times and memory, what attacks achieved, names and earlier releases.

use serde::Serialize;
use serde_json::{Value, json};
use shoal_core::policy::Shape;
use shoal_core::{Progress, RawColumn, RawTable, Role, Transactions, is_drawn};
use shoal_measure::sequences::file::{SequencesFileLoss, measure_sequences_file};
use shoal_measure::table::file::{TableFileLoss, measure_table_file};
use shoal_measure::transactions::file::{
    NamedItems, TransactionsFileLoss, measure_transactions_file, smallest_crowd_of_file,
};
use shoal_privacy::{
    Classes, Digests, Refusal, Seen, SequencesView, findings_of_table_file, verify_sequences_file,
    verify_transactions_file,
};

use super::About;
use super::html::{self, Page, Published, PublishedFacts};
use crate::columns::{named_columns, quasi_columns, read_published};
use crate::leaks::{of_policy, of_sequences, of_table, of_transactions};
use crate::request::Public;
use crate::{Leak, PipelineError, Request, Source, sequences, table, transactions};

/// What a reader of the published file may know of the release; `report.json`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Outgoing {
    /// Which release it is about; its algorithm is the one that the policy names.
    #[serde(flatten)]
    pub about: About,
    /// Records of the file, starred ones included; people of sequences.
    pub records_out: usize,
    /// Its equivalence classes.
    pub classes: usize,
    /// What was promised and what the file shows of it.
    pub promises: Vec<Seen>,
    /// What the promise does not cover.
    pub leaks: Vec<Leak>,
    /// What was lost, as far as the file shows it.
    pub loss: FileLoss,
    /// What an attacker can hope for.
    pub risk: Value,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
    /// What the page shows of the columns.
    #[serde(skip)]
    facts: PublishedFacts,
}

/// What was lost, in the measures of the shape, as far as the file shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FileLoss {
    /// Of a table.
    Table(TableFileLoss),
    /// Of transactions.
    Transactions(TransactionsFileLoss),
    /// Of sequences.
    Sequences(SequencesFileLoss),
}

/// What is found in the data of a shape.
struct Found {
    records_out: usize,
    classes: usize,
    promises: Vec<Seen>,
    leaks: Vec<Leak>,
    loss: FileLoss,
    risk: Value,
    notes: Vec<String>,
    /// The quasi-identifiers.
    quasi: Vec<String>,
}

impl Outgoing {
    /// The edition about published data that are recognized by these digests.
    pub(crate) fn of(
        public: &Public,
        published: Published<'_>,
        digests: Digests,
        progress: &dyn Progress,
    ) -> Result<Outgoing, PipelineError> {
        let policy = public.policy();
        let found = match published {
            Published::Table(file) => of_table_file(public, file, progress)?,
            Published::Transactions(file, rest) => of_transactions_file(public, file, rest, progress)?,
            Published::Sequences(file) => of_sequences_file(public, file, progress)?,
        };
        let Found { records_out, classes, promises, mut leaks, loss, risk, mut notes, quasi } = found;
        leaks.extend(of_policy(policy));
        notes.extend(policy.preset_note());
        progress.check();
        Ok(Outgoing {
            about: About::new(policy.data.shape, policy.algorithm_name().name(), digests),
            records_out,
            classes,
            promises,
            leaks,
            loss,
            risk,
            notes,
            facts: PublishedFacts::of(&quasi, published),
        })
    }

    /// The edition about published data that are read now.
    pub(crate) fn read(
        request: &Request,
        published: &mut dyn Source,
        progress: &dyn Progress,
    ) -> Result<Outgoing, PipelineError> {
        let public = request.public();
        match public.policy().data.shape {
            Shape::Table => {
                let read = read_published(&public, published, progress)?;
                Outgoing::of(&public, Published::Table(&read.table), read.sha256.into(), progress)
            }
            Shape::Sequences => {
                let read = read_published(&public, published, progress)?;
                Outgoing::of(&public, Published::Sequences(&read.table), read.sha256.into(), progress)
            }
            Shape::Transactions => {
                let (read, digests) = transactions::read_published(&public, published, progress)?;
                let seen = Published::Transactions(&read.data, read.rest.as_ref());
                Outgoing::of(&public, seen, digests, progress)
            }
            Shape::Stream => Err(PipelineError::IsStream),
        }
    }

    /// Whether the file shows no promise that is broken.
    pub fn holds(&self) -> bool {
        self.promises.iter().all(|seen| seen.holds() != Some(false))
    }

    /// What the page shows of the columns.
    pub(crate) fn facts(&self) -> &PublishedFacts {
        &self.facts
    }

    /// The same edition as a page for people: `report.html`.
    pub fn page(&self) -> String {
        let report = serde_json::to_value(self).expect("a report holds nothing that JSON cannot");
        let Outgoing { promises, leaks, facts, .. } = self;
        html::write(&Page { report: &report, promises, leaks, facts, house: None })
    }
}

fn of_table_file(public: &Public, file: &RawTable, progress: &dyn Progress) -> Result<Found, PipelineError> {
    let policy = public.policy();
    let promises = findings_of_table_file(
        file,
        &public.roles(),
        &table::models(public)?,
        policy.algorithm.max_suppressed,
        progress,
    )
    .map_err(Refusal::Unverifiable)?;
    let quasi = quasi_columns(public, file);
    let classes = Classes::of(file.rows, &quasi);
    progress.check();
    let sensitive: Vec<&RawColumn> =
        policy.columns_of(Role::Sensitive).into_iter().filter_map(|name| file.column(name)).collect();
    let named = named_columns(public, file)?;
    let population = table::population(public);
    let (loss, risk) =
        measure_table_file(&named, file, sensitive, &classes, policy.privacy.k, population, progress)?;
    Ok(Found {
        records_out: file.rows,
        classes: classes.len(),
        promises,
        leaks: of_table(public, file, &classes),
        loss: FileLoss::Table(loss),
        risk: if policy.data.person.is_some() { unseen_risk() } else { json!({ "after": risk }) },
        notes: Vec::new(),
        quasi: quasi.iter().map(|column| column.name.clone()).collect(),
    })
}

fn of_sequences_file(
    public: &Public,
    file: &RawTable,
    progress: &dyn Progress,
) -> Result<Found, PipelineError> {
    let (policy, id) = (public.policy(), sequences::id(public));
    let promise = sequences::promise_of(public);
    let models = sequences::models(public, &promise, None)?;
    let verdict =
        verify_sequences_file(file, id, &public.roles(), &models, progress).map_err(Refusal::Unverifiable)?;
    let quasi = policy.columns_of(Role::QuasiIdentifier);
    let view = SequencesView::new(file, id, &quasi).map_err(Refusal::Unverifiable)?;
    let mut leaks = of_sequences(public, file, id, view.classes());
    leaks.extend(sequences::leaks_of_promise(&promise));
    let named = named_columns(public, file)?;
    let (loss, risk) = measure_sequences_file(&named, file, id, policy.privacy.k, progress)?;
    Ok(Found {
        records_out: verdict.records,
        classes: verdict.classes,
        promises: verdict.seen(),
        leaks,
        loss: FileLoss::Sequences(loss),
        risk: json!({ "after": risk }),
        notes: sequences::notes_of_promise(&promise),
        quasi: quasi.into_iter().map(str::to_owned).collect(),
    })
}

fn of_transactions_file(
    public: &Public,
    file: &Transactions,
    rest: Option<&RawTable>,
    progress: &dyn Progress,
) -> Result<Found, PipelineError> {
    let (policy, tree) = (public.policy(), transactions::hierarchy(public));
    let models = transactions::models(public)?;
    let verdict =
        verify_transactions_file(file, rest, tree, &models, progress).map_err(Refusal::Unverifiable)?;
    let counts_people = policy.data.person.is_some();
    let items = NamedItems::read(file, tree);
    let weights = policy.utility.weights.as_ref().map(|name| public.weights(name).content);
    let weight_of = |item: &str| {
        let known = weights.and_then(|list| list.weights.iter().find(|(_, name, _)| name == item));
        known.map_or(1.0, |(_, _, weight)| *weight)
    };
    let loss = measure_transactions_file(file, &items, &weight_of);
    let (share, seed) = (policy.privacy.share, policy.algorithm.seed);
    let may_be_known = |item: &str| share.is_none_or(|share| is_drawn(item, share, seed));
    let m = if share.is_some() { 2 } else { policy.privacy.m.unwrap_or(2) };
    let (known_items, crowd) = smallest_crowd_of_file(file, &items, m, &may_be_known, progress);
    let risk = match counts_people {
        true => unseen_risk(),
        false => json!({ "known-items": known_items, "smallest-crowd": { "after": crowd } }),
    };
    Ok(Found {
        records_out: file.len(),
        classes: transactions::distinct(file),
        promises: verdict.seen(counts_people),
        leaks: of_transactions(public, file, rest),
        loss: FileLoss::Transactions(loss),
        risk,
        notes: Vec::new(),
        quasi: Vec::new(),
    })
}

/// The file does not say whose its records are, so it does not show a risk of people.
fn unseen_risk() -> Value {
    json!({ "unit": "people", "after": null })
}
