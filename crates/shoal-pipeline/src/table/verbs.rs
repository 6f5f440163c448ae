//! The verbs that look at a file that is already published, ours or not.

use serde::Serialize;
use shoal_core::policy::{ColumnPolicy, OutliersPolicy, RemainderPolicy, ShapeAlgorithm, TableAlgorithmName};
use shoal_core::{Policy, Progress, RawColumn, RawTable, Role};
use shoal_io::ReadTable;
use shoal_measure::TableMeasures;
use shoal_privacy::matching::{Certainty, NoOrigin, Origins, match_people, match_table, verify_against};
use shoal_privacy::{Classes, RecordOrder, Refusal, TableClaim, TableModel, TableVerdict};

use super::load::{Loaded, load_from};
use super::models::{models, models_of_records, suppression_limit};
use super::person::take_measures;
use super::releases::membership;
use crate::columns::{Bound, quasi_columns, read_published};
use crate::leaks::{LeakKind, left_out, of_table};
use crate::{AgainstOriginal, Leak, PipelineError, ReleaseKey, Request, Source, VerifiedFile};

/// What `verify` found.
pub type TableVerified = VerifiedFile<TableVerdict>;

/// Does this file keep the policy's promise, and, where the original is given, is it true?
pub(crate) fn verify(
    request: &Request,
    published: &mut dyn Source,
    original: Option<&mut dyn Source>,
    progress: &dyn Progress,
) -> Result<TableVerified, PipelineError> {
    let read = read_published(request, published, progress)?;
    let models = models(request)?;
    let mut leaks =
        of_table(request, &read.table, &Classes::of(read.table.rows, &quasi_columns(request, &read.table)));
    let (verdict, original) = match original {
        None => (judge(request, &read.table, &models, role, progress)?, None),
        Some(original) => {
            let Compared { verdict, found, unsure } = compare(request, &read, original, &models, progress)?;
            leaks.extend(unsure);
            (verdict, Some(found))
        }
    };
    leaks.extend(
        original.as_ref().and_then(|found| left_out(request.policy(), found.left_out, found.records)),
    );
    Ok(VerifiedFile {
        file: published.name(),
        sha256: read.sha256,
        groups_sha256: None,
        verdict,
        original,
        leaks,
    })
}

/// The promises that can be seen in the file alone.
fn judge(
    request: &Request,
    published: &RawTable,
    models: &[Box<dyn TableModel>],
    role: impl Fn(&ColumnPolicy) -> Role,
    progress: &dyn Progress,
) -> Result<TableVerdict, PipelineError> {
    let roles: Vec<(&str, Role)> =
        request.policy().columns.iter().map(|(n, c)| (n.as_str(), role(c))).collect();
    Ok(shoal_privacy::verify_table_file(published, &roles, models, progress)
        .map_err(Refusal::Unverifiable)?)
}

fn role(column: &ColumnPolicy) -> Role {
    column.role
}

/// A personal k is a promise that the file alone cannot show; with the original it is asked for there.
fn role_without_personal_k(column: &ColumnPolicy) -> Role {
    if column.role == Role::PersonalK { Role::Identifier } else { column.role }
}

/// Looks for the origins of a file; where promises count people, with the help of its audit, and with how sure they are.
pub(super) fn find_origins(
    request: &Request,
    raw: &RawTable,
    bound: &Bound,
    published: &ReadTable,
    progress: &dyn Progress,
) -> Result<(Origins, Option<Certainty>), NoOrigin> {
    let (original, file) = (&bound.table, &published.table);
    let person = request.policy().data.person.as_ref();
    let Some(column) = person.and_then(|name| original.columns.iter().find(|column| column.name == *name))
    else {
        return Ok((match_table(original, file, &bound.incomplete, progress)?, None));
    };
    // An audit of another file knows nothing about this one.
    let known = request.audit_of(&published.sha256).and_then(|audit| membership(audit, raw, file));
    let found = match_people(original, file, &bound.incomplete, &column.codes, known.as_ref(), progress)?;
    Ok((found.origins, Some(found.certainty)))
}

/// What a comparison with the original found.
struct Compared {
    verdict: TableVerdict,
    found: AgainstOriginal,
    /// Why the verdict may be about other people than those of the file.
    unsure: Option<Leak>,
}

