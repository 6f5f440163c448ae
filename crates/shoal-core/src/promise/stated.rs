//! One promise with its parameters, as the verifier judges it and as reports name it.

use std::fmt;

use serde::Serialize;

use super::{Bound, Likeness, Rule, Support};

/// A promise about a release, of any shape. Its name and what it asks for are derived from it and are for people;
/// programs match on the promise itself.
///
/// ```
/// use shoal_core::{Figure, Promise};
///
/// let promise = Promise::Itemsets { k: 5, m: 2, share: None };
/// assert_eq!((promise.name().as_str(), promise.asked()), ("k^2-anonymity", Figure::Count(5)));
/// assert_eq!(serde_json::to_string(&promise).unwrap(), r#"{"kind":"km-anonymity","k":5,"m":2}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Promise {
    /// Every crowd has at least k members.
    KAnonymity {
        /// The size of the crowd.
        k: u32,
    },
    /// Every record is in a crowd of the size that it asks for itself.
    PersonalK,
    /// tables: at most this share of the records is left out or published as `*`.
    MaxSuppressed {
        /// The share of all records.
        share: f64,
    },
    /// k^m-anonymity of sets of items.
    #[serde(rename = "km-anonymity")]
    Itemsets {
        /// The size of the crowd.
        k: u32,
        /// How many items an attacker may know.
        m: usize,
        /// The share of all items that an attacker may know; all of them where none is given.
        #[serde(skip_serializing_if = "Option::is_none")]
        share: Option<f64>,
    },
    /// Every set of items of a transaction is in at least k of them.
    #[serde(rename = "complete-k-anonymity")]
    Complete {
        /// The size of the crowd.
        k: u32,
    },
    /// Each set of items that the publisher listed is in at least k transactions, or in none.
    #[serde(rename = "k-anonymity-of-constraints")]
    Constraints {
        /// The size of the crowd.
        k: u32,
    },
    /// At most the share c of each crowd has one of the listed values of a column.
    Confidence {
        /// The column.
        about: String,
        /// The greatest share.
        c: f64,
    },
    /// (k,β)^L or (k,C)^L: an attacker knows at most L events of a person.
    #[serde(rename = "partial-knowledge")]
    Knowledge {
        /// The size of the crowd.
        k: u32,
        /// L.
        length: usize,
        /// Who is counted in a crowd.
        support: Support,
        /// What a crowd may give away, column by column.
        bounds: Vec<ColumnBound>,
    },
    /// streams: every line or class has at least l different sensitive values.
    LDiversity {
        /// How many.
        l: u64,
    },
    /// streams: all lines have the form that the policy says.
    WellFormedLines,
    /// streams: the values of a line are in ascending order.
    OrderOfValues,
    /// streams: the design can draw the values of every line.
    SetsOfTheDesign,
    /// streams in groups: every member has a place in its group.
    PlacesForMembers,
    /// streams in groups: no quasi-identifiers occur twice in a group.
    DifferentMembers,
    /// What must be true of the values in each class of a table.
    #[serde(untagged)]
    Values(Rule),
}

/// What a crowd may give away about one column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnBound {
    /// The column.
    pub column: String,
    /// How much.
    #[serde(flatten)]
    pub bound: Bound,
}

impl Promise {
    /// The name in reports.
    pub fn name(&self) -> String {
        let name = match self {
            Promise::KAnonymity { .. } => "k-anonymity",
            Promise::PersonalK => "personal-k",
            Promise::MaxSuppressed { .. } => "max-suppressed",
            Promise::Itemsets { m, share: None, .. } => return format!("k^{m}-anonymity"),
            Promise::Itemsets { m, share: Some(share), .. } => {
                return format!("k^{m}-anonymity of a share of {share}");
            }
            Promise::Complete { .. } => "complete k-anonymity",
            Promise::Constraints { .. } => "k-anonymity of constraints",
            Promise::Confidence { about, .. } => return format!("confidence({about})"),
            Promise::Knowledge { bounds, .. } => {
                let is_gain = |of: &ColumnBound| matches!(of.bound, Bound::Gain(_));
                let gain = if bounds.iter().any(is_gain) { ",β" } else { "" };
                let share = if bounds.iter().all(is_gain) { "" } else { ",C" };
                return format!("(k{gain}{share})^L");
            }
            Promise::LDiversity { .. } => "l-diversity",
            Promise::WellFormedLines => "well-formed lines",
            Promise::OrderOfValues => "order of values",
            Promise::SetsOfTheDesign => "sets of the design",
            Promise::PlacesForMembers => "members without a place",
            Promise::DifferentMembers => "quasi-identifiers twice in a group",
            Promise::Values(rule) => match rule {
                Rule::Distinct { .. } => "distinct-l-diversity",
                Rule::Frequency { .. } => "frequency-l-diversity",
                Rule::Entropy { .. } => "entropy-l-diversity",
                Rule::Recursive { .. } => "recursive-l-diversity",
                Rule::Close { .. } => "t-closeness",
                Rule::Alike(_) => "beta-likeness",
            },
        };
        name.to_owned()
    }

