//! The public data sets that the benchmarks read.

use std::error::Error;
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;

/// The text of a file below the folder of the public data sets, unpacked where its name ends in `.gz`.
pub(crate) fn shared_text(name: &str) -> Result<String, Box<dyn Error>> {
    text_of(&shoal_testkit::data::public(name))
}

/// The text of the file that was named on the command line, else of one of the public data sets.
pub(crate) fn given_or_shared_text(given: Option<&String>, name: &str) -> Result<String, Box<dyn Error>> {
    given.map_or_else(|| shared_text(name), |path| text_of(Path::new(path)))
}

/// The text of a file, unpacked where its name ends in `.gz`.
pub(crate) fn text_of(path: &Path) -> Result<String, Box<dyn Error>> {
    let read = || -> std::io::Result<String> {
        let bytes = std::fs::read(path)?;
        let mut text = String::new();
        match path.extension().is_some_and(|extension| extension == "gz") {
            true => GzDecoder::new(&bytes[..]).read_to_string(&mut text)?,
            false => (&bytes[..]).read_to_string(&mut text)?,
        };
        Ok(text)
    };
    read().map_err(|error| format!("{}: {error}", path.display()).into())
}
