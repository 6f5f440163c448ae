//! One promise with its parameters, as the verifier judges it and as reports name it.

use std::fmt;

use serde::Serialize;

use super::{Bound, Rule, Support};

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
    use crate::{Distance, Likeness};

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
