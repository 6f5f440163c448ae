use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use shoal_privacy::{Certificate, Staged};

use super::target::Target;
use super::temporary::Temporary;
use crate::csv::CsvOptions;
use crate::digest::{Digest, sha256_of};
use crate::error::WriteError;
use crate::format::Format;
use crate::source::Source;

/// A file that is not yet published. It lies in the folder of its target (in the system's temporary folder
/// if the target is a device, a pipe or `-`, standard output) and is deleted when dropped. On Linux it has no
/// name there, so that it disappears with a killed process too; elsewhere, and on file systems that do not
/// know such files, its name is hidden.
///
/// [`publish`](Staged::publish) is the only way out, and it asks for the certificate of exactly these bytes.
pub struct PendingFile {
    path: PathBuf,
    target: Target,
    temporary: Temporary,
    digest: Digest,
    sha256: Option<String>,
}

impl PendingFile {
    /// Begins a file that will get the name `path`. The folder must exist; whether the target may be
    /// replaced is for the caller to ask.
    pub fn create(path: &Path) -> Result<PendingFile, WriteError> {
        let target = Target::of(path)?;
        let temporary = target.temporary(path)?;
        Ok(PendingFile { path: path.to_owned(), target, temporary, digest: Digest::default(), sha256: None })
    }

    /// Where this process can read the bytes, as long as this value lives. The name does not show the format;
    /// [`source`](PendingFile::source) does.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Where the bytes will go.
    pub fn target(&self) -> &Path {
        &self.path
    }

    /// The bytes as a source, to read back what was written.
    pub fn source(&self, csv: CsvOptions) -> Source {
        let location = self.path().to_string_lossy().into_owned();
        Source { format: Some(self.format()), csv, ..Source::new(location) }
    }

    /// The format that the target's name shows.
    pub fn format(&self) -> Format {
        Format::of(&self.path.to_string_lossy())
    }

    /// Brings all bytes to the disk and returns their SHA-256. Nothing can be written afterwards.
    pub fn finish(&mut self) -> Result<&str, WriteError> {
        let digest = std::mem::take(&mut self.digest);
        if self.sha256.is_none() {
            let synced = self.temporary.as_file().sync_all();
            synced.map_err(|source| WriteError::io(&self.path, "sync", source))?;
        }
        Ok(self.sha256.get_or_insert_with(|| digest.hex()))
    }

    /// The SHA-256 of the bytes written, once the file is finished.
    pub fn sha256(&self) -> Option<&str> {
        self.sha256.as_deref()
    }

    /// Whether it will be a file with a name, which another one can lie beside, and not the input of a device or a program.
    pub fn has_place_beside(&self) -> bool {
        matches!(self.target, Target::File(_))
    }

    /// Publishes data together with the dictionary of their groups, both of which the certificate is about. The dictionary gets its name first:
    /// data without it could not be read.
    pub fn publish_with_groups(
        mut self,
        mut groups: PendingFile,
        certificate: &Certificate,
    ) -> Result<PathBuf, WriteError> {
        self.check(certificate.sha256())?;
        groups.check(certificate.groups_sha256().unwrap_or_default())?;
        let (path, beside) = (self.path.clone(), groups.path.clone());
        let was_there = beside.exists();
        groups.target.receive(&groups.path, groups.temporary)?;
        let named = self.target.receive(&self.path, self.temporary);
        if named.is_err() && !was_there {
            // Of a release that does not exist nothing is left; the error is that of the data.
            let _ = fs::remove_file(&beside);
        }
        named.map(|()| path)
    }

    fn publish_bytes(mut self, proven: &str) -> Result<(), WriteError> {
        self.check(proven)?;
        self.target.receive(&self.path, self.temporary)
    }

    /// Whether the bytes on the disk are those that were verified.
    fn check(&mut self, proven: &str) -> Result<(), WriteError> {
        self.finish()?;
        // The bytes on the disk are hashed, not those that went through `write`: somebody may have changed the file
        // in between.
        let hashed = File::open(self.temporary.path()).and_then(sha256_of);
        let found = hashed.map_err(|source| WriteError::io(&self.path, "read what was written", source))?;
        if found != proven {
            let (path, proven) = (self.path.clone(), proven.to_owned());
            return Err(WriteError::NotTheVerifiedBytes { path, proven, found });
        }
        Ok(())
    }
}

impl Staged for PendingFile {
    type Receipt = PathBuf;
    type Error = WriteError;

    /// Gives the file its final name, or copies it to the device that is the target. Refuses when the bytes
    /// on disk are not, or not any more, those that were verified, and when they were read with a dictionary.
    fn publish(self, certificate: &Certificate) -> Result<PathBuf, WriteError> {
        if certificate.groups_sha256().is_some() {
            return Err(WriteError::WithoutGroups { path: self.path });
        }
        let path = self.path.clone();
        self.publish_bytes(certificate.sha256())?;
        Ok(path)
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.sha256.is_some() {
            return Err(io::Error::other("the file is finished"));
        }
        let count = self.temporary.as_file().write(bytes)?;
        self.digest.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.as_file().flush()
    }
}

