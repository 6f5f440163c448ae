/// How a CSV file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// The character between fields.
    pub separator: u8,
    /// Whether the first line names the columns.
    pub header: bool,
    /// The columns' names where there is no header; not looked at where there is one.
    pub names: Vec<String>,
    /// Whether blanks and tabs around fields go. Those inside quotes always stay.
    pub trim: bool,
}

impl Default for CsvOptions {
    fn default() -> Self {
        CsvOptions { separator: b',', header: true, names: Vec::new(), trim: true }
    }
}

impl CsvOptions {
    /// Options with the separator that a policy gives: one ASCII character, which blanks may follow (`", "`
    /// as in UCI Adult; they go with all blanks around fields).
    pub fn with_separator(text: &str) -> Result<Self, SeparatorError> {
        let bad = || SeparatorError { text: text.to_owned() };
        let (&separator, blanks) = text.as_bytes().split_first().ok_or_else(bad)?;
        let usable = separator.is_ascii() && !matches!(separator, b'"' | b'\n' | b'\r');
        if !usable || blanks.iter().any(|&b| b != b' ') {
            return Err(bad());
        }
        Ok(CsvOptions { separator, ..CsvOptions::default() })
    }

    /// A file without a header, whose columns have these names.
    pub fn without_header<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        CsvOptions { header: false, names: names.into_iter().map(Into::into).collect(), ..self }
    }
}

/// A separator that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` cannot be a separator", text.escape_debug())]
pub struct SeparatorError {
    /// The text as given.
    pub text: String,
}

impl SeparatorError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        "give one ASCII character such as \",\", \";\", \"\\t\" or \"|\"; blanks may follow it"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_and_blanks() {
        for (text, separator) in
            [(",", b','), (";", b';'), ("\t", b'\t'), ("|", b'|'), (", ", b','), (" ", b' '), ("\u{1}", 1)]
        {
            assert_eq!(CsvOptions::with_separator(text).unwrap().separator, separator);
        }
        for text in ["", "\"", "\n", "\r", "\r\n", ",,", ", ,", "ab", "§", "\\t", " ,"] {
            let error = CsvOptions::with_separator(text).unwrap_err();
            assert_eq!(error.text, text);
        }
    }
}
