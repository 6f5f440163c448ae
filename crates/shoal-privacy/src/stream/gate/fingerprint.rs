use serde::{Deserialize, Serialize};

/// What stands for some texts in the gate's state: 128 bits of BLAKE3 over the texts, each with its length. Nobody
/// can find other texts with the same fingerprint, and it is the same wherever the state is read again.
///
/// A state that is written down is made with a key: whoever finds it without the key cannot try out tuples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(in crate::stream) struct Fingerprint([u64; 2]);

impl Fingerprint {
    /// Without a key, for what is forgotten with the process.
    pub(in crate::stream) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Fingerprint {
        Fingerprint::with(None, texts)
    }

    /// With a key, where there is one.
    pub(in crate::stream) fn with<'t>(
        key: Option<&[u8; 32]>,
        texts: impl Iterator<Item = &'t str>,
    ) -> Fingerprint {
        let mut bytes = Bytes { near: [0; 256], len: 0, far: None, key };
        texts.for_each(|text| bytes.push(text));
        bytes.fingerprint()
    }
}

/// Short inputs are gathered on the stack, which is all there is to gather in nearly every stream.
struct Bytes<'k> {
    near: [u8; 256],
    len: usize,
    far: Option<Box<blake3::Hasher>>,
    key: Option<&'k [u8; 32]>,
}

impl Bytes<'_> {
    fn push(&mut self, text: &str) {
        // A byte says the length of nearly every text, so that most inputs are one block of the hash.
        match u8::try_from(text.len()) {
            Ok(length) if length < u8::MAX => self.put(&[length]),
            _ => {
                self.put(&[u8::MAX]);
                self.put(&(text.len() as u64).to_le_bytes());
            }
        }
        self.put(text.as_bytes());
    }

    fn put(&mut self, bytes: &[u8]) {
        if self.len + bytes.len() > self.near.len() {
            let key = self.key;
            let far = self.far.get_or_insert_with(|| {
                Box::new(key.map_or_else(blake3::Hasher::new, blake3::Hasher::new_keyed))
            });
            far.update(&self.near[..self.len]);
            self.len = 0;
            if bytes.len() > self.near.len() {
                far.update(bytes);
                return;
            }
        }
        self.near[self.len..][..bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    fn fingerprint(self) -> Fingerprint {
        let rest = &self.near[..self.len];
        let hash = match self.far {
            None => self.key.map_or_else(|| blake3::hash(rest), |key| blake3::keyed_hash(key, rest)),
            Some(mut far) => far.update(rest).finalize(),
        };
        let word = |at: usize| {
            let eight: [u8; 8] = hash.as_bytes()[at..at + 8].try_into().expect("eight bytes are eight bytes");
            u64::from_le_bytes(eight)
        };
        Fingerprint([word(0), word(8)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart_by_where_they_end_at_any_length() {
        let long = "x".repeat(1000);
        let lists: [&[&str]; 12] = [
            &[],
            &[""],
            &["", ""],
            &["ab"],
            &["a", "b"],
            &["", "ab"],
            &["ab", ""],
            &[&long],
            &[&long, ""],
            &[&long[..254]],
            &[&long[..255]],
            &[&long[..255], &long[..745]],
        ];
        for (at, list) in lists.iter().enumerate() {
            let of = |list: &[&str]| Fingerprint::of(list.iter().copied());
            assert_eq!(of(list), of(list));
            assert!(lists[..at].iter().all(|other| of(other) != of(list)), "{at}");
        }
    }

    /// The same, written down as the format is described: a length and the text, and all of it hashed at once.
    fn by_hand(key: Option<&[u8; 32]>, texts: &[&str]) -> Fingerprint {
        let mut all = Vec::new();
        for text in texts {
            if text.len() < 255 {
                all.push(text.len() as u8);
            } else {
                all.push(255);
                all.extend((text.len() as u64).to_le_bytes());
            }
            all.extend(text.bytes());
        }
        let hash = match key {
            Some(key) => blake3::keyed_hash(key, &all),
            None => blake3::hash(&all),
        };
        let word =
            |at: usize| (0..8).rev().fold(0, |word, byte| word << 8 | u64::from(hash.as_bytes()[at + byte]));
        Fingerprint([word(0), word(8)])
    }

    #[test]
    fn lengths_around_every_limit_hash_as_described() {
        let long = "abcdefghij".repeat(70);
        let key = [7; 32];
        for first in [0, 1, 100, 253, 254, 255, 256, 257, 511, 512, 700] {
            for second in [0, 1, 2, 153, 154, 155, 254, 255, 256, 600] {
                let texts = [&long[..first], &long[..second], "end"];
                for key in [None, Some(&key)] {
                    let found = Fingerprint::with(key, texts.into_iter());
                    assert_eq!(found, by_hand(key, &texts), "{first} {second}");
                }
            }
        }
    }

    /// A state outlives the program that wrote it: another version must find the same tuples in it.
    #[test]
    fn what_is_written_down_does_not_change_with_the_program() {
        let of = |key: Option<&[u8; 32]>, texts: &[&str]| {
            serde_json::to_string(&Fingerprint::with(key, texts.iter().copied())).unwrap()
        };
        let long = "x".repeat(300);
        let key = Some(&[7; 32]);
        let found = [
            of(None, &["30", "Bonn"]),
            of(None, &[&long, "end"]),
            of(key, &["30", "Bonn"]),
            of(key, &[&long, "end"]),
        ];
        let written = [
            "[3259092029948582635,351981932086059854]",
            "[175382444313827857,14135158276769721330]",
            "[2238307272848199556,14826102767954064975]",
            "[2275994623289743115,11062357050493462121]",
        ];
        assert_eq!(found, written);
    }
}