impl fmt::Debug for PendingFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingFile")
            .field("path", &self.path())
            .field("target", &self.path)
            .field("sha256", &self.sha256)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha256_hex;

    /// Names in a folder, hidden ones included.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn verified_bytes_get_their_name() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.csv");
        let mut pending = PendingFile::create(&target).unwrap();
        pending.write_all(b"a\n1\n").unwrap();
        assert_eq!(pending.sha256(), None);
        let sha256 = pending.finish().unwrap().to_owned();
        assert_eq!(sha256, sha256_hex(b"a\n1\n"));
        assert_eq!(pending.finish().unwrap(), sha256, "finishing twice changes nothing");
        assert_eq!(pending.sha256(), Some(&sha256[..]));
        assert!(pending.write_all(b"more").is_err());
        assert!(!target.exists());
        pending.publish_bytes(&sha256).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"a\n1\n");
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn a_dropped_file_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut pending = PendingFile::create(&folder.path().join("out.csv.gz")).unwrap();
        pending.write_all(b"secret").unwrap();
        assert_eq!(fs::read(pending.path()).unwrap(), b"secret");
        #[cfg(target_os = "linux")]
        assert_eq!(names(folder.path()), [""; 0], "there is not even a name");
        drop(pending);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn other_bytes_than_the_verified_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.csv");
        let pending_file = || {
            let mut pending = PendingFile::create(&target).unwrap();
            pending.write_all(b"a\n1\n").unwrap();
            pending.finish().unwrap();
            pending
        };
        let refused = |pending: PendingFile, proven: &str| {
            let error = pending.publish_bytes(proven).unwrap_err();
            assert!(matches!(error, WriteError::NotTheVerifiedBytes { .. }), "{error}");
            assert_eq!(names(folder.path()), [""; 0]);
        };
        refused(pending_file(), &sha256_hex(b"something else"));

        let changed_after_verifying = pending_file();
        let sha256 = changed_after_verifying.sha256().unwrap().to_owned();
        fs::write(changed_after_verifying.path(), b"a\n2\n").unwrap();
        refused(changed_after_verifying, &sha256);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_closed_before_and_usual_after() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = tempfile::tempdir().unwrap();
        let (target, usual) = (folder.path().join("out.csv"), folder.path().join("usual"));
        fs::write(&usual, "").unwrap();
        let pending = PendingFile::create(&target).unwrap();
        assert_eq!(mode(pending.path()), 0o600);
        pending.publish_bytes(&sha256_hex(b"")).unwrap();
        assert_eq!(mode(&target), mode(&usual));

        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        PendingFile::create(&target).unwrap().publish_bytes(&sha256_hex(b"")).unwrap();
        assert_eq!(mode(&target), 0o640, "a replaced file passes its permissions on");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.csv"), folder.path().join("link.csv"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        PendingFile::create(&link).unwrap().publish_bytes(&sha256_hex(b"")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_says_so_and_stays_a_device() {
        use std::os::unix::fs::FileTypeExt;
        let full = Path::new("/dev/full");
        let mut pending = PendingFile::create(full).unwrap();
        pending.write_all(b"a\n").unwrap();
        let error = pending.publish_bytes(&sha256_hex(b"a\n")).unwrap_err();
        assert!(error.to_string().starts_with("/dev/full: cannot write"), "{error}");
        assert_eq!(error.hint(), "free space or choose another place");
        assert!(fs::metadata(full).unwrap().file_type().is_char_device());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_gets_a_copy_and_stays_a_pipe() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.csv");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut pending = PendingFile::create(&pipe).unwrap();
        pending.write_all(b"a\n1\n").unwrap();
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        pending.publish_bytes(&sha256_hex(b"a\n1\n")).unwrap();
        assert_eq!(reader.join().unwrap(), b"a\n1\n");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        assert_eq!(names(folder.path()), ["pipe.csv"]);
    }

    #[test]
    fn a_target_must_have_a_folder_and_not_be_one() {
        let folder = tempfile::tempdir().unwrap();
        let missing = PendingFile::create(&folder.path().join("none/out.csv")).unwrap_err();
        assert!(matches!(missing, WriteError::MissingFolder { .. }), "{missing}");
        let is_folder = PendingFile::create(folder.path()).unwrap_err();
        assert!(matches!(is_folder, WriteError::IsFolder { .. }), "{is_folder}");
        let below_a_file = folder.path().join("file/out.csv");
        fs::write(folder.path().join("file"), "").unwrap();
        let error = PendingFile::create(&below_a_file).unwrap_err();
        assert!(matches!(error, WriteError::Io { .. }), "{error}");
        assert_eq!(
            error.hint(),
            "a part of the path is a file where a folder is needed; choose another place"
        );
    }
}
