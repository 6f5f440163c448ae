use std::collections::HashMap;

use super::ranges;
use crate::hierarchy::tree::MOST_LEVELS;
use crate::hierarchy::{Hierarchy, HierarchyError};

/// Whether a text is a hierarchy file of Amnesia: no line of ours is a lone `distinct` that a line with a key follows.
pub(in crate::hierarchy) fn is_amnesia(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().is_some_and(|line| matches!(line, "distinct" | "range"));
    first && lines.next().is_some_and(|line| header_key(line).is_some())
}

/// Reads a hierarchy file of Amnesia.
pub(in crate::hierarchy) fn from_amnesia(text: &str) -> Result<Hierarchy, HierarchyError> {
    let file = File::of(text)?;
    let edges = file.edges()?;
    if file.is_range {
        return ranges::tree(&edges, file.kind, file.kind_line);
    }
    Hierarchy::from_lines(&edges.lines()?)
}

/// The labels that are children somewhere and parents nowhere, whether the file is a tree or not.
pub(in crate::hierarchy) fn values(text: &str) -> Vec<String> {
    let groups: std::collections::HashSet<&str> =
        text.lines().filter_map(parent_and_children).map(|(parent, _)| parent).collect();
    let children = text.lines().filter_map(parent_and_children).flat_map(|(_, children)| children);
    children.filter(|child| !groups.contains(child)).map(str::to_owned).collect()
}

/// The parts of a file, not yet checked.
struct File<'a> {
    is_range: bool,
    /// `string`, `int`, `decimal`, `date`.
    kind: &'a str,
    kind_line: usize,
    /// The lines after the header with their numbers.
    body: Vec<(usize, &'a str)>,
}

impl<'a> File<'a> {
    fn of(text: &'a str) -> Result<File<'a>, HierarchyError> {
        let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())).peekable();
        let mut file = File { is_range: false, kind: "string", kind_line: 1, body: Vec::new() };
        // Blank lines may be before the header; the first one after it ends it.
        while lines.next_if(|(_, line)| line.is_empty()).is_some() {}
        for (number, line) in lines.by_ref() {
            match header_key(line) {
                Some(("type", value)) => (file.kind, file.kind_line) = (value, number),
                Some(_) => {}
                None if line == "range" => file.is_range = true,
                None if line == "distinct" => {}
                None if line.is_empty() => break,
                None => return Err(HierarchyError::AmnesiaHeader { line: number, text: line.to_owned() }),
            }
        }
        file.body = lines.filter(|(_, line)| !line.is_empty()).collect();
        Ok(file)
    }

    fn edges(&self) -> Result<Edges<'a>, HierarchyError> {
        // Amnesia keeps whole numbers as floating point numbers and saves 39 as `39.0`.
        let whole = matches!(self.kind, "int" | "integer") && !self.is_range;
        let label = |token: &'a str| if whole { token.strip_suffix(".0").unwrap_or(token) } else { token };
        let mut edges = Edges::default();
        for &(line, text) in &self.body {
            let (parent, children) = parent_and_children(text)
                .ok_or_else(|| HierarchyError::AmnesiaLine { line, text: text.to_owned() })?;
            children.into_iter().try_for_each(|child| edges.add(label(parent), label(child), line))?;
        }
        Ok(edges)
    }
}

/// `name …`, `type …`, `height …`.
fn header_key(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(' ')?;
    matches!(key, "name" | "type" | "height").then(|| (key, value.trim()))
}

/// `parent has child child …`
fn parent_and_children(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut labels = line.split(' ').map(str::trim).filter(|label| !label.is_empty());
    let parent = labels.next()?;
    let is_group = labels.next()? == "has";
    let children: Vec<&str> = labels.collect();
    // A second `has` is a label with a blank that nobody can tell from two labels.
    (is_group && !children.is_empty() && !children.contains(&"has")).then_some((parent, children))
}

