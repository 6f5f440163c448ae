//! Published values as a reader of the file sees them: exact values, ranges `[25, 40]`, sets `{a, b}`,
//! nodes of a hierarchy, and `*`.

use std::borrow::Cow;

use crate::hierarchy::BoundHierarchy;
use crate::quote::{quote, unquote};
use crate::{Domain, NodeId, ValueParser};

/// What one published text says about the value behind it, in terms of the original column.
#[derive(Clone, Debug, PartialEq)]
pub enum PublishedValue {
    /// This value and no other.
    Exact(u32),
    /// A value between two positions, both included.
    Range {
        /// The least position.
        lo: f64,
        /// The greatest position.
        hi: f64,
    },
    /// One of these values, ascending.
    Set(Vec<u32>),
    /// One of the leaves below a node.
    Node(NodeId),
    /// Anything.
    Suppressed,
}

/// A published text that says nothing about the original column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishedError {
    /// Neither a value of the column, nor a node, nor written as a range or a set.
    #[error("`{text}` is neither a value of the column, a node of its hierarchy, a range, a set nor `*`")]
    Unknown {
        /// The text.
        text: String,
    },
    /// A set names something that is not a value of the column.
    #[error("the set `{text}` names `{member}`, which is not a value of the column")]
    Member {
        /// The whole text.
        text: String,
        /// The member in question.
        member: String,
    },
}

impl PublishedValue {
    /// Reads a published text. Exact values come first, then nodes, so that a label is never taken apart.
    pub fn parse(
        text: &str,
        domain: &Domain,
        hierarchy: Option<&BoundHierarchy>,
    ) -> Result<PublishedValue, PublishedError> {
        if let Some(code) = domain.code_of(text) {
            return Ok(PublishedValue::Exact(code));
        }
        if let Some(node) = hierarchy.and_then(|h| h.tree().node(text)) {
            return Ok(PublishedValue::Node(node));
        }
        // After the nodes: the root of a hierarchy may be called `*` as well, and is then read as a node.
        if text == "*" {
            return Ok(PublishedValue::Suppressed);
        }
        if let Some((lo, hi)) = parse_range(text, domain.parser()) {
            return Ok(PublishedValue::Range { lo, hi });
        }
        if let Some(members) = parse_set(text) {
            let mut codes = members
                .iter()
                .map(|member| {
                    domain.code_of(member).ok_or_else(|| PublishedError::Member {
                        text: text.to_owned(),
                        member: member.clone(),
                    })
                })
                .collect::<Result<Vec<u32>, _>>()?;
            codes.sort_unstable();
            codes.dedup();
            return Ok(PublishedValue::Set(codes));
        }
        Err(PublishedError::Unknown { text: text.to_owned() })
    }

    /// Whether the published value is true of the original value `code`.
    pub fn covers(&self, code: u32, domain: &Domain, hierarchy: Option<&BoundHierarchy>) -> bool {
        match self {
            PublishedValue::Exact(exact) => *exact == code,
            // A missing value has no position and lies in no range.
            PublishedValue::Range { lo, hi } => {
                domain.positions().get(code as usize).is_some_and(|at| lo <= at && at <= hi)
            }
            PublishedValue::Set(codes) => codes.binary_search(&code).is_ok(),
            PublishedValue::Node(node) => {
                hierarchy.is_some_and(|h| h.tree().leaves_below(*node).contains(&h.leaf_of(code)))
            }
            PublishedValue::Suppressed => true,
        }
    }
}

/// Whether an original text could be taken for a published generalization: `*`, or something in braces.
/// Such a value must not be in a quasi-identifier, since nobody could tell the two apart.
pub fn looks_generalized(text: &str) -> bool {
    text == "*" || (text.starts_with('{') && text.ends_with('}'))
}

/// How a label is written inside a set: as it is, or in quotes where it would be misread.
pub fn quote_in_set(label: &str) -> Cow<'_, str> {
    quote(label, &[',', '{', '}'])
}

