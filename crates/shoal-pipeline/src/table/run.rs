//! A run on a table: read, anonymize, stage, verify what was staged, measure.

use std::borrow::Cow;

use indexmap::IndexMap;
use rayon::prelude::*;
use shoal_algorithms::Anonymized;
use shoal_algorithms::table::transparent::Secret;
use shoal_algorithms::table::{TableAlgorithm, star_suppression};
use shoal_core::policy::{Shape, SuppressedPolicy};
use shoal_core::{Progress, RawColumn, RawTable, Role, SUPPRESSED, Table, TableRecoding};
use shoal_measure::table::attack::{TableTarget, attack_table};
use shoal_privacy::{Classes, ReadBack, TableClaim, VerifiedTable, verify_table};

use super::algorithm::algorithm;
use super::compose::compose;
use super::load::{Loaded, load_from};
use super::models::{models, suppression_limit};
use super::person::take_measures;
use super::population::check_population;
use super::releases::{Applied, Current, Identity, Kept, person_hash};
use super::safe_harbor;
use super::transparent_key::table_key;
use crate::attack::attack_in_run;
use crate::audit::{ClassFile, Key, RecodingFile};
use crate::columns::{
    Bound, Composed, EarlierTexts, quasi_columns, read_table_back, reordered_codes, stage_table,
    with_alike_merged, with_hierarchies,
};
use crate::deadline::Deadline;
use crate::leaks::{of_names, of_table};
use crate::order::record_order;
use crate::report::html::{HouseFacts, Published, PublishedFacts};
use crate::report::{Counts, Loss, Risk};
use crate::run::{Draft, PageFacts, timed};
use crate::{PipelineError, Report, Request, Seconds, Sink, Source, TableKey};

/// What comes back may be published. `release_key` is the key by which the release remembers its people.
pub(crate) fn run<K: Sink>(
    request: &Request,
    release_key: &Key,
    from: &mut dyn Source,
    to: &mut K,
    seconds: &mut Seconds,
    progress: &dyn Progress,
) -> Result<Draft<K::Staged>, PipelineError> {
    let key = table_key(request)?;
    let secret = key.as_ref().map_or(Secret([0; 32]), |key| key.secret.clone());
    let algorithm = algorithm(request, &secret)?;
    let models = models(request)?;
    let Loaded { read, bound, source_rows } =
        timed(&mut seconds.read, || load_from(request, from, progress))?;
    safe_harbor::refuse(request, &read.table)?;
    check_population(request, &bound.table)?;
    let Recoded { working, anonymized: Anonymized { recoding, trace }, texts, mut notes } =
        timed(&mut seconds.anonymize, || {
            if request.earlier.applied {
                let applied = Applied::of(request, &read.table, &bound, algorithm.as_ref())?;
                let (working, recoding, texts, notes) = applied.recode(algorithm.as_ref(), progress)?;
                return Ok(Recoded { working, anonymized: recoding.into(), texts, notes });
            }
            if request.earlier.reuse_classes {
                let kept = Kept::of(request, &read.table, &bound, &request.earlier.previous)?;
                let (working, recoding, notes) =
                    kept.recode(request, &bound, algorithm.as_ref(), progress)?;
                let texts = EarlierTexts::default();
                return Ok(Recoded { working, anonymized: recoding.into(), texts, notes });
            }
            anonymize(request, &bound, &source_rows, algorithm.as_ref(), progress)
        })?;
    let clusters = recoding.classes.len();
    let suppressed = recoding.suppressed();

    let (staged, origin) = timed(&mut seconds.write, || {
        progress.stage("writing", 0);
        let Composed { published, origin } =
            compose(request.policy(), &read.table, &source_rows, &working, &recoding, &texts);
        progress.check();
        Ok((stage_table(request, to, &published, progress)?, origin))
    })?;
    drop((working, recoding));

    let verified = timed(&mut seconds.verify, || {
        progress.stage("verifying", 0);
        let claim = TableClaim {
            original: &bound.table,
            origin: &origin,
            left_out: bound.table.rows - origin.len(),
            suppression: suppression_limit(request, bound.incomplete.len()),
            order: record_order(request),
        };
        Ok(verify_table(
            ReadBack::of(staged, |staged| read_table_back(request, staged, progress))?,
            claim,
            &models,
            progress,
        )?)
    })?;
    let VerifiedTable { release, published, findings: proof } = verified;
    progress.check();
    let people = Identity::of(request, &read.table);
    let classes = class_files(request, &published, proof.classes(), &people, &origin, release_key);
    progress.check();
    let mut leaks = of_table(request, &published, proof.classes());
    progress.check();
    leaks.extend(of_names(request, &read.table));
    let current = Current {
        request,
        raw: &read.table,
        original: &bound.table,
        origin: &origin,
        class_of: &proof.classes().class_of,
        classes: &classes,
    };
    let mut together = 0.0;
    leaks.extend(timed(&mut together, || {
        if !request.earlier.previous.is_empty() {
            progress.stage("comparing with earlier releases", 0);
        }
        request.earlier.leaks(&current, release.certificate().sha256())
    })?);
    seconds.verify += together;
    let measures = timed(&mut seconds.measure, || {
        progress.stage("measuring", 0);
        take_measures(request, &bound.table, &published, &origin, proof.classes(), progress)
    })?;

    if let Some(fallback) = trace.fallback {
        notes.push(format!(
            "too many different names without a hierarchy for {}: {fallback} made the classes, without rounds and with \
             everybody; a hierarchy for these columns would help",
            algorithm.name()
        ));
    }
    notes.extend(key.as_ref().map(|key| key.note.to_owned()));
    if let (Some(person), Some(crowds)) = (&request.policy().data.person, proof.people()) {
        notes.push(format!(
            "promises and risks count people, not records: `{person}` says whose each is, and {} records belong to {} people",
            published.rows,
            crowds.people()
        ));
    }
    if !bound.incomplete.is_empty() {
        notes.push(format!("{} records left out because a value is missing", bound.incomplete.len()));
    }
    let counts = Counts {
        records_in: bound.table.rows,
        records_out: published.rows,
        records_suppressed: suppressed,
        clusters,
        classes: proof.classes().len(),
    };
    let (loss, risk) = (Loss::Table(measures.loss), Risk::Table(measures.risk));
    let mut report = Report::new(Shape::Table, algorithm.name(), release.certificate(), counts, loss, risk);
    report.notes = notes;
    report.leaks = leaks.into_iter().chain(bound.leaks).collect();
    report.attacks = attack_in_run(request, report.records_in, false, seconds, || {
        let target = TableTarget {
            original: &bound.table,
            source_rows: &source_rows,
            published: &published,
            // Held against each other above, by what their audits remember.
            earlier: &[],
            returning: None,
            promise: &request.promise_of_table(),
            missing: &request.policy().data.missing,
            // Known here, and not only an assignment that could be.
            origin: Some(&origin),
            people_are_certain: true,
            values_are_certain: true,
        };
        attack_table(&target, progress)
    })?;
    let pages = request.pages.then(|| {
        progress.check();
        PageFacts {
            published: PublishedFacts::of(&report.outgoing(), Published::Table(&published)),
            house: HouseFacts::of_columns(&read.table, &bound.table, &published, &origin, Some(&source_rows)),
        }
    });
    Ok(Draft {
        release,
        report,
        input_sha256: read.sha256,
        recoding: RecodingFile::Table {
            quasi_identifiers: quasi_columns(request, &published).iter().map(|c| c.name.clone()).collect(),
            known_by: people.columns,
            classes,
        },
        trace,
        secret_key: key.as_ref().map(TableKey::hex),
        pages,
    })
}

