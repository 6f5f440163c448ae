//! The verbs that look at transactions that are already published, ours or not.

use serde::Serialize;
use shoal_core::{Progress, Transactions};
use shoal_measure::transactions::{TransactionsLoss, TransactionsRisk};
use shoal_privacy::matching::{NoOrigin, match_transactions};
use shoal_privacy::{
    GroupsError, PublishedTransactions, RecordOrder, Refusal, TransactionsClaim, TransactionsVerdict,
    Unverifiable, judge_transactions, verify_transactions_file,
};

use super::algorithm::{Prepared, hierarchy};
use super::load::{Loaded, Text, load};
use super::measures;
use super::models::{models, utility};
use crate::columns::{bind, check_untouched};
use crate::leaks::of_transactions;
use crate::{AgainstOriginal, PipelineError, ReleaseKey, Request, Source, VerifiedFile};

/// What `verify` found.
pub type TransactionsVerified = VerifiedFile<TransactionsVerdict>;

/// Does this file keep the policy's promise, and, where the original is given, is it true?
pub(crate) fn verify(
    request: &Request,
    published: &mut dyn Source,
    original: Option<&mut dyn Source>,
    progress: &dyn Progress,
) -> Result<TransactionsVerified, PipelineError> {
    let read = load(request, &ReleaseKey::UNPUBLISHED, published, Text::Published, progress)?;
    // Groups of other members are still counted as groups, so that only this notices the dictionary of another release.
    if request.audit_of(&read.sha256).is_some_and(|audit| audit.groups_sha256 != read.groups_sha256) {
        return Err(Refusal::Groups(GroupsError::NotTheReleased).into());
    }
    let rest = read.rest.as_ref().map(|(rest, _)| rest);
    let (tree, models) = (hierarchy(request), models(request)?);
    let judge = |published: &Transactions| {
        let verdict = verify_transactions_file(published, rest, tree, &models, progress);
        Ok::<_, Refusal>(verdict?.with_withheld_columns(read.withheld.clone()?))
    };
    let mut verdict = judge(&read.data)?;
    // What too few transactions hold, too few people have; that enough hold it says nothing about people, whom only the
    // original names.
    if let (true, Some(column), None) = (verdict.holds(), &request.policy().data.person, &original) {
        return Err(Refusal::Unverifiable(Unverifiable::Person { column: column.clone() }).into());
    }
    let original = match original {
        Some(original) => {
            let (found, persons) = compare(request, &read, original, progress)?;
            if let Some(persons) = persons {
                verdict = judge(&read.data.clone().with_persons(persons))?;
            }
            Some(found)
        }
        None => None,
    };
    let leaks = of_transactions(request, &read.data, read.rest.as_ref().map(|(rest, _)| rest));
    let (sha256, groups_sha256) = (read.sha256, read.groups_sha256);
    Ok(VerifiedFile { file: published.name(), sha256, groups_sha256, verdict, original, leaks })
}

/// Whether published transactions are what one recoding makes of the original, and stay as useful as the policy asks;
/// and whose each is, where the policy counts people and an origin was found. Of transactions that are published alike any
/// may be anybody's of those who have them: which people have them is the same.
fn compare(
    request: &Request,
    published: &Loaded,
    original: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<(AgainstOriginal, Option<Vec<u32>>), PipelineError> {
    let before = load(request, &ReleaseKey::UNPUBLISHED, original, Text::Original, progress)?;
    let tree = hierarchy(request);
    progress.stage("comparing", 0);
    let bound = match &before.rest {
        Some((rest, _)) => Some(bind(request, rest)?.table),
        None => None,
    };
    let rest = bound.as_ref().zip(published.rest.as_ref()).map(|(before, (after, _))| (before, after));
    let (file, records) = (&original.name(), before.data.len());
    let origins = match match_transactions(&before.data, &published.data, tree, rest, progress) {
        Ok(origins) => origins,
        // Nobody knows whose the transactions are, and the file is not true; crowds of people are not the question any more.
        Err(why) => {
            let found = AgainstOriginal::no_origin(file, records, published.data.len(), &why);
            return Ok((found, None));
        }
    };
    // People are left out only where a release was made together with earlier ones.
    let may_leave_out = request.audit_of(&published.sha256).is_some_and(|audit| !audit.previous.is_empty());
    if origins.left_out > 0 && !may_leave_out {
        let why = NoOrigin::Lost { lost: origins.left_out, originals: records };
        return Ok((AgainstOriginal::no_origin(file, records, published.data.len(), &why), None));
    }
    let found = AgainstOriginal::is_true(file, records, origins.left_out);
    if let (Some((before, _)), Some((after, _))) = (&before.rest, &published.rest) {
        check_untouched(request, before, after, &origins.origin, progress)?;
    }
    let read = PublishedTransactions {
        data: published.data.clone(),
        rest: published.rest.as_ref().map(|(rest, _)| rest.clone()),
        withheld_columns: published.withheld.clone()?,
    };
    let originals = before.data.select(&origins.origin);
    let own: Vec<u32> = (0..originals.len() as u32).collect();
    let claim = TransactionsClaim {
        original: &originals,
        hierarchy: tree,
        origin: &own,
        // The verdict says where the order may carry something; a file of others may be in any.
        order: RecordOrder::Input,
    };
    let person_of = |persons: &[u32]| origins.origin.iter().map(|&from| persons[from as usize]).collect();
    let persons = before.data.persons().map(person_of);
    let found = match judge_transactions(&read, claim, &models(request)?, &utility(request), progress) {
        // The verdict reports a broken promise; it counts people where it is known whose the transactions are.
        Ok(_) | Err(Refusal::BrokenTransactions { .. }) => found,
        Err(Refusal::Unverifiable(why)) => return Err(Refusal::Unverifiable(why).into()),
        Err(untrue) => found.because(&untrue),
    };
    Ok((found, persons))
}

/// What `measure` found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TransactionsMeasured {
    /// Transactions in the original.
    pub records_in: usize,
    /// Transactions in the published file.
    pub records_out: usize,
    /// What was lost.
    pub loss: TransactionsLoss,
    /// The smallest crowds before and after.
    pub risk: TransactionsRisk,
}

/// How much does this file lose against its original, and what does it still risk?
pub(crate) fn measure(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<TransactionsMeasured, PipelineError> {
    let before = load(request, &ReleaseKey::UNPUBLISHED, original, Text::Original, progress)?.data;
    let after = load(request, &ReleaseKey::UNPUBLISHED, published, Text::Published, progress)?.data;
    let prepared = Prepared::of(request, &before)?;
    let measures = measures::take(request, &prepared, &before, &after, progress)?;
    let (records_in, records_out) = (before.len(), after.len());
    Ok(TransactionsMeasured { records_in, records_out, loss: measures.loss, risk: measures.risk })
}
