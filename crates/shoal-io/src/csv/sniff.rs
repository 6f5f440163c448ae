use super::CsvOptions;
use super::records::Records;
use crate::limits::Limits;

/// In order of preference where two fit equally well: the rarer a character is in values, the earlier.
const CANDIDATES: [u8; 4] = [b'\t', b';', b'|', b','];

/// How many records are looked at.
const RECORDS: usize = 100;

/// The separator of the text that begins with these bytes: the one of tab, `;`, `|` and `,` that splits the
/// first records most evenly into at least two fields. `None` when none splits even half of them evenly.
pub fn separator_of(head: &[u8]) -> Option<u8> {
    let mut best: Option<(f64, usize, u8)> = None;
    for separator in CANDIDATES {
        let Some((share, fields)) = evenness(head, separator) else { continue };
        // Strictly greater, so that a tie is decided by the order of the candidates.
        if best.is_none_or(|(s, f, _)| (share, fields) > (s, f)) {
            best = Some((share, fields, separator));
        }
    }
    best.map(|(_, _, separator)| separator)
}

/// Separators that nobody expects, and that are also a part of many values.
const UNUSUAL: [u8; 6] = [b'^', b'~', 0x1f, b'#', b':', b' '];

/// One of `^`, `~`, the unit separator, `#`, `:` and the blank, where it splits all of the first records, the header among
/// them, into as many fields. Times in a single column do not: their header has none.
pub fn unusual_separator_of(head: &[u8]) -> Option<u8> {
    let split = |separator: &u8| {
        let (share, fields) = evenness(head, *separator)?;
        let options = CsvOptions { separator: *separator, ..CsvOptions::default() };
        let first = first_records(head, &options, 2).into_iter().next()?;
        (share == 1.0 && first.len() == fields && first.iter().skip(1).all(|cell| !cell.is_empty()))
            .then_some(())
    };
    UNUSUAL.into_iter().find(|separator| split(separator).is_some())
}

/// The first records of a text of which these bytes are the beginning.
pub(crate) fn first_records(head: &[u8], options: &CsvOptions, most: usize) -> Vec<Vec<String>> {
    let mut records = Records::new(head, options, Limits::default());
    let mut rows = Vec::new();
    // What cannot be read ends the sample: a quote cut off at its end, or one that another separator splits.
    while rows.len() < most
        && let Ok(Some(row)) = records.next()
    {
        rows.push(row.iter().map(str::to_owned).collect());
    }
    // The last record may be cut off.
    if rows.len() > 1 && !head.ends_with(b"\n") {
        rows.pop();
    }
    rows
}

/// The share of records that have as many fields as the most usual record, and that number of fields.
fn evenness(head: &[u8], separator: u8) -> Option<(f64, usize)> {
    let options = CsvOptions { separator, ..CsvOptions::default() };
    let widths: Vec<usize> = first_records(head, &options, RECORDS).iter().map(Vec::len).collect();
    let count = |width: usize| widths.iter().filter(|&&w| w == width).count();
    // Of two widths that are equally frequent, the wider one.
    let usual = widths.iter().copied().max_by_key(|&width| (count(width), width))?;
    let share = count(usual) as f64 / widths.len() as f64;
    (usual > 1 && share >= 0.5).then_some((share, usual))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_even_one_wins() {
        assert_eq!(separator_of(b"a,b,c\n1,2,3\n4,5,6\n"), Some(b','));
        assert_eq!(separator_of(b"a;b\n1,5;2,5\n1,2;3\n7;8\n"), Some(b';'));
        assert_eq!(separator_of(b"a\tb\nx, y; z\tw\n"), Some(b'\t'));
        assert_eq!(separator_of(b"id|name\n1|\"x|y\"\n2|z\n"), Some(b'|'));
        assert_eq!(separator_of(b"39, State-gov, 77516\n50, Private, 8"), Some(b','));
    }

    #[test]
    fn unusual_separators_split_the_header_too() {
        assert_eq!(unusual_separator_of(b"age^zip^sex\n39^53715^f\n50^53703^m\n"), Some(b'^'));
        assert_eq!(unusual_separator_of(b"age~zip\n39~53715\n50~53703\n"), Some(b'~'));
        assert_eq!(unusual_separator_of(b"age zip\n39 53715\n50 53703\n"), Some(b' '));
        assert_eq!(unusual_separator_of(b"time\n10:00:00\n11:30:00\n"), None);
        assert_eq!(unusual_separator_of(b"name\nAnn Lee\nBob Ray\n"), None);
        assert_eq!(unusual_separator_of(b"age\n39\n50\n"), None);
    }

    #[test]
    fn quotes_hide_separators() {
        assert_eq!(separator_of(b"a,b\n\"1;2;3\",x\n\"4;5;6\",y\n\"7;8;9\",z\n"), Some(b','));
    }

    #[test]
    fn one_column_has_none() {
        assert_eq!(separator_of(b"age\n39\n50\n"), None);
        assert_eq!(separator_of(b""), None);
        assert_eq!(separator_of(b"\xff\xfe\x00"), None);
    }
}
