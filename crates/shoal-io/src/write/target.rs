use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use super::temporary::Temporary;
use crate::error::WriteError;
use crate::source::STDIN;

/// Where bytes go in the end.
#[derive(Debug)]
pub(super) enum Target {
    /// A file, by giving it this name. Links are followed, so that a link stays a link.
    File(PathBuf),
    /// A device or a pipe, by a copy: a new file would replace it.
    Device(PathBuf),
    /// Standard output, by a copy.
    Stdout,
}

/// Who may read a file once it has its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readers {
    /// Those who may read the file that it replaces, or any new file.
    Usual,
    /// Its owner. A temporary file is made so, and stays so.
    Owner,
}

impl Target {
    pub(super) fn of(path: &Path) -> Result<Target, WriteError> {
        if path == Path::new(STDIN) {
            return Ok(Target::Stdout);
        }
        // `/dev/stdout` may lead to a regular file that a shell holds open.
        let special = path.starts_with("/dev") || path.starts_with("/proc");
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(WriteError::IsFolder { path: path.to_owned() }),
            Ok(found) if special || !found.is_file() => Ok(Target::Device(path.to_owned())),
            Ok(_) => fs::canonicalize(path)
                .map(Target::File)
                .map_err(|source| WriteError::io(path, "find the file", source)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Target::File(path.to_owned())),
            Err(error) => Err(WriteError::io(path, "look at the target", error)),
        }
    }

    /// A temporary file for this target: in its folder, so that it can get its name, else in the system's.
    pub(super) fn temporary(&self, path: &Path) -> Result<Temporary, WriteError> {
        let made = match self {
            Target::File(file) => {
                let folder = folder_of(file);
                if !folder.is_dir() {
                    let (path, folder) = (path.to_owned(), folder.to_owned());
                    return Err(WriteError::MissingFolder { path, folder });
                }
                Temporary::new_in(folder)
            }
            Target::Device(_) | Target::Stdout => Temporary::new_in(&std::env::temp_dir()),
        };
        made.map_err(|source| WriteError::io(path, "create a file beside it", source))
    }

    /// Brings the bytes of a temporary file, which are already on disk, to their place, where others may read them as they
    /// may any new file there.
    pub(super) fn receive(&self, path: &Path, temporary: Temporary) -> Result<(), WriteError> {
        self.receive_for(Readers::Usual, path, temporary)
    }

    /// The same for a file that only its owner may read, whatever the file before it allowed.
    pub(super) fn receive_closed(&self, path: &Path, temporary: Temporary) -> Result<(), WriteError> {
        self.receive_for(Readers::Owner, path, temporary)
    }

    fn receive_for(&self, readers: Readers, path: &Path, temporary: Temporary) -> Result<(), WriteError> {
        let refused = |action| move |source| WriteError::io(path, action, source);
        match self {
            Target::File(file) => {
                let folder = folder_of(file);
                if readers == Readers::Usual {
                    open_to_others(temporary.as_file(), file, folder).map_err(refused("set permissions"))?;
                }
                // Permissions before the name: nobody sees the file under its name with other permissions than its
                // own.
                temporary.persist(file).map_err(refused("give the file its name"))?;
                sync_folder(folder).map_err(refused("sync the folder"))
            }
            Target::Device(device) => {
                let out = OpenOptions::new().write(true).open(device).map_err(refused("open"))?;
                copy(temporary.as_file(), out).map_err(refused("write"))
            }
            Target::Stdout => copy(temporary.as_file(), io::stdout().lock()).map_err(refused("write")),
        }
    }
}

/// The folder in which a file lies or will lie.
pub(super) fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

fn copy(mut file: &File, mut out: impl Write) -> io::Result<()> {
    file.rewind()?;
    io::copy(&mut file, &mut out)?;
    out.flush()
}

/// A temporary file is closed to others. Published, it gets the permissions of the file that it replaces,
/// or those that any new file would get here.
#[cfg(unix)]
fn open_to_others(temporary: &File, file: &Path, folder: &Path) -> io::Result<()> {
    let permissions = match fs::metadata(file) {
        Ok(replaced) => replaced.permissions(),
        // There is no call that reads the umask without changing it, so a file is made and looked at.
        Err(_) => Temporary::with_mode(folder, 0o666)?.as_file().metadata()?.permissions(),
    };
    temporary.set_permissions(permissions)?;
    temporary.sync_all()
}

#[cfg(not(unix))]
fn open_to_others(_temporary: &File, _file: &Path, _folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a new name survive a power failure.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
