//! The road of transactions: read, anonymize, write beside, verify the written bytes, measure.

use shoal_core::{Progress, Role, Transactions};
use shoal_io::{ColumnForm, ITEM_SEPARATOR, PendingFile, Source, WriteError, WriteOptions, item_reads_back};
use shoal_privacy::{
    CompleteAnonymity, ItemConstraints, ItemsetAnonymity, KnownShare, TransactionsClaim, TransactionsModel,
    Utility, verify_transactions,
};

use super::algorithm::{Request, by_name};
use super::compose::{Composed, compose, tabulate};
use super::layout::Layout;
use super::load::{Loaded, Text, load};
use super::measures;
use super::sets::read_names;
use crate::audit::{ItemFile, RecodingFile};
use crate::leaks::of_transactions;
use crate::order::record_order;
use crate::report::{Loss, Risk};
use crate::run::{Walked, timed};
use crate::table::check_untouched;
use crate::{Job, PipelineError, Seconds};

/// Walks the road up to the door: what comes back may be published.
pub(crate) fn walk(
    job: &Job,
    pending: &mut PendingFile,
    seconds: &mut Seconds,
    progress: &dyn Progress,
) -> Result<Walked, PipelineError> {
    let (loaded, request) = timed(&mut seconds.read, || {
        let loaded = load(job, &job.source()?, Text::Original, progress)?;
        let request = Request::of(job, &loaded.data)?;
        Ok((loaded, request))
    })?;
    let data = &loaded.data;
    let recoding = timed(&mut seconds.anonymize, || {
        let recoding = request.algorithm.anonymize(data, &request.promise, progress);
        recoding.map_err(|error| by_name(error, data, &request))
    })?;
    let clusters = recoding.clusters.len();

    let origin = timed(&mut seconds.write, || {
        progress.stage("writing", 0);
        let Composed { published, origin } = compose(job.policy(), &loaded, &recoding);
        write(job, pending, &published, &loaded, &origin)?;
        pending.finish()?;
        Ok(origin)
    })?;

    let (published, rest, verified) = timed(&mut seconds.verify, || {
        progress.stage("verifying", 0);
        let read = load(job, &written(job, pending)?, Text::Published, &shoal_core::Silent)?;
        if let (Some((before, _)), Some((after, _))) = (&loaded.rest, &read.rest) {
            check_untouched(job, before, after, &origin)?;
        }
        let claim = TransactionsClaim {
            sha256: read.sha256,
            published: &read.data,
            original: data,
            hierarchy: request.hierarchy.as_ref(),
            origin: &origin,
            rest: read.rest.as_ref().map(|(rest, _)| rest),
            order: record_order(job),
            withheld_columns: read.withheld?,
        };
        let verified = verify_transactions(claim, &models(job)?, &utility(job)?)?;
        Ok((read.data, read.rest, verified))
    })?;
    let measures = timed(&mut seconds.measure, || {
        progress.stage("measuring", 0);
        Ok(measures::take(job, &request, data, &published)?)
    })?;
    let mut notes = loaded.notes();
    if verified.items_suppressed() > 0 {
        notes.push(format!("{} of {} items are suppressed", verified.items_suppressed(), data.items().len()));
    }
    Ok(Walked {
        input_sha256: loaded.sha256.clone(),
        algorithm: request.algorithm.name(),
        records_in: data.len(),
        records_out: published.len(),
        records_suppressed: 0,
        clusters,
        classes: distinct(&published),
        loss: Loss::Transactions(measures.loss),
        risk: Risk::Transactions(measures.risk),
        recoding: recoding_file(&published),
        notes,
        leaks: of_transactions(job, &published, rest.as_ref().map(|(rest, _)| rest))
            .into_iter()
            .chain(loaded.leaks)
            .collect(),
        work: None,
        account: None,
        secret_key: None,
        proof: verified.into_release(),
    })
}

/// Writes published transactions in the layout of the source.
fn write(
    job: &Job,
    pending: &mut PendingFile,
    published: &Transactions,
    loaded: &Loaded,
    origin: &[u32],
) -> Result<(), PipelineError> {
    let policy = job.policy();
    let mut layout = Layout::of(&policy.data);
    let as_list = loaded.listed && pending.format().layout == shoal_io::Layout::Parquet;
    if let Layout::Column { separator, .. } = &mut layout {
        if as_list {
            *separator = ITEM_SEPARATOR;
        } else if let Some(item) = published.items().iter().find(|i| !item_reads_back(i, *separator)) {
            let (path, item, separator) = (pending.target().to_owned(), item.to_owned(), *separator);
            return Err(WriteError::UnreadableItem { path, item, separator }.into());
        }
    }
    let Some(table) = tabulate(layout, published, loaded.rest.as_ref(), origin) else {
        return Ok(shoal_io::write_baskets(pending, published, layout.list_separator())?);
    };
    let form = |column: &str| match layout {
        Layout::Column { items, .. } if as_list && items == column => ColumnForm::List,
        _ => form(job, column),
    };
    let options = WriteOptions {
        separator: policy.data.separator().bytes().next().unwrap_or(b','),
        columns: table.columns.iter().map(|c| form(&c.name)).collect(),
    };
    Ok(shoal_io::write_table(pending, &table, &options)?)
}

fn form(job: &Job, column: &str) -> ColumnForm {
    match job.policy().columns.get(column).map(|c| c.role) {
        Some(Role::Sensitive | Role::Insensitive) => ColumnForm::Typed,
        _ => ColumnForm::Text,
    }
}

fn written(job: &Job, pending: &PendingFile) -> Result<Source, PipelineError> {
    Ok(pending.source(job.published_dialect()?))
}

/// The promise of the policy as a model that can be checked on the published file alone.
pub(crate) fn models(job: &Job) -> Result<Vec<Box<dyn TransactionsModel>>, PipelineError> {
    let (privacy, seed) = (&job.policy().privacy, job.policy().algorithm.seed);
    // The policy's check has refused a k below 2, an m of 0 and a share that is none.
    let k = u32::try_from(privacy.k.unwrap_or_default()).unwrap_or(u32::MAX);
    let model: Option<Box<dyn TransactionsModel>> = if let Some(file) = &privacy.constraints {
        let sets = read_names(job, file, "privacy constraints")?;
        ItemConstraints::new(k, sets).ok().map(|model| Box::new(model) as _)
    } else if let Some(share) = privacy.share {
        let share = Some(KnownShare { share, seed });
        ItemsetAnonymity::new(k, 2, share).ok().map(|model| Box::new(model) as _)
    } else if let Some(m) = privacy.m {
        ItemsetAnonymity::new(k, m, None).ok().map(|model| Box::new(model) as _)
    } else {
        CompleteAnonymity::new(k).ok().map(|model| Box::new(model) as _)
    };
    Ok(model.into_iter().collect())
}

/// What the release must stay good for.
pub(crate) fn utility(job: &Job) -> Result<Utility, PipelineError> {
    let utility = &job.policy().utility;
    let Some(file) = &utility.constraints else { return Ok(Utility::default()) };
    let constraints = Some(read_names(job, file, "utility constraints")?);
    Ok(Utility { constraints, max_suppressed: Some(utility.max_suppressed) })
}

fn distinct(published: &Transactions) -> usize {
    let mut all: Vec<&[u32]> = published.iter().collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

fn recoding_file(published: &Transactions) -> RecodingFile {
    let items = published.items().iter().zip(published.supports());
    RecodingFile::Transactions {
        items: items.map(|(item, support)| ItemFile { item: item.to_owned(), support }).collect(),
    }
}
