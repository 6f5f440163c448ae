//! The road of a table: read, anonymize, write beside, verify the written bytes, measure.

use std::borrow::Cow;

use indexmap::IndexMap;
use shoal_algorithms::table::transparent::Secret;
use shoal_algorithms::table::{Account, TableAlgorithm, star_suppression};
use shoal_core::policy::SuppressedPolicy;
use shoal_core::{Progress, RawColumn, RawTable, Role, SUPPRESSED, Table, TableRecoding};
use shoal_io::{ColumnForm, PendingFile, ReadTable, WriteOptions};
use shoal_privacy::{Classes, Refusal, TableClaim, verify_table};

use super::algorithm::{algorithm, with_hierarchies};
use super::alike::with_alike_merged;
use super::bind::{Bound, bind};
use super::compose::{Composed, compose, reordered_codes};
use super::load::{Loaded, load_from};
use super::person::take_measures;
use super::promises::{models, suppression_limit};
use super::releases::{Current, History, Identity, Kept, person_hash};
use super::secret::{TableKey, read_or_make};
use crate::audit::{ClassFile, Key, RecodingFile};
use crate::deadline::Deadline;
use crate::leaks::{of_names, of_table};
use crate::order::record_order;
use crate::report::{Loss, Risk};
use crate::run::{Walked, timed};
use crate::{Job, PipelineError, Seconds};

/// Walks the road up to the door: what comes back may be published.
pub(crate) fn walk(
    job: &Job,
    pending: &mut PendingFile,
    history: &History,
    seconds: &mut Seconds,
    progress: &dyn Progress,
) -> Result<Walked, PipelineError> {
    let key = read_or_make(job)?;
    let secret = key.as_ref().map_or(Secret([0; 32]), |key| key.secret.clone());
    let algorithm = algorithm(job.policy(), &secret)?;
    let models = models(job)?;
    let Loaded { read, bound, source_rows } =
        timed(&mut seconds.read, || load_from(job, &job.source()?, progress))?;
    let Anonymized { working, recoding, account, mut notes } =
        timed(&mut seconds.anonymize, || match history.reuse_classes {
            false => anonymize(job, &bound, &source_rows, algorithm.as_ref(), progress),
            true => {
                let kept = Kept::of(job, &read.table, &bound, &history.previous)?;
                let (working, recoding, notes) = kept.recode(job, &bound, algorithm.as_ref(), progress)?;
                Ok(Anonymized { working, recoding, account: None, notes })
            }
        })?;
    let clusters = recoding.classes.len();
    let suppressed = recoding.suppressed();

    let origin = timed(&mut seconds.write, || {
        progress.stage("writing", 0);
        let Composed { published, origin } =
            compose(job.policy(), &read.table, &source_rows, &working, &recoding);
        shoal_io::write_table(pending, &published, &write_options(job, &published))?;
        pending.finish()?;
        Ok(origin)
    })?;
    drop((working, recoding));

    let (published, proof) = timed(&mut seconds.verify, || {
        progress.stage("verifying", 0);
        let published = read_back(job, pending)?;
        let claim = TableClaim {
            sha256: published.sha256,
            published: &published.table,
            original: &bound.table,
            origin: &origin,
            left_out: bound.table.rows - origin.len(),
            suppression: suppression_limit(job, bound.incomplete.len()),
            order: record_order(job),
        };
        let proof = verify_table(claim, &models)?;
        Ok((published.table, proof))
    })?;
    let people = Identity::of(job, &read.table);
    let classes = class_files(job, &published, proof.classes(), &people, &origin, &history.key);
    let mut leaks = of_table(job, &published, proof.classes());
    leaks.extend(of_names(job, &read.table));
    let current = Current {
        job,
        raw: &read.table,
        original: &bound.table,
        origin: &origin,
        class_of: &proof.classes().class_of,
        classes: &classes,
    };
    let mut together = 0.0;
    leaks.extend(timed(&mut together, || {
        if !history.previous.is_empty() {
            progress.stage("comparing with earlier releases", 0);
        }
        history.tell(&current, proof.release().sha256())
    })?);
    seconds.verify += together;
    let measures = timed(&mut seconds.measure, || {
        progress.stage("measuring", 0);
        take_measures(job, &bound.table, &published, &origin, proof.classes())
    })?;

    if account.as_ref().is_some_and(Account::is_by_cuts) {
        let why = "too many different names without a hierarchy for ribbon: mondrian made the classes, without rounds";
        notes.push(format!("{why} and with everybody; a hierarchy for these columns would help"));
    }
    notes.extend(key.as_ref().map(|key| key.note.to_owned()));
    if let (Some(person), Some(crowds)) = (&job.policy().data.person, proof.people()) {
        notes.push(format!(
            "promises and risks count people, not records: `{person}` says whose each is, and {} records belong to {} people",
            published.rows,
            crowds.people()
        ));
    }
    if !bound.incomplete.is_empty() {
        notes.push(format!("{} records left out because a value is missing", bound.incomplete.len()));
    }
    Ok(Walked {
        input_sha256: read.sha256,
        algorithm: algorithm.name(),
        records_in: bound.table.rows,
        records_out: published.rows,
        records_suppressed: suppressed,
        clusters,
        classes: proof.classes().len(),
        loss: Loss::Table(measures.loss),
        risk: Risk::Table(measures.risk),
        recoding: RecodingFile::Table {
            quasi_identifiers: quasi_columns(job, &published).iter().map(|c| c.name.clone()).collect(),
            known_by: people.columns,
            classes,
        },
        notes,
        leaks: leaks.into_iter().chain(bound.leaks).collect(),
        work: None,
        account,
        secret_key: key.as_ref().map(TableKey::hex),
        proof: proof.into_release(),
    })
}

