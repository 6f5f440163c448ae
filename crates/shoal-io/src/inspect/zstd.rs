//! Zstandard (RFC 8878): skippable frames, frames behind the first, dictionaries, what follows the last frame.

use std::io::{self, BufRead, ErrorKind, Read};

use super::Findings;

const FRAME: u32 = 0xFD2F_B528;
const SKIPPABLE: std::ops::RangeInclusive<u32> = 0x184D_2A50..=0x184D_2A5F;

/// Goes from frame to frame and from block to block, and unpacks none.
pub(super) fn inspect(mut input: impl BufRead, found: &mut Findings) -> io::Result<()> {
    let (mut at, mut frames) = (0, 0_u64);
    while !input.fill_buf()?.is_empty() {
        let mut magic = [0; 4];
        let read = fill(&mut input, &mut magic)?;
        let magic = u32::from_le_bytes(magic);
        if read == 4 && SKIPPABLE.contains(&magic) {
            let size = u64::from(u32::from_le_bytes(take(&mut input)?));
            skip(&mut input, size)?;
            found.add("Zstandard", Some(at), size, "a skippable frame, which no reader unpacks".to_owned());
            at += 8 + size;
        } else if read == 4 && magic == FRAME {
            frames += 1;
            let (length, dictionary) = frame(&mut input)?;
            if dictionary {
                found.add("Zstandard frame header", Some(at), 4, "the number of a dictionary".to_owned());
            }
            if frames > 1 {
                found.add("Zstandard", Some(at), 4 + length, "a further frame: one is enough".to_owned());
            }
            at += 4 + length;
        } else {
            let rest = io::copy(&mut input, &mut io::sink())?;
            let bytes = read as u64 + rest;
            found.add("end of the file", Some(at), bytes, "bytes behind the packed data".to_owned());
        }
    }
    Ok(())
}

/// Skips a frame whose magic number has been read: its length, and whether it names a dictionary.
fn frame(input: &mut impl Read) -> io::Result<(u64, bool)> {
    // RFC 8878, 3.1.1.1.1: bits 7 and 6 are the size of the content size, bit 5 says that there is no window
    // descriptor, bit 2 that a checksum follows, bits 1 and 0 are the size of the dictionary's number.
    let [descriptor] = take(input)?;
    let is_single = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content_size = match descriptor >> 6 {
        0 => u64::from(is_single),
        flag => 1 << flag,
    };
    let header = u64::from(!is_single) + dictionary + content_size;
    skip(input, header)?;
    let mut length = 1 + header;
    loop {
        // A block header: bit 0 marks the last block, bits 1 and 2 its kind, the rest is its size.
        let [low, middle, high] = take(input)?;
        let block = u32::from_le_bytes([low, middle, high, 0]);
        let size = match (block >> 1) & 3 {
            // A block of one byte that repeats.
            1 => 1,
            // Raw or compressed: as many bytes as the size says.
            0 | 2 => u64::from(block >> 3),
            _ => return Err(io::Error::new(ErrorKind::InvalidData, "a block of a reserved kind")),
        };
        skip(input, size)?;
        length += 3 + size;
        if block & 1 == 1 {
            break;
        }
    }
    let checksum = if descriptor & 4 != 0 { 4 } else { 0 };
    skip(input, checksum)?;
    Ok((length + checksum, dictionary > 0))
}

fn take<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn skip(input: &mut impl Read, count: u64) -> io::Result<()> {
    let skipped = io::copy(&mut input.take(count), &mut io::sink())?;
    if skipped == count { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
}

/// Reads until the buffer is full or nothing follows.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}
