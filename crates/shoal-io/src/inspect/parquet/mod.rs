//! Parquet: every byte is a page of a column, an index of pages, or the footer, and these say nothing but the values.

mod footer;
mod thrift;
mod values;

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use ::parquet::basic::Encoding;
use ::parquet::column::page::Page;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use bytes::Bytes;
use shoal_core::{Cancelled, Progress};

pub(crate) use footer::CREATED_BY;

use self::footer::{Chunk, Footer};
use self::thrift::{Struct, Value};
use self::values::runs;
use super::Findings;
use crate::limits::Limits;

/// Names the bytes that are not a value.
pub(super) fn inspect(bytes: &Bytes, found: &mut Findings, progress: &dyn Progress) -> Result<(), String> {
    let footer = Footer::read(bytes)?;
    footer.inspect(bytes, found);
    // The Parquet reader trusts what a file says about itself, and a damaged file can make it panic.
    let scanned = catch_unwind(AssertUnwindSafe(|| -> Result<Vec<(usize, usize)>, String> {
        let reader = SerializedFileReader::new(bytes.clone()).map_err(|error| error.to_string())?;
        let mut ranges = Vec::new();
        for chunk in &footer.chunks {
            progress.check();
            let pages = pages(bytes, chunk)?;
            ranges.push((chunk.start, inspect_headers(&pages, chunk, found)));
            inspect_values(&reader, &footer, bytes, chunk, &pages, found)?;
        }
        Ok(ranges)
    }));
    let mut ranges = scanned.unwrap_or_else(|payload| match payload.is::<Cancelled>() {
        true => resume_unwind(payload),
        false => Err("its parts contradict each other".to_owned()),
    })?;
    ranges.extend(footer.side_ranges());
    // The magic number at the start; the footer with its length and the magic number at the end.
    ranges.extend([(0, 4), (footer.start, bytes.len())]);
    ranges.sort_unstable();
    // Ranges may overlap or nest, so what is covered is the greatest end so far.
    let mut covered = 0;
    for (start, end) in ranges {
        if start > covered {
            let gap = (start - covered) as u64;
            found.add("between pages", Some(covered as u64), gap, "bytes outside all pages".to_owned());
        }
        covered = covered.max(end);
    }
    Ok(())
}

/// Refuses a file whose pages unpack to more than is allowed, before anything is unpacked into memory. Returns the
/// column and what is wrong.
pub(crate) fn check_sizes(bytes: &[u8], limits: &Limits) -> Result<(), (String, String)> {
    let whole = |why: String| ("#1".to_owned(), why);
    let footer = Footer::read(bytes).map_err(whole)?;
    for chunk in &footer.chunks {
        let named = |why: String| (chunk.name.clone(), why);
        for page in pages(bytes, chunk).map_err(named)? {
            // Fields of `PageHeader` in parquet.thrift: 2 is the unpacked size, 3 the packed one, 5, 7 and 8 are the
            // headers of a data page, a dictionary and a data page of version 2.
            let declared = page.header.count(2).unwrap_or(u64::MAX);
            if declared > limits.page as u64 {
                return Err(named(format!("a page of {declared} bytes, where {} are allowed", limits.page)));
            }
            // gzip and Zstandard unpack to whatever they like, whatever the page says.
            let packed = &bytes[page.start..page.end];
            // Pages of version 2 store their levels unpacked before the values.
            let levels = page
                .header
                .structure(8)
                .map_or(0, |v2| v2.count(5).unwrap_or_default() + v2.count(6).unwrap_or_default());
            let Some(packed) = usize::try_from(levels).ok().and_then(|levels| packed.get(levels..)) else {
                return Err(named("a page that is shorter than its levels".to_owned()));
            };
            let is_packed = page.header.structure(8).and_then(|v2| v2.bool(7)).unwrap_or(true);
            let unpacked = match (chunk.codec, is_packed) {
                // `CompressionCodec` of parquet.thrift: 2 is gzip, 6 is Zstandard.
                (2, true) => length(flate2::read::MultiGzDecoder::new(packed), declared),
                (6, true) => zstd::Decoder::with_buffer(packed).and_then(|input| length(input, declared)),
                _ => continue,
            };
            if unpacked.is_ok_and(|unpacked| unpacked > declared) {
                return Err(named(format!(
                    "a page that unpacks to more than the {declared} bytes it declares"
                )));
            }
        }
    }
    Ok(())
}

