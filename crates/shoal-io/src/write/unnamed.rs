use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

use super::target::folder_of;
use super::temporary::HIDDEN;

/// A file that lies in a folder without a name in it. The kernel takes it back as soon as nobody holds it
/// open, so that not even a killed process leaves it behind.
#[derive(Debug)]
pub(super) struct Unnamed {
    pub(super) file: File,
    /// The way to it through `/proc`, open to this process only.
    pub(super) path: PathBuf,
}

impl Unnamed {
    /// Fails where the file system does not know such files, and where `/proc` does not lead to them.
    pub(super) fn new_in(folder: &Path, mode: u32) -> io::Result<Unnamed> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = File::from(openat(CWD, folder, flags, Mode::from_raw_mode(mode))?);
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        // Without `/proc`, or with one of another process, the path would lead elsewhere.
        let (held, found) = (file.metadata()?, fs::metadata(&path)?);
        if (held.dev(), held.ino()) != (found.dev(), found.ino()) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Unnamed { file, path })
    }

    /// Gives the file a name, which may be that of another file.
    pub(super) fn persist(&self, target: &Path) -> io::Result<()> {
        match self.link(target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.replace(target),
            linked => linked,
        }
    }

    /// No call puts a nameless file in the place of another one; only a rename does. So it needs a hidden
    /// name first, for a moment, which goes again if the rename fails.
    fn replace(&self, target: &Path) -> io::Result<()> {
        let mut hidden = tempfile::Builder::new();
        let hidden = hidden.prefix(HIDDEN).make_in(folder_of(target), |name| self.link(name))?;
        hidden.persist(target).map_err(|refused| refused.error)
    }

    fn link(&self, name: &Path) -> io::Result<()> {
        Ok(linkat(CWD, &self.path, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }
}
