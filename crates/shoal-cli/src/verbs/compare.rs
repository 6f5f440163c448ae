//! `shoal compare`: what other settings would cost.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use indexmap::IndexMap;
use serde::Serialize;
use shoal_core::PolicyDocument;
use shoal_pipeline::PipelineError;
use shoal_pipeline::compare::{Choice, CompareError, Outcome, Row, best, loss_name, short_key};
use shoal_pipeline::files::{self, CompareOptions, Comparison, Job};
use shoal_pipeline::propose::shell_word;

use super::{Answer, init};
use crate::args::{CompareArgs, InitArgs, ShapeArg};
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{grouped, percent, table};
use crate::progress;

/// What a person in a hurry wants to know.
const USUAL_K: &str = "2,5,10,20";
/// The proposed policy in the folder of a comparison that began without one.
const PROPOSED: &str = "policy.toml";

/// The machine form of a comparison.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ComparisonDocument<'a> {
    folder: String,
    shape: &'a str,
    /// Whether nobody has decided about the roles of the columns yet.
    roles_are_proposals: bool,
    cells: Vec<CellDocument<'a>>,
    best: Vec<BestDocument>,
    /// How many of the cells an earlier run had finished.
    reused: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct CellDocument<'a> {
    algorithm: &'a str,
    settings: IndexMap<&'a str, &'a str>,
    outcome: String,
    #[serde(flatten)]
    figures: &'a IndexMap<String, f64>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct BestDocument {
    k: Option<String>,
    /// What `--choose` takes.
    choose: Option<String>,
    loss: Option<f64>,
}

/// The machine form of a choice.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ChosenDocument<'a> {
    policy: String,
    set: &'a [String],
}

/// Tries a grid of settings, or writes the policy of one of its cells.
pub(crate) fn compare(args: &CompareArgs, console: &Console) -> Result<Answer, Failure> {
    if let Some(given) = &args.choose {
        return choose(args, given, console);
    }
    let folder = args.output.clone().unwrap_or_else(|| files::compare_folder(&args.policy));
    let is_data = is_data(&args.policy);
    let policy = match is_data {
        true => propose(args, &folder)?,
        false => args.policy.clone(),
    };
    let subject = args.policy.display().to_string();
    let command = command(args, is_data);
    let options = CompareOptions {
        policy: &policy,
        subject: &subject,
        command: &command,
        set: &args.overrides.set,
        algorithms: &args.algorithms,
        varied: &varied(args, is_data),
        folder: &folder,
        threads: args.threads.into(),
        force: args.force,
        proposed: is_data,
    };
    let progress = progress::cancellable(console)?;
    let compared = files::compare(&options, &progress).map_err(|error| blame(error, &policy))?;
    drop(progress);
    let document = document(&compared, &folder, is_data);
    console.answer(&document, || prose(&compared, &folder, &command, is_data.then_some(&policy)))?;
    Ok(compared.holds_somewhere().into())
}

/// What is given is a policy if it is called one; everything else is taken for data.
fn is_data(path: &Path) -> bool {
    let is_policy = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    !is_policy && path.file_name().is_none_or(|name| name != "audit.json")
}

/// The command that chooses a cell must say all that the cells had in common.
fn command(args: &CompareArgs, is_data: bool) -> String {
    let mut command = format!("shoal compare {}", shell_word(&args.policy.display().to_string()));
    let shape = args.shape.to_possible_value().filter(|_| is_data && !matches!(args.shape, ShapeArg::Table));
    if let Some(shape) = shape {
        command.push_str(&format!(" --shape {}", shape.get_name()));
    }
    for given in &args.overrides.set {
        command.push_str(&format!(" --set {}", shell_word(given)));
    }
    command
}

fn varied(args: &CompareArgs, is_data: bool) -> Vec<String> {
    let mut varied: Vec<String> = args.k.iter().map(|values| format!("k={values}")).collect();
    varied.extend(args.vary.iter().cloned());
    if is_data && varied.is_empty() {
        varied.push(format!("k={USUAL_K}"));
    }
    varied
}

