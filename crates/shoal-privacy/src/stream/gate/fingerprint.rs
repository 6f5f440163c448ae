use serde::{Deserialize, Serialize};

/// What stands for some texts in the gate's books: 128 bits of BLAKE3 over the texts, each with its length. Nobody
/// can find other texts with the same fingerprint, and it is the same wherever the books are read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(in crate::stream) struct Fingerprint([u64; 2]);

impl Fingerprint {
    pub(in crate::stream) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Fingerprint {
        let mut bytes = Bytes::default();
        texts.for_each(|text| bytes.push(text));
        bytes.fingerprint()
    }
}

/// Short inputs are gathered on the stack, which is all there is to gather in nearly every stream.
struct Bytes {
    near: [u8; 256],
    len: usize,
    far: Option<Box<blake3::Hasher>>,
}

impl Default for Bytes {
    fn default() -> Self {
        Bytes { near: [0; 256], len: 0, far: None }
    }
}

impl Bytes {
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
            let far = self.far.get_or_insert_with(Box::default);
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
            None => blake3::hash(rest),
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
}
