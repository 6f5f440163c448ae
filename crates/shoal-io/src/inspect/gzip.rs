//! gzip: the header's name, comment, extra field and time; members behind the first; what follows the last.

use std::io::{self, BufRead};

use flate2::bufread::GzDecoder;

use super::Findings;

/// What marks a member.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Reads all members one by one.
pub(super) fn inspect(input: impl BufRead, found: &mut Findings) -> io::Result<()> {
    let mut input = Counting { input, count: 0 };
    let mut members = 0_u64;
    loop {
        let (start, next) = (input.count, input.fill_buf()?);
        if next.is_empty() {
            return Ok(());
        }
        // The reader refuses a file with such bytes; here they are named.
        if !next.starts_with(&MAGIC) {
            let bytes = io::copy(&mut input, &mut io::sink())?;
            found.add("end of the file", Some(start), bytes, "bytes behind the packed data".to_owned());
            return Ok(());
        }
        members += 1;
        let mut decoder = GzDecoder::new(&mut input);
        io::copy(&mut decoder, &mut io::sink())?;
        let header = decoder.header().cloned();
        if let Some(header) = header {
            let place = format!("gzip header of member {members}");
            let mut text = |part: Option<&[u8]>, what: &str| {
                if let Some(part) = part {
                    found.add(&place, Some(start), part.len() as u64, what.to_owned());
                }
            };
            text(header.filename(), "the name of a file (FNAME)");
            text(header.comment(), "a comment (FCOMMENT)");
            text(header.extra(), "an extra field (FEXTRA)");
            if header.mtime() != 0 {
                // MTIME follows the magic number, the method and the flags (RFC 1952).
                found.add(&place, Some(start + 4), 4, "a time (MTIME)".to_owned());
            }
        }
        if members > 1 {
            let bytes = input.count - start;
            found.add(
                format!("gzip member {members}"),
                Some(start),
                bytes,
                "a further member: one is enough".to_owned(),
            );
        }
    }
}

/// Counts what is taken.
struct Counting<R> {
    input: R,
    count: u64,
}

impl<R: BufRead> io::Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.count += count as u64;
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Counting<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.count += amount as u64;
        self.input.consume(amount);
    }
}