/// The promises, those included that only the original can show, and whether the file is true of it.
fn compare(
    request: &Request,
    published: &ReadTable,
    original: &mut dyn Source,
    models: &[Box<dyn TableModel>],
    progress: &dyn Progress,
) -> Result<Compared, PipelineError> {
    let Loaded { read, bound, .. } = load_from(request, &ReleaseKey::UNPUBLISHED, original, progress)?;
    let (file, records) = (&original.name(), bound.table.rows);
    progress.stage("comparing", 0);
    // The file alone shows promises about records; promises about people need the origins of its rows.
    let verdict =
        judge(request, &published.table, &models_of_records(request)?, role_without_personal_k, progress)?;
    let (origins, certainty) = match find_origins(request, &read.table, &bound, published, progress) {
        Ok(found) => found,
        Err(why) => {
            let found = AgainstOriginal::no_origin(file, records, published.table.rows, &why);
            return Ok(Compared { verdict, found, unsure: None });
        }
    };
    let claim = TableClaim {
        original: &bound.table,
        origin: &origins.origin,
        left_out: origins.left_out,
        suppression: suppression_limit(request, bound.incomplete.len()),
        // The verdict says where the order may carry something; a file of others may be in any.
        order: RecordOrder::Input,
    };
    let mut found = AgainstOriginal::is_true(file, records, origins.left_out);
    let person = request.policy().data.person.as_deref().zip(certainty.as_ref());
    let (verdict, untrue) = verify_against(&published.table, claim, person, verdict, models, progress)?;
    if let Some(untrue) = untrue {
        found = found.because(&untrue);
    }
    let missing = origins.left_out.saturating_sub(bound.incomplete.len());
    let reused_classes = request.audit_of(&published.sha256).is_some_and(|audit| audit.reused_classes);
    // Classes that were kept may have become too small; no policy says so, the audit of that very file does.
    if missing > 0 && !may_leave_out(request.policy()) && !reused_classes {
        let left_out = format!(
            "{missing} records are not in the file, though the policy leaves nobody out; if it was made with --previous, \
             which may, give its audit.json as the policy"
        );
        found = found.because(&left_out);
    }
    let unsure = person.filter(|(_, certainty)| certainty.is_unsure(models));
    let unsure =
        unsure.map(|(name, of)| LeakKind::OneAssignment { by_audit: of.knows_people() }.of_column(name));
    Ok(Compared { verdict, found, unsure })
}

/// Whether a run of the policy may leave complete records out of the file. A limit, where there is one, is a promise.
fn may_leave_out(policy: &Policy) -> bool {
    let asked = &policy.algorithm;
    // People whose rows are too many to be hidden with all of them.
    policy.knows_all_rows()
        || !policy.output.keeps_suppressed()
            && match policy.algorithm_name().by_shape() {
                ShapeAlgorithm::Table(name) => match name {
                    TableAlgorithmName::Ribbon => asked.outliers == Some(OutliersPolicy::Suppress),
                    TableAlgorithmName::Sbc => asked.remainder == Some(RemainderPolicy::Suppress),
                    TableAlgorithmName::Incognito => asked.max_suppressed.is_some_and(|share| share > 0.0),
                    // Who is published must not depend on sensitive values, so `transparent` publishes everybody.
                    TableAlgorithmName::Mondrian | TableAlgorithmName::Transparent => false,
                    // It leaves out what remains below k.
                    TableAlgorithmName::Datafly => true,
                },
                ShapeAlgorithm::Transactions(_)
                | ShapeAlgorithm::Sequences(_)
                | ShapeAlgorithm::Stream(_) => false,
            }
}

/// What `measure` found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableMeasured {
    /// Records in the original.
    pub records_in: usize,
    /// Rows in the published file.
    pub records_out: usize,
    /// Equivalence classes in the published file.
    pub classes: usize,
    /// Loss and risk.
    #[serde(flatten)]
    pub measures: TableMeasures,
}

/// How much does this file lose against its original, and what does it still risk?
pub(crate) fn measure(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<TableMeasured, PipelineError> {
    let bound = load_from(request, &ReleaseKey::UNPUBLISHED, original, progress)?.bound;
    let file = published.name();
    let release = read_published(request, published, progress)?.table;
    let quasi: Vec<&RawColumn> = bound
        .table
        .of_role(Role::QuasiIdentifier)
        .map(|column| {
            release.column(&column.name).ok_or_else(|| PipelineError::PublishedColumn {
                file: file.clone(),
                column: column.name.clone(),
            })
        })
        .collect::<Result<_, _>>()?;
    // Otherwise an exact value that is not true of anybody would count as a value without loss.
    let origins = match_table(&bound.table, &release, &bound.incomplete, progress)
        .map_err(|error| PipelineError::Untrue { file: file.clone(), error: Box::new(error) })?;
    let classes = Classes::of(release.rows, &quasi);
    let measures = take_measures(request, &bound.table, &release, &origins.origin, &classes, progress)?;
    Ok(TableMeasured {
        records_in: bound.table.rows,
        records_out: release.rows,
        classes: classes.len(),
        measures,
    })
}
