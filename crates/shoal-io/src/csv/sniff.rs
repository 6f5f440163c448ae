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

/// The share of records that have as many fields as the most usual record, and that number of fields.
fn evenness(head: &[u8], separator: u8) -> Option<(f64, usize)> {
    let options = CsvOptions { separator, ..CsvOptions::default() };
    let mut records = Records::new(head, &options, Limits::default());
    let mut widths = Vec::new();
    // What cannot be read ends the sample: a quote cut off at its end, or one that another separator splits.
    while widths.len() < RECORDS
        && let Ok(Some(row)) = records.next()
    {
        widths.push(row.len());
    }
    // The last record may be cut off.
    if widths.len() > 1 {
        widths.pop();
    }
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