    /// What is asked for, to be held against what is found.
    pub fn asked(&self) -> Figure {
        let words = |words: &str| Figure::Words(words.to_owned());
        match *self {
            Promise::KAnonymity { k }
            | Promise::Itemsets { k, .. }
            | Promise::Complete { k }
            | Promise::Constraints { k } => Figure::Count(k.into()),
            Promise::PersonalK => words("each record's own k"),
            Promise::MaxSuppressed { share } => Figure::Number(share),
            Promise::Confidence { c, .. } => Figure::Number(c),
            Promise::Knowledge { k, length, support, ref bounds } => {
                Figure::Words(knowledge_in_words(k, length, support, bounds))
            }
            Promise::LDiversity { l } => Figure::Count(l),
            Promise::WellFormedLines | Promise::SetsOfTheDesign => words("all"),
            Promise::OrderOfValues => words("ascending"),
            Promise::PlacesForMembers | Promise::DifferentMembers => words("none"),
            Promise::Values(rule) => match rule {
                Rule::Distinct { l } => Figure::Count(l as u64),
                Rule::Frequency { l } => Figure::Number(1.0 / l as f64),
                Rule::Entropy { l } => Figure::Number(l),
                Rule::Recursive { l, c } => Figure::Words(format!("below c = {c} for l = {l}")),
                Rule::Close { t, .. } => Figure::Number(t),
                Rule::Alike(Likeness::Basic(beta) | Likeness::Enhanced(beta)) => Figure::Number(beta),
            },
        }
    }

    /// The size that crowds have, where that is promised.
    pub fn k(&self) -> Option<u32> {
        match *self {
            Promise::KAnonymity { k }
            | Promise::Itemsets { k, .. }
            | Promise::Complete { k }
            | Promise::Constraints { k }
            | Promise::Knowledge { k, .. } => Some(k),
            Promise::PersonalK
            | Promise::MaxSuppressed { .. }
            | Promise::Confidence { .. }
            | Promise::LDiversity { .. }
            | Promise::WellFormedLines
            | Promise::OrderOfValues
            | Promise::SetsOfTheDesign
            | Promise::PlacesForMembers
            | Promise::DifferentMembers
            | Promise::Values(_) => None,
        }
    }
}

/// `k = 5, β = 1, L = 2`.
fn knowledge_in_words(k: u32, length: usize, support: Support, bounds: &[ColumnBound]) -> String {
    let bound = |of: &ColumnBound| {
        let column = if bounds.len() > 1 { format!(" for {}", of.column) } else { String::new() };
        match of.bound {
            Bound::Gain(beta) => format!("β = {beta}{column}, "),
            Bound::Share(c) => format!("C = {c}{column}, "),
        }
    };
    let bounds: String = bounds.iter().map(bound).collect();
    let count = match support {
        Support::Compatible => "",
        Support::Paper => ", by the papers' count",
    };
    format!("k = {k}, {bounds}L = {length}{count}")
}

