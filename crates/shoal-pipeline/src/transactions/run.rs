//! A run on transactions: read, anonymize, stage, verify what was staged, measure.

use shoal_algorithms::{Anonymized, Search};
use shoal_core::policy::Shape;
use shoal_core::{Progress, Role, Transactions, Unseen};
use shoal_io::{ColumnForm, ITEM_SEPARATOR, PeopleOfRecords, WriteError, item_reads_back};
use shoal_measure::transactions::PublishedItems;
use shoal_measure::transactions::attack::TransactionsTarget;
use shoal_privacy::{
    Digests, KnownAs, PublishedTransactions, ReadBack, TransactionsClaim, VerifiedTransactions,
    verify_transactions,
};

use super::algorithm::{Prepared, by_name};
use super::attack::play;
use super::compose::{Composed, compose, tabulate};
use super::form;
use super::layout::Layout;
use super::load::{Loaded, Text, load, read_published};
use super::measures;
use super::models::{models, utility};
use super::previous::{Earlier, Plan};
use crate::attack::attack_in_run;
use crate::audit::{ItemFile, Key, RecodingFile};
use crate::columns::check_untouched;
use crate::leaks::check_sensitive_items;
use crate::report::html::{HouseFacts, Published};
use crate::report::{Counts, Loss, Outgoing, Risk};
use crate::run::{Draft, Keys, digests, timed};
use crate::{PipelineError, Report, Request, Seconds, Sink, Source, StagedData};

/// What comes back may be published. `keys` are the secrets of the release.
pub(crate) fn run<K: Sink>(
    request: &Request,
    keys: &Keys,
    from: &mut dyn Source,
    to: &mut K,
    seconds: &mut Seconds,
    progress: &dyn Progress,
) -> Result<Draft<K::Staged>, PipelineError> {
    let (loaded, prepared) = timed(&mut seconds.read, || {
        let loaded = load(request, &keys.release, from, Text::Original, progress)?;
        check_sensitive_items(request, &loaded.data)?;
        let prepared = Prepared::of(request, &loaded.data)?;
        Ok((loaded, prepared))
    })?;
    let records_in = loaded.data.len();
    let earlier = match request.earlier.previous.is_empty() {
        true => None,
        false => Some(Earlier::read(request, &loaded)?),
    };
    let mut earlier_notes = Vec::new();
    let mut kept: Vec<u32> = (0..records_in as u32).collect();
    let Anonymized { recoding, trace } = timed(&mut seconds.anonymize, || {
        if let Some(earlier) = &earlier {
            let Plan { recoding, kept: rows, notes } = earlier.plan(&loaded, &prepared, progress)?;
            (kept, earlier_notes) = (rows, notes);
            return Ok(recoding.into());
        }
        let done = prepared.algorithm.anonymize(&loaded.data, &prepared.promise, progress);
        done.map_err(|error| by_name(error, &loaded.data, &prepared))
    })?;
    let loaded = if kept.len() < records_in { loaded.select(&kept) } else { loaded };
    let data = &loaded.data;
    let clusters = recoding.clusters.len();

    let (staged, origin, form_note) = timed(&mut seconds.write, || {
        progress.stage("writing", 0);
        let as_list = loaded.listed && to.holds_lists();
        let Composed { published, groups, origin } = compose(request.policy(), &loaded, &recoding, as_list);
        let asked = request.policy().output.groups;
        let form = form::choose(asked, &*to, published, groups, prepared.hierarchy.as_ref());
        // The dictionary first: what is staged next takes it along.
        if let Some(groups) = &form.groups {
            to.stage_groups(groups)?;
        }
        Ok((stage(request, to, &form.published, &loaded, &origin, progress)?, origin, form.note))
    })?;

    let verified = timed(&mut seconds.verify, || {
        progress.stage("verifying", 0);
        let staged = ReadBack::of(staged, |staged| read_transactions_back(request, staged, progress))?;
        if let (Some((before, _)), Some(after)) = (&loaded.rest, &staged.content().rest) {
            check_untouched(request, before, after, &origin, progress)?;
        }
        let claim = TransactionsClaim {
            original: data,
            hierarchy: prepared.hierarchy.as_ref(),
            origin: &origin,
            order: request.record_order(),
        };
        Ok(verify_transactions(staged, claim, &models(request)?, &utility(request), progress)?)
    })?;
    let VerifiedTransactions { release, published, findings: verified } = verified;
    let PublishedTransactions { data: published, rest, .. } = published;
    let mut together = 0.0;
    let earlier_leaks = timed(&mut together, || {
        let Some(earlier) = &earlier else { return Ok(Vec::new()) };
        progress.stage("comparing with earlier releases", 0);
        earlier.judge(&published, &origin, &kept, progress)
    })?;
    seconds.verify += together;
    let (outgoing, measures) = timed(&mut seconds.measure, || {
        progress.stage("measuring", 0);
        let seen = Published::Transactions(&published, rest.as_ref());
        let outgoing = Outgoing::of(&request.public(), seen, digests(release.certificate()), progress)?;
        Ok((outgoing, measures::take(request, &prepared, data, &published, progress)?))
    })?;
    let mut notes = loaded.notes();
    if verified.items_suppressed() > 0 {
        notes.push(format!("{} of {} items are suppressed", verified.items_suppressed(), data.items().len()));
    }
    notes.extend(
        trace.search.as_ref().and_then(|search| taken_from_another(prepared.algorithm.name(), search)),
    );
    notes.extend(form_note);
    let counts = Counts {
        records_in,
        records_out: published.len(),
        records_suppressed: records_in - published.len(),
        clusters,
        classes: distinct(&published),
    };
    let (loss, risk) = (Loss::Transactions(measures.loss), Risk::Transactions(measures.risk));
    let algorithm = prepared.algorithm.name();
    let mut report = Report::new(Shape::Transactions, algorithm, release.certificate(), counts, loss, risk);
    report.notes = notes;
    report.leaks = outgoing.leaks.clone();
    report.leaks.extend(loaded.leaks);
    report.attacks = attack_in_run(request, report.records_in, false, seconds, || {
        let target = TransactionsTarget {
            original: data,
            source_rows: &loaded.source_rows,
            published: &published,
            hierarchy: prepared.hierarchy.as_ref(),
            promise: &prepared.promise,
            seed: request.policy().algorithm.seed,
        };
        play(&target, rest.as_ref(), progress)
    })?;
    report.leaks.extend(earlier_leaks);
    report.notes.extend(earlier_notes);
    let recoding = recoding_file(&published, data, verified.image_of(), loaded.known_as.as_ref());
    let people = loaded.known_as.as_ref().map(|known| people_of(&keys.people, known, &origin));
    let house = match request.pages {
        false => None,
        true => {
            progress.check();
            let items = PublishedItems::read(data, &published, prepared.hierarchy.as_ref())?;
            Some(HouseFacts::of_items(&items, &origin, &loaded.source_rows))
        }
    };
    Ok(Draft { release, report, outgoing, input_sha256: loaded.sha256, recoding, people, trace, house })
}

