//! How certain it is which people the rows of a published file belong to, where its promises count people.
//!
//! A row may be true of several people's records, and of all ways to assign them one is looked at. An audit says who is in which
//! class, so that the way is found that has these people there; without it, a broken promise is one only where
//! no other way could keep it.

use shoal_core::{Progress, RawTable};
use shoal_io::ReadTable;
use shoal_privacy::matching::{MembershipUse, NoOrigin, Origins, PeopleOrigins, match_people, match_table};
use shoal_privacy::{BrokenPromise, Promise, Refusal, TableModel, TableVerdict, Unverifiable};

use super::releases::membership;
use crate::columns::Bound;
use crate::leaks::{Leak, LeakKind};
use crate::{PipelineError, Request};

/// How sure the origins of a file are, in terms of people.
#[derive(Debug)]
pub(crate) struct Whose {
    /// The column that names people.
    person: String,
    only_one: bool,
    crowd_at_most: Option<u32>,
    membership: MembershipUse,
}

/// Looks for the origins of a file; where promises count people, with the help of its audit, and with how sure they are.
pub(crate) fn find_origins(
    request: &Request,
    raw: &RawTable,
    bound: &Bound,
    published: &ReadTable,
    progress: &dyn Progress,
) -> Result<(Origins, Option<Whose>), NoOrigin> {
    let person = request.policy().data.person.as_ref();
    let column = person.and_then(|name| bound.table.columns.iter().find(|column| column.name == *name));
    let Some(column) = column else {
        return Ok((match_table(&bound.table, &published.table, &bound.incomplete, progress)?, None));
    };
    // An audit of another file knows nothing about this one.
    let audit = request.audit_of(&published.sha256);
    let known = audit.and_then(|audit| membership(audit, raw, &published.table));
    let PeopleOrigins { origins, only_one, crowd_at_most, membership } = match_people(
        &bound.table,
        &published.table,
        &bound.incomplete,
        &column.codes,
        known.as_ref(),
        progress,
    )?;
    let person = column.name.clone();
    Ok((origins, Some(Whose { person, only_one, crowd_at_most, membership })))
}

impl Whose {
    /// An error where promises are broken for the origins that were found and may be kept by others. `by_records` is what
    /// the file alone shows.
    pub(crate) fn check_broken(
        &self,
        by_records: &TableVerdict,
        broken: &[BrokenPromise],
    ) -> Result<(), PipelineError> {
        // How many records are left out does not depend on the origins that were found.
        let is_certain = |broken: &BrokenPromise| match broken.finding.promise {
            Promise::KAnonymity { k } => self.crowd_at_most.is_some_and(|people| people < k),
            Promise::MaxSuppressed { .. } => true,
            Promise::PersonalK
            | Promise::Values(_)
            | Promise::Itemsets { .. }
            | Promise::Complete { .. }
            | Promise::Constraints { .. }
            | Promise::Confidence { .. }
            | Promise::Knowledge { .. }
            | Promise::LDiversity { .. }
            | Promise::WellFormedLines
            | Promise::OrderOfValues
            | Promise::SetsOfTheDesign
            | Promise::PlacesForMembers
            | Promise::DifferentMembers => false,
        };
        if self.only_one || !by_records.holds() || broken.iter().any(is_certain) {
            return Ok(());
        }
        self.check_audit(by_records)?;
        let column = self.person.clone();
        Err(Refusal::Unverifiable(Unverifiable::SeveralOrigins { column }).into())
    }

    /// An error where the audit says what cannot be: nothing is kept for sure then.
    pub(crate) fn check_audit(&self, by_records: &TableVerdict) -> Result<(), PipelineError> {
        match self.membership {
            MembershipUse::Contradicted if by_records.holds() => {
                Err(Refusal::Unverifiable(Unverifiable::AuditContradicted).into())
            }
            _ => Ok(()),
        }
    }

    /// Whether everybody who is in a class is in it by every assignment that fits, or by the audit.
    pub(crate) fn knows_people(&self) -> bool {
        self.only_one || self.membership == MembershipUse::Followed
    }

    /// Whether it is also certain which value is whose.
    pub(crate) fn knows_values(&self) -> bool {
        self.only_one
    }

    /// What a reader should know of a promise that was counted for one assignment of several.
    pub(crate) fn unsure(self, models: &[Box<dyn TableModel>]) -> Option<Leak> {
        let followed = self.membership == MembershipUse::Followed;
        // Who is in a class decides about k; whose value is whose, about the others.
        if self.only_one
            || followed && models.iter().all(|model| matches!(model.promise(), Promise::KAnonymity { .. }))
        {
            return None;
        }
        Some(LeakKind::OneAssignment { by_audit: followed }.of_column(self.person))
    }
}
