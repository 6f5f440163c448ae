//! The footer: what it says that is not needed to read the records, and where everything lies.

use std::collections::BTreeSet;

use super::thrift::{Struct, Value};
use super::values::Physical;
use crate::inspect::Findings;

/// What our own files say of their writer.
pub(crate) const CREATED_BY: &str = "shoal";

const MAGIC: &[u8] = b"PAR1";

/// A Parquet file, as far as its footer describes it.
pub(super) struct Footer<'a> {
    pub(super) meta: Struct<'a>,
    /// Where the footer begins.
    pub(super) start: usize,
    pub(super) chunks: Vec<Chunk>,
}

/// The pages of one column in one row group.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub(super) group: usize,
    /// The number among the columns that hold values.
    pub(super) column: usize,
    pub(super) name: String,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) values: u64,
    pub(super) codec: i64,
    pub(super) physical: Physical,
    pub(super) max_definition: u8,
    pub(super) max_repetition: u8,
}

impl<'a> Footer<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Footer<'a>, String> {
        let broken = || "its footer cannot be read".to_owned();
        let tail = bytes.len().checked_sub(8).ok_or_else(broken)?;
        if !bytes.starts_with(MAGIC) || &bytes[tail + 4..] != MAGIC {
            return Err(broken());
        }
        // A file ends with the footer, its length in 4 bytes, and the magic number.
        let length = u32::from_le_bytes([bytes[tail], bytes[tail + 1], bytes[tail + 2], bytes[tail + 3]]);
        let start = tail.checked_sub(length as usize).filter(|&start| start >= 4).ok_or_else(broken)?;
        let (meta, _) = Struct::read(&bytes[start..tail]).ok_or_else(broken)?;
        let leaves = leaves(&meta).ok_or_else(broken)?;
        let mut chunks = Vec::new();
        for (group, row_group) in meta.structs(4).enumerate() {
            for (column, chunk) in row_group.structs(1).enumerate() {
                let leaf = leaves.get(column).ok_or_else(broken)?;
                chunks.push(Chunk::read(group, column, chunk, leaf, start).ok_or_else(broken)?);
            }
        }
        Ok(Footer { meta, start, chunks })
    }

    /// Names what the footer says beside where the values are and what they are called.
    pub(super) fn inspect(&self, bytes: &[u8], found: &mut Findings) {
        let at = Some(self.start as u64);
        let tail = bytes.len() - 8;
        let used = Struct::read(&bytes[self.start..tail]).map_or(0, |(_, length)| length);
        if self.start + used < tail {
            let rest = (tail - self.start - used) as u64;
            found.add(
                "Parquet footer",
                Some((self.start + used) as u64),
                rest,
                "bytes behind the metadata".to_owned(),
            );
        }
        // The numbers here and below are those of the fields in parquet.thrift that readers know.
        unknown(&self.meta, &[1, 2, 3, 4, 5, 6, 7], "Parquet footer", at, found);
        metadata(&self.meta, 5, "Parquet footer", at, found);
        if let Some(writer) = self.meta.binary(6)
            && !is_known_writer(writer)
        {
            found.add("Parquet footer", at, writer.len() as u64, "the writer's name (created_by)".to_owned());
        }
        let names: BTreeSet<&[u8]> = self.meta.structs(2).filter_map(|element| element.binary(4)).collect();
        for (number, element) in self.meta.structs(2).enumerate() {
            unknown(element, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "Parquet schema", at, found);
            let name = element.binary(4).unwrap_or_default();
            if number == 0 && !ROOTS.iter().any(|root| root.as_bytes() == name) {
                found.add("Parquet schema", at, name.len() as u64, "a name of the whole schema".to_owned());
            }
        }
        for (group, row_group) in self.meta.structs(4).enumerate() {
            unknown(row_group, &[1, 2, 3, 4, 5, 6, 7], &format!("row group {}", group + 1), at, found);
            for (column, chunk) in row_group.structs(1).enumerate() {
                let place = format!("row group {}, column {}", group + 1, column + 1);
                unknown(chunk, &[2, 3, 4, 5, 6, 7], &place, at, found);
                let Some(meta) = chunk.structure(3) else { continue };
                unknown(meta, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], &place, at, found);
                metadata(meta, 8, &place, at, found);
                let path = meta.list(3).iter().filter_map(|part| match part {
                    Value::Binary(part) => Some(*part),
                    _ => None,
                });
                for part in path.filter(|part| !names.contains(part)) {
                    let what = "a path to a column that the schema does not have".to_owned();
                    found.add(&place, at, part.len() as u64, what);
                }
                if meta.count(14).is_some() {
                    let bytes = meta.count(15).unwrap_or_default();
                    let what = "a Bloom filter, which answers questions about values".to_owned();
                    found.add(&place, meta.count(14), bytes, what);
                }
            }
        }
    }

    /// Where indexes and filters lie, which are not pages.
    pub(super) fn side_ranges(&self) -> Vec<(usize, usize)> {
        let mut ranges = Vec::new();
        for chunk in self.meta.structs(4).flat_map(|group| group.structs(1)) {
            let filter = chunk.structure(3).map(|meta| (meta.count(14), meta.count(15)));
            let indexes = [(chunk.count(4), chunk.count(5)), (chunk.count(6), chunk.count(7))];
            for (offset, length) in indexes.into_iter().chain(filter) {
                if let (Some(offset), Some(length)) = (offset, length) {
                    let end = offset.saturating_add(length);
                    ranges.push((offset as usize, usize::try_from(end).unwrap_or(usize::MAX)));
                }
            }
        }
        ranges
    }

    /// The footer's entry of a chunk.
    pub(super) fn entry(&self, chunk: &Chunk) -> Option<&Struct<'a>> {
        self.meta.structs(4).nth(chunk.group)?.structs(1).nth(chunk.column)
    }
}

