use std::sync::Arc;

use shoal_core::stream::{StreamLine, StreamTuple};
use shoal_core::{DateFormat, Hierarchy, Kind, ValueParser};
use shoal_measure::stream::Extent;
use shoal_privacy::stream::GateColumn;

pub(crate) type Line = StreamLine<'static>;

pub(crate) fn column(name: &str, kind: Kind, tree: Option<&[[&str; 3]]>) -> GateColumn {
    let build = |rows: &[[&str; 3]]| {
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
        Arc::new(Hierarchy::from_rows(&rows).unwrap())
    };
    GateColumn {
        name: name.to_owned(),
        quasi: true,
        parser: ValueParser::new(kind, DateFormat::default()),
        hierarchy: tree.map(build),
    }
}

pub(crate) fn texts(texts: &[&str]) -> Vec<std::borrow::Cow<'static, str>> {
    texts.iter().map(|text| (*text).to_owned().into()).collect()
}

pub(crate) fn set(cells: &[&str], values: &[&str]) -> Line {
    StreamLine::Set { cells: texts(cells), values: texts(values) }
}

pub(crate) fn member(group: u64, cells: &[&str]) -> Line {
    StreamLine::Member { group, cells: texts(cells) }
}

pub(crate) fn slot(group: u64, value: &str, count: u64) -> Line {
    StreamLine::Slot { group, value: value.to_owned().into(), count }
}

pub(crate) fn row(cells: &[&str], value: &str) -> Line {
    StreamLine::Row { cells: texts(cells), value: value.to_owned().into() }
}

pub(crate) fn tuple(position: u64, cells: &[&str], value: &str) -> StreamTuple<'static> {
    StreamTuple { position, person: None, cells: texts(cells), value: value.to_owned().into() }
}

pub(crate) fn extents(columns: &[GateColumn], rows: &[&[&str]]) -> Vec<Extent> {
    Extent::of(columns, rows.iter().copied())
}
