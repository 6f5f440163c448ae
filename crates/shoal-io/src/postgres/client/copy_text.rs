//! The text format of `COPY`: a line per record, tabs between values, `\N` for no value, other backslashes before what would be mistaken.

/// How a value that is not there is written.
pub(super) const NULL: &[u8] = b"\\N";

/// Where the values of a line, which has no line feed at its end, begin and end.
pub(super) fn split(line: &[u8], bounds: &mut Vec<(usize, usize)>) {
    bounds.clear();
    let mut start = 0;
    // A tab inside a value is written as `\t`, so every tab is a border.
    for end in memchr::memchr_iter(b'\t', line) {
        bounds.push((start, end));
        start = end + 1;
    }
    bounds.push((start, line.len()));
}

/// A value without its escapes. `space` is used where there are any.
pub(super) fn unescaped<'a>(value: &'a [u8], space: &'a mut Vec<u8>) -> &'a [u8] {
    let Some(first) = memchr::memchr(b'\\', value) else { return value };
    space.clear();
    space.extend_from_slice(&value[..first]);
    let mut rest = &value[first..];
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            space.push(byte);
            continue;
        }
        let Some((&escaped, after)) = rest.split_first() else {
            space.push(b'\\');
            break;
        };
        rest = after;
        space.push(match escaped {
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            other => other,
        });
    }
    space
}

/// Appends a text with its escapes.
pub(super) fn push_escaped(text: &str, out: &mut Vec<u8>) {
    for &byte in text.as_bytes() {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_of_the_server_are_known() {
        let mut space = Vec::new();
        assert_eq!(unescaped(b"plain", &mut space), b"plain");
        assert_eq!(unescaped(b"a\\tb\\nc\\\\d\\be\\ff\\rg\\vh", &mut space), b"a\tb\nc\\d\x08e\x0cf\rg\x0bh");
    }

    proptest! {
        #[test]
        fn what_is_escaped_is_one_value_and_reads_back(texts in prop::collection::vec("[a-z\\\\\t\r\nN]{0,6}", 1..5)) {
            let mut line = Vec::new();
            for (number, text) in texts.iter().enumerate() {
                if number > 0 {
                    line.push(b'\t');
                }
                push_escaped(text, &mut line);
            }
            prop_assert!(!line.contains(&b'\n'));
            let mut bounds = Vec::new();
            split(&line, &mut bounds);
            let values: Vec<&[u8]> = bounds.iter().map(|&(from, to)| &line[from..to]).collect();
            prop_assert_eq!(values.len(), texts.len());
            let mut space = Vec::new();
            for (value, text) in values.iter().zip(&texts) {
                prop_assert_ne!(*value, NULL, "a text is not taken for no value");
                prop_assert_eq!(unescaped(value, &mut space), text.as_bytes());
            }
        }
    }
}
