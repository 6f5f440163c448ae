use std::sync::Arc;

use shoal_core::{Hierarchy, ValueParser, parse_range, parse_set};

/// A column of a stream's cells, as far as the gate must know it.
#[derive(Clone, Debug)]
pub struct GateColumn {
    /// Its name.
    pub name: String,
    /// Whether it is a quasi-identifier; otherwise it is insensitive.
    pub quasi: bool,
    /// How its values are read.
    pub parser: ValueParser,
    /// The hierarchy of its values, where it has one.
    pub hierarchy: Option<Arc<Hierarchy>>,
}

impl GateColumn {
    /// Whether a published text is true of an original value: the value itself, the same number, `*`, a node above it, a range around
    /// it, or a set that holds it. A missing value lies in no range.
    pub(super) fn covers(&self, text: &str, original: &str) -> bool {
        text == original
            || text == "*"
            || self.same_number(text, original)
            || self.node_covers(text, original)
            || self.range_covers(text, original)
            || parse_set(text)
                .is_some_and(|members| members.iter().any(|member| self.member_covers(member, original)))
    }

    /// A member of a set is a value, or a node of the hierarchy.
    fn member_covers(&self, member: &str, original: &str) -> bool {
        member == original || self.node_covers(member, original)
    }

    /// The same number or date, written in another way: `1` for `1.0`.
    fn same_number(&self, text: &str, original: &str) -> bool {
        self.parser.position(text).is_some_and(|at| self.parser.position(original) == Some(at))
    }

    fn node_covers(&self, text: &str, original: &str) -> bool {
        let above = |tree: &Arc<Hierarchy>| {
            let (node, leaf) = (tree.node(text)?, tree.leaf(original)?);
            Some(tree.leaves_below(node).contains(&leaf))
        };
        self.hierarchy.as_ref().and_then(above).unwrap_or(false)
    }

    fn range_covers(&self, text: &str, original: &str) -> bool {
        let Some((lo, hi)) = parse_range(text, &self.parser) else { return false };
        self.parser.position(original).is_some_and(|at| lo <= at && at <= hi)
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::{DateFormat, Kind};

    use super::*;

    fn column(kind: Kind) -> GateColumn {
        let parser = ValueParser::new(kind, DateFormat::default());
        GateColumn { name: "c".to_owned(), quasi: true, parser, hierarchy: None }
    }

    #[test]
    fn a_number_in_another_spelling_is_true_and_another_number_is_not() {
        let decimal = column(Kind::Decimal);
        assert!(decimal.covers("1", "1.0") && decimal.covers("1.50", "1.5"));
        assert!(!decimal.covers("1", "2.0") && !decimal.covers("2", "1.0"));
        // A text is not a number, and a missing value is not the same as another: neither has a position.
        assert!(!decimal.covers("x", "1.0") && !decimal.covers("1", "x") && !decimal.covers("x", "y"));
        let text = column(Kind::Text);
        assert!(text.covers("1", "1") && !text.covers("1", "1.0"));
    }
}
