use serde::Serialize;
use shoal_measure::attack::{Attack, How};
use shoal_pipeline::Attacked;
use shoal_pipeline::files::write_people;

use super::{Answer, Opened};
use crate::args::AttackArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{facts, grouped, percent, table, verdict};

/// How close does an adversary get?
pub(crate) fn attack(args: &AttackArgs, console: &Console) -> Result<Answer, Failure> {
    let opened = Opened::open(&args.policy, &args.overrides.set)?;
    let progress = opened.progress(console)?;
    let attacked = shoal_pipeline::files::attack(
        &opened.job,
        &args.original,
        &args.published,
        &args.previous,
        progress.as_ref(),
    );
    let attacked = attacked.map_err(|e| opened.blame(e))?;
    drop(progress);
    if let Some(path) = &args.per_person {
        write_people(path, &attacked.attacks.people, args.force).map_err(|e| opened.blame(e))?;
    }
    let answer = WithVerdict { holds: attacked.holds(), attacked: &attacked };
    console.answer(&answer, || prose(&attacked))?;
    Ok(attacked.holds().into())
}

/// What was found, and whether every promised bound held.
#[derive(Serialize)]
struct WithVerdict<'a> {
    holds: bool,
    #[serde(flatten)]
    attacked: &'a Attacked,
}

fn prose(attacked: &Attacked) -> String {
    let found = &attacked.attacks;
    let records = format!("{} in, {} out", grouped(attacked.records_in), grouped(attacked.records_out));
    let mut rows = vec![("records", records)];
    rows.extend(found.notes.iter().map(|note| ("note", note.clone())));
    let mut text = facts(&rows);
    let lines: Vec<Vec<String>> = found.attacks.iter().map(line).collect();
    text.push('\n');
    text.push_str(&table(&["attack", "success", "mean", "bound", "verdict"], &[1, 2, 3], &lines));
    for attack in &found.attacks {
        text.push_str(&format!("\n{}\n  {}\n", name(attack), attack.question));
        text.push_str(&format!("  {}: {}{}\n", how(attack.how), attack.worst, record(attack)));
    }
    if !found.not_tried.is_empty() {
        text.push_str("\nnot tried\n");
        found.not_tried.iter().for_each(|what| text.push_str(&format!("  {what}\n")));
    }
    let end = verdict(attacked.holds(), "no promised bound was beaten", "a promised bound was beaten");
    format!("{text}\n{end}\n")
}

fn name(attack: &Attack) -> String {
    match &attack.column {
        Some(column) => format!("{column}: {}", attack.name),
        None => attack.name.clone(),
    }
}

fn line(attack: &Attack) -> Vec<String> {
    let share = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), percent);
    let said = match (attack.promised, attack.beaten) {
        (true, true) => verdict(false, "", "beaten"),
        (true, false) => verdict(true, "holds", ""),
        (false, _) if attack.bound.is_some() => "to compare with".to_owned(),
        (false, _) => "none promised".to_owned(),
    };
    vec![name(attack), percent(attack.success), share(attack.mean), share(attack.bound), said]
}

fn how(how: How) -> String {
    match how {
        How::Exact => "exact".to_owned(),
        How::Searched(interval) => format!(
            "the worst of {} tries, of which {} to {} beat the bound with {:.1} % confidence (Clopper–Pearson)",
            grouped(interval.tries as usize),
            percent(interval.low),
            percent(interval.high),
            100.0 * interval.confidence
        ),
        How::Sampled(interval) => format!(
            "{} tries, {} to {} with {:.1} % confidence (Clopper–Pearson)",
            grouped(interval.tries as usize),
            percent(interval.low),
            percent(interval.high),
            100.0 * interval.confidence
        ),
    }
}

/// The record of the worst case; what is printed stays in the house.
fn record(attack: &Attack) -> String {
    attack
        .worst_record
        .map_or_else(String::new, |record| format!(" (record {} of the original)", grouped(record as usize)))
}
