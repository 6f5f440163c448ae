//! The adversary of a published table, with what the publisher knows to measure its success by.

use shoal_core::Progress;
use shoal_measure::table::attack::{TableTarget, attack_table};
use shoal_privacy::matching::Certainty;

use super::load::{Loaded, load_from};
use super::releases::returning;
use super::verbs::find_origins;
use crate::attack::Attacked;
use crate::columns::read_published;
use crate::{Audit, EarlierSource, PipelineError, ReleaseKey, Request, Source};

/// What is said where rows cannot be given to records.
const NO_ORIGIN: &str = "no assignment of rows to records is true of every row, so the file is not true of this original; \
                         `shoal verify --original` says where";

/// Plays the adversary against a table, alone and together with earlier releases of the same people.
pub(crate) fn attack(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    earlier: &mut [EarlierSource],
    progress: &dyn Progress,
) -> Result<Attacked, PipelineError> {
    let Loaded { read, bound, source_rows } =
        load_from(request, &ReleaseKey::UNPUBLISHED, original, progress)?;
    let release = read_published(request, published, progress)?;
    let mut before = Vec::new();
    for earlier in earlier.iter_mut() {
        let read = read_published(request, earlier.data.as_mut(), progress)?;
        earlier.check_data(&read.sha256.into())?;
        before.push(read.table);
    }
    progress.stage("matching", 0);
    // Whose row is whose is not the adversary's knowledge but the publisher's, to count people and to measure success by.
    let found = find_origins(request, &read.table, &bound, &release, progress);
    let (origins, certainty) = match &found {
        Ok((origins, certainty)) => (Some(origins), certainty.as_ref()),
        Err(_) => (None, None),
    };
    let promise = request.promise_of_table();
    // Who is in which release is known where all of them have an audit.
    let audits: Option<Vec<&Audit>> = earlier.iter().map(|earlier| earlier.audit.as_ref()).collect();
    let returning = match audits.filter(|audits| !audits.is_empty()) {
        None => None,
        Some(audits) => Some(returning(request, &read.table, &audits, request.audit_of(&release.sha256))?),
    };
    let target = TableTarget {
        original: &bound.table,
        source_rows: &source_rows,
        published: &release.table,
        earlier: &before,
        returning: returning.as_deref(),
        promise: &promise,
        knows_all_rows: request.policy().knows_all_rows(),
        missing: &request.policy().data.missing_texts(),
        origin: origins.map(|origins| origins.origin.as_slice()),
        people_are_certain: certainty.is_some_and(Certainty::knows_people),
        values_are_certain: certainty.is_none_or(Certainty::knows_values),
    };
    let mut attacks = attack_table(&target, progress);
    if found.is_err() {
        attacks.notes.push(NO_ORIGIN.to_owned());
    }
    Ok(Attacked {
        original: original.name(),
        published: published.name(),
        records_in: bound.table.rows,
        records_out: release.table.rows,
        attacks,
    })
}