/// How much a reader gives, up to one byte beyond a limit.
fn length(input: impl Read, limit: u64) -> io::Result<u64> {
    io::copy(&mut input.take(limit.saturating_add(1)), &mut io::sink())
}

/// A page.
struct PageAt<'a> {
    header: Struct<'a>,
    /// Where its header begins, and where its bytes begin and end.
    header_at: usize,
    start: usize,
    end: usize,
}

/// The pages of a chunk, one behind the other.
fn pages<'a>(bytes: &'a [u8], chunk: &Chunk) -> Result<Vec<PageAt<'a>>, String> {
    let broken = || format!("the pages of column `{}` cannot be followed", chunk.name);
    let mut pages = Vec::new();
    let mut at = chunk.start;
    let mut values = 0;
    // A reader stops at the last value; pages behind it are found as bytes outside all pages.
    while at < chunk.end && values < chunk.values {
        let (header, length) = Struct::read(&bytes[at..chunk.end]).ok_or_else(broken)?;
        let size = header.count(3).and_then(|size| usize::try_from(size).ok()).ok_or_else(broken)?;
        let start = at + length;
        let end = start.checked_add(size).filter(|&end| end <= chunk.end).ok_or_else(broken)?;
        let data = header.structure(5).or(header.structure(8));
        values += data.and_then(|data| data.count(1)).unwrap_or_default();
        pages.push(PageAt { header, header_at: at, start, end });
        at = end;
    }
    Ok(pages)
}

