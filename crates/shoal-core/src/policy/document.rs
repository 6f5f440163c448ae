use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Policy, PolicyError, PolicyProblem, check, keys, overrides};

/// A policy together with its text, so that every complaint can point at the words it is about.
#[derive(Clone, Debug)]
pub struct PolicyDocument {
    text: String,
    spans: BTreeMap<String, Range<usize>>,
    policy: Policy,
}

impl PolicyDocument {
    /// Reads and checks a policy. `overrides` are the `KEY=VALUE`s of `--set`.
    ///
    /// ```
    /// use shoal_core::PolicyDocument;
    ///
    /// let text = r#"
    /// version = 1
    /// data.shape = "table"
    /// columns.age = { role = "quasi-identifier", kind = "integer" }
    /// privacy.k = 5
    /// "#;
    /// let document = PolicyDocument::parse(text, &["privacy.k=10".to_owned()]).unwrap();
    /// assert_eq!(document.policy().privacy.k, Some(10));
    ///
    /// // An error names the key, the bytes of the text that it is about, and what to write instead.
    /// let error = PolicyDocument::parse(&text.replace("shape", "shap"), &[]).unwrap_err();
    /// assert_eq!(&text[error.span.unwrap()][..4], "shap");
    /// assert!(error.hint.unwrap().contains("shape"));
    /// ```
    pub fn parse(text: &str, overrides: &[String]) -> Result<PolicyDocument, PolicyError> {
        let document = DeTable::parse(text).map_err(|e| PolicyError {
            problem: PolicyProblem::Syntax { message: e.message().to_owned() },
            key: None,
            span: e.span(),
            hint: None,
        })?;
        let mut spans = BTreeMap::new();
        collect_spans(document.get_ref(), &mut Vec::new(), &mut spans);

        let mut table: toml::Table = toml::from_str(text).map_err(|e| type_error(&e))?;
        overrides::apply(&mut table, overrides)?;
        let schema = Policy::json_schema();
        // Before serde looks at the types: it would refuse an unknown key as well, but without a suggestion and a
        // dotted path.
        if let Some(unknown) = keys::find_unknown(&table, &schema) {
            let key = dotted(&unknown.path);
            return Err(PolicyError {
                span: spans.get(&key).cloned(),
                problem: PolicyProblem::UnknownKey { key: key.clone() },
                key: Some(key),
                hint: Some(unknown.hint),
            });
        }

        // The text knows its spans and the merged table does not: where both fail, the text's complaint is
        // the better one; where only the merged table fails, the error is in a `--set`.
        let from_text = toml::from_str::<Policy>(text).map_err(|e| type_error(&e));
        let mut policy = if overrides.is_empty() {
            from_text?
        } else {
            Policy::deserialize(table).map_err(|e| from_text.err().unwrap_or_else(|| type_error(&e)))?
        };
        policy.apply_preset();
        let document = PolicyDocument { text: text.to_owned(), spans, policy };
        check::check(&document.policy).map_err(|e| document.locate(e))?;
        Ok(document)
    }

    /// The policy, checked.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// An error about the value of a key, pointing at it.
    pub fn complain(&self, key: &str, message: String, hint: Option<String>) -> PolicyError {
        self.locate(check::value_error(key, message, hint))
    }

    /// The same where the message quotes these texts of a file, or the hint quotes a file.
    pub fn complain_of_data(
        &self,
        key: &str,
        message: String,
        hint: Option<String>,
        texts: &[&str],
    ) -> PolicyError {
        let texts = texts.iter().map(|&text| text.to_owned()).collect();
        let error = check::value_error(key, String::new(), hint);
        self.locate(PolicyError { problem: PolicyProblem::Data { message, texts }, ..error })
    }

    fn locate(&self, mut error: PolicyError) -> PolicyError {
        if let Some(key) = &error.key {
            error.span = self.spans.get(key).cloned();
        }
        error
    }
}

fn type_error(e: &toml::de::Error) -> PolicyError {
    PolicyError {
        problem: PolicyProblem::Type { message: plain_words(e.message()) },
        key: None,
        span: e.span(),
        hint: None,
    }
}