/// Writes the policy that `init` proposes for the data into the folder of the results.
fn propose(args: &CompareArgs, folder: &Path) -> Result<PathBuf, Failure> {
    let policy = folder.join(PROPOSED);
    // The proposal names the data as they are seen from the folder, so it must exist.
    let is_new = !folder.exists();
    std::fs::create_dir_all(folder).map_err(|error| Failure::Folder { path: folder.to_owned(), error })?;
    let proposed = init::proposed_policy(&as_init(args, &policy), &policy).inspect_err(|_| {
        if is_new {
            // Best effort: an empty folder does no harm.
            let _ = std::fs::remove_dir(folder);
        }
    })?;
    let earlier = std::fs::read_to_string(&policy).ok();
    if earlier.as_ref().is_some_and(|earlier| *earlier != proposed) && !args.force {
        return Err(Failure::ChangedProposal { policy, data: args.policy.clone() });
    }
    shoal_io::write_atomically(&policy, proposed.as_bytes())?;
    Ok(policy)
}

/// What `init` would be asked.
fn as_init(args: &CompareArgs, policy: &Path) -> InitArgs {
    InitArgs {
        data: args.policy.to_string_lossy().into_owned(),
        shape: args.shape,
        output: policy.to_owned(),
        force: args.force,
        ask: false,
        header: false,
        no_header: false,
        separator: None,
        encoding: None,
        sheet: None,
        table: None,
        query: None,
    }
}

fn choose(args: &CompareArgs, given: &str, console: &Console) -> Result<Answer, Failure> {
    let Choice(cell) = Choice::parse(given).map_err(|error| blame(error, &args.policy))?;
    let set = [args.overrides.set.as_slice(), &cell.overrides()].concat();
    let written = match is_data(&args.policy) {
        true => choose_for_data(args, &set)?,
        false => files::choose(&args.policy, &args.overrides.set, &cell, args.write.as_deref(), args.force)
            .map_err(|error| blame(error, &args.policy))?,
    };
    let path = written.display().to_string();
    console.summary(&ChosenDocument { policy: path.clone(), set: &set }, || {
        let word = shell_word(&path);
        let roles = match is_data(&args.policy) {
            true => {
                format!("Roles are proposals, and a wrong one can give people away: review {path} first.\n")
            }
            false => String::new(),
        };
        format!(
            "{path} has the settings of {}.\n{roles}Next:  shoal check {word}  and  shoal run {word}\n",
            cell.choice()
        )
    })?;
    Ok(Answer::Holds)
}

/// The proposal with the chosen settings, beside the data.
fn choose_for_data(args: &CompareArgs, set: &[String]) -> Result<PathBuf, Failure> {
    let target = args.write.clone().unwrap_or_else(|| args.policy.with_file_name(PROPOSED));
    if target.exists() && !args.force {
        return Err(Failure::Exists { path: target });
    }
    let text = init::proposed_policy(&as_init(args, &target), &target)?;
    let rewritten = PolicyDocument::rewrite(&text, set).map_err(|error| {
        let error =
            PipelineError::Policy { path: target.clone(), text: text.clone(), error: Box::new(error) };
        Failure::of_policy(error, &target, &text, set)
    })?;
    shoal_io::write_atomically(&target, rewritten.as_bytes())?;
    Ok(target)
}

/// An error with the place in the policy that it is about.
fn blame(error: CompareError, policy: &Path) -> Failure {
    let set = match &error {
        CompareError::Cell { set, .. } => set.clone(),
        _ => Vec::new(),
    };
    let text = Job::open(policy, &set).map(|job| job.document.text().to_owned()).unwrap_or_default();
    Failure::of_comparison(error, policy, &text)
}

fn document<'a>(compared: &'a Comparison, folder: &Path, is_proposed: bool) -> ComparisonDocument<'a> {
    let cell = |row: &'a Row| CellDocument {
        algorithm: &row.cell.algorithm,
        settings: row.cell.settings.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect(),
        outcome: row.outcome.text(),
        figures: &row.figures,
    };
    let rows: Vec<&Row> = compared.asked().iter().collect();
    let best = best(&rows).into_iter().map(|best| BestDocument {
        choose: best.row.map(|row| row.cell.choice()),
        loss: best.row.and_then(Row::loss),
        k: best.k,
    });
    ComparisonDocument {
        folder: folder.display().to_string(),
        shape: compared.shape,
        roles_are_proposals: is_proposed,
        cells: compared.asked().iter().map(cell).collect(),
        best: best.collect(),
        reused: compared.reused,
    }
}

