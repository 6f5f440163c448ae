use shoal_core::{RawColumn, RawTable};

use crate::digest::Digest;

/// What the digested bytes begin with; another layout gets another number.
const LAYOUT: &[u8] = b"shoal table 1\n";

/// The SHA-256 of a table's content in lower-case hex, and how many bytes were digested.
/// [`TableBuilder`](super::TableBuilder) says which bytes these are.
pub(super) fn digest_content(header: &[String], table: &RawTable) -> (String, u64) {
    let mut content = Content::default();
    content.bytes(LAYOUT);
    content.number(header.len());
    header.iter().for_each(|name| content.text(name));
    content.number(table.rows);
    content.number(table.columns.len());
    table.columns.iter().for_each(|column| content.column(column));
    (content.digest.hex(), content.length)
}

#[derive(Default)]
struct Content {
    digest: Digest,
    length: u64,
}

impl Content {
    fn column(&mut self, column: &RawColumn) {
        self.text(&column.name);
        self.number(column.labels.len());
        // A reader numbers labels in the order in which records have them first, so they and the codes are
        // the same for the same cells.
        for (code, label) in (0..).zip(column.labels.iter()) {
            if column.null == Some(code) {
                self.bytes(&[0]);
            } else {
                self.bytes(&[1]);
                self.text(label);
            }
        }
        // Most columns have few labels; digesting four bytes a cell would take as long as reading it.
        let width = match column.labels.len() {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        };
        let mut buffer = Vec::with_capacity(1 << 16);
        for codes in column.codes.chunks((1 << 16) / width) {
            buffer.clear();
            match width {
                1 => buffer.extend(codes.iter().map(|&code| code as u8)),
                2 => buffer.extend(codes.iter().flat_map(|&code| (code as u16).to_le_bytes())),
                _ => buffer.extend(codes.iter().flat_map(|&code| code.to_le_bytes())),
            }
            self.bytes(&buffer);
        }
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.bytes(text.as_bytes());
    }

    fn number(&mut self, number: usize) {
        self.bytes(&(number as u64).to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.length += bytes.len() as u64;
    }
}