/// Replaces the parser's words for types, which are those of a programmer.
fn plain_words(message: &str) -> String {
    let mut words = message.to_owned();
    for (from, to) in [
        ("missing field", "missing key"),
        ("unknown variant", "unknown value"),
        ("invalid type: ", "wrong type: "),
        ("expected usize", "expected a whole number"),
        ("expected u64", "expected a whole number"),
        ("expected u32", "expected a whole number"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("expected a sequence", "expected a list"),
        ("expected a map", "expected a table"),
    ] {
        words = words.replace(from, to);
    }
    words
}

fn dotted(path: &[String]) -> String {
    path.join(".")
}

/// The place of every key: of its value for plain keys, of the key itself for tables.
fn collect_spans(table: &DeTable<'_>, path: &mut Vec<String>, spans: &mut BTreeMap<String, Range<usize>>) {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        let span = |s: &Spanned<DeValue<'_>>| key.span().start..s.span().end;
        match value.get_ref() {
            DeValue::Table(inner) => {
                spans.insert(dotted(path), key.span());
                collect_spans(inner, path, spans);
            }
            _ => {
                spans.insert(dotted(path), span(value));
            }
        }
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Distance, Likeness, Rule};

    const SMALL: &str = r#"
version = 1
[data]
shape = "table"
source = "a.csv"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns."native country"]
role = "quasi-identifier"
[privacy]
k = 10
"#;

    fn with(from: &str, to: &str) -> PolicyError {
        assert!(SMALL.contains(from));
        PolicyDocument::parse(&SMALL.replace(from, to), &[]).unwrap_err()
    }

    fn set(overrides: &[&str]) -> Result<PolicyDocument, PolicyError> {
        let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
        PolicyDocument::parse(SMALL, &overrides)
    }

    #[test]
    fn a_small_policy_has_safe_defaults() {
        let document = PolicyDocument::parse(SMALL, &[]).unwrap();
        let policy = document.policy();
        assert_eq!(policy.algorithm_name().name(), "ribbon");
        assert!(!policy.output.keep_order);
        assert_eq!(policy.columns.keys().collect::<Vec<_>>(), ["age", "native country"]);
    }

    #[test]
    fn a_misspelt_key_is_named_with_its_place_and_the_nearest_known_key() {
        let error = with("kind = ", "knd = ");
        assert_eq!(error.problem, PolicyProblem::UnknownKey { key: "columns.age.knd".into() });
        assert_eq!(error.hint.as_deref(), Some("did you mean `kind`?"));
        let text = SMALL.replace("kind = ", "knd = ");
        assert_eq!(&text[error.span.unwrap()], "knd = \"integer\"");
    }

    #[test]
    fn wrong_values_point_at_themselves() {
        let error = with("k = 10", "k = 1");
        let text = SMALL.replace("k = 10", "k = 1");
        assert_eq!(&text[error.span.unwrap()], "k = 1");
        assert!(matches!(error.problem, PolicyProblem::Value { .. }));
        let error = with("\"integer\"", "\"number\"");
        assert!(error.to_string().contains("unknown value `number`"), "{error}");
        assert!(error.span.is_some());
        assert!(with("version = 1", "version = 2").to_string().contains("version"));
        assert!(with("k = 10", "").to_string().contains("promise"));
        assert!(matches!(with("[privacy]", "[privacy").problem, PolicyProblem::Syntax { .. }));
        assert!(with("shape = \"table\"", "").to_string().contains("shape"));
    }

    #[test]
    fn set_overrides_any_key_and_needs_no_quotes() {
        let document = set(&[
            "privacy.k=20",
            "data.source=b.csv",
            "columns.\"native country\".weight=2",
            "columns.age.kind=decimal",
        ])
        .unwrap();
        let policy = document.policy();
        assert_eq!(policy.privacy.k, Some(20));
        assert_eq!(policy.data.source, "b.csv");
        assert_eq!(policy.columns["native country"].weight, 2.0);
    }

    #[test]
    fn bad_overrides_are_errors() {
        assert!(matches!(set(&["privacy.k"]).unwrap_err().problem, PolicyProblem::Override { .. }));
        assert!(matches!(set(&["privacy.q=1"]).unwrap_err().problem, PolicyProblem::UnknownKey { .. }));
        let error = set(&["privacy.k=many"]).unwrap_err();
        assert!(error.span.is_none() && error.to_string().contains("expected a whole number"), "{error}");
    }

    #[test]
    fn promises_about_sensitive_columns_are_read_and_checked() {
        let promise = |text: &str| {
            let text = SMALL.replace("k = 10", &format!("k = 10\n{text}"));
            let text = text.replace("[privacy]", "[columns.ill]\nrole = \"sensitive\"\n[privacy]");
            PolicyDocument::parse(&text, &[]).map(|document| document.policy().table_promise().conditions)
        };
        let rules = |text: &str| promise(text).unwrap().iter().map(|c| c.rule).collect::<Vec<_>>();
        assert_eq!(rules("l-diversity = { kind = \"distinct\", l = 3 }"), [Rule::Distinct { l: 3 }]);
        assert_eq!(rules("t-closeness = 0.2"), [Rule::Close { t: 0.2, distance: Distance::Equal }]);
        assert_eq!(rules("beta-likeness = 2"), [Rule::Alike(Likeness::Enhanced(2.0))]);
        let basic = "beta-likeness = { beta = 2, kind = \"basic\" }";
        assert_eq!(rules(basic), [Rule::Alike(Likeness::Basic(2.0))]);
        for (wrong, why) in [
            ("t-closeness = 1.2", "not a distance"),
            ("t-closeness = \"near\"", "expected a number such as"),
            ("t-closeness = { t = 0.2, distance = \"ordered\" }", "have no order"),
            ("t-closeness = { t = 0.2, distance = \"hierarchical\" }", "no hierarchy"),
            ("beta-likeness = 0", "not a positive number"),
            ("l-diversity = { kind = \"distinct\", l = 2.5 }", "not a number of values"),
            ("l-diversity = { kind = \"recursive\", l = 2 }", "has a `c`"),
            ("l-diversity = { kind = \"entropy\", l = 2, c = 1 }", "only recursive"),
            ("l-diversity = { kind = \"entropy\", l = 1 }", "hides no value"),
        ] {
            let error = promise(wrong).unwrap_err().to_string();
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }

    #[test]
    fn transparent_is_for_l_diversity_that_bounds_shares() {
        let parse = |text: &str| {
            let (privacy, rest) = text.split_once('|').unwrap_or((text, ""));
            let text = SMALL.replace("k = 10", &format!("k = 10\ntransparent = true\n{privacy}\n{rest}"));
            let text = text.replace("[privacy]", "[columns.ill]\nrole = \"sensitive\"\n[privacy]");
            PolicyDocument::parse(&text, &[])
        };
        let distinct = "l-diversity = { kind = \"distinct\", l = 3 }";
        let document = parse(distinct).unwrap();
        let rules: Vec<Rule> = document.policy().table_promise().conditions.iter().map(|c| c.rule).collect();
        assert_eq!(rules, [Rule::Distinct { l: 3 }, Rule::Frequency { l: 3 }]);
        assert_eq!(document.policy().algorithm_name().name(), "transparent");
        assert!(parse("l-diversity = { kind = \"frequency\", l = 3 }").is_ok());
        for (wrong, why) in [
            ("", "transparent adds nothing"),
            ("l-diversity = { kind = \"entropy\", l = 3 }", "cannot be promised transparently"),
            ("l-diversity = { kind = \"recursive\", l = 3, c = 1 }", "cannot be promised transparently"),
            (&format!("t-closeness = 0.3\n{distinct}"), "cannot be promised transparently"),
            (&format!("beta-likeness = 2\n{distinct}"), "cannot be promised transparently"),
            (&format!("{distinct}|[algorithm]\nname = \"ribbon\""), "looks at sensitive values"),
            (&format!("{distinct}|[algorithm]\nmax-suppressed = 0.1"), "leaves nobody out"),
            (&format!("{distinct}|[algorithm]\noutliers = \"suppress\""), "means nothing to `transparent`"),
            (&format!("{distinct}|[output]\nsuppressed = \"star\""), "depends on sensitive values"),
            (&format!("{distinct}|[output]\nkeep-order = true"), "names its person"),
            (
                &format!("{distinct}|[columns.own]\nrole = \"personal-k\"\nkind = \"integer\""),
                "a k of each person",
            ),
            (&format!("{distinct}|[columns.pay]\nrole = \"sensitive\"\nmissing = \"suppress\""), "left out"),
        ] {
            let error = parse(wrong).unwrap_err().to_string();
            assert!(error.contains(why), "{wrong}: {error}");
        }
        let named = with("k = 10", "k = 10\n[algorithm]\nname = \"transparent\"").to_string();
        assert!(named.contains("for transparent l-diversity"), "{named}");
    }

    #[test]
    fn a_column_may_ask_for_more_than_all_do() {
        let text = SMALL.replace(
            "[privacy]",
            "[columns.ill]\nrole = \"sensitive\"\nt-closeness = 0.1\n[columns.pay]\nrole = \"sensitive\"\n[privacy]\nt-closeness = 0.3",
        );
        let promise = PolicyDocument::parse(&text, &[]).unwrap().policy().table_promise();
        let asked: Vec<(&str, Rule)> =
            promise.conditions.iter().map(|c| (c.column.as_str(), c.rule)).collect();
        let close = |t| Rule::Close { t, distance: Distance::Equal };
        assert_eq!(asked, [("ill", close(0.1)), ("pay", close(0.3))]);
        assert!(with("k = 10", "k = 10\nt-closeness = 0.3").to_string().contains("no column is sensitive"));
    }
}
