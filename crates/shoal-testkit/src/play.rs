use std::fmt;
use std::path::Path;

use serde_json::Value;
use shoal_algorithms::table::incognito::IncognitoParams;
use shoal_algorithms::table::sbc::SbcParams;
use shoal_core::{Silent, Table};
use shoal_pipeline::files::{Job, RunOptions};

use crate::{Block, Scenario};

/// What a scenario expected and what came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Which expectation.
    pub expectation: String,
    /// What was expected.
    pub expected: String,
    /// What came.
    pub found: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { expectation, expected, found } = self;
        write!(f, "expected {expectation}:\n{expected}\nfound:\n{found}")
    }
}

/// Plays a scenario in a folder of its own and compares.
pub fn play(scenario: &Scenario) -> Vec<Mismatch> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for file in scenario.files() {
        let path = folder.path().join(&file.name);
        std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("a folder for the file");
        std::fs::write(path, &file.text).expect("a file of the scenario");
    }
    let mut mismatches = Vec::new();
    for (kind, block) in scenario.expectations() {
        let result = match kind {
            "published" => published(scenario, block, folder.path()),
            "report" => run(folder.path()).and_then(|_| at_least(block, &read_json(folder.path()))),
            "measure" => measure(folder.path()).and_then(|found| at_least(block, &found)),
            "verify" => verify(folder.path()).and_then(|found| at_least(block, &found)),
            "error" => error(block, folder.path()),
            "similarity" => similarity(folder.path()).and_then(|found| at_least(block, &found)),
            "minimal-nodes" => minimal_nodes(folder.path()).and_then(|found| among(block, &found)),
            _ => Err("nobody knows how to check this".to_owned()),
        };
        if let Err(found) = result {
            mismatches.push(Mismatch { expectation: kind.to_owned(), expected: block.text.clone(), found });
        }
    }
    mismatches
}

fn open(folder: &Path) -> Result<Job, String> {
    Job::open(&folder.join("policy.toml"), &[]).map_err(|e| e.to_string())
}

fn run(folder: &Path) -> Result<(), String> {
    let options = RunOptions {
        output: Some(folder.join("out.csv")),
        report: Some(folder.join("report")),
        force: true,
        // A scenario is as small as it can be, and shows what is published.
        allow_total_loss: true,
        ..RunOptions::default()
    };
    shoal_pipeline::files::run(&open(folder)?, &options, &Silent).map(|_| ()).map_err(|e| e.to_string())
}

fn read_json(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("report/audit.json")).expect("the report of the run");
    serde_json::from_str(&text).expect("JSON")
}

fn published(scenario: &Scenario, block: &Block, folder: &Path) -> Result<(), String> {
    run(folder)?;
    let text = std::fs::read_to_string(folder.join("out.csv")).expect("the published file");
    // A basket file has no header: its first line is a transaction like any other.
    let header = usize::from(!open(folder)?.policy().data.is_basket());
    let (expected, found) = (in_any_order(&block.text, header), in_any_order(&text, header));
    if expected == found {
        return Ok(());
    }
    if std::env::var_os("SHOAL_UPDATE").is_some() {
        update(scenario, block, &found);
    }
    Err(found)
}

/// The header, then the rows in order of their text.
fn in_any_order(csv: &str, header: usize) -> String {
    let mut lines: Vec<&str> = csv.lines().map(str::trim_end).collect();
    if let Some(rows) = lines.get_mut(header..) {
        rows.sort_unstable();
    }
    lines.join("\n") + "\n"
}

fn update(scenario: &Scenario, block: &Block, found: &str) {
    let text = std::fs::read_to_string(&scenario.path).expect("the scenario");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.splice(block.lines.clone(), found.lines());
    std::fs::write(&scenario.path, lines.join("\n") + "\n").expect("the scenario, rewritten");
}

fn measure(folder: &Path) -> Result<Value, String> {
    let (original, published) = (folder.join("data.csv"), folder.join("published.csv"));
    let measured = shoal_pipeline::files::measure(&open(folder)?, Some(&original), &published, None, &Silent);
    Ok(serde_json::to_value(measured.map_err(|e| e.to_string())?).expect("JSON"))
}

