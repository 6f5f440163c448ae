use serde::Serialize;
use shoal_core::{Hierarchy, NodeId};

use crate::args::ShowArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{count, grouped, width};
use crate::verbs::Answer;

/// How many children of a node are drawn.
const SHOWN: usize = 12;

/// The width of a drawing that goes to no terminal.
const USUAL_WIDTH: usize = 100;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document {
    file: String,
    values: u32,
    levels: usize,
    nodes: usize,
    tree: Branch,
}

/// A node and what lies below it.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Branch {
    label: String,
    values: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Branch>,
}

/// Draws a hierarchy.
pub(crate) fn show(args: &ShowArgs, console: &Console) -> Result<Answer, Failure> {
    let tree = super::read(&args.file)?;
    let document = Document {
        file: args.file.display().to_string(),
        values: tree.leaf_count(),
        levels: tree.level_count(),
        nodes: tree.node_count(),
        tree: branch(&tree),
    };
    let drawing = Drawing {
        depth: args.depth.unwrap_or(u32::MAX),
        children: if args.all { usize::MAX } else { SHOWN },
        width: if args.all { usize::MAX } else { width().map_or(USUAL_WIDTH, usize::from) },
    };
    console.answer(&document, || {
        let values = count(document.values as usize, "value", "values");
        let mut text = format!("{}: {values}, {} levels\n\n", document.file, document.levels);
        drawing.root(&document.tree, &mut text);
        text
    })?;
    Ok(Answer::Holds)
}

/// The whole tree. Nodes are numbered parents first, so children are known when the loop backwards comes to
/// their parent.
fn branch(tree: &Hierarchy) -> Branch {
    let mut below: Vec<Vec<Branch>> = Vec::new();
    below.resize_with(tree.node_count(), Vec::new);
    for number in (1..tree.node_count() as u32).rev() {
        let node = NodeId(number);
        let mut children = std::mem::take(&mut below[number as usize]);
        children.reverse();
        let parent = tree.parent(node).unwrap_or(tree.root());
        below[parent.0 as usize].push(one(tree, node, children));
    }
    let mut children = std::mem::take(&mut below[0]);
    children.reverse();
    one(tree, tree.root(), children)
}

fn one(tree: &Hierarchy, node: NodeId, children: Vec<Branch>) -> Branch {
    Branch { label: tree.label(node).to_owned(), values: tree.leaves_below(node).len(), children }
}

/// How much of the tree is drawn.
struct Drawing {
    depth: u32,
    children: usize,
    width: usize,
}

impl Drawing {
    fn root(&self, root: &Branch, text: &mut String) {
        text.push_str(&self.line("", root, 0));
        self.below(root, "", 1, text);
    }

    fn below(&self, branch: &Branch, indent: &str, depth: u32, text: &mut String) {
        if depth > self.depth || in_one_line(branch) {
            return;
        }
        let more = branch.children.len().saturating_sub(self.children);
        let shown = &branch.children[..branch.children.len() - more];
        for (at, child) in shown.iter().enumerate() {
            let is_last = at + 1 == shown.len() && more == 0;
            let (corner, beside) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            text.push_str(&self.line(&format!("{indent}{corner}"), child, depth));
            self.below(child, &format!("{indent}{beside}"), depth + 1, text);
        }
        if more > 0 {
            text.push_str(&format!("{indent}└─ … {} more\n", grouped(more)));
        }
    }

    /// A node, the number of values below it, and the values themselves where nothing else lies between.
    fn line(&self, indent: &str, branch: &Branch, depth: u32) -> String {
        let mut line = format!("{indent}{}", branch.label);
        if !branch.children.is_empty() {
            line.push_str(&format!(" ({})", grouped(branch.values)));
            if in_one_line(branch) && depth < self.depth {
                let labels: Vec<&str> = branch.children.iter().map(|child| child.label.as_str()).collect();
                line.push_str(&format!(": {}", labels.join(", ")));
            }
        }
        format!("{}\n", cut(&line, self.width))
    }
}

/// Whether everything below a node fits behind it: values only.
fn in_one_line(branch: &Branch) -> bool {
    branch.children.iter().all(|child| child.children.is_empty())
}

fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
