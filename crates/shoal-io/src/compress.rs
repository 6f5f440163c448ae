//! Unpacking and packing by the file's ending.

use std::io::{self, BufRead, BufReader, Read, Write};

use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::format::Compression;

/// The bytes inside; several packed members in a row are read as one, as `zcat` does.
pub(crate) fn unpack<'a>(compression: Compression, stored: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    if compression == Compression::None {
        return Ok(Box::new(stored));
    }
    let mut stored = BufReader::with_capacity(1 << 18, stored);
    let head = stored.fill_buf()?;
    // No byte at all is an empty file and not a broken one.
    if head.is_empty() {
        return Ok(Box::new(io::empty()));
    }
    if !is_packed(compression, head) {
        let head = head[..head.len().min(4096)].to_vec();
        return Err(io::Error::new(io::ErrorKind::InvalidData, NotPacked { head }));
    }
    Ok(match compression {
        Compression::Zstd => Box::new(zstd::Decoder::with_buffer(stored)?),
        _ => Box::new(MultiGzDecoder::new(stored)),
    })
}

/// Bytes that have not been packed, whatever the file is called. It travels as the error of a reader.
#[derive(Debug, thiserror::Error)]
#[error("it does not begin as packed data do")]
pub(crate) struct NotPacked {
    /// The first of them.
    pub(crate) head: Vec<u8>,
}

/// Whether bytes begin as packed data do; a file may end before that can be known.
fn is_packed(compression: Compression, head: &[u8]) -> bool {
    let begins = |magic: &[u8]| head.starts_with(&magic[..magic.len().min(head.len())]);
    match compression {
        Compression::None => true,
        Compression::Gzip => begins(b"\x1f\x8b"),
        // The second one is a frame that unpackers skip; its first byte has 16 values.
        Compression::Zstd => {
            begins(b"\x28\xb5\x2f\xfd") || (head[0] & 0xf0 == 0x50 && begins(&[head[0], 0x2a, 0x4d, 0x18]))
        }
    }
}

/// A writer that packs. The same bytes in give the same bytes out: no time and no name are stored.
pub(crate) enum Packer<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> Packer<W> {
    pub(crate) fn new(compression: Compression, out: W) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Packer::Plain(out),
            Compression::Gzip => Packer::Gzip(GzEncoder::new(out, flate2::Compression::default())),
            Compression::Zstd => Packer::Zstd(zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?),
        })
    }

    /// Writes what is still held back, and the packing's end.
    pub(crate) fn finish(self) -> io::Result<()> {
        let mut out = match self {
            Packer::Plain(out) => out,
            Packer::Gzip(encoder) => encoder.finish()?,
            Packer::Zstd(encoder) => encoder.finish()?,
        };
        out.flush()
    }
}

impl<W: Write> Write for Packer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Packer::Plain(out) => out.write(bytes),
            Packer::Gzip(encoder) => encoder.write(bytes),
            Packer::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Packer::Plain(out) => out.flush(),
            Packer::Gzip(encoder) => encoder.flush(),
            Packer::Zstd(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(compression: Compression, text: &[u8]) -> Vec<u8> {
        let mut packed = Vec::new();
        let mut packer = Packer::new(compression, &mut packed).unwrap();
        packer.write_all(text).unwrap();
        packer.finish().unwrap();
        packed
    }

    #[test]
    fn packed_and_unpacked_again() {
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let mut stored = pack(compression, b"one,");
            stored.extend(pack(compression, b"two"));
            let mut text = String::new();
            unpack(compression, &stored[..]).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "one,two", "{compression:?}");
        }
    }

    #[test]
    fn gzip_stores_no_time() {
        assert_eq!(pack(Compression::Gzip, b"x")[4..8], [0; 4]);
    }
}
