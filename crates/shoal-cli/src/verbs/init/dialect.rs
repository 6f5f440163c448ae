//! How a file is written that nobody has described yet.

use shoal_core::Silent;
use shoal_io::{CsvOptions, Format, Layout, ReadError, Source};

use super::found::Found;
use crate::args::InitArgs;
use crate::failure::Failure;

/// What was found out about a file.
pub(super) struct Dialect {
    pub source: Source,
    /// `None` for what is not CSV.
    pub separator: Option<char>,
    pub header: bool,
    /// What a person should know about the guess.
    pub notes: Vec<String>,
    /// What the policy has to say about the file beside these.
    pub found: Found,
}

impl Dialect {
    pub(super) fn of(args: &InitArgs) -> Result<Dialect, Failure> {
        if args.data == "-" {
            return Err(Failure::NotTwice);
        }
        let found = Found::of(args)?;
        let mut source = found.source.clone();
        let is_csv = |file: &String| Format::of(file).layout == Layout::Csv;
        if shoal_io::is_postgres(&args.data) || !source.files()?.iter().any(is_csv) {
            return Ok(Dialect { source, separator: None, header: true, notes: Vec::new(), found });
        }
        let mut notes = Vec::new();
        source.csv = match &args.separator {
            Some(given) => CsvOptions::with_separator(given)?,
            None => CsvOptions { separator: separator(args, &mut notes)?, ..CsvOptions::default() },
        };
        let separator = Some(char::from(source.csv.separator));
        let nameless = without_header(&source)?;
        let doubt = if args.header || args.no_header { None } else { why_no_header(&nameless)? };
        if args.no_header || doubt.is_some() {
            notes.extend(
                doubt.map(|why| format!("{why}, so it is taken for a record; --header says otherwise")),
            );
            return Ok(Dialect { source: nameless, separator, header: false, notes, found });
        }
        Ok(Dialect { source, separator, header: true, notes, found })
    }
}

/// What separates the values, with a note where that is not what people expect.
fn separator(args: &InitArgs, notes: &mut Vec<String>) -> Result<u8, Failure> {
    let head = shoal_io::sniff_head(&args.data)?.unwrap_or_default();
    if let Some(usual) = shoal_io::separator_of(&head) {
        return Ok(usual);
    }
    let unusual = shoal_io::unusual_separator_of(&head);
    notes.push(match unusual {
        Some(unusual) => format!(
            "`{}` splits all lines alike, so it is taken for the separator; --separator says otherwise",
            char::from(unusual).escape_debug()
        ),
        None => "no separator was found, so the file is read as one column. If there are several, name what stands between \
                 them, for example  --separator \"^\""
            .to_owned(),
    });
    Ok(unusual.unwrap_or(b','))
}

/// The same source, read as if its first line were a record.
fn without_header(source: &Source) -> Result<Source, ReadError> {
    let mut nameless = source.clone();
    nameless.csv = nameless.csv.without_header(Vec::<String>::new());
    // The reader refuses columns without names, and says how many there are.
    if let Err(error) = shoal_io::read_header(&nameless) {
        let ReadError::NamesMissing { columns, .. } = error else { return Err(error) };
        nameless.csv.names = (1..=columns).map(|number| format!("column{number}")).collect();
    }
    Ok(nameless)
}

/// Why the first line cannot be a header, or nothing. Names are neither blank nor numbers, and differ. Only the first one may
/// be blank, which is how pandas writes the index, or the last one, after a separator at the end of each line.
fn why_no_header(nameless: &Source) -> Result<Option<String>, ReadError> {
    let first = shoal_io::sample(nameless, 1, &Silent)?;
    if first.rows == 0 {
        return Ok(None);
    }
    let cells: Vec<&str> = first.columns.iter().map(|column| column.text(0)).collect();
    let number = cells.iter().find(|cell| cell.parse::<f64>().is_ok());
    let blank = cells.len() > 2 && cells[1..cells.len() - 1].iter().any(|cell| cell.is_empty());
    let blank = blank || cells.iter().all(|cell| cell.is_empty());
    Ok(match number {
        Some(number) => Some(format!("the first line holds the number `{number}`")),
        None if blank => Some("the first line holds a blank".to_owned()),
        None => None,
    })
}
