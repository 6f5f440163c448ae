//! How certain it is which people the rows of a published file belong to, where its promises count people.
//!
//! A row may be true of several people's records, and of all ways to assign them one is looked at. An audit says who is in
//! which class, so that the way is found that has these people there. Without it, a broken promise is one only where no
//! other way could keep it.

use shoal_core::{Progress, RawTable};

use super::MembershipUse;
use crate::{
    BrokenPromise, Promise, Refusal, TableClaim, TableModel, TableVerdict, Unverifiable, judge_table,
};

/// What a table that is compared with its original keeps, and why it is not true where it is not. `by_records` is what the
/// file alone shows; where promises count people, `person` is the column that names them and how sure the origins of `claim`
/// are.
pub fn verify_against(
    published: &RawTable,
    claim: TableClaim<'_>,
    person: Option<(&str, &Certainty)>,
    by_records: TableVerdict,
    models: &[Box<dyn TableModel>],
    progress: &dyn Progress,
) -> Result<(TableVerdict, Option<Refusal>), Refusal> {
    let (promises, broken) = match judge_table(published, claim, models, progress) {
        Ok(proof) => {
            person.map_or(Ok(()), |(_, certainty)| certainty.check_audit(&by_records))?;
            // Shares of people are other shares: a class may keep β for its people and not for its records.
            (proof.findings().promises().to_vec(), Vec::new())
        }
        Err(Refusal::BrokenTable { broken, promises }) => {
            person.map_or(Ok(()), |(name, of)| of.check_broken(name, &by_records, &broken))?;
            (promises, broken)
        }
        Err(undecided @ Refusal::Unverifiable(_)) => return Err(undecided),
        Err(
            untrue @ (Refusal::BrokenTransactions { .. }
            | Refusal::BrokenSequences { .. }
            | Refusal::Order(_)
            | Refusal::Pseudonym(_)
            | Refusal::Groups(_)
            | Refusal::TableConservation(_)
            | Refusal::TransactionsConservation(_)
            | Refusal::SequencesConservation(_)),
        ) => return Ok((by_records, Some(untrue))),
    };
    Ok((TableVerdict { promises, broken, ..by_records }, None))
}

/// How sure origins are, in terms of people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certainty {
    /// Whether no other assignment fits that has other people, or people with other values, in a class.
    pub only_one: bool,
    /// The fewest people that a class can have at most, whatever the assignment; none in an empty file. Where a membership
    /// was used, whatever the assignment that fits it.
    pub crowd_at_most: Option<u32>,
    /// What the membership was good for.
    pub membership: MembershipUse,
}

impl Certainty {
    /// Refuses to decide where promises are broken for the origins that were found and may be kept by others.
    fn check_broken(
        &self,
        person: &str,
        by_records: &TableVerdict,
        broken: &[BrokenPromise],
    ) -> Result<(), Refusal> {
        let is_certain = |broken: &BrokenPromise| self.is_certainly_broken(&broken.finding.promise);
        if self.only_one || !by_records.holds() || broken.iter().any(is_certain) {
            return Ok(());
        }
        self.check_audit(by_records)?;
        Err(Unverifiable::SeveralOrigins { column: person.to_owned() }.into())
    }

    /// Whether a promise that is broken for the origins that were found is so for all others.
    fn is_certainly_broken(&self, promise: &Promise) -> bool {
        match *promise {
            Promise::KAnonymity { k } => self.crowd_at_most.is_some_and(|people| people < k),
            // How many records are left out does not depend on the origins.
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
        }
    }

    /// Refuses to decide where the audit says what cannot be: nothing is kept for sure then.
    fn check_audit(&self, by_records: &TableVerdict) -> Result<(), Refusal> {
        match self.membership {
            MembershipUse::Contradicted if by_records.holds() => Err(Unverifiable::AuditContradicted.into()),
            MembershipUse::Contradicted | MembershipUse::Followed | MembershipUse::None => Ok(()),
        }
    }

    /// Whether everybody who is in a class is in it by every assignment that fits, or by the audit.
    pub fn knows_people(&self) -> bool {
        self.only_one || self.membership == MembershipUse::Followed
    }

    /// Whether it is also certain which value is whose.
    pub fn knows_values(&self) -> bool {
        self.only_one
    }

