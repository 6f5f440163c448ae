use crate::csv::SeparatorError;

/// How a basket file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasketOptions {
    /// The character between items. Blanks and tabs around an item are not part of it, so that any number of
    /// blanks separates like one.
    pub separator: char,
    /// Whether groups such as `(a,b)` are items, as in published files. In original files they are items like others,
    /// which are published in quotes so that nobody takes them for groups.
    pub grouped: bool,
}

impl Default for BasketOptions {
    fn default() -> Self {
        BasketOptions { separator: ' ', grouped: false }
    }
}

impl BasketOptions {
    /// Options for an original file with the separator that a policy gives: one character, which blanks may
    /// follow.
    pub fn with_separator(text: &str) -> Result<Self, SeparatorError> {
        let bad = || SeparatorError { text: text.to_owned() };
        let mut characters = text.chars();
        let separator = characters.next().ok_or_else(bad)?;
        // These have a meaning of their own in lines and groups.
        let usable = !matches!(separator, '"' | '(' | ')' | '\n' | '\r' | '\u{feff}');
        if !usable || characters.any(|c| c != ' ') {
            return Err(bad());
        }
        Ok(BasketOptions { separator, ..BasketOptions::default() })
    }

    /// The same for the published file.
    pub fn published(self) -> Self {
        BasketOptions { grouped: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_and_blanks() {
        for (text, separator) in [(" ", ' '), (",", ','), ("; ", ';'), ("\t", '\t'), ("§", '§')] {
            let options = BasketOptions::with_separator(text).unwrap();
            assert_eq!(options, BasketOptions { separator, grouped: false });
            assert_eq!(options.published(), BasketOptions { separator, grouped: true });
        }
        for text in ["", "\"", "(", ")", "\n", "\r", "\r\n", ",,", "ab", " ,", "\u{feff}"] {
            assert_eq!(BasketOptions::with_separator(text).unwrap_err().text, text);
        }
    }
}
