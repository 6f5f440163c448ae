//! Who is in which class of a release, by its audit.

use shoal_core::{RawColumn, RawTable, Role};
use shoal_privacy::matching::Membership;
use shoal_privacy::{Classes, Remembers, people};

use crate::Audit;

/// What an audit says about the people in the classes of a published file, in terms of the original as it was read. None
/// where it cannot be read in these terms.
pub(crate) fn membership(audit: &Audit, raw: &RawTable, published: &RawTable) -> Option<Membership> {
    let known_by = &audit.recoding.known_by;
    let (texts, person_of) = people(raw, known_by).filter(|_| !known_by.is_empty())?;
    let quasi = audit.policy.columns_of(Role::QuasiIdentifier).into_iter();
    let quasi: Vec<&RawColumn> = quasi.map(|name| published.column(name)).collect::<Option<_>>()?;
    let class_of = Classes::of(published.rows, &quasi).class_of;
    Some(Membership::remembered(class_of, audit.remembered().ok()?, &texts, person_of))
}
