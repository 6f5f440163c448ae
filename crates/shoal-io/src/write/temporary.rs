use std::fs::File;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

#[cfg(target_os = "linux")]
use super::unnamed::Unnamed;

/// The prefix of the names of temporary files.
pub(super) const HIDDEN: &str = ".shoal-";

/// A file for bytes that may never be published. It is deleted when dropped.
#[derive(Debug)]
pub(super) enum Temporary {
    /// It has no name, and disappears however the process ends.
    #[cfg(target_os = "linux")]
    Unnamed(Unnamed),
    /// It has a hidden name, where there are no files without one. A killed process leaves it.
    Named(NamedTempFile),
}

impl Temporary {
    /// A file in a folder that nobody else may read.
    pub(super) fn new_in(folder: &Path) -> io::Result<Temporary> {
        Temporary::with_mode(folder, 0o600)
    }

    /// A file in a folder with these permissions, as far as the system grants them to new files.
    pub(super) fn with_mode(folder: &Path, mode: u32) -> io::Result<Temporary> {
        #[cfg(target_os = "linux")]
        if let Ok(unnamed) = Unnamed::new_in(folder, mode) {
            return Ok(Temporary::Unnamed(unnamed));
        }
        Temporary::named_in(folder, mode)
    }

    #[cfg_attr(not(unix), allow(unused_variables))]
    fn named_in(folder: &Path, mode: u32) -> io::Result<Temporary> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(HIDDEN);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        builder.tempfile_in(folder).map(Temporary::Named)
    }

    /// Where this process can open the file.
    pub(super) fn path(&self) -> &Path {
        match self {
            #[cfg(target_os = "linux")]
            Temporary::Unnamed(unnamed) => &unnamed.path,
            Temporary::Named(named) => named.path(),
        }
    }

    /// The file itself, open for reading and writing.
    pub(super) fn as_file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Temporary::Unnamed(unnamed) => &unnamed.file,
            Temporary::Named(named) => named.as_file(),
        }
    }

    /// Gives the file its name, in the folder where it lies. A file of that name is replaced at once.
    pub(super) fn persist(self, target: &Path) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Temporary::Unnamed(unnamed) => unnamed.persist(target),
            Temporary::Named(named) => named.persist(target).map(drop).map_err(|refused| refused.error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    type Constructor = fn(&Path) -> Temporary;

    /// What this system does best, and what every system can.
    const BOTH: [Constructor; 2] =
        [|folder| Temporary::new_in(folder).unwrap(), |folder| Temporary::named_in(folder, 0o600).unwrap()];

    fn count(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    fn filled(constructor: Constructor, folder: &Path) -> Temporary {
        let temporary = constructor(folder);
        temporary.as_file().write_all(b"bytes").unwrap();
        temporary
    }

    #[test]
    fn bytes_can_be_read_and_go_when_dropped() {
        for constructor in BOTH {
            let folder = tempfile::tempdir().unwrap();
            let temporary = filled(constructor, folder.path());
            assert_eq!(fs::read(temporary.path()).unwrap(), b"bytes");
            drop(temporary);
            assert_eq!(count(folder.path()), 0);
        }
    }

    #[test]
    fn a_name_is_given_whether_it_is_free_or_not() {
        for constructor in BOTH {
            let folder = tempfile::tempdir().unwrap();
            let (free, taken) = (folder.path().join("free"), folder.path().join("taken"));
            fs::write(&taken, "something older and longer").unwrap();
            for name in [&free, &taken] {
                filled(constructor, folder.path()).persist(name).unwrap();
                assert_eq!(fs::read(name).unwrap(), b"bytes");
            }
            assert_eq!(count(folder.path()), 2);
        }
    }

    #[test]
    fn a_name_that_cannot_be_given_leaves_nothing() {
        for constructor in BOTH {
            let folder = tempfile::tempdir().unwrap();
            let occupied = folder.path().join("occupied");
            fs::create_dir(&occupied).unwrap();
            filled(constructor, folder.path()).persist(&occupied).unwrap_err();
            filled(constructor, folder.path()).persist(&folder.path().join("no/folder")).unwrap_err();
            assert_eq!(count(folder.path()), 1);
        }
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read() {
        use std::os::unix::fs::PermissionsExt;
        for constructor in BOTH {
            let folder = tempfile::tempdir().unwrap();
            let mode = constructor(folder.path()).as_file().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn on_linux_there_is_no_name_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = filled(BOTH[0], folder.path());
        assert!(matches!(temporary, Temporary::Unnamed(_)));
        assert_eq!(count(folder.path()), 0);
    }

    #[test]
    fn where_there_are_only_names_they_are_hidden() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = filled(BOTH[1], folder.path());
        let name = temporary.path().file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with(HIDDEN) && folder.path().join(name).exists());
    }
}