fn verify(folder: &Path) -> Result<Value, String> {
    let verified = shoal_pipeline::files::verify(&open(folder)?, &folder.join("published.csv"), &Silent);
    Ok(serde_json::to_value(verified.map_err(|e| e.to_string())?).expect("JSON"))
}

fn error(block: &Block, folder: &Path) -> Result<(), String> {
    match run(folder) {
        Ok(()) => Err("it ran".to_owned()),
        Err(message) if message.contains(block.text.trim()) => Ok(()),
        Err(message) => Err(message),
    }
}

fn similarity(folder: &Path) -> Result<Value, String> {
    let (table, k) = load(folder)?;
    let sbc = SbcParams::new(k).check().map_err(|e| e.to_string())?;
    let mut columns = serde_json::Map::new();
    for likeness in sbc.seen_from(&table, 0).map_err(|e| e.to_string())? {
        let column = table.columns.iter().find(|c| c.name == likeness.column).expect("a column of the table");
        let values = likeness.values.iter().map(|value| {
            let label = column.domain.label(value.code).to_owned();
            (label, serde_json::json!({ "share": value.share, "distance": value.distance }))
        });
        columns.insert(likeness.column.clone(), Value::Object(values.collect()));
    }
    Ok(Value::Object(columns))
}

fn minimal_nodes(folder: &Path) -> Result<Value, String> {
    let (table, k) = load(folder)?;
    let incognito = IncognitoParams::new(k).check().map_err(|e| e.to_string())?;
    let minimal = incognito.minimal_nodes(&table, &Silent).map_err(|e| e.to_string())?;
    Ok(minimal.nodes.iter().map(|node| serde_json::json!(node.levels)).collect())
}

fn load(folder: &Path) -> Result<(Table, usize), String> {
    let job = open(folder)?;
    let table = shoal_pipeline::files::load(&job, &Silent).map_err(|e| e.to_string())?;
    Ok((table, job.policy().privacy.k.unwrap_or_default()))
}

/// Whether every expected element is among the found ones.
fn among(block: &Block, found: &Value) -> Result<(), String> {
    let expected: Value = serde_json::from_str(&block.text).map_err(|e| e.to_string())?;
    let found_nodes = found.as_array().cloned().unwrap_or_default();
    let all = expected.as_array().is_some_and(|nodes| nodes.iter().all(|n| found_nodes.contains(n)));
    if all { Ok(()) } else { Err(found.to_string()) }
}

/// Whether `found` holds everything that is expected, numbers to four places.
fn at_least(block: &Block, found: &Value) -> Result<(), String> {
    let expected: Value = serde_json::from_str(&block.text).map_err(|e| e.to_string())?;
    if holds(&expected, found) { Ok(()) } else { Err(serde_json::to_string_pretty(found).expect("JSON")) }
}

fn holds(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            expected.iter().all(|(key, value)| found.get(key).is_some_and(|f| holds(value, f)))
        }
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len() && expected.iter().zip(found).all(|(e, f)| holds(e, f))
        }
        (Value::Number(expected), Value::Number(found)) => match (expected.as_f64(), found.as_f64()) {
            (Some(expected), Some(found)) => (expected - found).abs() <= 0.000_05,
            _ => false,
        },
        (expected, found) => expected == found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn expectations_are_subsets_with_four_places() {
        let found = json!({"a": 0.12343, "b": {"c": [1, 2]}, "d": "x"});
        for good in [json!({"a": 0.1234}), json!({"b": {"c": [1, 2]}}), json!({"d": "x"}), json!({})] {
            assert!(holds(&good, &found), "{good}");
        }
        for bad in [json!({"a": 0.12}), json!({"b": {"c": [1]}}), json!({"d": "y"}), json!({"e": 1})] {
            assert!(!holds(&bad, &found), "{bad}");
        }
    }
}