/// Who is below whom, in the order of the file.
#[derive(Default)]
pub(super) struct Edges<'a> {
    /// Child → its parent and the line that says so.
    parent_of: HashMap<&'a str, (&'a str, usize)>,
    children_of: HashMap<&'a str, Vec<&'a str>>,
    /// Parents in the order of the file, each with its first line.
    groups: Vec<(&'a str, usize)>,
}

impl<'a> Edges<'a> {
    fn add(&mut self, parent: &'a str, child: &'a str, line: usize) -> Result<(), HierarchyError> {
        match self.parent_of.get(child) {
            Some(&(first, _)) if first == parent => return Ok(()),
            Some(&(first, first_line)) => {
                return Err(HierarchyError::TwoParents {
                    label: child.to_owned(),
                    first: first.to_owned(),
                    first_line,
                    second: parent.to_owned(),
                    second_line: line,
                });
            }
            None => self.parent_of.insert(child, (parent, line)),
        };
        let children = self.children_of.entry(parent).or_default();
        if children.is_empty() {
            self.groups.push((parent, line));
        }
        children.push(child);
        Ok(())
    }

    /// The line that puts a label below its parent.
    pub(super) fn line_of(&self, label: &str) -> usize {
        self.parent_of.get(label).map_or(1, |(_, line)| *line)
    }

    /// A line per leaf, from the leaf to the top, all equally long.
    pub(super) fn lines(&self) -> Result<Vec<(usize, Vec<String>)>, HierarchyError> {
        let paths = self.paths()?;
        let height = paths.iter().map(Vec::len).max().unwrap_or_default();
        let line = |path: &Vec<&str>| {
            // Levels count from the top in Amnesia: a leaf that is less deep than others is itself on the levels below it.
            let leaf = std::iter::repeat_n(path[0], height - path.len());
            let cells = leaf.chain(path.iter().copied()).map(str::to_owned).collect();
            (self.line_of(path[0]), cells)
        };
        Ok(paths.iter().map(line).collect())
    }

    /// The labels from each leaf to the top, in the order of the tree.
    pub(super) fn paths(&self) -> Result<Vec<Vec<&'a str>>, HierarchyError> {
        self.refuse_cycles()?;
        let mut tops = self.groups.iter().filter(|(group, _)| !self.parent_of.contains_key(group));
        let &(top, first_line) = tops.next().ok_or(HierarchyError::Empty)?;
        if let Some(&(second, second_line)) = tops.next() {
            let (first, second) = (top.to_owned(), second.to_owned());
            return Err(HierarchyError::NoTop { first, first_line, second, second_line });
        }
        let mut paths = Vec::new();
        self.descend(&mut vec![top], &mut paths);
        Ok(paths)
    }

    /// Every group must reach a top: one that does not would otherwise be lost with everything below it.
    fn refuse_cycles(&self) -> Result<(), HierarchyError> {
        // How many groups are above each, itself included; 0 while its climb is not over.
        let mut height: HashMap<&str, usize> = HashMap::with_capacity(self.groups.len());
        for &(group, line) in &self.groups {
            let mut climb = Vec::new();
            let mut at = group;
            let above = loop {
                match height.get(at) {
                    Some(0) => return Err(HierarchyError::Cycle { line, label: at.to_owned() }),
                    Some(&known) => break known,
                    None => {}
                }
                height.insert(at, 0);
                climb.push(at);
                match self.parent_of.get(at) {
                    Some(&(parent, _)) => at = parent,
                    None => break 0,
                }
            };
            for (step, label) in climb.into_iter().rev().enumerate() {
                height.insert(label, above + step + 1);
            }
            // The leaves below are one more.
            let levels = height[group] + 1;
            if levels > MOST_LEVELS {
                return Err(HierarchyError::TooDeep { line, levels, most: MOST_LEVELS });
            }
        }
        Ok(())
    }

    fn descend(&self, path: &mut Vec<&'a str>, paths: &mut Vec<Vec<&'a str>>) {
        match self.children_of.get(path[path.len() - 1]) {
            None => paths.push(path.iter().rev().copied().collect()),
            Some(children) => {
                for child in children {
                    path.push(child);
                    self.descend(path, paths);
                    path.pop();
                }
            }
        }
    }
}
