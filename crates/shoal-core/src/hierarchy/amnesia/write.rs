use std::collections::HashSet;
use std::fmt::Write;

use super::ranges::{Ends, published_ends};
use crate::{Hierarchy, NodeId};

/// Why a hierarchy cannot be written as a file of Amnesia.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmnesiaError {
    /// A value that Amnesia would read as several labels, as none, or as the word `has`.
    #[error(
        "the value `{label}` cannot be written in an Amnesia hierarchy, which separates labels by blanks"
    )]
    Value {
        /// The value.
        label: String,
    },
    /// The same of a group.
    #[error(
        "the group `{label}` cannot be written in an Amnesia hierarchy, which separates labels by blanks"
    )]
    Group {
        /// The label.
        label: String,
    },
    /// Two labels become one.
    #[error("the group `{label}` would be written as `{written}`, which is another label already")]
    Same {
        /// The label.
        label: String,
        /// How it would be written.
        written: String,
    },
    /// There is one node only.
    #[error("the hierarchy has no group, so that Amnesia has nothing to read")]
    NoGroup,
}

impl AmnesiaError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            AmnesiaError::Value { .. } => {
                "give data and hierarchy values without blanks, for example with `_`; Amnesia's own files have the same limit"
            }
            AmnesiaError::Group { .. } => {
                "let another character take the place of blanks in groups: `--blanks-as _`"
            }
            AmnesiaError::Same { .. } => "choose another character, or rename the group",
            AmnesiaError::NoGroup => "put the value below a top: `a;*`",
        }
    }
}

/// Writes a file of Amnesia: of ranges where all groups but the top are ranges of whole numbers, else of labels. Labels of groups may hold
/// blanks if another character is named for them; values may not, or the data would not have them any more.
///
/// ```
/// use shoal_core::hierarchy::{from_text, to_amnesia};
///
/// let tree = from_text("9th;low level;*\nMasters;high;*\n").unwrap();
/// assert!(to_amnesia(&tree, "education", None).is_err());
/// let text = to_amnesia(&tree, "education", Some('_')).unwrap();
/// assert!(text.contains("low_level has 9th \n"));
/// assert_eq!(from_text(&text).unwrap().leaf_count(), 2);
/// ```
pub fn to_amnesia(tree: &Hierarchy, name: &str, blanks: Option<char>) -> Result<String, AmnesiaError> {
    let nodes = || (0..tree.node_count() as u32).map(NodeId);
    if tree.is_leaf(tree.root()) {
        return Err(AmnesiaError::NoGroup);
    }
    let ranges = range_labels(tree);
    let (first, kind, labels) = match ranges {
        Some(labels) => ("range", "int", labels),
        None => ("distinct", "string", plain_labels(tree, blanks)?.into_iter().map(Some).collect()),
    };
    let children = children(tree);
    let depth_of_groups =
        nodes().filter(|node| labels[node.0 as usize].is_some()).map(|node| tree.depth(node)).max();
    let deepest = depth_of_groups.unwrap_or_default();
    // Amnesia takes the word after `name` for the name.
    let name: String = name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
    let mut text = format!("{first}\nname {name}\ntype {kind}\nheight {}\n\n", deepest + 1);
    // A block per level, the lowest groups first; an empty line after each is how Amnesia counts levels.
    for depth in (0..deepest).rev() {
        for parent in nodes().filter(|&node| tree.depth(node) == depth) {
            let below: Vec<&str> = children[parent.0 as usize]
                .iter()
                .filter_map(|child| labels[child.0 as usize].as_deref())
                .collect();
            if let (Some(label), false) = (&labels[parent.0 as usize], below.is_empty()) {
                // The blank at the end is what Amnesia itself writes.
                let _ = writeln!(text, "{label} has {} ", below.join(" "));
            }
        }
        text.push('\n');
    }
    Ok(text)
}

fn children(tree: &Hierarchy) -> Vec<Vec<NodeId>> {
    let mut children = vec![Vec::new(); tree.node_count()];
    for node in (0..tree.node_count() as u32).map(NodeId) {
        if let Some(parent) = tree.parent(node) {
            children[parent.0 as usize].push(node);
        }
    }
    children
}

/// The label of each node in a file of labels.
fn plain_labels(tree: &Hierarchy, blanks: Option<char>) -> Result<Vec<String>, AmnesiaError> {
    let mut taken: HashSet<String> =
        (0..tree.node_count() as u32).map(|node| tree.label(NodeId(node)).to_owned()).collect();
    let mut written_label = |node: NodeId| {
        let label = tree.label(node);
        if is_one_word(label) {
            return Ok(label.to_owned());
        }
        if tree.is_leaf(node) {
            return Err(AmnesiaError::Value { label: label.to_owned() });
        }
        let written = blanks.map(|mark| label.replace(char::is_whitespace, &mark.to_string()));
        let written = written.filter(|written| is_one_word(written));
        let written = written.ok_or_else(|| AmnesiaError::Group { label: label.to_owned() })?;
        match taken.insert(written.clone()) {
            true => Ok(written),
            false => Err(AmnesiaError::Same { label: label.to_owned(), written }),
        }
    };
    (0..tree.node_count() as u32).map(|node| written_label(NodeId(node))).collect()
}

/// What is read as this one label again.
fn is_one_word(label: &str) -> bool {
    !label.is_empty()
        && label != "has"
        && !label.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}')
}

/// The label of each group in a file of ranges, none for values; `None` where the tree is something else than ranges of whole numbers.
fn range_labels(tree: &Hierarchy) -> Option<Vec<Option<String>>> {
    let mut labels: Vec<Option<String>> = Vec::with_capacity(tree.node_count());
    let mut narrow: Vec<Ends> = Vec::new();
    let mut whole: Option<Ends> = None;
    for node in (0..tree.node_count() as u32).map(NodeId) {
        let label = tree.label(node);
        let Some(parent) = tree.parent(node) else {
            // Its range is known at the end; a top that is not `*` would be lost.
            (label == "*").then_some(())?;
            labels.push(None);
            continue;
        };
        if !tree.is_leaf(node) {
            let ends = published_ends(label)?;
            let above = published_ends(tree.label(parent));
            above.is_none_or(|above| above.lo <= ends.lo && ends.hi <= above.hi).then_some(())?;
            labels.push(Some(format!("{},{}", ends.lo, ends.hi)));
            let all = whole.get_or_insert(ends);
            (all.lo, all.hi) = (all.lo.min(ends.lo), all.hi.max(ends.hi));
            continue;
        }
        let number: i64 = label.parse().ok().filter(|number: &i64| number.to_string() == label)?;
        let ends = published_ends(tree.label(parent))?;
        (ends.lo <= number && number <= ends.hi).then_some(())?;
        if narrow.last() != Some(&ends) {
            narrow.push(ends);
        }
        labels.push(None);
    }
    // Ranges that share numbers, or the same one with values and groups below it, would be read as something else.
    narrow.sort_unstable();
    narrow.windows(2).all(|pair| pair[0].hi < pair[1].lo).then_some(())?;
    let all = whole?;
    // A group that holds all would be written like the top.
    let top = format!("{},{}", all.lo, all.hi);
    (!labels.contains(&Some(top.clone()))).then_some(())?;
    labels[0] = Some(top);
    Some(labels)
}
