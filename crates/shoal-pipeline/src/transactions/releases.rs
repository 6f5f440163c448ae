//! A release of transactions, attacked together with earlier ones.

use std::collections::HashMap;

use shoal_core::{Progress, Transactions};
use shoal_measure::transactions::attack::{
    EarlierTransactions, TransactionsTarget, attack_transactions_together,
};

use super::algorithm::Prepared;
use super::load::Loaded;
use crate::audit::{PERSON, RecodingFile};
use crate::cohorts::{Cohorts, KnownAs};
use crate::earlier::EarlierFile;
use crate::leaks::nobody_recognized;
use crate::{Audit, Leak, PipelineError, Request};

/// Attacks a release together with each earlier one. An error where a promise breaks; else what to say about it.
pub(super) fn attack_together(
    request: &Request,
    loaded: &Loaded,
    prepared: &Prepared,
    published: &Transactions,
    cohorts: &Cohorts,
    progress: &dyn Progress,
) -> Result<Vec<Leak>, PipelineError> {
    let target = TransactionsTarget {
        original: &loaded.data,
        source_rows: &loaded.source_rows,
        published,
        hierarchy: prepared.hierarchy.as_ref(),
        promise: &prepared.promise,
        seed: request.policy().algorithm.seed,
    };
    let releases = request.earlier.previous.len();
    let mut worst: f64 = 0.0;
    for (audit, file) in request.earlier.previous.iter().zip(&request.earlier.files) {
        let EarlierFile::Transactions(before) = file else { continue };
        let (before, lines_of) = whose(audit, before, loaded.known_as.as_ref());
        let earlier = EarlierTransactions { published: &before, lines_of: lines_of.as_deref() };
        let attack = attack_transactions_together(&target, &earlier, progress);
        if attack.beaten {
            return Err(PipelineError::Attacked { found: attack.worst, releases });
        }
        worst = worst.max(attack.success);
    }
    let returning = cohorts.returning();
    let strangers = cohorts.was_in.iter().filter(|was_in| !was_in.contains(&true)).count();
    let unknown = nobody_recognized(strangers);
    if worst == 0.0 || (returning == 0 && !cohorts.was_in.is_empty()) {
        return Ok(unknown.into_iter().collect());
    }
    let who = match cohorts.was_in.is_empty() {
        true => "the same people may have been in earlier releases, too".to_owned(),
        false => format!("{returning} transactions are of people who were in earlier releases, too"),
    };
    let text = format!(
        "{who} ({releases} given): an adversary who has all of them and knows as many items as the promise says picks the right line with up to {:.1} %",
        100.0 * worst
    );
    let leak = Leak::new("earlier-releases", text).counted(returning);
    Ok([leak].into_iter().chain(unknown).collect())
}

/// An earlier release with whose its lines are, and for each transaction of the new original the lines of its person; as far as that is known.
pub(super) fn whose(
    audit: &Audit,
    before: &Transactions,
    known: Option<&KnownAs>,
) -> (Transactions, Option<Vec<Vec<u32>>>) {
    let RecodingFile::Transactions { known_by, people, .. } = &audit.recoding else {
        return (before.clone(), None);
    };
    let known = known.filter(|known| known.columns == *known_by && people.len() == before.len());
    let Some((known, key)) = known.zip(audit.key()) else { return (before.clone(), None) };
    let mut lines: HashMap<&str, Vec<u32>> = HashMap::new();
    for (line, hash) in (0..).zip(people) {
        lines.entry(hash).or_default().push(line);
    }
    let mut number_of: HashMap<&str, u32> = HashMap::new();
    let persons = people.iter().map(|hash| {
        let next = number_of.len() as u32;
        *number_of.entry(hash).or_insert(next)
    });
    let before = before.clone().with_persons(persons.collect());
    let of = |text: &String| lines.get(&key.hash(PERSON, text.as_bytes())[..32]).cloned().unwrap_or_default();
    (before, Some(known.texts.iter().map(of).collect()))
}
