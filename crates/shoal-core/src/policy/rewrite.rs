//! A policy's text with some keys changed, and everything else, comments too, as it was written.

use toml::{Table, Value};
use toml_edit::{DocumentMut, Item, TableLike};

use super::{PolicyDocument, PolicyError, overrides};

impl PolicyDocument {
    /// The text of a policy with the `KEY=VALUE`s of `--set` written into it. The result is read and checked as a policy.
    ///
    /// ```
    /// use shoal_core::PolicyDocument;
    ///
    /// let text = r#"version = 1
    /// data.shape = "table"
    /// columns.age = { role = "quasi-identifier", kind = "integer" }
    /// [privacy]
    /// k = 5                 # as agreed
    /// "#;
    /// let changed = PolicyDocument::rewrite(text, &["privacy.k=10".to_owned()]).unwrap();
    /// assert_eq!(changed, text.replace("k = 5", "k = 10"));
    /// ```
    pub fn rewrite(text: &str, overrides: &[String]) -> Result<String, PolicyError> {
        // What is wrong with the text or with a `--set` is said here, in the words that every verb has for it.
        PolicyDocument::parse(text, overrides)?;
        let mut document: DocumentMut = match text.parse() {
            Ok(document) => document,
            // The same parser has just read it.
            Err(error) => unreachable!("{error}"),
        };
        for given in overrides {
            write_over(document.as_table_mut(), overrides::read(given)?, 0);
        }
        let written = document.to_string();
        PolicyDocument::parse(&written, &[])?;
        Ok(written)
    }
}

/// Like [`overrides::apply`], on text.
fn write_over(below: &mut dyn TableLike, above: Table, depth: usize) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(item), Value::Table(new)) if item.is_table_like() => {
                if let Some(inner) = item.as_table_like_mut() {
                    write_over(inner, new, depth + 1);
                }
            }
            // The blanks and the comment around the old value stay.
            (Some(Item::Value(old)), value) => {
                let mut new = edited(&value);
                *new.decor_mut() = old.decor().clone();
                *old = new;
            }
            // A table such as `[algorithm]` gets lines of its own; what is below it stays on one line.
            (None, Value::Table(new)) if depth == 0 => {
                let mut inner = toml_edit::Table::new();
                write_over(&mut inner, new, depth + 1);
                below.insert(&key, Item::Table(inner));
            }
            (_, value) => {
                below.insert(&key, Item::Value(edited(&value)));
            }
        }
    }
}

fn edited(value: &Value) -> toml_edit::Value {
    let text = value.to_string();
    text.parse().unwrap_or_else(|_| toml_edit::Value::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = r#"# Ours.
version = 1

[data]
shape = "table"
source = "a.csv"

[columns.age]
role = "quasi-identifier"   # known to neighbours
kind = "integer"

[columns."native country"]
role = "quasi-identifier"

# What we promise.
[privacy]
k = 10 # agreed in May
# t-closeness = 0.3

[output]
path = "out.csv"
"#;

    fn rewritten(overrides: &[&str]) -> String {
        let overrides: Vec<String> = overrides.iter().map(|given| (*given).to_owned()).collect();
        let text = PolicyDocument::rewrite(POLICY, &overrides).unwrap();
        // The text says what the overrides say.
        let meant = PolicyDocument::parse(POLICY, &overrides).unwrap();
        assert_eq!(PolicyDocument::parse(&text, &[]).unwrap().policy(), meant.policy(), "{text}");
        text
    }

    #[test]
    fn only_the_keys_change() {
        let text = rewritten(&["privacy.k=20"]);
        assert_eq!(text, POLICY.replace("k = 10 #", "k = 20 #"));
        assert_eq!(rewritten(&[]), POLICY);
    }

    #[test]
    fn new_keys_and_tables_are_added() {
        let text = rewritten(&["algorithm.name=mondrian", "output.keep-order=true"]);
        assert!(
            text.ends_with("path = \"out.csv\"\nkeep-order = true\n\n[algorithm]\nname = \"mondrian\"\n"),
            "{text}"
        );
        let text = rewritten(&["columns.\"native country\".weight=2", "privacy.k=5"]);
        assert!(text.contains("role = \"quasi-identifier\"\nweight = 2\n"), "{text}");
        assert!(text.contains("k = 5 # agreed in May"), "{text}");
    }

    #[test]
    fn a_table_as_value_is_merged_as_set_merges_it() {
        let sensitive = ["columns.ill.role=sensitive", "privacy.l-diversity={ kind = \"distinct\", l = 3 }"];
        assert!(rewritten(&sensitive).contains("l-diversity = { kind = \"distinct\", l = 3 }"));
    }

    #[test]
    fn what_is_no_policy_is_not_written() {
        let error = PolicyDocument::rewrite(POLICY, &["privacy.k=1".to_owned()]).unwrap_err();
        assert_eq!(error.key.as_deref(), Some("privacy.k"));
    }
}
