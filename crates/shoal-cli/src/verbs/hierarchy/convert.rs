use std::path::Path;

use serde::Serialize;
use shoal_core::hierarchy::{to_amnesia, to_text};

use crate::args::{ConvertArgs, HierarchyLayout};
use crate::console::Console;
use crate::failure::Failure;
use crate::print::count;
use crate::verbs::Answer;

/// The machine form of what was written.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct ConvertedDocument {
    values: u32,
    levels: usize,
    file: Option<String>,
    text: String,
}

/// Writes a hierarchy in another program's layout.
pub(crate) fn convert(args: &ConvertArgs, console: &Console) -> Result<Answer, Failure> {
    let file = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    if let Some(path) = file.filter(|path| path.is_file() && !args.force) {
        return Err(Failure::Exists { path: path.to_owned() });
    }
    if args.blanks_as.is_some() && args.to != HierarchyLayout::Amnesia {
        return Err(Failure::WrongFlag { flag: "blanks-as", belongs: "Amnesia" });
    }
    let tree = super::read(&args.file)?;
    let text = match args.to {
        // ARX asks for lines of one length, which is how all of ours are written.
        HierarchyLayout::Shoal | HierarchyLayout::Arx => to_text(&tree, ';'),
        HierarchyLayout::Amnesia => to_amnesia(&tree, &name(file.unwrap_or(&args.file)), args.blanks_as)
            .map_err(|error| Failure::Amnesia { path: args.file.clone(), error })?,
    };
    if let Some(path) = file {
        shoal_io::write_atomically(path, text.as_bytes())?;
    }
    let (values, levels) = (tree.leaf_count(), tree.level_count());
    let document =
        |text| ConvertedDocument { values, levels, file: file.map(|path| path.display().to_string()), text };
    match file {
        None if console.is_json() => console.answer(&document(text), String::new)?,
        None => console.product(&text)?,
        Some(path) => console.summary(&document(text), || {
            let values = count(values as usize, "value", "values");
            format!("{}: {values}, {levels} levels\n", path.display())
        })?,
    }
    Ok(Answer::Holds)
}

/// What Amnesia shows: the file's name without its end.
fn name(path: &Path) -> String {
    path.file_stem().map_or_else(|| "hierarchy".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