/// What a promise asks for or what was found of it, a plain value in reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Figure {
    /// There is none, e.g. no smallest class in an empty file.
    Nothing,
    /// A count.
    Count(u64),
    /// A number.
    Number(f64),
    /// Several parameters in words.
    Words(String),
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Nothing => f.write_str("nothing"),
            Figure::Count(count) => count.fmt(f),
            // Six places are enough for a person; the machine form has them all.
            Figure::Number(number) => ((number * 1e6).round() / 1e6).fmt(f),
            Figure::Words(words) => f.write_str(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Distance;

    /// A report that calls a promise by another name, or says that something else was asked, promises something else.
    #[test]
    fn a_promise_says_what_it_is_and_what_is_asked() {
        let said = |promise: Promise| (promise.name(), promise.asked().to_string());
        let expect =
            |promise, name: &str, asked: &str| assert_eq!(said(promise), (name.into(), asked.into()));
        expect(Promise::KAnonymity { k: 3 }, "k-anonymity", "3");
        expect(Promise::Itemsets { k: 5, m: 2, share: Some(0.25) }, "k^2-anonymity of a share of 0.25", "5");
        expect(Promise::Complete { k: 3 }, "complete k-anonymity", "3");
        expect(Promise::Constraints { k: 4 }, "k-anonymity of constraints", "4");
        expect(Promise::Confidence { about: "ill".into(), c: 0.5 }, "confidence(ill)", "0.5");
        expect(Promise::MaxSuppressed { share: 0.1 }, "max-suppressed", "0.1");
        expect(Promise::Values(Rule::Distinct { l: 3 }), "distinct-l-diversity", "3");
        expect(Promise::Values(Rule::Frequency { l: 4 }), "frequency-l-diversity", "0.25");
        expect(Promise::Values(Rule::Entropy { l: 2.5 }), "entropy-l-diversity", "2.5");
        let recursive = Rule::Recursive { l: 3, c: 1.5 };
        expect(Promise::Values(recursive), "recursive-l-diversity", "below c = 1.5 for l = 3");
        let close = Rule::Close { t: 0.2, distance: Distance::Equal };
        expect(Promise::Values(close), "t-closeness", "0.2");
        expect(Promise::Values(Rule::Alike(Likeness::Basic(0.7))), "beta-likeness", "0.7");
    }

    #[test]
    fn what_is_partly_known_names_its_bounds() {
        let bound = |column: &str, bound| ColumnBound { column: column.into(), bound };
        let knowledge = |bounds: &[ColumnBound], support| {
            let promise = Promise::Knowledge { k: 5, length: 2, support, bounds: bounds.to_vec() };
            (promise.name(), promise.asked().to_string(), promise.k())
        };
        let (gain, share) = (bound("a", Bound::Gain(1.0)), bound("b", Bound::Share(0.5)));
        let said = |name: &str, asked: &str| (name.to_owned(), asked.to_owned(), Some(5));
        assert_eq!(knowledge(&[], Support::Compatible), said("(k)^L", "k = 5, L = 2"));
        assert_eq!(
            knowledge(std::slice::from_ref(&gain), Support::Paper),
            said("(k,β)^L", "k = 5, β = 1, L = 2, by the papers' count")
        );
        assert_eq!(
            knowledge(&[gain, share], Support::Compatible),
            said("(k,β,C)^L", "k = 5, β = 1 for a, C = 0.5 for b, L = 2")
        );
    }

    /// `report.json` has these; scripts read them.
    #[test]
    fn programs_read_the_parameters() {
        let json = |promise: Promise| serde_json::to_string(&promise).unwrap();
        assert_eq!(json(Promise::KAnonymity { k: 3 }), r#"{"kind":"k-anonymity","k":3}"#);
        assert_eq!(
            json(Promise::Values(Rule::Close { t: 0.2, distance: Distance::Ordered })),
            r#"{"kind":"t-closeness","t":0.2,"distance":"ordered"}"#
        );
        assert_eq!(
            json(Promise::Values(Rule::Alike(Likeness::Enhanced(2.0)))),
            r#"{"kind":"beta-likeness","enhanced":2.0}"#
        );
        let bounds = vec![ColumnBound { column: "ill".into(), bound: Bound::Gain(1.0) }];
        assert_eq!(
            json(Promise::Knowledge { k: 5, length: 2, support: Support::Compatible, bounds }),
            r#"{"kind":"partial-knowledge","k":5,"length":2,"support":"compatible","bounds":[{"column":"ill","beta":1.0}]}"#
        );
    }
}
