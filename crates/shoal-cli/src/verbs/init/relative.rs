//! A path as it looks from another folder.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::failure::Failure;

/// The data's location as a policy in `folder` must name it. Absolute locations and databases stay what they are.
pub(super) fn seen_from(folder: &Path, location: &str) -> Result<String, Failure> {
    if Path::new(location).is_absolute() || shoal_io::is_postgres(location) {
        return Ok(location.to_owned());
    }
    let here = canonical(Path::new("."))?;
    let folder = canonical(folder)?;
    let path = between(&folder, &here.join(location));
    Ok(path.to_string_lossy().into_owned())
}

fn canonical(folder: &Path) -> Result<PathBuf, Failure> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().map_err(|error| Failure::Folder { path: folder.to_owned(), error })
}

/// The way from one absolute folder to an absolute path. The path need not exist: it may be a pattern.
fn between(from: &Path, to: &Path) -> PathBuf {
    let (from, to) = (steps(from), steps(to));
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[common..].iter().map(|_| OsStr::new(".."));
    up.chain(to[common..].iter().copied()).collect()
}

/// The names of the path's components, with `.` left out and `..` resolved.
fn steps(path: &Path) -> Vec<&OsStr> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(names.pop()),
            other => names.push(other.as_os_str()),
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_goes_up_and_down() {
        for (from, to, way) in [
            ("/a/b", "/a/b/data.csv", "data.csv"),
            ("/a/b", "/a/data.csv", "../data.csv"),
            ("/a/b", "/a/b/../c/*.csv", "../c/*.csv"),
            ("/a/b/c", "/x/./data.csv", "../../../x/data.csv"),
            ("/", "/x/data.csv", "x/data.csv"),
        ] {
            assert_eq!(between(Path::new(from), Path::new(to)), Path::new(way), "{from} → {to}");
        }
    }
}
