//! Commands that a person can copy into a shell.

use shoal_io::{Compression, Format};

/// The command that sends a file, packed or not, through `shoal stream`.
pub fn stream_command(policy: &str, data: &str) -> String {
    let (policy, file) = (shell_word(policy), shell_word(data));
    match Format::of(data).compression {
        Compression::None => format!("shoal stream {policy} < {file} > published"),
        Compression::Gzip => format!("gzip -dc {file} | shoal stream {policy} > published"),
        Compression::Zstd => format!("zstd -dc {file} | shoal stream {policy} > published"),
    }
}

/// A text as one word of a shell.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._/-+=:@%,".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_files_are_unpacked_and_odd_names_quoted() {
        assert_eq!(stream_command("p.toml", "a.csv"), "shoal stream p.toml < a.csv > published");
        assert_eq!(
            stream_command("p.toml", "a.csv.gz"),
            "gzip -dc a.csv.gz | shoal stream p.toml > published"
        );
        assert_eq!(
            stream_command("my policy.toml", "it's.ndjson.zst"),
            "zstd -dc 'it'\\''s.ndjson.zst' | shoal stream 'my policy.toml' > published"
        );
    }
}
