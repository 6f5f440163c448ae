use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Reads a small file that lies beside the data (a policy, a hierarchy, constraints), of at most `limit` bytes. More
/// is an error and not read, whatever the file is: a device has no size to ask for.
pub fn read_text_file(path: &Path, limit: u64) -> io::Result<String> {
    let mut text = String::new();
    let mut input = File::open(path)?.take(limit.saturating_add(1));
    input.read_to_string(&mut text)?;
    if text.len() as u64 > limit {
        let why = format!("it is larger than {} MiB, the most that is read of such a file", limit >> 20);
        return Err(io::Error::new(ErrorKind::FileTooLarge, why));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_as_is_allowed_and_no_more() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "12345").unwrap();
        assert_eq!(read_text_file(file.path(), 5).unwrap(), "12345");
        assert_eq!(read_text_file(file.path(), 4).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_has_no_end() {
        let error = read_text_file(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 1 MiB, the most that is read of such a file");
    }
}