impl Chunk {
    fn read(group: usize, column: usize, entry: &Struct<'_>, leaf: &Leaf, footer: usize) -> Option<Chunk> {
        let meta = entry.structure(3)?;
        let data = meta.count(9)?;
        // A dictionary lies before the data pages. Some writers set its offset to 0 where there is none.
        let first = meta.count(11).filter(|&at| at > 0 && at < data).unwrap_or(data);
        let start = usize::try_from(first).ok()?;
        let end = start.checked_add(usize::try_from(meta.count(7)?).ok()?)?;
        (start >= MAGIC.len() && end <= footer).then(|| Chunk {
            group,
            column,
            name: leaf.name.clone(),
            start,
            end,
            values: meta.count(5).unwrap_or_default(),
            codec: meta.integer(4).unwrap_or_default(),
            physical: leaf.physical,
            max_definition: leaf.max_definition,
            max_repetition: leaf.max_repetition,
        })
    }

    pub(super) fn place(&self) -> String {
        format!("row group {}, column `{}`", self.group + 1, self.name)
    }
}

/// A column that holds values.
struct Leaf {
    name: String,
    physical: Physical,
    max_definition: u8,
    max_repetition: u8,
}

/// The leaves of the schema, which is a tree written from its root downwards.
fn leaves(meta: &Struct<'_>) -> Option<Vec<Leaf>> {
    let elements: Vec<&Struct<'_>> = meta.structs(2).collect();
    let mut leaves = Vec::new();
    // How many children are still to come, and the levels there.
    let mut open: Vec<(u64, u8, u8)> = vec![(elements.first()?.count(5).unwrap_or_default(), 0, 0)];
    for element in &elements[1..] {
        while open.last().is_some_and(|(left, ..)| *left == 0) {
            open.pop();
        }
        let (left, definition, repetition) = open.last_mut()?;
        *left -= 1;
        let (mut definition, mut repetition) = (*definition, *repetition);
        // `FieldRepetitionType`: an optional field (1) adds a definition level, a repeated one (2) one of both.
        match element.integer(3) {
            Some(1) => definition = definition.checked_add(1)?,
            Some(2) => {
                definition = definition.checked_add(1)?;
                repetition = repetition.checked_add(1)?;
            }
            _ => {}
        }
        match element.count(5).filter(|&children| children > 0) {
            Some(children) => open.push((children, definition, repetition)),
            None => leaves.push(Leaf {
                name: String::from_utf8_lossy(element.binary(4)?).into_owned(),
                physical: Physical::of(element.integer(1)?, element.count(2))?,
                max_definition: definition,
                max_repetition: repetition,
            }),
        }
    }
    Some(leaves)
}

/// What the roots of schemas are called.
const ROOTS: [&str; 6] = ["schema", "arrow_schema", "spark_schema", "hive_schema", "root", "duckdb_schema"];

/// Fields that no reader asks for.
fn unknown(of: &Struct<'_>, known: &[i16], place: &str, at: Option<u64>, found: &mut Findings) {
    for (id, value) in of.0.iter().filter(|(id, _)| !known.contains(id)) {
        let bytes = match value {
            Value::Binary(text) => text.len() as u64,
            _ => 0,
        };
        found.add(place, at, bytes, format!("field {id}, which reading the records does not need"));
    }
}

/// Keys and values.
fn metadata(of: &Struct<'_>, field: i16, place: &str, at: Option<u64>, found: &mut Findings) {
    for pair in of.structs(field) {
        let (key, value) = (pair.binary(1).unwrap_or_default(), pair.binary(2).unwrap_or_default());
        // Keys that programs are known to write are named; any other may itself be a text about somebody.
        let what = match KEYS.iter().find(|known| known.as_bytes() == key) {
            Some(known) => format!("key-value metadata `{known}`"),
            None => "key-value metadata".to_owned(),
        };
        found.add(place, at, (key.len() + value.len()) as u64, what);
    }
}

const KEYS: [&str; 4] =
    ["ARROW:schema", "pandas", "org.apache.spark.version", "org.apache.spark.sql.parquet.row.metadata"];

/// A writer and its version say nothing about the data.
fn is_known_writer(writer: &[u8]) -> bool {
    const WRITERS: [&str; 5] = [
        "parquet-cpp-arrow version ",
        "parquet-mr version ",
        "parquet-rs version ",
        "DuckDB version ",
        "Polars",
    ];
    let text = std::str::from_utf8(writer).unwrap_or("\0");
    let version = |rest: &str| {
        rest.len() <= 80 && rest.chars().all(|c| c.is_ascii_hexdigit() || " .-()builvSNAPHOT".contains(c))
    };
    text == CREATED_BY || WRITERS.iter().any(|known| text.strip_prefix(known).is_some_and(version))
}
