use std::path::{Path, PathBuf};

/// A scenario file, taken apart.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The file.
    pub path: PathBuf,
    /// Its named blocks, in order.
    pub blocks: Vec<Block>,
}

/// A named block of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What follows the language in the info string: a file name, or `expected …`.
    pub name: String,
    /// The text inside.
    pub text: String,
    /// The lines of the file that it fills, counted from 0, the fences not counted.
    pub lines: std::ops::Range<usize>,
}

/// A file that is not a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError(pub String);

impl Scenario {
    /// Reads a scenario.
    pub fn read(path: &Path) -> Result<Scenario, ScenarioError> {
        let text =
            std::fs::read_to_string(path).map_err(|e| ScenarioError(format!("{}: {e}", path.display())))?;
        let scenario = Scenario { path: path.to_owned(), blocks: blocks(&text)? };
        if scenario.expectations().next().is_none() {
            return Err(ScenarioError("the scenario expects nothing".to_owned()));
        }
        if scenario.block("policy.toml").is_none() {
            return Err(ScenarioError("the scenario has no policy.toml".to_owned()));
        }
        Ok(scenario)
    }

    /// All scenarios below a folder, in order of their names.
    pub fn all_below(folder: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "md") {
                    files.push(path);
                }
            }
        }
        files.sort();
        files
    }

    /// The block of this name.
    pub fn block(&self, name: &str) -> Option<&Block> {
        self.blocks.iter().find(|b| b.name == name)
    }

    /// The blocks that are files.
    pub fn files(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|b| !b.name.starts_with("expected "))
    }

    /// What is expected: the kind, and the block.
    pub fn expectations(&self) -> impl Iterator<Item = (&str, &Block)> {
        self.blocks.iter().filter_map(|b| Some((b.name.strip_prefix("expected ")?, b)))
    }
}

fn blocks(text: &str) -> Result<Vec<Block>, ScenarioError> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, usize)> = None;
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let Some(info) = line.strip_prefix("```") else { continue };
        match open.take() {
            None => open = Some((info.to_owned(), number + 1)),
            Some((info, start)) => {
                // A block without a name is prose.
                if let Some((_, name)) = info.trim().split_once(' ') {
                    let text: String = lines[start..number].iter().map(|l| format!("{l}\n")).collect();
                    blocks.push(Block { name: name.trim().to_owned(), text, lines: start..number });
                }
            }
        }
    }
    match open {
        Some((_, line)) => Err(ScenarioError(format!("the block opened in line {line} is not closed"))),
        None => Ok(blocks),
    }
}
