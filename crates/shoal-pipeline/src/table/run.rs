//! A run on a table: read, anonymize, stage, verify what was staged, measure.

use std::borrow::Cow;

use shoal_algorithms::Anonymized;
use shoal_algorithms::table::{TableAlgorithm, star_suppression};
use shoal_core::policy::Shape;
use shoal_core::{Progress, SUPPRESSED, Table, TableRecoding};
use shoal_measure::table::attack::{TableTarget, attack_table};
use shoal_privacy::{ReadBack, TableClaim, VerifiedTable, verify_table};

use super::algorithm::algorithm;
use super::compose::compose;
use super::load::{Loaded, load_from};
use super::models::{models, suppression_limit};
use super::person::{forbidden_by_preset, take_measures};
use super::population::check_population;
use super::releases::{Constructed, Data, Identity, Linked, NewRelease, check, construct, has_atoms};
use crate::attack::attack_in_run;
use crate::audit::RecodingFile;
use crate::columns::{
    Bound, Composed, EarlierTexts, read_table_back, reordered_codes, stage_table, with_alike_merged,
    with_hierarchies,
};
use crate::deadline::Deadline;
use crate::leaks::of_names;
use crate::report::html::{HouseFacts, Published};
use crate::report::{Counts, Loss, Outgoing, Risk};
use crate::run::{Draft, Keys, digests, timed};
use crate::{PipelineError, Report, Request, Seconds, Sink, Source};

/// What comes back may be published. `keys` are the secrets of the release.
pub(crate) fn run<K: Sink>(
    request: &Request,
    keys: &Keys,
    from: &mut dyn Source,
    to: &mut K,
    seconds: &mut Seconds,
    progress: &dyn Progress,
) -> Result<Draft<K::Staged>, PipelineError> {
    let algorithm = algorithm(request, &keys.release)?;
    let models = models(request)?;
    let Loaded { read, bound, source_rows } =
        timed(&mut seconds.read, || load_from(request, &keys.release, from, progress))?;
    match forbidden_by_preset(request, &read.table) {
        findings if findings.is_empty() => {}
        findings => return Err(PipelineError::SafeHarbor { findings }),
    }
    check_population(request, &bound.table)?;
    let linked = Linked::of(request, &read.table)?;
    let Recoded { working, anonymized: Anonymized { recoding, trace }, texts, mut notes } =
        timed(&mut seconds.anonymize, || {
            let data =
                Data { request, raw: &read.table, source_rows: &source_rows, bound: &bound, linked: &linked };
            if has_atoms(&data) {
                let made = construct(&data, &keys.release, algorithm.as_ref(), progress)?;
                let Constructed { working, recoding, texts, notes } = made;
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
            order: request.record_order(),
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
    let mut leaks = of_names(request, &read.table);
    let mut together = 0.0;
    leaks.extend(timed(&mut together, || {
        if !linked.earlier.is_empty() {
            progress.stage("comparing with earlier releases", 0);
        }
        check(request, &bound.table, &linked, &NewRelease { published: &published, origin: &origin })
    })?);
    seconds.verify += together;
    let sha256 = release.certificate().sha256();
    leaks.extend(request.earlier.replaced_leak(request, &read.table, &origin, sha256));
    let (outgoing, measures) = timed(&mut seconds.measure, || {
        progress.stage("measuring", 0);
        let digests = digests(release.certificate());
        let outgoing = Outgoing::of(&request.public(), Published::Table(&published), digests, progress)?;
        let measures = take_measures(request, &bound.table, &published, &origin, proof.classes(), progress)?;
        Ok((outgoing, measures))
    })?;

    if let Some(fallback) = trace.fallback {
        notes.push(format!(
            "too many different names without a hierarchy for {}: {fallback} made the classes, without rounds and with \
             everybody; a hierarchy for these columns would help",
            algorithm.name()
        ));
    }
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
    report.leaks = outgoing.leaks.iter().cloned().chain(leaks).chain(bound.leaks).collect();
    report.attacks = attack_in_run(request, report.records_in, false, seconds, || {
        let target = TableTarget {
            original: &bound.table,
            source_rows: &source_rows,
            published: &published,
            // Held against each other above, by what their audits remember.
            earlier: &[],
            returning: None,
            promise: &request.promise_of_table(),
            knows_all_rows: request.policy().knows_all_rows(),
            missing: &request.policy().data.missing_texts(),
            // Known here, and not only an assignment that could be.
            origin: Some(&origin),
            people_are_certain: true,
            values_are_certain: true,
        };
        attack_table(&target, progress)
    })?;
    let house = request.pages.then(|| {
        progress.check();
        HouseFacts::of_columns(&read.table, &bound.table, &published, &origin, Some(&source_rows))
    });
    let people = Identity::of(request, &read.table);
    Ok(Draft {
        release,
        report,
        outgoing,
        input_sha256: read.sha256,
        people: Some(people.of_records(&keys.people, &origin)),
        recoding: RecodingFile { known_by: people.columns, ..RecodingFile::default() },
        trace,
        house,
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
    let working = with_alike_merged(working);
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
    if request.policy().output.keeps_suppressed() {
        star_suppression(&mut anonymized.recoding, &working, &request.policy().table_promise())?;
    }
    Ok(Recoded { working, anonymized, texts: EarlierTexts::default(), notes })
}