fn prose(compared: &Comparison, folder: &Path, command: &str, proposed: Option<&PathBuf>) -> String {
    let mut text = String::new();
    if let Some(policy) = proposed {
        text.push_str(&format!(
            "ROLES ARE PROPOSALS: no policy was given, so what each column is was guessed. Loss and risk mean nothing where a guess is wrong.\n\
             Review {}, every role first, and compare that.\n\n",
            policy.display()
        ));
    }
    text.push_str(&cells(compared));
    text.push_str(&reasons(compared));
    text.push_str(&least_loss(compared, command));
    let reused = match compared.reused {
        0 => String::new(),
        reused => format!("; {} of {} cells were finished before", grouped(reused), grouped(compared.asked)),
    };
    text.push_str(&format!(
        "\nresults  {} (results.csv, results.parquet, compare.html; their figures are exact and stay with you){reused}\n",
        folder.display()
    ));
    text
}

/// A line per cell.
fn cells(compared: &Comparison) -> String {
    let rows = compared.asked();
    let keys: Vec<&str> = rows
        .first()
        .map(|row| row.cell.settings.iter().map(|(key, _)| key.as_str()).collect())
        .unwrap_or_default();
    let loss = loss_name(compared.shape).to_uppercase();
    let mut header = vec!["algorithm"];
    header.extend(keys.iter().map(|key| short_key(key)));
    header.push("outcome");
    let figures = header.len();
    header.extend([loss.as_str(), "counts off", "highest risk", "left out", "seconds"]);
    let share = |row: &Row, name: &str| row.figure(name).map_or_else(String::new, percent);
    let line = |row: &Row| {
        let mut line = vec![row.cell.algorithm.clone()];
        line.extend(keys.iter().map(|key| row.cell.value(key).unwrap_or_default().to_owned()));
        line.push(match &row.outcome {
            Outcome::Holds => "holds".to_owned(),
            Outcome::Infeasible(_) => "infeasible".to_owned(),
            Outcome::Failed(_) => "failed".to_owned(),
        });
        line.extend([
            row.loss().map_or_else(String::new, percent),
            share(row, "are"),
            share(row, "risk-highest"),
        ]);
        let left_out = row.figure("records-suppressed").or_else(|| row.figure("occurrences-suppressed"));
        line.push(left_out.map_or_else(String::new, |count| grouped(count as usize)));
        line.push(row.figure("seconds").map_or_else(String::new, |seconds| format!("{seconds:.2}")));
        line
    };
    let lines: Vec<Vec<String>> = rows.iter().map(line).collect();
    let right: Vec<usize> = (1..=keys.len()).chain(figures..header.len()).collect();
    table(&header, &right, &lines)
}

/// Why cells are not feasible or failed; the same reason is said once.
fn reasons(compared: &Comparison) -> String {
    let mut reasons: IndexMap<String, Vec<String>> = IndexMap::new();
    for row in compared.asked().iter().filter(|row| row.outcome != Outcome::Holds) {
        reasons.entry(row.outcome.text()).or_default().push(row.cell.choice());
    }
    let line = |(why, cells): (&String, &Vec<String>)| format!("\n{why}\n  {}\n", cells.join("  "));
    reasons.iter().map(line).collect()
}

/// The cell with the least loss for each k, with the command that writes its policy for the last of them.
fn least_loss(compared: &Comparison, command: &str) -> String {
    let rows: Vec<&Row> = compared.asked().iter().collect();
    let mut text = String::new();
    let mut example = None;
    for best in best(&rows) {
        let k = best.k.map_or_else(String::new, |k| format!(" for k = {k}"));
        match best.row {
            Some(row) => {
                let loss = row.loss().map_or_else(String::new, percent);
                text.push_str(&format!("\nleast loss{k}: {} ({loss})", row.cell.choice()));
                example = Some(row.cell.choice());
            }
            None => text.push_str(&format!("\nleast loss{k}: no cell is feasible")),
        }
    }
    text.push('\n');
    if let Some(choice) = example {
        text.push_str(&format!("\nchoose   {command} --choose {}", shell_word(&choice)));
    }
    text
}
