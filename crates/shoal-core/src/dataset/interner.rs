use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::Labels;

/// Gives equal texts one number, in the order in which they first appear.
///
/// The texts lie once, in [`Labels`]; the index holds numbers only and hashes the texts where they lie. The hash never reaches
/// an output, so a fast one with a fixed state is enough.
#[derive(Debug, Default)]
pub struct Interner {
    labels: Labels,
    index: HashTable<u32>,
    hasher: FixedState,
}

impl Interner {
    /// The number of a text, which gets the next one where it is new.
    pub fn intern(&mut self, text: &str) -> u32 {
        let Interner { labels, index, hasher } = self;
        let hash = hasher.hash_one(text);
        if let Some(&code) = index.find(hash, |&code| labels.get(code) == text) {
            return code;
        }
        let code = labels.push(text);
        index.insert_unique(hash, code, |&code| hasher.hash_one(labels.get(code)));
        code
    }

    /// The next number for a label that no text is equal to, such as the one that stands for "no value at all".
    pub fn push_unequal(&mut self, label: &str) -> u32 {
        self.labels.push(label)
    }

    /// The texts by number.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The texts by number, when no more are to come.
    pub fn into_labels(self) -> Labels {
        self.labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_one_number() {
        let mut interner = Interner::default();
        let texts = ["b", "", "a", "b", "", "c"];
        assert_eq!(texts.map(|text| interner.intern(text)), [0, 1, 2, 0, 1, 3]);
        assert_eq!(interner.push_unequal("a"), 4);
        assert_eq!(interner.intern("a"), 2);
        assert_eq!(interner.into_labels().iter().collect::<Vec<_>>(), ["b", "", "a", "c", "a"]);
    }
}
