//! Sheets of Excel workbooks (.xlsx).
//!
//! A sheet is read twice: what its columns are, and whether a column of dates has times in it, is known only after its last
//! cell. Cells stream by, so that two cells in opposite corners take no more memory than two cells.

use std::collections::HashSet;
use std::io::{self, Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use bytes::Bytes;
use calamine::{DataRef, ExcelDateTime, Reader, SheetType, SheetVisible, Xlsx};
use shoal_core::{Cancelled, Progress};

use crate::collect::Collector;
use crate::csv::CsvOptions;
use crate::error::ReadError;
use crate::limits::Limits;

/// How many parts a workbook may have.
const PARTS: usize = 10_000;

type Workbook = Xlsx<Cursor<Bytes>>;

/// Reads the records of one sheet into the collector, until its end or until the collector is full.
pub(crate) fn read(
    file: &str,
    input: Bytes,
    sheet: Option<&str>,
    options: &CsvOptions,
    limits: &Limits,
    into: &mut Collector<'_>,
    progress: &dyn Progress,
) -> Result<(), ReadError> {
    trusting(file, || {
        let mut workbook = open(file, input, limits)?;
        let name = match sheet {
            Some(name) => name.to_owned(),
            None => first_filled(file, &mut workbook)?,
        };
        if !workbook.sheet_names().contains(&name) {
            let sheets = workbook.sheet_names();
            return Err(ReadError::NoSheet { file: file.to_owned(), sheet: name, sheets });
        }
        let sheet = Sheet { file, name: &name, options, limits, progress };
        let layout = sheet.survey(&mut workbook)?;
        sheet.read(&mut workbook, &layout, into)
    })
}

/// The names of the sheets that hold anything.
pub(crate) fn filled_sheets(file: &str, input: Bytes, limits: &Limits) -> Result<Vec<String>, ReadError> {
    trusting(file, || {
        let mut workbook = open(file, input, limits)?;
        let mut filled = Vec::new();
        for name in sheets(&workbook) {
            if is_filled(file, &mut workbook, &name)? {
                filled.push(name);
            }
        }
        Ok(filled)
    })
}

/// A damaged workbook must not end the program, whatever its reader takes for granted.
fn trusting<T>(file: &str, read: impl FnOnce() -> Result<T, ReadError>) -> Result<T, ReadError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|payload| match payload.is::<Cancelled>() {
        true => resume_unwind(payload),
        false => Err(broken(file, &"its parts contradict each other")),
    })
}

/// Opens a workbook whose parts have been measured: its reader takes the texts of all sheets into memory at once.
fn open(file: &str, input: Bytes, limits: &Limits) -> Result<Workbook, ReadError> {
    if input.is_empty() {
        return Err(ReadError::Empty { file: file.to_owned() });
    }
    let mut parts = zip::ZipArchive::new(Cursor::new(input.clone())).map_err(|e| broken(file, &e))?;
    if parts.len() > PARTS {
        return Err(broken(file, &format!("more than {PARTS} parts")));
    }
    for number in 0..parts.len() {
        let mut part = parts.by_index(number).map_err(|e| broken(file, &e))?;
        let is_sheet = part.name().starts_with("xl/worksheets/");
        let limit = if is_sheet { limits.sheet } else { limits.page as u64 };
        // What a part declares is not what it unpacks to.
        let length =
            io::copy(&mut part.by_ref().take(limit + 1), &mut io::sink()).map_err(|e| broken(file, &e))?;
        if length > limit {
            let why = format!("the part `{}` unpacks to more than {} MiB", part.name(), limit >> 20);
            return Err(broken(file, &why));
        }
    }
    Workbook::new(Cursor::new(input)).map_err(|e| broken(file, &e))
}

/// The sheets that a person sees. A hidden one is read only where it is named.
fn sheets(workbook: &Workbook) -> Vec<String> {
    let is_seen = |sheet: &&calamine::Sheet| {
        sheet.typ == SheetType::WorkSheet && sheet.visible == SheetVisible::Visible
    };
    let tables = workbook.sheets_metadata().iter().filter(is_seen);
    tables.map(|sheet| sheet.name.clone()).collect()
}

fn first_filled(file: &str, workbook: &mut Workbook) -> Result<String, ReadError> {
    for name in sheets(workbook) {
        if is_filled(file, workbook, &name)? {
            return Ok(name);
        }
    }
    Err(ReadError::Empty { file: file.to_owned() })
}

