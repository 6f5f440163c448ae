//! The recoding of an earlier release on other transactions.
//!
//! What an item was published as, it is published as again, or together with more: two recodings of which neither is coarser than the other could be
//! intersected. Where it is known who was in the earlier release, the promise is kept among them and among the others.

use std::collections::HashSet;

use shoal_algorithms::transactions::TransactionsError;
use shoal_core::{ItemCluster, Progress, Silent, Transactions, TransactionsRecoding};
use shoal_privacy::{Refusal, verify_transactions_file};

use super::algorithm::{Prepared, hierarchy};
use super::atoms::{Atoms, EarlierItems};
use super::load::Loaded;
use super::models::models;
use crate::audit::RecodingFile;
use crate::cohorts::Cohorts;
use crate::{Audit, Leak, PipelineError, Request};

/// The recoding, and what is to be said about it.
pub(super) fn apply(
    request: &Request,
    loaded: &Loaded,
    prepared: &Prepared,
    progress: &dyn Progress,
) -> Result<(TransactionsRecoding, Vec<String>), PipelineError> {
    let data = &loaded.data;
    let last = request.earlier.previous.last().expect("a release is applied");
    let RecodingFile::Transactions { items, suppressed, .. } = &last.recoding else {
        return Err(incomparable(last, "it is not a release of transactions"));
    };
    if items.iter().any(|item| item.members.is_empty()) {
        return Err(incomparable(
            last,
            "it does not say which items it has put together; its version was another one",
        ));
    }
    let (cohorts, _) = cohorts(request, loaded)?;
    let EarlierItems { mut atoms, suppressed, unseen } =
        EarlierItems::of(data, prepared.hierarchy.as_ref(), items, suppressed);
    let before = atoms.clusters.len();
    loop {
        let start = atoms.clone();
        for rows in &cohorts.records {
            atoms = coarsen(request, data, prepared, atoms, rows, progress)?;
        }
        // Something was put together or left out for one cohort; the others may see more or less of it now. Each time
        // there are fewer of them, so this ends.
        if atoms == start {
            break;
        }
    }
    let mut notes = Vec::new();
    let mut note = |count: usize, what: &str| {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    };
    note(
        before - atoms.clusters.len(),
        "published items of the earlier release, or new ones, are one with others, or suppressed, now",
    );
    note(suppressed, "items stay suppressed, as in the earlier release");
    note(unseen, "items are new: the earlier data did not have them");
    note(
        cohorts.returning(),
        "transactions are of people who were in an earlier release; the promise is kept among them and among the others",
    );
    let clusters: Vec<ItemCluster> = atoms.clusters;
    Ok((TransactionsRecoding::from_clusters(data.items().len(), clusters), notes))
}

/// Who was in the earlier releases, and what is to be said where that is not known.
pub(super) fn cohorts(request: &Request, loaded: &Loaded) -> Result<(Cohorts, Vec<Leak>), PipelineError> {
    let previous = &request.earlier.previous;
    let unknown = |why: &str| {
        let text = format!(
            "who was in the earlier release is not known: {why}. Whoever knows that somebody was, or was not, may strike out the others, and find fewer \
             than k; a column that names people,  [data] person = \"…\",  would tell"
        );
        let leak = Leak::new("unknown-cohorts", text);
        (Cohorts::unknown(loaded.data.len()), vec![leak])
    };
    let Some(known) = &loaded.known_as else { return Ok(unknown("no column names people")) };
    let mut remembered = Vec::new();
    for audit in previous {
        let RecodingFile::Transactions { known_by, people, .. } = &audit.recoding else {
            return Err(incomparable(audit, "it is not a release of transactions"));
        };
        if *known_by != known.columns {
            return Ok(unknown("the releases know people by different columns"));
        }
        remembered.push((audit, people.iter().map(String::as_str).collect::<HashSet<&str>>()));
    }
    Ok((Cohorts::of(known, &remembered)?, Vec::new()))
}

/// Puts atoms together until the promise holds among some transactions.
fn coarsen(
    request: &Request,
    data: &Transactions,
    prepared: &Prepared,
    atoms: Atoms,
    rows: &[u32],
    progress: &dyn Progress,
) -> Result<Atoms, PipelineError> {
    let recoded = atoms.recode(data, rows);
    // Nothing that could be known.
    if recoded.data.occurrences() == 0 {
        return Ok(atoms);
    }
    let tree = hierarchy(request);
    let algorithm = prepared.on_atoms(request, &recoded, &atoms, data)?;
    let promise = recoded.promise(&prepared.promise);
    let cannot = |error: TransactionsError| PipelineError::Cohort {
        records: format!("{} transactions", rows.len()),
        why: match error {
            // Its items are atoms, which nobody knows by their numbers.
            TransactionsError::Infeasible { allowed, .. } => format!(
                "the utility constraints leave no way but to suppress more than the {allowed} items that may be suppressed"
            ),
            error => error.to_string(),
        },
    };
    let found = algorithm.anonymize(&recoded.data, &promise, progress).map_err(cannot)?.recoding;
    Ok(atoms.coarser(data, &recoded, &found, tree))
}

/// Whether the published transactions of each cohort keep the promise by themselves, by the verifier's own models.
pub(super) fn check_cohorts(
    request: &Request,
    published: &Transactions,
    origin: &[u32],
    loaded: &Loaded,
    cohorts: &Cohorts,
) -> Result<(), PipelineError> {
    let models = models(request)?;
    for records in cohorts.records.iter().filter(|_| cohorts.records.len() > 1) {
        let records: HashSet<u32> = records.iter().copied().collect();
        let rows: Vec<u32> =
            (0..origin.len() as u32).filter(|&row| records.contains(&origin[row as usize])).collect();
        let mut part = published.select(&rows);
        if let Some(persons) = loaded.data.persons() {
            part =
                part.with_persons(rows.iter().map(|&row| persons[origin[row as usize] as usize]).collect());
        }
        let verdict = verify_transactions_file(&part, None, hierarchy(request), &models, &Silent)
            .map_err(Refusal::from)?;
        if !verdict.holds() {
            let why = "the published transactions do not keep the promise among themselves".to_owned();
            return Err(PipelineError::Cohort { records: format!("{} transactions", rows.len()), why });
        }
    }
    Ok(())
}

fn incomparable(audit: &Audit, problem: &str) -> PipelineError {
    PipelineError::Incomparable { output: audit.output.clone(), problem: problem.to_owned() }
}
