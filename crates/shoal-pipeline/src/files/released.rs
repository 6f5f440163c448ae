//! The release that a published file comes from, where its `audit.json` lies where a run puts it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use shoal_io::is_postgres;

use super::Job;
use super::targets::{AUDIT, beside, recorded, report_folder_of_table};
use crate::Audit;

/// The folder of reports that `shoal init` proposes, beside the published file.
const USUAL_FOLDER: &str = "report";

/// The `audit.json` of a published file: in the folder that a run names after the file, in `report` beside it, or beside it, where Python saves a release. Only one
/// that names the file as its output is taken.
pub fn audit_of(published: &Path) -> Option<PathBuf> {
    if let Some(address) = published.to_str().filter(|published| is_postgres(published)) {
        // Beside its policy, which nobody has named: most likely here.
        let audit = report_folder_of_table(Path::new(""), address)?.join(AUDIT);
        return is_of(&audit, published).map(|_| audit);
    }
    let audits = [
        beside(published).join(AUDIT),
        published.with_file_name(USUAL_FOLDER).join(AUDIT),
        published.with_file_name(AUDIT),
    ];
    audits.into_iter().find(|audit| is_of(audit, published).is_some())
}

/// The keys in which this policy differs from the one that the file was released with, and the audit that says so; nothing where there is no such
/// audit, or the two are the same. A promise that was changed with `--set` is judged by what is asked for now; this is what
/// a person should know who asks for the unchanged one.
pub fn other_settings(job: &Job, published: &Path) -> Option<(PathBuf, Vec<String>)> {
    let named = job.policy().output.report.as_ref().map(|folder| job.resolve(folder).join(AUDIT));
    let place = job.place_of_output(Some(published)).ok()??;
    let published = place.as_path();
    let usual = job.usual_report_folder(published).map(|folder| folder.join(AUDIT));
    let path = [named, usual].into_iter().flatten().find(|audit| is_of(audit, published).is_some());
    let path = path.or_else(|| audit_of(published))?;
    let released = is_of(&path, published)?.policy;
    let (asked, released) = (serde_json::to_value(job.policy()).ok()?, serde_json::to_value(released).ok()?);
    let mut keys = Vec::new();
    compare("", &asked, &released, &mut keys);
    // Where the data and the release lie says nothing about a promise.
    keys.retain(|key| !key.starts_with("output.") && key != "data.source");
    (!keys.is_empty()).then_some((path, keys))
}

fn is_of(audit: &Path, published: &Path) -> Option<Audit> {
    // An audit that cannot be read is none: the verdict does not depend on it.
    Audit::open(audit).ok().filter(|audit| audit.output == recorded(published))
}

/// The paths of all values that are not in both.
fn compare(path: &str, asked: &Value, released: &Value, keys: &mut Vec<String>) {
    if asked == released {
        return;
    }
    let (Value::Object(asked), Value::Object(released)) = (asked, released) else {
        keys.push(path.to_owned());
        return;
    };
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    for (key, value) in asked {
        compare(&below(key), value, released.get(key).unwrap_or(&Value::Null), keys);
    }
    keys.extend(released.keys().filter(|key| !asked.contains_key(*key)).map(|key| below(key)));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_named_by_their_keys() {
        let mut keys = Vec::new();
        let asked = json!({"privacy": {"k": 10, "l": null}, "data": {"source": "a"}, "same": [1]});
        let released = json!({"privacy": {"k": 3, "m": 2}, "data": {"source": "a"}, "same": [1]});
        compare("", &asked, &released, &mut keys);
        // A key without a value is no difference to a key that is not there.
        assert_eq!(keys, ["privacy.k", "privacy.m"]);
    }
}
