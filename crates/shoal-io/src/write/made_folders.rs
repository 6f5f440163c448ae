use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folders that had to be made for a file. They go again when dropped, unless something lies in them.
#[derive(Debug)]
pub(super) struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    /// Makes a folder and those above it, as far as they are missing.
    pub(super) fn make(folder: &Path) -> io::Result<MadeFolders> {
        let mut made = MadeFolders(Vec::new());
        for missing in missing(folder)?.into_iter().rev() {
            match fs::create_dir(missing) {
                Ok(()) => made.0.push(missing.to_owned()),
                // Another process has just made it.
                Err(_) if missing.is_dir() => {}
                // A link that leads nowhere.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(not_a_folder()),
                Err(error) => return Err(error),
            }
        }
        Ok(made)
    }

    /// They stay from now on.
    pub(super) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // Not empty means that somebody uses it.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The folders on the way that do not exist, innermost first.
fn missing(folder: &Path) -> io::Result<Vec<&Path>> {
    let mut missing = Vec::new();
    for folder in folder.ancestors().filter(|folder| *folder != Path::new("")) {
        match fs::metadata(folder) {
            Ok(found) if found.is_dir() => break,
            Ok(_) => return Err(not_a_folder()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(folder),
            Err(error) => return Err(error),
        }
    }
    Ok(missing)
}

fn not_a_folder() -> io::Error {
    io::ErrorKind::NotADirectory.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_made_goes_again() {
        let root = tempfile::tempdir().unwrap();
        let (old, deep) = (root.path().join("old"), root.path().join("old/new/deep"));
        fs::create_dir(&old).unwrap();
        let made = MadeFolders::make(&deep).unwrap();
        assert!(deep.is_dir());
        drop(made);
        assert_eq!(fs::read_dir(&old).unwrap().count(), 0);
        MadeFolders::make(&deep).unwrap().keep();
        drop(MadeFolders::make(&deep).unwrap());
        assert!(deep.is_dir());
    }

    #[test]
    fn a_folder_in_use_stays() {
        let root = tempfile::tempdir().unwrap();
        let made = MadeFolders::make(&root.path().join("a/b")).unwrap();
        fs::write(root.path().join("a/file"), "").unwrap();
        drop(made);
        assert!(root.path().join("a/file").exists() && !root.path().join("a/b").exists());
    }

    #[test]
    fn a_file_is_no_folder() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        for folder in [file.clone(), file.join("a/b")] {
            let error = MadeFolders::make(&folder).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotADirectory, "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_no_folder() {
        let root = tempfile::tempdir().unwrap();
        let link = root.path().join("link");
        std::os::unix::fs::symlink(root.path().join("nowhere"), &link).unwrap();
        let error = MadeFolders::make(&link.join("a")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory, "{error}");
    }
}
