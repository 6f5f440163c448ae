//! The adversary on files, and the file of what each person risks.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use shoal_core::Progress;
use shoal_core::policy::Shape;
use shoal_io::StagedFolder;
use shoal_measure::attack::PersonRisk;

use super::Job;
use super::run::{open_audit, published_earlier};
use super::stream::attack_stream;
use crate::{Attacked, EarlierSource, PipelineError};

/// Plays the adversary against a published file, also together with earlier releases: published files, or audits, which name theirs and know who was
/// in them.
pub fn attack(
    job: &Job,
    original: &Path,
    published: &Path,
    previous: &[PathBuf],
    progress: &dyn Progress,
) -> Result<Attacked, PipelineError> {
    if job.policy().data.shape == Shape::Stream {
        return match previous {
            [] => attack_stream(job, original, published, progress),
            _ => Err(PipelineError::NoPrevious),
        };
    }
    let earlier: Result<Vec<EarlierSource>, PipelineError> =
        previous.iter().map(|path| open_earlier(job, path)).collect();
    let (mut original, mut published) = (job.original(original)?, job.published(published)?);
    crate::attack(&job.request()?, &mut original, &mut published, &mut earlier?, progress)
}

/// A published file, or what an audit says was published.
fn open_earlier(job: &Job, path: &Path) -> Result<EarlierSource, PipelineError> {
    if !is_audit(path) {
        return Ok(EarlierSource { data: Box::new(job.published(path)?), audit: None });
    }
    let audit = open_audit(path)?;
    Ok(EarlierSource { data: published_earlier(job, &audit)?, audit: Some(audit) })
}

fn is_audit(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|extension| extension == "json")
}

/// Writes what each record risks, for its owner's eyes only (mode 0600). An existing file is replaced only by `force`.
pub fn write_people(path: &Path, people: &[PersonRisk], force: bool) -> Result<(), PipelineError> {
    if path.exists() && !force {
        return Err(PipelineError::Exists { path: path.to_owned() });
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut staged = StagedFolder::new(folder)?;
    staged.add_closed(&name, csv(people).as_bytes())?;
    staged.publish()?;
    Ok(())
}

/// A row per record: its number in the source, its crowd, the chance of being linked, and two columns for each sensitive one.
fn csv(people: &[PersonRisk]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for guess in people.iter().flat_map(|risk| &risk.guesses) {
        if !columns.contains(&guess.column.as_str()) {
            columns.push(&guess.column);
        }
    }
    let mut text = "record,crowd,linked".to_owned();
    for column in &columns {
        write!(
            text,
            ",{},{}",
            quoted(&format!("guess of {column}")),
            quoted(&format!("probability of {column}"))
        )
        .expect("a text can be written to");
    }
    text.push('\n');
    for risk in people {
        write!(text, "{},{},{:.6}", risk.record + 1, risk.crowd, risk.linked())
            .expect("a text can be written to");
        for column in &columns {
            match risk.guesses.iter().find(|guess| guess.column == *column) {
                Some(guess) => write!(text, ",{},{:.6}", quoted(&guess.value), guess.probability),
                None => write!(text, ",,"),
            }
            .expect("a text can be written to");
        }
        text.push('\n');
    }
    text
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