/// Looks at the headers of pages. Returns where the last page ends.
fn inspect_headers(pages: &[PageAt<'_>], chunk: &Chunk, found: &mut Findings) -> usize {
    for page in pages {
        let at = Some(page.header_at as u64);
        let known = |of: &Struct<'_>, ids: &[i16]| of.0.iter().all(|(id, _)| ids.contains(id));
        let header = &page.header;
        let parts_known = known(header, &[1, 2, 3, 4, 5, 7, 8])
            && header.structure(5).is_none_or(|v1| known(v1, &[1, 2, 3, 4, 5]))
            && header.structure(7).is_none_or(|dictionary| known(dictionary, &[1, 2, 3]))
            && header.structure(8).is_none_or(|v2| known(v2, &[1, 2, 3, 4, 5, 6, 7, 8]));
        if !parts_known {
            let what = "a field of a page's header that reading the records does not need".to_owned();
            found.add(chunk.place(), at, (page.start - page.header_at) as u64, what);
        }
        // `PageType`: 0 is a data page, 2 a dictionary, 3 a data page of version 2.
        if !matches!(header.integer(1), Some(0 | 2 | 3)) {
            let what = "a page that holds no values".to_owned();
            found.add(chunk.place(), at, (page.end - page.header_at) as u64, what);
        }
    }
    pages.last().map_or(chunk.start, |page| page.end)
}

/// Takes the values of a chunk apart: are all entries of its dictionary used, do its pages hold anything else, and
/// are its least and greatest values values of it?
fn inspect_values(
    reader: &SerializedFileReader<Bytes>,
    footer: &Footer<'_>,
    bytes: &[u8],
    chunk: &Chunk,
    pages: &[PageAt<'_>],
    found: &mut Findings,
) -> Result<(), String> {
    let mut wanted = Wanted::of(footer, bytes, chunk, pages);
    let group = reader.get_row_group(chunk.group).map_err(|error| error.to_string())?;
    let mut page_reader = group.get_column_page_reader(chunk.column).map_err(|error| error.to_string())?;
    let mut dictionary = Bytes::new();
    let mut entries: Vec<std::ops::Range<usize>> = Vec::new();
    let mut used: Vec<bool> = Vec::new();
    let (mut behind, mut unread) = (0_u64, 0_u64);
    while let Some(page) = page_reader.get_next_page().map_err(|error| error.to_string())? {
        let count = page.num_values() as usize;
        if let Page::DictionaryPage { buf, .. } = &page {
            dictionary = buf.clone();
            let base = dictionary.as_ptr() as usize;
            let each = |entry: &[u8]| {
                let start = entry.as_ptr() as usize - base;
                entries.push(start..start + entry.len());
            };
            match chunk.physical.plain(&dictionary, count, each) {
                Some(taken) => behind += (dictionary.len() - taken) as u64,
                None => return Err(format!("the dictionary of column `{}` cannot be read", chunk.name)),
            }
            used = vec![false; entries.len()];
            continue;
        }
        let mut notice = |value: &[u8]| wanted.notice(value);
        match data_page(&page, chunk, &mut used, &mut notice) {
            Some(left) => behind += left,
            None => unread += 1,
        }
    }
    let (place, at) = (chunk.place(), Some(chunk.start as u64));
    if unread > 0 {
        let what = format!("{unread} pages in an encoding that was not taken apart");
        found.add(&place, at, 0, what);
    }
    if behind > 0 {
        found.add(&place, at, behind, "bytes behind the last value of a page".to_owned());
    }
    let mut seen = HashSet::new();
    let (mut idle, mut idle_bytes, mut twice) = (0_u64, 0, 0_u64);
    for (entry, used) in entries.iter().zip(&used) {
        let value = &dictionary[entry.clone()];
        if *used {
            wanted.notice(value);
        // A page that was not taken apart may use any entry, so nothing can be called unused then.
        } else if unread == 0 {
            idle += 1;
            idle_bytes += value.len() as u64;
        }
        twice += u64::from(!seen.insert(value));
    }
    if idle > 0 {
        found.add(&place, at, idle_bytes, format!("{idle} entries of the dictionary that no record uses"));
    }
    if twice > 0 {
        found.add(&place, at, 0, format!("{twice} entries that occur twice in the dictionary"));
    }
    if unread == 0 {
        for (value, _) in wanted.values.iter().filter(|(_, seen)| !**seen) {
            let what = "a least or greatest value that is not a value of the column".to_owned();
            found.add(&place, at, value.len() as u64, what);
        }
    }
    Ok(())
}

/// Looks at the values of a data page. Returns how many bytes are left behind them; `None` where the encoding is not
/// known here.
fn data_page(page: &Page, chunk: &Chunk, used: &mut [bool], notice: &mut dyn FnMut(&[u8])) -> Option<u64> {
    let buffer = page.buffer();
    let count = page.num_values() as usize;
    let width = |max: u8| (u8::BITS - max.leading_zeros()) as u8;
    let mut present = count;
    let mut levels = |levels: &[u8], max: u8, counts: bool| -> Option<usize> {
        // A run calls once for all of its values, so what is counted needs each of them.
        let taken = if counts {
            let (taken, full) = count_level(levels, width(max), count, u32::from(max))?;
            present = full;
            taken
        } else {
            runs(levels, width(max), count, |_| {})?
        };
        Some(taken)
    };
    let (mut at, mut left) = (0, 0);
    match page {
        Page::DataPage { rep_level_encoding, def_level_encoding, .. } => {
            // In a page of version 1 each part begins with its length; a part whose greatest level is 0 is not there
            // at all.
            for (max, encoding, counts) in [
                (chunk.max_repetition, *rep_level_encoding, false),
                (chunk.max_definition, *def_level_encoding, true),
            ] {
                if max == 0 {
                    continue;
                }
                if encoding != Encoding::RLE {
                    return None;
                }
                let length = u32::from_le_bytes(buffer.get(at..at + 4)?.try_into().ok()?) as usize;
                let part = buffer.get(at + 4..(at + 4).checked_add(length)?)?;
                left += part.len() - levels(part, max, counts)?;
                at += 4 + length;
            }
        }
        Page::DataPageV2 { rep_levels_byte_len, def_levels_byte_len, .. } => {
            for (max, length, counts) in [
                (chunk.max_repetition, *rep_levels_byte_len as usize, false),
                (chunk.max_definition, *def_levels_byte_len as usize, true),
            ] {
                let part = buffer.get(at..at.checked_add(length)?)?;
                left += if max == 0 { length } else { part.len() - levels(part, max, counts)? };
                at += length;
            }
        }
        Page::DictionaryPage { .. } => return None,
    }
    let values = buffer.get(at..)?;
    let taken = match page.encoding() {
        Encoding::PLAIN => chunk.physical.plain(values, present, notice)?,
        Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => match values.split_first() {
            // A page of nothing but nulls may leave out even the width of its keys.
            None if present == 0 => 0,
            None => return None,
            Some((&width, packed)) => {
                let mut outside = false;
                let taken = runs(packed, width, present, |entry| match used.get_mut(entry as usize) {
                    Some(used) => *used = true,
                    None => outside = true,
                })?;
                if outside {
                    return None;
                }
                1 + taken
            }
        },
        Encoding::RLE if present == count || chunk.max_definition > 0 => {
            let length = u32::from_le_bytes(values.get(..4)?.try_into().ok()?) as usize;
            let packed = values.get(4..4_usize.checked_add(length)?)?;
            left += packed.len() - runs(packed, 1, present, |_| {})?;
            4 + length
        }
        _ => return None,
    };
    Some((left + values.len() - taken) as u64)
}

/// How many bytes levels take, and how many of them are the greatest.
fn count_level(bytes: &[u8], width: u8, count: usize, max: u32) -> Option<(usize, usize)> {
    let (mut full, mut run) = (0, 0_usize);
    let taken = values::each_run(bytes, width, count, |value, times| {
        run += times;
        full += if value == max { times } else { 0 };
    })?;
    debug_assert_eq!(run, count);
    Some((taken, full))
}

/// The least and greatest values that a file claims, to be found among its values.
struct Wanted {
    values: HashMap<Vec<u8>, bool>,
    /// Cut off claims: the beginning is enough.
    beginnings: Vec<Vec<u8>>,
}

impl Wanted {
    fn of(footer: &Footer<'_>, bytes: &[u8], chunk: &Chunk, pages: &[PageAt<'_>]) -> Wanted {
        let mut wanted = Wanted { values: HashMap::new(), beginnings: Vec::new() };
        let entry = footer.entry(chunk);
        if let Some(statistics) = entry.and_then(|entry| entry.structure(3)?.structure(12)) {
            wanted.add_statistics(statistics);
        }
        for page in pages {
            for (header, field) in [(page.header.structure(5), 5), (page.header.structure(8), 8)] {
                if let Some(statistics) = header.and_then(|header| header.structure(field)) {
                    wanted.add_statistics(statistics);
                }
            }
        }
        // The index of pages has a least and a greatest value of each.
        let place = entry.and_then(|entry| Some((entry.count(6)? as usize, entry.count(7)? as usize)));
        let index = place.and_then(|(at, length)| Struct::read(bytes.get(at..at.checked_add(length)?)?));
        if let Some((index, _)) = index {
            for value in index.list(2).iter().chain(index.list(3)) {
                if let Value::Binary(value) = value {
                    wanted.add(value, false);
                }
            }
        }
        wanted
    }

    fn add_statistics(&mut self, statistics: &Struct<'_>) {
        // `Statistics`: 1 and 2 are the greatest and the least value as old writers have them, 5 and 6 as new ones
        // do, 7 and 8 say whether those are exact.
        for (field, exact) in [(1, None), (2, None), (5, Some(7)), (6, Some(8))] {
            if let Some(value) = statistics.binary(field) {
                let exact = exact.and_then(|field| statistics.bool(field)).unwrap_or(true);
                self.add(value, exact);
            }
        }
    }

    fn add(&mut self, value: &[u8], exact: bool) {
        // A truth value, nothing, and both zeros (the least is written as −0, the greatest as 0) say nothing.
        let is_zero = value.iter().take(value.len().saturating_sub(1)).all(|&byte| byte == 0)
            && matches!(value.last(), Some(0 | 0x80));
        if value.len() <= 1 || is_zero {
            return;
        }
        if !exact {
            // The last character may have been raised, so that all that is longer is less.
            let kept = value.len() - 1;
            let kept = (0..=kept).rev().find(|&at| at == 0 || value[at] & 0xc0 != 0x80).unwrap_or_default();
            self.beginnings.push(value[..kept].to_vec());
        }
        self.values.insert(value.to_vec(), false);
    }

    fn notice(&mut self, value: &[u8]) {
        if let Some(seen) = self.values.get_mut(value) {
            *seen = true;
        }
        if !self.beginnings.is_empty() {
            for (claim, seen) in &mut self.values {
                *seen |= self.beginnings.iter().any(|b| claim.starts_with(b) && value.starts_with(b));
            }
        }
    }
}