    /// Whether a promise of these models was counted for one assignment of several.
    pub fn is_unsure(&self, models: &[Box<dyn TableModel>]) -> bool {
        // Who is in a class decides about k; which value is whose, about the others.
        let mut promises = models.iter().map(|model| model.promise());
        let is_of_sizes = |promise| matches!(promise, Promise::KAnonymity { .. });
        !(self.knows_values() || self.knows_people() && promises.all(is_of_sizes))
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::{Condition, DateFormat, Figure, Kind, MissingTexts, Rule, ValueParser};

    use super::*;
    use crate::{Finding, KAnonymity, SensitiveColumn, Violations};

    const UNSURE: Certainty =
        Certainty { only_one: false, crowd_at_most: Some(4), membership: MembershipUse::None };

    fn finding(promise: Promise, holds: bool) -> Finding {
        Finding { promise, column: None, found: Figure::Nothing, holds }
    }

    fn broken(promise: Promise) -> BrokenPromise {
        let violations = Violations { total: 1, worst: Vec::new(), all: Vec::new() };
        BrokenPromise { finding: finding(promise, false), violations }
    }

    fn verdict(holds: bool) -> TableVerdict {
        let promise = Promise::KAnonymity { k: 2 };
        let broken = if holds { Vec::new() } else { vec![broken(promise.clone())] };
        let promises = vec![finding(promise, holds)];
        TableVerdict {
            records: 9,
            classes: 2,
            promises,
            broken,
            withheld_columns: Vec::new(),
            out_of_order: None,
        }
    }

    #[test]
    fn a_promise_is_broken_only_where_no_assignment_could_keep_it() {
        let undecided = |certainty: &Certainty, by_records, promise| {
            certainty.check_broken("id", &verdict(by_records), &[broken(promise)]).err()
        };
        let several = Some(Unverifiable::SeveralOrigins { column: "id".to_owned() }.into());
        let distinct = Promise::Values(Rule::Distinct { l: 2 });
        // Nobody can be sure of four people or fewer where at most four can be there.
        assert_eq!(undecided(&UNSURE, true, Promise::KAnonymity { k: 4 }), several);
        assert_eq!(undecided(&UNSURE, true, Promise::KAnonymity { k: 5 }), None);
        assert_eq!(undecided(&UNSURE, true, distinct.clone()), several);
        assert_eq!(undecided(&UNSURE, true, Promise::MaxSuppressed { share: 0.1 }), None);
        assert_eq!(undecided(&UNSURE, false, distinct.clone()), None);
        assert_eq!(undecided(&Certainty { only_one: true, ..UNSURE }, true, distinct.clone()), None);
        let contradicted = Certainty { membership: MembershipUse::Contradicted, ..UNSURE };
        assert_eq!(undecided(&contradicted, true, distinct), Some(Unverifiable::AuditContradicted.into()));
        assert!(contradicted.check_audit(&verdict(true)).is_err());
        assert!(contradicted.check_audit(&verdict(false)).is_ok());
        assert!(UNSURE.check_audit(&verdict(true)).is_ok());
    }

    #[test]
    fn an_audit_says_who_is_in_a_class_and_not_with_which_value() {
        let crowds = || Box::new(KAnonymity::new(2).unwrap()) as Box<dyn TableModel>;
        let parser = ValueParser::new(Kind::Text, DateFormat::default());
        let ground = SensitiveColumn { parser, missing: MissingTexts::default(), hierarchy: None };
        let condition = Condition { column: "ill".to_owned(), rule: Rule::Distinct { l: 2 } };
        let values = crate::table::model(&condition, ground).unwrap();
        let followed = Certainty { membership: MembershipUse::Followed, ..UNSURE };
        let only = Certainty { only_one: true, ..UNSURE };
        let both = [crowds(), values];
        assert_eq!([&UNSURE, &followed, &only].map(|c| c.is_unsure(&[crowds()])), [true, false, false]);
        assert_eq!([&UNSURE, &followed, &only].map(|c| c.is_unsure(&both)), [true, true, false]);
        assert_eq!([&UNSURE, &followed, &only].map(Certainty::knows_people), [false, true, true]);
        assert_eq!([&UNSURE, &followed, &only].map(Certainty::knows_values), [false, false, true]);
    }
}
