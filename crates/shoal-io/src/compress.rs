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
    // No byte at all is an empty file and not a broken one.
    if stored.fill_buf()?.is_empty() {
        return Ok(Box::new(io::empty()));
    }
    Ok(match compression {
        Compression::Zstd => Box::new(zstd::Decoder::with_buffer(stored)?),
        _ => Box::new(MultiGzDecoder::new(stored)),
    })
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
