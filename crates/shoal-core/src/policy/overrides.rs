//! `--set KEY=VALUE`: the same language as the file, one key at a time.

use toml::{Table, Value};

use super::{PolicyError, PolicyProblem};

/// Lays `--set` values over a policy's table. A value that is not TOML is taken as text, so that
/// `--set data.source=adult.csv` needs no quotes.
pub(super) fn apply(table: &mut Table, overrides: &[String]) -> Result<(), PolicyError> {
    for given in overrides {
        lay_over(table, read(given)?);
    }
    Ok(())
}

/// One `KEY=VALUE` as a table with nothing else in it.
pub(super) fn read(given: &str) -> Result<Table, PolicyError> {
    parse(given).ok_or_else(|| PolicyError {
        problem: PolicyProblem::Override { given: given.to_owned() },
        key: None,
        span: None,
        hint: Some("for example `--set privacy.k=20`".to_owned()),
    })
}

fn parse(given: &str) -> Option<Table> {
    let (key, value) = given.split_once('=')?;
    if key.trim().is_empty() {
        return None;
    }
    // A small document, so that dotted and quoted keys mean what they mean in a file.
    let as_toml = toml::from_str(&format!("{key} = {value}"));
    as_toml.or_else(|_| toml::from_str(&format!("{key} = {}", Value::String(value.to_owned())))).ok()
}

fn lay_over(below: &mut Table, above: Table) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            // Tables are merged key by key; every other value replaces the one below.
            (Some(Value::Table(inner)), Value::Table(new)) => lay_over(inner, new),
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
}