fn is_filled(file: &str, workbook: &mut Workbook, name: &str) -> Result<bool, ReadError> {
    let mut cells = workbook.worksheet_cells_reader(name).map_err(|e| broken(file, &e))?;
    while let Some(cell) = cells.next_cell().map_err(|e| broken(file, &e))? {
        if !is_empty(cell.get_value()) {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Sheet<'s> {
    file: &'s str,
    name: &'s str,
    options: &'s CsvOptions,
    limits: &'s Limits,
    progress: &'s dyn Progress,
}

/// Where the table stands on its sheet. Rows and columns count from 0.
#[derive(Debug)]
struct Layout {
    first_row: u32,
    columns: std::ops::RangeInclusive<u32>,
    /// The columns of dates in which a date has a time.
    timed: HashSet<u32>,
}

impl Sheet<'_> {
    /// The first look at all cells.
    fn survey(&self, workbook: &mut Workbook) -> Result<Layout, ReadError> {
        let mut cells = workbook.worksheet_cells_reader(self.name).map_err(|e| self.broken(&e))?;
        let mut first_row = None;
        let (mut least, mut greatest, mut last) = (u32::MAX, 0, (0, 0));
        let mut timed = HashSet::new();
        while let Some(cell) = cells.next_cell().map_err(|e| self.broken(&e))? {
            let (row, column) = cell.get_position();
            if is_empty(cell.get_value()) {
                continue;
            }
            if first_row.is_some() && (row, column) <= last {
                return Err(
                    self.broken(&format!("the cell {} is given twice or too late", place(row, column)))
                );
            }
            last = (row, column);
            let first = *first_row.get_or_insert(row);
            if row == first {
                greatest = column;
            } else if column > greatest {
                let what = format!("row {} has no name for this column", first + 1);
                return Err(self.refused(row, column, &what));
            }
            least = least.min(column);
            if has_time(cell.get_value()) {
                timed.insert(column);
            }
            if row % 1024 == 0 {
                self.progress.check();
            }
        }
        drop(cells);
        let Some(first_row) = first_row else { return Err(ReadError::Empty { file: self.file.to_owned() }) };
        let merged = workbook.worksheet_merge_cells(self.name).transpose().map_err(|e| self.broken(&e))?;
        // Only the first of merged cells has the value; the others would be taken for missing.
        if let Some(area) =
            merged.iter().flatten().find(|area| area.end.0 >= first_row && area.start != area.end)
        {
            let what = format!("merged with the cells up to {}", place(area.end.0, area.end.1));
            return Err(self.refused(area.start.0, area.start.1, &what));
        }
        Ok(Layout { first_row, columns: least..=greatest, timed })
    }

    /// The second look: the records.
    fn read(
        &self,
        workbook: &mut Workbook,
        layout: &Layout,
        into: &mut Collector<'_>,
    ) -> Result<(), ReadError> {
        let width = (layout.columns.end() - layout.columns.start() + 1) as usize;
        let mut cells = workbook.worksheet_cells_reader(self.name).map_err(|e| self.broken(&e))?;
        let mut begun = false;
        if !self.options.header {
            into.begin(self.file, self.given_names(width)?)?;
            begun = true;
        }
        let mut row: Vec<Option<String>> = vec![None; width];
        let mut current = layout.first_row;
        loop {
            let cell = cells.next_cell().map_err(|e| self.broken(&e))?;
            let next = cell.as_ref().map(|cell| cell.get_position().0);
            if next != Some(current) && row.iter().any(Option::is_some) {
                if begun {
                    self.push(current, &row, into)?;
                } else {
                    into.begin(self.file, row.iter().map(|name| name.clone().unwrap_or_default()).collect())?;
                    begun = true;
                }
                row.fill(None);
                if into.is_full() {
                    break;
                }
            }
            let Some(cell) = cell else { break };
            let (at, column) = cell.get_position();
            current = at;
            if !is_empty(cell.get_value()) {
                let text = self.text(cell.get_value(), at, column, layout.timed.contains(&column))?;
                if text.len() > self.limits.value {
                    return Err(self.refused(at, column, &"a text that is too long"));
                }
                row[(column - layout.columns.start()) as usize] = Some(text);
            }
        }
        into.gathered().note_list(false)
    }

    fn push(&self, row: u32, values: &[Option<String>], into: &mut Collector<'_>) -> Result<(), ReadError> {
        let place = into.next_row(Some(u64::from(row) + 1))?;
        for (column, builder) in into.kept() {
            match &values[*column] {
                Some(text) => builder.push(text, place),
                None => builder.push_null(place),
            }
        }
        Ok(())
    }

    /// The names for a sheet without a header.
    fn given_names(&self, columns: usize) -> Result<Vec<String>, ReadError> {
        let (file, names) = (self.file.to_owned(), self.options.names.len());
        match names {
            0 => Err(ReadError::NamesMissing { file, columns }),
            _ if names == columns => Ok(self.options.names.clone()),
            _ => Err(ReadError::NamesCount { file, line: 1, names, columns }),
        }
    }

    /// A cell as it is published: numbers without `.0`, dates as ISO writes them.
    fn text(&self, value: &DataRef<'_>, row: u32, column: u32, timed: bool) -> Result<String, ReadError> {
        let trimmed = |text: &str| match self.options.trim {
            true => text.trim_matches([' ', '\t']).to_owned(),
            false => text.to_owned(),
        };
        Ok(match value {
            DataRef::Int(number) => number.to_string(),
            DataRef::Float(number) => number_text(*number),
            DataRef::String(text) => trimmed(text),
            DataRef::SharedString(text) => trimmed(text),
            DataRef::Bool(truth) => truth.to_string(),
            DataRef::DateTime(time) => date_text(time, timed),
            DataRef::DateTimeIso(text) if timed && !text.contains('T') => format!("{text}T00:00:00"),
            DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
            DataRef::Error(error) => return Err(self.refused(row, column, &format!("the error {error}"))),
            DataRef::Empty => String::new(),
        })
    }

    fn refused(&self, row: u32, column: u32, what: &dyn ToString) -> ReadError {
        let (file, sheet) = (self.file.to_owned(), self.name.to_owned());
        ReadError::Cell { file, sheet, cell: place(row, column), what: what.to_string() }
    }

    fn broken(&self, why: &dyn ToString) -> ReadError {
        broken(self.file, &format!("sheet `{}`: {}", self.name, why.to_string()))
    }
}

/// Whether there is nothing in a cell. A text of blanks is something only for its looks.
fn is_empty(value: &DataRef<'_>) -> bool {
    match value {
        DataRef::Empty => true,
        DataRef::String(text) => text.trim().is_empty(),
        DataRef::SharedString(text) => text.trim().is_empty(),
        _ => false,
    }
}

fn has_time(value: &DataRef<'_>) -> bool {
    match value {
        DataRef::DateTime(time) if time.is_datetime() => time.as_f64() >= 1.0 && time.as_f64().fract() != 0.0,
        DataRef::DateTimeIso(text) => text.contains('T'),
        _ => false,
    }
}

fn number_text(number: f64) -> String {
    // Below this every whole number is a double of its own, so nothing is lost. `-0` is 0 to a reader.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        (number as i64).to_string()
    } else {
        number.to_string()
    }
}

