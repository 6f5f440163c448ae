//! Unknown keys, found by comparing a policy with its JSON Schema, level by level.

use serde_json::Value;

use crate::nearest;

/// A key that the schema does not know.
pub(super) struct UnknownKey {
    pub path: Vec<String>,
    pub hint: String,
}

/// The first key of `policy` that the schema does not know.
pub(super) fn find_unknown(policy: &toml::Table, schema: &Value) -> Option<UnknownKey> {
    unknown_below(policy, schema, schema, &mut Vec::new())
}

/// Every key of the tables with fixed names, dotted: `privacy.k`, `algorithm.seed`.
pub(super) fn all(schema: &Value) -> Vec<String> {
    let properties = |value| resolve(value, schema).get("properties").and_then(Value::as_object);
    let mut keys = Vec::new();
    for (table, below) in properties(schema).into_iter().flatten() {
        let inside = properties(below).into_iter().flatten();
        keys.extend(inside.map(|(key, _)| format!("{table}.{key}")));
    }
    keys
}

fn unknown_below(
    table: &toml::Table,
    schema: &Value,
    root: &Value,
    path: &mut Vec<String>,
) -> Option<UnknownKey> {
    let schema = resolve(schema, root);
    let known = schema.get("properties").and_then(Value::as_object);
    // Tables whose keys are names, such as `columns`, have one schema for all of them.
    let any = schema.get("additionalProperties").filter(|s| s.is_object());
    for (key, value) in table {
        let below = known.and_then(|properties| properties.get(key)).or(any);
        path.push(key.clone());
        let Some(below) = below else {
            let names: Vec<&str> = known.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            return Some(UnknownKey { path: path.clone(), hint: hint(key, &names) });
        };
        if let toml::Value::Table(inner) = value
            && let Some(found) = unknown_below(inner, below, root, path)
        {
            return Some(found);
        }
        path.pop();
    }
    None
}

/// Follows references and looks through `anyOf [.., null]`, which is how optional parts are written.
fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(pointer.trim_start_matches('#')).unwrap_or(schema);
        return resolve(target, root);
    }
    match schema.get("anyOf").and_then(Value::as_array) {
        Some(choices) => choices.iter().map(|c| resolve(c, root)).find(|c| c.get("properties").is_some()),
        None => None,
    }
    .unwrap_or(schema)
}

fn hint(key: &str, names: &[&str]) -> String {
    match nearest(key, names.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known here: {}", names.join(", ")),
    }
}