/// Says whose result was taken, where it is not the one of the algorithm that was asked for.
fn taken_from_another(asked: &str, search: &Search) -> Option<String> {
    let taken = search.constructions.iter().find(|one| one.won > 0 && one.name != asked)?;
    Some(format!("items are merged in the way of {}, which loses less here than that of {asked}", taken.name))
}

/// Stages published transactions in the layout of the source.
fn stage<K: Sink>(
    request: &Request,
    to: &mut K,
    published: &Transactions,
    loaded: &Loaded,
    origin: &[u32],
    progress: &dyn Progress,
) -> Result<K::Staged, PipelineError> {
    let policy = request.policy();
    let mut layout = Layout::of(&policy.data);
    let as_list = loaded.listed && to.holds_lists();
    if let Layout::Column { separator, .. } = &mut layout {
        if as_list {
            *separator = ITEM_SEPARATOR;
        } else if let Some(item) = published.items().iter().find(|i| !item_reads_back(i, *separator)) {
            let (path, item, separator) = (to.name().into(), item.to_owned(), *separator);
            return Err(WriteError::UnreadableItem { path, item, separator }.into());
        }
    }
    let Some(table) = tabulate(layout, published, loaded.rest.as_ref(), origin) else {
        return Ok(to.stage_baskets(published, layout.list_separator(), progress)?);
    };
    let form = |column: &str| match layout {
        Layout::Column { items, .. } if as_list && items == column => ColumnForm::List,
        _ => form(request, column),
    };
    let forms: Vec<ColumnForm> = table.columns.iter().map(|c| form(&c.name)).collect();
    Ok(to.stage_table(&table, &forms, progress)?)
}

fn form(request: &Request, column: &str) -> ColumnForm {
    match request.policy().columns.get(column).map(|c| c.role) {
        Some(Role::Sensitive | Role::Insensitive) => ColumnForm::Typed,
        _ => ColumnForm::Text,
    }
}

/// What was staged, read as anybody would read it, and what it is recognized by.
fn read_transactions_back(
    request: &Request,
    staged: &impl StagedData,
    progress: &dyn Progress,
) -> Result<(PublishedTransactions, Digests), PipelineError> {
    read_published(request, &mut *staged.source(), &Unseen(progress))
}

pub(crate) fn distinct(published: &Transactions) -> usize {
    let mut all: Vec<&[u32]> = published.iter().collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// What a later release needs to know: which items are published as one, and by what people are known. `image_of` is the published text of
/// each item.
fn recoding_file(
    published: &Transactions,
    data: &Transactions,
    image_of: &[Option<u32>],
    known: Option<&KnownAs>,
) -> RecodingFile {
    let mut members: Vec<Vec<String>> = vec![Vec::new(); published.items().len()];
    let mut suppressed = Vec::new();
    for (item, image) in data.items().iter().zip(image_of) {
        match image {
            Some(text) => members[*text as usize].push(item.to_owned()),
            None => suppressed.push(item.to_owned()),
        }
    }
    let items = published.items().iter().zip(published.supports()).zip(members);
    RecodingFile {
        items: items
            .map(|((item, support), members)| ItemFile { item: item.to_owned(), members, support })
            .collect(),
        suppressed,
        known_by: known.map(|known| known.columns.clone()).unwrap_or_default(),
    }
}

/// Whose each published transaction is.
fn people_of(key: &Key, known: &KnownAs, origin: &[u32]) -> PeopleOfRecords {
    let hashes = known.hashes(&key.of_people());
    let persons = origin.iter().map(|&row| hashes[row as usize]).collect();
    PeopleOfRecords { persons, clusters: Vec::new() }
}
