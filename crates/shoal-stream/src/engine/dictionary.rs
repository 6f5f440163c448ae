use std::collections::HashMap;

use shoal_core::SameValue;

/// Most texts of a dictionary. A stream has no end, and what it says anew must not fill the memory.
const MOST_LABELS: usize = 1 << 20;
/// Most bytes of a dictionary's texts.
const MOST_BYTES: usize = 1 << 27;

/// Texts as codes, in the order in which they came.
///
/// Not an interner of a data set: it refuses to grow without limit, it can take texts for one that look alike, and its
/// labels are written down with the engine's state, from which the codes are made again.
#[derive(Clone, Debug, Default)]
pub(super) struct Dictionary {
    labels: Vec<String>,
    codes: HashMap<String, u32>,
    /// Whether texts that look alike are one, labelled by the first that came.
    alike: bool,
    bytes: usize,
}

impl Dictionary {
    /// A dictionary of values: those that look alike have one code.
    pub(super) fn of_values(labels: Vec<String>) -> Dictionary {
        let codes =
            labels.iter().map(|label| SameValue::from_text(label).as_str().to_owned()).zip(0..).collect();
        let bytes = labels.iter().map(String::len).sum();
        Dictionary { labels, codes, alike: true, bytes }
    }

    pub(super) fn new(labels: Vec<String>) -> Dictionary {
        let codes = labels.iter().cloned().zip(0..).collect();
        let bytes = labels.iter().map(String::len).sum();
        Dictionary { labels, codes, alike: false, bytes }
    }

    /// The code of a text, which gets one where it has none; nothing where there are too many.
    pub(super) fn code(&mut self, label: &str) -> Option<u32> {
        let same = self.alike.then(|| SameValue::from_text(label));
        let key = same.as_ref().map_or(label, SameValue::as_str);
        if let Some(code) = self.codes.get(key) {
            return Some(*code);
        }
        if self.labels.len() >= MOST_LABELS || self.bytes + label.len() > MOST_BYTES {
            return None;
        }
        let code = self.labels.len() as u32;
        self.bytes += label.len();
        self.labels.push(label.to_owned());
        self.codes.insert(key.to_owned(), code);
        Some(code)
    }

    pub(super) fn label(&self, code: u32) -> &str {
        &self.labels[code as usize]
    }

    pub(super) fn labels(&self) -> &[String] {
        &self.labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_does_not_grow_for_ever() {
        let mut many = Dictionary::default();
        assert!((0..MOST_LABELS).all(|number| many.code(&number.to_string()) == Some(number as u32)));
        assert_eq!(many.code("one more"), None);
        assert_eq!(many.code("17"), Some(17));
        let mut long = Dictionary::default();
        let label = |number: usize| number.to_string().repeat(1_000_000);
        assert!((10..70).all(|number| long.code(&label(number)).is_some()));
        assert!((70..80).any(|number| long.code(&label(number)).is_none()));
    }
}
