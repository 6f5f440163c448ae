//! What the words of summaries, reports and policies mean: the sections of `docs/terms.md`, the one source for
//! `shoal help TERM` and for the definitions in a report.

/// The page of all terms; a section each.
const TERMS: &str = include_str!("../../../docs/terms.md");

/// The terms with their sections, in the order of the page.
pub fn terms() -> impl Iterator<Item = (&'static str, &'static str)> {
    TERMS.split("\n## ").skip(1).filter_map(|section| {
        let (term, text) = section.split_once('\n')?;
        Some((term.trim(), text.trim()))
    })
}

/// The name of the section for a term as a report writes it: promises carry their parameters, `k^2-anonymity`, `confidence(diagnosis)`.
pub fn section_of(topic: &str) -> String {
    let topic = topic.replace(' ', "-").to_lowercase();
    match () {
        () if topic.starts_with("k^") => "km-anonymity".to_owned(),
        () if topic.starts_with("(k") => "partial-knowledge".to_owned(),
        () => topic.split('(').next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_has_a_section_that_says_something() {
        let all: Vec<_> = terms().collect();
        assert!(all.is_sorted_by(|a, b| a.0 < b.0), "in alphabetical order, each once");
        assert!(all.iter().all(|(term, text)| text.len() >= 10 && !term.contains(char::is_whitespace)));
    }

    #[test]
    fn promises_are_found_by_the_names_that_reports_have() {
        let names = ["k^2-anonymity", "(k,β)^L", "confidence(illness)", "complete k-anonymity", "personal-k"];
        for name in names {
            let section = section_of(name);
            assert!(terms().any(|(term, _)| term == section), "{name} → {section}");
        }
    }
}
