//! Files whose groups are ranges of whole numbers.

use std::collections::{HashMap, HashSet};

use super::read::Edges;
use crate::Hierarchy;
use crate::hierarchy::HierarchyError;
use crate::hierarchy::tree::MOST_LINES;

/// Both ends of a range, as the file has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ends {
    pub lo: i64,
    pub hi: i64,
}

/// The tree over all whole numbers in the narrowest ranges. Groups are labelled as published ranges are, both ends included; the top is `*`.
pub(super) fn tree(edges: &Edges<'_>, kind: &str, kind_line: usize) -> Result<Hierarchy, HierarchyError> {
    if !matches!(kind, "int" | "integer") {
        return Err(HierarchyError::AmnesiaKind { line: kind_line, kind: kind.to_owned() });
    }
    let mut narrow = Vec::new();
    for path in edges.paths()? {
        let line = edges.line_of(path[0]);
        if let Some(ends) = ends_of(path[0]).ok_or_else(|| not_a_range(line, path[0]))? {
            narrow.push(Narrow { ends, line, path });
        }
    }
    narrow.sort_by_key(|range| range.ends);
    exclude_shared_ends(&mut narrow)?;
    let count = narrow.iter().try_fold(0_usize, |sum, range| sum.checked_add(range.ends.count()));
    match count {
        Some(0) => return Err(HierarchyError::Empty),
        Some(lines) if lines <= MOST_LINES => {}
        many => {
            return Err(HierarchyError::TooManyLines { lines: many.unwrap_or(usize::MAX), most: MOST_LINES });
        }
    }
    Hierarchy::from_lines(&lines(&narrow))
}

/// A range that no other is below.
struct Narrow<'a> {
    ends: Ends,
    line: usize,
    /// From the range itself to the top.
    path: Vec<&'a str>,
}

impl Ends {
    fn count(self) -> usize {
        usize::try_from(self.hi - self.lo + 1).unwrap_or(usize::MAX)
    }
}

/// The ends that a label names; an inner `None` for the range of missing values, which needs no line here; `None` for what is no range.
fn ends_of(label: &str) -> Option<Option<Ends>> {
    let (lo, hi) = label.split_once(',')?;
    // Amnesia counts `0,0` as the range of missing values, too, and puts no number into it.
    if (lo, hi) == ("NaN", "NaN") || (number(lo), number(hi)) == (Some(0), Some(0)) {
        return Some(None);
    }
    let ends = Ends { lo: number(lo)?, hi: number(hi)? };
    (ends.lo <= ends.hi).then_some(Some(ends))
}

/// A whole number, also one that was saved as `39.0`. Bounded by what a floating point number, which Amnesia has, holds exactly.
fn number(text: &str) -> Option<i64> {
    const LARGEST: i64 = 1 << 53;
    let whole = text.strip_suffix(".0").unwrap_or(text);
    whole.parse().ok().filter(|number| (-LARGEST..=LARGEST).contains(number))
}

fn not_a_range(line: usize, label: &str) -> HierarchyError {
    HierarchyError::AmnesiaRange { line, text: label.to_owned() }
}

/// Where a range ends at the number with which the next one begins, that number belongs to the next one, as in Amnesia.
fn exclude_shared_ends(narrow: &mut [Narrow<'_>]) -> Result<(), HierarchyError> {
    for at in 1..narrow.len() {
        let next = narrow[at].ends;
        let before = &mut narrow[at - 1];
        if before.ends.hi == next.lo {
            before.ends.hi -= 1;
        }
        // The range before is empty where both begin with the same number.
        if before.ends.hi >= next.lo || before.ends.hi < before.ends.lo {
            let (range, other) = (narrow[at].path[0].to_owned(), narrow[at - 1].path[0].to_owned());
            return Err(HierarchyError::AmnesiaOverlap { line: narrow[at].line, range, other });
        }
    }
    Ok(())
}

/// A line per number.
fn lines(narrow: &[Narrow<'_>]) -> Vec<(usize, Vec<String>)> {
    let mut holds: HashMap<&str, Ends> = HashMap::new();
    for range in narrow {
        for label in &range.path {
            let held = holds.entry(label).or_insert(range.ends);
            (held.lo, held.hi) = (held.lo.min(range.ends.lo), held.hi.max(range.ends.hi));
        }
    }
    let begins: HashSet<i64> = narrow.iter().map(|range| range.ends.lo).collect();
    let height = narrow.iter().map(|range| range.path.len()).max().unwrap_or_default();
    let mut lines = Vec::new();
    for range in narrow {
        let groups = &range.path[..range.path.len() - 1];
        let labels: Vec<String> =
            groups.iter().map(|label| written(meant(label, holds[label], &begins))).collect();
        for number in range.ends.lo..=range.ends.hi {
            // As in files of labels, what is less deep stays itself on the levels below.
            let leaf = std::iter::repeat_n(number.to_string(), 1 + height - range.path.len());
            let cells = leaf.chain(labels.iter().cloned()).chain(std::iter::once("*".to_owned()));
            lines.push((range.line, cells.collect()));
        }
    }
    lines
}

/// The ends of a group, both included: those that its label names, unless the upper one belongs to the range after it, and never less than
/// what it holds.
fn meant(label: &str, held: Ends, begins: &HashSet<i64>) -> Ends {
    let named = ends_of(label).flatten().unwrap_or(held);
    let shared = named.hi > held.hi && begins.contains(&named.hi);
    Ends { lo: named.lo.min(held.lo), hi: (named.hi - i64::from(shared)).max(held.hi) }
}

/// A range as it is published.
fn written(ends: Ends) -> String {
    format!("[{}, {}]", ends.lo, ends.hi)
}

/// The ends of a label that is written so.
pub(super) fn published_ends(label: &str) -> Option<Ends> {
    let (lo, hi) = label.strip_prefix('[')?.strip_suffix(']')?.split_once(", ")?;
    let ends = Ends { lo: lo.parse().ok()?, hi: hi.parse().ok()? };
    // Only what would be written just so again, and would not be read as the range of missing values.
    (written(ends) == label && ends.lo <= ends.hi && (ends.lo, ends.hi) != (0, 0)).then_some(ends)
}
