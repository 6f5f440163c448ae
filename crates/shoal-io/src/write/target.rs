use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::WriteError;
use crate::source::STDIN;

/// Where bytes go in the end.
#[derive(Debug)]
pub(super) enum Target {
    /// A file, by a rename. Links are followed, so that a link stays a link.
    File(PathBuf),
    /// A device or a pipe, by a copy: a rename would replace it.
    Device(PathBuf),
    /// Standard output, by a copy.
    Stdout,
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

    /// A temporary file for this target: beside it, so that a rename can move it, else in the system's
    /// folder. Its name is hidden, ends like the target's, and nobody else may read it.
    pub(super) fn temporary(&self, path: &Path) -> Result<NamedTempFile, WriteError> {
        let suffix = match self {
            Target::Stdout => ".csv".to_owned(),
            Target::File(path) | Target::Device(path) => format!("-{}", end_of_name(path)),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".shoal-").suffix(&suffix);
        let made = match self {
            Target::File(file) => {
                let folder = folder_of(file);
                if !folder.is_dir() {
                    let (path, folder) = (path.to_owned(), folder.to_owned());
                    return Err(WriteError::MissingFolder { path, folder });
                }
                builder.tempfile_in(folder)
            }
            Target::Device(_) | Target::Stdout => builder.tempfile(),
        };
        made.map_err(|source| WriteError::io(path, "create a file beside it", source))
    }

    /// Brings the bytes of a temporary file, which are already on disk, to their place.
    pub(super) fn receive(&self, path: &Path, mut temporary: NamedTempFile) -> Result<(), WriteError> {
        let refused = |action| move |source| WriteError::io(path, action, source);
        match self {
            Target::File(file) => {
                let folder = folder_of(file);
                open_to_others(temporary.as_file(), file, folder).map_err(refused("set permissions"))?;
                temporary.persist(file).map_err(|e| refused("give the file its name")(e.error))?;
                sync_folder(folder).map_err(refused("sync the folder"))
            }
            Target::Device(device) => {
                let out = OpenOptions::new().write(true).open(device).map_err(refused("open"))?;
                copy(temporary.as_file_mut(), out).map_err(refused("write"))
            }
            Target::Stdout => copy(temporary.as_file_mut(), io::stdout().lock()).map_err(refused("write")),
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

/// The last part of a file's name, short enough to leave room for more.
fn end_of_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let from = (name.len().saturating_sub(100)..).find(|&at| name.is_char_boundary(at)).unwrap_or(0);
    name[from..].to_owned()
}

fn copy(file: &mut File, mut out: impl Write) -> io::Result<()> {
    file.rewind()?;
    io::copy(file, &mut out)?;
    out.flush()
}

/// A temporary file is closed to others. Published, it gets the permissions of the file that it replaces,
/// or those that any new file would get here.
#[cfg(unix)]
fn open_to_others(temporary: &File, file: &Path, folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let permissions = match fs::metadata(file) {
        Ok(replaced) => replaced.permissions(),
        Err(_) => {
            let usual = fs::Permissions::from_mode(0o666);
            let probe = tempfile::Builder::new().prefix(".shoal-").permissions(usual).tempfile_in(folder)?;
            probe.as_file().metadata()?.permissions()
        }
    };
    temporary.set_permissions(permissions)?;
    temporary.sync_all()
}

#[cfg(not(unix))]
fn open_to_others(_temporary: &File, _file: &Path, _folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a rename survive a loss of power.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