fn date_text(time: &ExcelDateTime, timed: bool) -> String {
    let days = time.as_f64();
    if time.is_duration() {
        let seconds = (days * 86_400.0).round() as i64;
        let sign = if seconds < 0 { "-" } else { "" };
        let (hours, seconds) = (seconds.abs() / 3600, seconds.abs() % 3600);
        return format!("{sign}{hours:02}:{:02}:{:02}", seconds / 60, seconds % 60);
    }
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    // Days count from 1, so that less is a time of day and no date.
    if days < 1.0 {
        return format!("{hour:02}:{minute:02}:{second:02}");
    }
    match timed {
        true => format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"),
        false => format!("{year:04}-{month:02}-{day:02}"),
    }
}

/// A cell as a spreadsheet names it: `B7`.
fn place(row: u32, column: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = u64::from(column) + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    let letters: String = letters.into_iter().rev().collect();
    format!("{letters}{}", u64::from(row) + 1)
}

fn broken(file: &str, why: &dyn ToString) -> ReadError {
    ReadError::Excel { file: file.to_owned(), why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_named_as_a_spreadsheet_does() {
        for (column, name) in
            [(0, "A1"), (25, "Z1"), (26, "AA1"), (701, "ZZ1"), (702, "AAA1"), (16_383, "XFD1")]
        {
            assert_eq!(place(0, column), name);
        }
        assert_eq!(place(u32::MAX, 1), "B4294967296");
    }

    #[test]
    fn numbers_have_no_point_that_they_do_not_need() {
        for (number, text) in [
            (3.0, "3"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (340_000.0, "340000"),
            (1e15, "1000000000000000"),
            (2.5, "2.5"),
        ] {
            assert_eq!(number_text(number), text);
        }
    }
}
