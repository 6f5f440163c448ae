use std::io::{self, Write};

use shoal_core::{Progress, RawTable};

use crate::write::Fields;

/// How many bytes are gathered before they are written.
const CHUNK: usize = 1 << 18;

/// Writes a header line and the records. A null and the empty text are both written as nothing.
pub(crate) fn write(
    table: &RawTable,
    separator: u8,
    mut out: impl Write,
    progress: &dyn Progress,
) -> io::Result<()> {
    let alone = table.columns.len() == 1;
    let ends = |column: usize| if column + 1 == table.columns.len() { b'\n' } else { separator };
    // A chunk is written only at the end of a row, so it grows beyond CHUNK by the length of a row.
    let mut chunk = Vec::with_capacity(CHUNK + CHUNK / 4);
    for (number, column) in table.columns.iter().enumerate() {
        push_field(&mut chunk, &column.name, separator, alone);
        chunk.push(ends(number));
    }
    let columns: Vec<(Fields, &[u32])> = table
        .columns
        .iter()
        .enumerate()
        .map(|(number, column)| {
            let push = |_, label: &str, out: &mut Vec<u8>| push_field(out, label, separator, alone);
            (Fields::of(column, ends(number), push), &column.codes[..])
        })
        .collect();
    for row in 0..table.rows {
        for (fields, codes) in &columns {
            chunk.extend_from_slice(fields.get(codes[row]));
        }
        if chunk.len() >= CHUNK {
            progress.check();
            out.write_all(&chunk)?;
            chunk.clear();
        }
    }
    out.write_all(&chunk)
}

pub(crate) fn push_field(out: &mut Vec<u8>, text: &str, separator: u8, alone: bool) {
    if !needs_quotes(text, separator, alone) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// Quoted is what a reader could otherwise take for something else: separators, quotes and line ends;
/// blanks at the edges, which readers trim; a byte order mark, which readers skip at the start of a file;
/// and in a file of one column the empty text, which would be a blank line.
fn needs_quotes(text: &str, separator: u8, alone: bool) -> bool {
    const BLANKS: [char; 2] = [' ', '\t'];
    text.bytes().any(|b| b == separator || matches!(b, b'"' | b'\n' | b'\r'))
        || text.starts_with(BLANKS)
        || text.ends_with(BLANKS)
        || text.starts_with('\u{feff}')
        || (alone && text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(table: &RawTable, separator: u8) -> String {
        let mut out = Vec::new();
        write(table, separator, &mut out, &shoal_core::Silent).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_what_must_be_is_quoted() {
        let rows = vec![
            vec!["[25, 40]", "a;b", ""],
            vec!["5\" pipe", " x", "two\nlines"],
            vec!["plain text", "ü", "\u{feff}"],
        ];
        let table = RawTable::from_rows(&["age, years", "b", "c"], &rows);
        assert_eq!(
            written(&table, b','),
            "\"age, years\",b,c\n\"[25, 40]\",a;b,\n\"5\"\" pipe\",\" x\",\"two\nlines\"\n\
             plain text,ü,\"\u{feff}\"\n"
        );
        assert!(written(&table, b';').starts_with("age, years;b;c\n[25, 40];\"a;b\";\n"));
    }

    #[test]
    fn an_empty_value_alone_is_not_a_blank_line() {
        assert_eq!(written(&RawTable::from_rows(&["a"], &[vec![""], vec!["x"]]), b','), "a\n\"\"\nx\n");
    }
}
