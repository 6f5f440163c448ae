//! Hierarchies that lie beside the data, in its folder or in a folder `hierarchies` below it.

use std::fs;
use std::path::{Path, PathBuf};

use shoal_core::hierarchy;

use crate::propose::{BrokenFile, HierarchyFile, column_of_file};

/// The largest file that is looked at because of its name only.
const LARGEST: u64 = 64 << 20;

/// The files whose names say that they are hierarchies of these columns, read, in the order of their paths; each is named as
/// it is found from here. Folders that cannot be listed have none.
pub fn hierarchies_beside<S: AsRef<str>>(data: &[String], columns: &[S]) -> Vec<HierarchyFile> {
    let themselves: Vec<PathBuf> =
        data.iter().filter_map(|file| Path::new(file).canonicalize().ok()).collect();
    let mut folders: Vec<PathBuf> = data.iter().map(|file| folder_of(file)).collect();
    folders.sort_unstable();
    folders.dedup();
    let below = folders.iter().flat_map(|folder| entries(folder)).filter(|path| holds_hierarchies(path));
    let folders: Vec<PathBuf> = folders.iter().cloned().chain(below).collect();
    let mut found = Vec::new();
    for path in folders.iter().flat_map(|folder| entries(folder)) {
        let name = path.file_name().and_then(|name| name.to_str());
        let of_column = name.and_then(|name| column_of_file(name, data, columns));
        let (Some(of_column), Some(location)) = (of_column, path.to_str()) else { continue };
        // The data may have the name of its only column.
        let is_data = path.canonicalize().is_ok_and(|path| themselves.contains(&path));
        if path.is_file() && !is_data {
            found.push(HierarchyFile {
                column: columns[of_column.column].as_ref().to_owned(),
                location: location.to_owned(),
                says_hierarchy: of_column.says_hierarchy,
                tree: read(&path),
            });
        }
    }
    found
}

fn folder_of(file: &str) -> PathBuf {
    Path::new(file).parent().unwrap_or(Path::new("")).to_owned()
}

fn holds_hierarchies(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    ["hierarchies", "hierarchy"].iter().any(|known| name.eq_ignore_ascii_case(known)) && path.is_dir()
}

/// What is in a folder, sorted, so that the same files always give the same policy. Paths begin as the folder does: those in
/// the current one are bare names.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let listed = fs::read_dir(here).into_iter().flatten().filter_map(Result::ok);
    let mut entries: Vec<PathBuf> = listed.map(|entry| folder.join(entry.file_name())).collect();
    entries.sort_unstable();
    entries
}

fn read(path: &Path) -> Result<shoal_core::Hierarchy, BrokenFile> {
    let text = shoal_io::read_text_file(path, LARGEST).map_err(|error| BrokenFile {
        reason: error.to_string(),
        hint: "it must be a text file in UTF-8 that you may read".to_owned(),
        values: Vec::new(),
    })?;
    hierarchy::from_text(&text).map_err(|error| BrokenFile {
        reason: error.to_string(),
        hint: error.hint().to_owned(),
        values: hierarchy::values_of_text(&text),
    })
}
