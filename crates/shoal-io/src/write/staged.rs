use std::io::Write;
use std::path::{Path, PathBuf};

use super::made_folders::MadeFolders;
use super::target::{Target, folder_of};
use super::temporary::Temporary;
use crate::error::WriteError;

/// Small files, reports, whose bytes are on the disk but which have not got their names yet. Dropped, they
/// are deleted, and with them every folder that had to be made for them. Data about people goes through
/// [`PendingFile`](crate::PendingFile) instead.
#[derive(Debug)]
pub struct StagedFolder {
    // In this order: the files must be gone before the folders can go.
    files: Vec<StagedFile>,
    made: MadeFolders,
    folder: PathBuf,
}

impl StagedFolder {
    /// Makes the folder and those above it, as far as they are missing.
    pub fn new(folder: &Path) -> Result<StagedFolder, WriteError> {
        let made = make(folder, folder)?;
        Ok(StagedFolder { files: Vec::new(), made, folder: folder.to_owned() })
    }

    /// Writes the bytes of a file that will have this name in the folder.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        self.stage(name, bytes, false)
    }

    /// The same for a file that nobody but its owner may read (mode 0600).
    pub fn add_closed(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        self.stage(name, bytes, true)
    }

    fn stage(&mut self, name: &str, bytes: &[u8], closed: bool) -> Result<(), WriteError> {
        let path = self.folder.join(name);
        let target = Target::of(&path)?;
        self.files.push(StagedFile { closed, ..StagedFile::new(path, target, bytes)? });
        Ok(())
    }

    /// Gives the files their names. From now on the folder stays.
    pub fn publish(self) -> Result<(), WriteError> {
        for file in self.files {
            file.publish()?;
        }
        self.made.keep();
        Ok(())
    }
}

/// Writes a small file whole or not at all. Creates its folder.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let target = Target::of(path)?;
    let made = match &target {
        Target::File(file) => Some(make(folder_of(file), path)?),
        Target::Device(_) | Target::Stdout => None,
    };
    StagedFile::new(path.to_owned(), target, bytes)?.publish()?;
    if let Some(made) = made {
        made.keep();
    }
    Ok(())
}

fn make(folder: &Path, blamed: &Path) -> Result<MadeFolders, WriteError> {
    MadeFolders::make(folder).map_err(|source| WriteError::io(blamed, "create the folder", source))
}

#[derive(Debug)]
struct StagedFile {
    path: PathBuf,
    target: Target,
    temporary: Temporary,
    closed: bool,
}

impl StagedFile {
    fn new(path: PathBuf, target: Target, bytes: &[u8]) -> Result<StagedFile, WriteError> {
        let temporary = target.temporary(&path)?;
        let mut file = temporary.as_file();
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        written.map_err(|source| WriteError::io(&path, "write", source))?;
        Ok(StagedFile { path, target, temporary, closed: false })
    }

    fn publish(self) -> Result<(), WriteError> {
        match self.closed {
            true => self.target.receive_closed(&self.path, self.temporary),
            false => self.target.receive(&self.path, self.temporary),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folders_are_made_and_old_files_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/report.json");
        for text in ["old", "new"] {
            write_atomically(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn published_files_have_their_names_and_dropped_ones_leave_no_folder() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("some/reports");
        let staged = || {
            let mut staged = StagedFolder::new(&folder).unwrap();
            staged.add("a.json", b"a").unwrap();
            staged.add("b.json", b"b").unwrap();
            staged
        };
        drop(staged());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
        staged().publish().unwrap();
        drop(staged());
        assert_eq!(fs::read(folder.join("a.json")).unwrap(), b"a");
        assert_eq!(fs::read(folder.join("b.json")).unwrap(), b"b");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_closed_file_is_its_owners_also_in_the_place_of_an_open_one() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret.json");
        for _ in 0..2 {
            let mut staged = StagedFolder::new(folder.path()).unwrap();
            staged.add_closed("secret.json", b"secret").unwrap();
            staged.publish().unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            // The next one replaces a file that somebody has opened to all.
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_no_folder() {
        let root = tempfile::tempdir().unwrap();
        let long_name = "x".repeat(1000);
        write_atomically(&root.path().join("a/b").join(&long_name), b"").unwrap_err();
        assert!(StagedFolder::new(&root.path().join("a/b")).unwrap().add(&long_name, b"").is_err());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_in_the_way_is_named_and_hinted_at() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        for error in [
            StagedFolder::new(&file).unwrap_err(),
            StagedFolder::new(&file.join("deep")).unwrap_err(),
            write_atomically(&file.join("report.json"), b"").unwrap_err(),
        ] {
            assert!(error.to_string().starts_with(file.to_str().unwrap()), "{error}");
            assert_eq!(
                error.hint(),
                "a part of the path is a file where a folder is needed; choose another place"
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let error = write_atomically(Path::new("/dev/full"), b"text").unwrap_err();
        assert_eq!(error.hint(), "free space or choose another place");
    }
}
