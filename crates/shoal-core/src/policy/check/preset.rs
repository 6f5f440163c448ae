//! Whether a policy keeps what its preset asks for.

use super::fail;
use crate::policy::{Policy, PolicyError, Preset, Shape};

/// A preset is refused where it means nothing, and where the policy asks for less than it.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
    let Some(preset) = policy.privacy.preset else { return Ok(()) };
    let name = preset.name();
    if policy.data.shape == Shape::Stream {
        // The rules are about what is published as a whole; a stream shows its crowds one after the other.
        let message =
            format!("the preset `{name}` is about data that are published as a whole, not about streams");
        return fail("privacy.preset", message, "remove it, and say what the stream promises with k or l");
    }
    if preset == Preset::SafeHarbor && policy.data.shape != Shape::Table {
        let message = format!("the preset `{name}` is about the columns of tables");
        return fail("privacy.preset", message, "remove it");
    }
    if preset == Preset::SafeHarbor && policy.privacy.k.is_none() {
        let message = format!("the preset `{name}` promises no crowd, and there is no k");
        return fail("privacy.preset", message, "add  k = 11  or another k");
    }
    match (preset.k(), policy.privacy.k) {
        (Some(least), Some(k)) if k < least => {
            let message = format!("k = {k} is less than the preset `{name}` asks for, which is k = {least}");
            fail("privacy.k", message, format!("remove k, set k = {least} or more, or remove the preset"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::PolicyDocument;

    const TABLE: &str =
        "version = 1\ndata.shape = \"table\"\ncolumns.age = { role = \"quasi-identifier\" }\n";
    const BASKETS: &str = "version = 1\ndata.shape = \"transactions\"\n";

    fn k(policy: &str, privacy: &str) -> Result<Option<usize>, String> {
        let document = PolicyDocument::parse(&format!("{policy}[privacy]\n{privacy}\n"), &[]);
        document.map(|document| document.policy().privacy.k).map_err(|error| error.to_string())
    }

    #[test]
    fn a_preset_sets_k_unless_more_is_asked() {
        assert_eq!(k(TABLE, "preset = \"k5\""), Ok(Some(5)));
        assert_eq!(k(TABLE, "preset = \"cms-11\""), Ok(Some(11)));
        assert_eq!(k(TABLE, "preset = \"ema-0.09\""), Ok(Some(12)));
        assert_eq!(k(TABLE, "preset = \"cms-11\"\nk = 11"), Ok(Some(11)));
        assert_eq!(k(TABLE, "preset = \"cms-11\"\nk = 30"), Ok(Some(30)));
        assert_eq!(k(BASKETS, "preset = \"cms-11\"\nm = 2"), Ok(Some(11)));
        let error = k(TABLE, "preset = \"cms-11\"\nk = 10").unwrap_err();
        assert!(error.contains("k = 10 is less") && error.contains("k = 11"), "{error}");
    }

    #[test]
    fn safe_harbor_is_for_tables_and_needs_a_k() {
        assert_eq!(k(TABLE, "preset = \"safe-harbor\"\nk = 2"), Ok(Some(2)));
        assert!(k(TABLE, "preset = \"safe-harbor\"").unwrap_err().contains("no crowd"));
        assert!(k(BASKETS, "preset = \"safe-harbor\"\nk = 5\nm = 2").unwrap_err().contains("of tables"));
    }

    #[test]
    fn a_stream_has_no_preset() {
        let stream = "version = 1\ndata = { shape = \"stream\", source = \"-\" }\n";
        let error = k(stream, "l = 3\npreset = \"k5\"").unwrap_err();
        assert!(error.contains("not about streams"), "{error}");
        assert!(!k(stream, "l = 3").unwrap_err().contains("preset"));
    }
}