/// What the algorithm has decided about all records.
struct Recoded<'a> {
    /// The table that the recoding refers to: where the algorithm needs them, with hierarchies that were built.
    working: Cow<'a, Table>,
    anonymized: Anonymized<TableRecoding>,
    /// What classes say in the words of an earlier release.
    texts: EarlierTexts,
    notes: Vec<String>,
}

/// Runs the algorithm on the complete records. The recoding is about all of them.
fn anonymize<'a>(
    request: &Request,
    bound: &'a Bound,
    source_rows: &[u32],
    algorithm: &dyn TableAlgorithm,
    progress: &dyn Progress,
) -> Result<Recoded<'a>, PipelineError> {
    let (working, notes) = if algorithm.needs_hierarchies() {
        with_hierarchies(&bound.table)?
    } else {
        (Cow::Borrowed(&bound.table), Vec::new())
    };
    let working = with_alike_merged(request.policy(), working);
    let deadline = Deadline::after(request.policy().algorithm.seconds, progress);
    let mut anonymized = match bound.complete_rows() {
        None => algorithm.anonymize(&working, &deadline).map_err(|error| error.with_records(source_rows))?,
        Some(complete) => {
            let Anonymized { recoding: part, trace } = algorithm
                .anonymize(&working.select(&complete), &deadline)
                // A person looks for the record in the source: by its row there.
                .map_err(|error| error.with_records(&reordered_codes(source_rows, &complete)))?;
            let mut class_of = vec![SUPPRESSED; working.rows];
            for (&row, &class) in complete.iter().zip(&part.class_of) {
                class_of[row as usize] = class;
            }
            Anonymized { recoding: TableRecoding { class_of, classes: part.classes }, trace }
        }
    };
    if request.policy().output.suppressed == SuppressedPolicy::Star {
        star_suppression(&mut anonymized.recoding, &working, &request.policy().table_promise())?;
    }
    Ok(Recoded { working, anonymized, texts: EarlierTexts::default(), notes })
}

/// What the classes of the published file say, and about whom.
fn class_files(
    request: &Request,
    published: &RawTable,
    classes: &Classes,
    people: &Identity,
    origin: &[u32],
    key: &Key,
) -> Vec<ClassFile> {
    let quasi = quasi_columns(request, published);
    let sensitive: Vec<&RawColumn> = request
        .policy()
        .columns_of(Role::Sensitive)
        .into_iter()
        .filter_map(|name| published.column(name))
        .collect();
    let hashes: Vec<String> = (0..people.texts.len() as u32)
        .into_par_iter()
        .map(|person| person_hash(key, people.texts.get(person)))
        .collect();
    let mut members: Vec<Vec<u32>> =
        classes.sizes.iter().map(|&size| Vec::with_capacity(size as usize)).collect();
    classes.class_of.iter().zip(0..).for_each(|(&class, row)| members[class as usize].push(row));
    let class = |members: Vec<u32>| {
        let first = members[0] as usize;
        let counted = |column: &&RawColumn| {
            let mut counts = IndexMap::new();
            for &row in &members {
                *counts.entry(column.text(row as usize).to_owned()).or_insert(0) += 1;
            }
            counts.sort_keys();
            (column.name.clone(), counts)
        };
        let hash = |&row: &u32| hashes[people.person_of[origin[row as usize] as usize] as usize].clone();
        let mut people: Vec<String> = members.iter().map(hash).collect();
        // Sorted, so that the place of a hash does not reveal whose row is whose.
        people.sort_unstable();
        ClassFile {
            cells: quasi.iter().map(|column| column.text(first).to_owned()).collect(),
            size: members.len() as u32,
            values: sensitive.iter().map(counted).collect(),
            people,
        }
    };
    members.into_par_iter().map(class).collect()
}
