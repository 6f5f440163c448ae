use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::target::{Target, folder_of};
use crate::error::WriteError;

/// A small file, a report, whose bytes are on the disk but which has not got its name yet. It vanishes when
/// dropped. Data about people goes through [`PendingFile`](crate::PendingFile) instead.
#[derive(Debug)]
pub struct StagedFile {
    path: PathBuf,
    target: Target,
    temporary: NamedTempFile,
}

impl StagedFile {
    /// Writes the bytes beside `path`. Creates its folder.
    pub fn new(path: &Path, bytes: &[u8]) -> Result<StagedFile, WriteError> {
        let target = Target::of(path)?;
        if let Target::File(file) = &target {
            fs::create_dir_all(folder_of(file)).map_err(|e| WriteError::io(path, "create the folder", e))?;
        }
        let mut temporary = target.temporary(path)?;
        let written = temporary.write_all(bytes).and_then(|()| temporary.as_file().sync_all());
        written.map_err(|e| WriteError::io(path, "write", e))?;
        Ok(StagedFile { path: path.to_owned(), target, temporary })
    }

    /// Gives the file its name.
    pub fn publish(self) -> Result<(), WriteError> {
        self.target.receive(&self.path, self.temporary)
    }
}

/// Writes a small file whole or not at all. Creates its folder.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    StagedFile::new(path, bytes)?.publish()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let error = write_atomically(Path::new("/dev/full"), b"text").unwrap_err();
        assert_eq!(error.hint(), "free space or choose another place");
    }
}