/// What the algorithm has decided about all records.
struct Anonymized<'a> {
    /// The table that the recoding speaks of: where the algorithm needs them, with hierarchies that were built.
    working: Cow<'a, Table>,
    recoding: TableRecoding,
    /// What the algorithm says about its way there.
    account: Option<Account>,
    notes: Vec<String>,
}

/// Runs the algorithm on the complete records. The recoding speaks of all of them.
fn anonymize<'a>(
    job: &Job,
    bound: &'a Bound,
    source_rows: &[u32],
    algorithm: &dyn TableAlgorithm,
    progress: &dyn Progress,
) -> Result<Anonymized<'a>, PipelineError> {
    let (working, notes) = if algorithm.needs_hierarchies() {
        with_hierarchies(&bound.table)?
    } else {
        (Cow::Borrowed(&bound.table), Vec::new())
    };
    let working = with_alike_merged(job.policy(), working);
    let deadline = Deadline::after(job.policy().algorithm.seconds, progress);
    let (mut recoding, account) = match bound.complete_rows() {
        None => algorithm.tell(&working, &deadline).map_err(|error| error.with_records(source_rows))?,
        Some(complete) => {
            let (part, account) = algorithm
                .tell(&working.select(&complete), &deadline)
                // A person looks for the record in the source: by its row there.
                .map_err(|error| error.with_records(&reordered_codes(source_rows, &complete)))?;
            let mut class_of = vec![SUPPRESSED; working.rows];
            for (&row, &class) in complete.iter().zip(&part.class_of) {
                class_of[row as usize] = class;
            }
            (TableRecoding { class_of, classes: part.classes }, account)
        }
    };
    if job.policy().output.suppressed == SuppressedPolicy::Star {
        star_suppression(&mut recoding, &working, &job.policy().table_promise())?;
    }
    Ok(Anonymized { working, recoding, account, notes })
}

/// How a published table is written in the dialect of the policy.
pub(crate) fn write_options(job: &Job, published: &RawTable) -> WriteOptions {
    let policy = job.policy();
    let form = |name: &String| match policy.columns.get(name).map(|c| c.role) {
        Some(Role::Sensitive | Role::Insensitive) => ColumnForm::Typed,
        _ => ColumnForm::Text,
    };
    WriteOptions {
        separator: policy.data.separator().bytes().next().unwrap_or(b','),
        columns: published.columns.iter().map(|c| form(&c.name)).collect(),
    }
}

/// The written bytes, read as anybody would read them.
pub(crate) fn read_back(job: &Job, pending: &PendingFile) -> Result<ReadTable, PipelineError> {
    Ok(shoal_io::read_table(&pending.source(job.published_dialect()?), &|_| true, &shoal_core::Silent)?)
}

/// What the classes of the published file say, and about whom.
fn class_files(
    job: &Job,
    published: &RawTable,
    classes: &Classes,
    people: &Identity,
    origin: &[u32],
    key: &Key,
) -> Vec<ClassFile> {
    let quasi = quasi_columns(job, published);
    let sensitive: Vec<&RawColumn> = job
        .policy()
        .columns_of(Role::Sensitive)
        .into_iter()
        .filter_map(|name| published.column(name))
        .collect();
    let cells = |row: u32| quasi.iter().map(|c| c.text(row as usize).to_owned()).collect();
    let class = |(&row, &size): (&u32, &u32)| ClassFile {
        cells: cells(row),
        size,
        values: sensitive.iter().map(|column| (column.name.clone(), IndexMap::new())).collect(),
        people: Vec::with_capacity(size as usize),
    };
    let mut files: Vec<ClassFile> = classes.first_rows().iter().zip(&classes.sizes).map(class).collect();
    let hashes: Vec<String> = people.texts.iter().map(|text| person_hash(key, text)).collect();
    for (row, &class) in classes.class_of.iter().enumerate() {
        let file = &mut files[class as usize];
        for (column, counts) in sensitive.iter().zip(file.values.values_mut()) {
            *counts.entry(column.text(row).to_owned()).or_insert(0) += 1;
        }
        file.people.push(hashes[people.person_of[origin[row] as usize] as usize].clone());
    }
    // Sorted, so that the place of a hash does not tell whose row is whose.
    for file in &mut files {
        file.people.sort_unstable();
        file.values.values_mut().for_each(IndexMap::sort_keys);
    }
    files
}

/// The quasi-identifiers of a published file.
pub(crate) fn quasi_columns<'a>(job: &Job, published: &'a RawTable) -> Vec<&'a RawColumn> {
    let is_quasi = |c: &&RawColumn| job.policy().columns[&c.name].role == Role::QuasiIdentifier;
    published.columns.iter().filter(is_quasi).collect()
}

/// Checks that columns that nobody anonymizes are published as they were, in the claimed order.
pub(crate) fn check_untouched(
    job: &Job,
    before: &RawTable,
    after: &RawTable,
    origin: &[u32],
) -> Result<(), PipelineError> {
    let original = bind(job, before)?.table;
    let left_out = before.rows - origin.len();
    Ok(shoal_privacy::table::conservation::check(&original, after, origin, left_out)
        .map_err(Refusal::TableConservation)?)
}
