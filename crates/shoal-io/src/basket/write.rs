use std::io::{self, Write};

use shoal_core::{Progress, Transactions};

use super::items::item_reads_back;
use crate::compress::Packer;
use crate::error::WriteError;
use crate::format::{Format, Layout};
use crate::write::PendingFile;

/// How many bytes are gathered before they are written.
const CHUNK: usize = 1 << 18;

/// Writes a line per transaction, in their order, its items ascending and joined by the separator; packed
/// as the target's name shows. The same transactions give the same bytes.
///
/// What is written is what [`read_baskets`](crate::read_baskets) reads with
/// [`published`](crate::BasketOptions::published) options. An item for which this is not so is refused.
pub fn write_baskets(
    out: &mut PendingFile,
    published: &Transactions,
    separator: char,
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    let path = out.target().to_owned();
    let Format { layout, compression } = out.format();
    match layout {
        Layout::Csv => {}
        Layout::Parquet => return Err(WriteError::NotABasketFile { path }),
        layout => return Err(WriteError::NotWritten { path, layout }),
    }
    if let Some(item) = published.items().iter().find(|item| !item_reads_back(item, separator)) {
        return Err(WriteError::UnreadableItem { path, item: item.to_owned(), separator });
    }
    let refused = |source| WriteError::io(&path, "write", source);
    let mut packer = Packer::new(compression, out).map_err(refused)?;
    write_lines(published, separator, &mut packer, progress).map_err(refused)?;
    packer.finish().map_err(refused)
}

fn write_lines(
    published: &Transactions,
    separator: char,
    mut out: impl Write,
    progress: &dyn Progress,
) -> io::Result<()> {
    let mut chunk = String::with_capacity(CHUNK + CHUNK / 4);
    let first = published.iter().next().and_then(|items| items.first());
    if first.is_some_and(|&item| published.items().get(item).starts_with('\u{feff}')) {
        // Readers skip a byte order mark at the start of a file. With a second one they do not skip the item's own.
        chunk.push('\u{feff}');
    }
    for items in published.iter() {
        for (at, &item) in items.iter().enumerate() {
            if at > 0 {
                chunk.push(separator);
            }
            chunk.push_str(published.items().get(item));
        }
        chunk.push('\n');
        if chunk.len() >= CHUNK {
            progress.check();
            out.write_all(chunk.as_bytes())?;
            chunk.clear();
        }
    }
    out.write_all(chunk.as_bytes())
}
