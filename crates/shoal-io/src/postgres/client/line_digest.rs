use sha2::{Digest as _, Sha256};

use super::copy_text::push_escaped;

/// The digest of what a query gives. A query without `order by` may give its records in another order each time, so the order has no part
/// in it: it is the SHA-256 of the SHA-256 of the line of names, followed by the SHA-256 of each line of `COPY … TO STDOUT` (with its line
/// feed), sorted by their bytes. Sorting digests keeps 32 bytes a record; a sum of them would keep less, but somebody could make other
/// records with the same sum. `docs/postgresql.md` shows how to compute it without this program.
pub(super) struct LineDigest {
    names: [u8; 32],
    lines: Vec<[u8; 32]>,
}

impl LineDigest {
    pub(super) fn new(names: &[String]) -> LineDigest {
        let mut line = Vec::new();
        for (number, name) in names.iter().enumerate() {
            if number > 0 {
                line.push(b'\t');
            }
            push_escaped(name, &mut line);
        }
        line.push(b'\n');
        LineDigest { names: Sha256::digest(&line).into(), lines: Vec::new() }
    }

    /// A line with its line feed.
    pub(super) fn add(&mut self, line: &[u8]) {
        self.lines.push(Sha256::digest(line).into());
    }

    pub(super) fn hex(mut self) -> String {
        self.lines.sort_unstable();
        let mut bytes = Vec::with_capacity(32 * (self.lines.len() + 1));
        bytes.extend_from_slice(&self.names);
        self.lines.iter().for_each(|line| bytes.extend_from_slice(line));
        crate::sha256_hex(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(names: &[&str], lines: &[&str]) -> String {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut digest = LineDigest::new(&names);
        lines.iter().for_each(|line| digest.add(line.as_bytes()));
        digest.hex()
    }

    #[test]
    fn the_order_of_records_has_no_part_and_everything_else_has() {
        let first = digest(&["a", "b"], &["1\t2\n", "3\t4\n", "1\t2\n"]);
        assert_eq!(first, digest(&["a", "b"], &["3\t4\n", "1\t2\n", "1\t2\n"]));
        let others = [
            digest(&["a", "b"], &["1\t2\n", "3\t4\n"]),
            digest(&["a", "b"], &["1\t2\n", "3\t4\n", "3\t4\n"]),
            digest(&["b", "a"], &["1\t2\n", "3\t4\n", "1\t2\n"]),
        ];
        assert!(!others.contains(&first));
        // By Python's hashlib, as docs/postgresql.md shows it.
        assert_eq!(first, "3e900321d401ecf26ae8a621dc01654d787c45458b6c7b4a299b4ca54623e795");
    }
}