/// The positions of `[a, b]`, or `None` when the text is not a range of values that the parser reads.
pub fn parse_range(text: &str, parser: &ValueParser) -> Option<(f64, f64)> {
    let (lo, hi) = split_range(text, parser)?;
    Some((parser.position(lo)?, parser.position(hi)?))
}

/// The ends of `[a, b]` as they are written, or `None` when the text is not a range of values that the parser reads.
pub fn split_range<'a>(text: &'a str, parser: &ValueParser) -> Option<(&'a str, &'a str)> {
    let inside = text.strip_prefix('[')?.strip_suffix(']')?;
    // A date may hold ", " itself, so every comma is tried.
    inside.match_indices(", ").find_map(|(at, comma)| {
        let (lo, hi) = (&inside[..at], &inside[at + comma.len()..]);
        (parser.position(lo)? <= parser.position(hi)?).then_some((lo, hi))
    })
}

/// The names of the two columns that hold the ends of a column's ranges, where they are published as columns.
pub fn range_ends(column: &str) -> [String; 2] {
    [format!("{column}_min"), format!("{column}_max")]
}

/// The members of `{a, "b, c"}`, or `None` when the text is not a set.
pub fn parse_set(text: &str) -> Option<Vec<String>> {
    let mut rest = text.strip_prefix('{')?.strip_suffix('}')?;
    let mut members = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(quoted) = rest.strip_prefix('"') {
            let (member, after) = unquote(quoted);
            members.push(member);
            // Without its closing quote the text is not a set that we wrote.
            rest = after?.trim_start();
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            members.push(rest[..end].trim_end().to_owned());
            rest = &rest[end..];
        }
        match rest.strip_prefix(',') {
            Some(next) => rest = next,
            // Something after a closing quote that is not a comma.
            None => return rest.is_empty().then_some(members),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::fixture::column;
    use crate::{Cell, Column, Hierarchy, Kind};

    fn round_trip(column: &Column, cell: &Cell) -> PublishedValue {
        let text = column.render(cell);
        PublishedValue::parse(&text, &column.domain, column.hierarchy.as_ref()).unwrap()
    }

    #[test]
    fn sets_survive_labels_that_look_like_syntax() {
        let column = column(Kind::Text, &["a", "b, c", "say \"x\"", "", " d", "{e"]);
        let all: Vec<u32> = (0..6).collect();
        assert_eq!(round_trip(&column, &Cell::Set(all.clone())), PublishedValue::Set(all));
        assert_eq!(column.render(&Cell::Set(vec![2, 3])), "{a, \"b, c\"}");
    }

    #[test]
    fn ranges_cover_what_lies_between_and_never_the_missing() {
        let column = column(Kind::Integer, &["5", "10", "7", "?"]);
        let range = round_trip(&column, &Cell::Range { lo: 0, hi: 1 });
        assert_eq!(range, PublishedValue::Range { lo: 5.0, hi: 7.0 });
        let covered: Vec<bool> = (0..4).map(|c| range.covers(c, &column.domain, None)).collect();
        assert_eq!(covered, [true, true, false, false]);
    }

    #[test]
    fn nodes_are_read_by_their_label() {
        let lines = [["a", "AB", "*"], ["b", "AB", "*"], ["c", "C", "*"]].map(Vec::from);
        let tree = Arc::new(Hierarchy::from_rows(&lines).unwrap());
        let column = column(Kind::Text, &["a", "b", "c"]).with_hierarchy(&tree).unwrap();
        let bound = column.hierarchy.as_ref();
        let node = bound.unwrap().lowest_common(0, 1);
        let value = round_trip(&column, &Cell::Node(node));
        assert_eq!(value, PublishedValue::Node(node));
        assert!(value.covers(1, &column.domain, bound) && !value.covers(2, &column.domain, bound));
        assert_eq!(
            PublishedValue::parse("zebra", &column.domain, bound),
            Err(PublishedError::Unknown { text: "zebra".into() })
        );
    }
}
