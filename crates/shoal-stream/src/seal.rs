//! Marks that only the stream itself can read.
//!
//! A mark says at which step a message left and how far the source had been read: with it, whoever knows arrivals would
//! know the last tuple of every crowd to the place. So it is closed with the stream's key before it goes into a message.
//! That also binds the sink to the key: a state or a key that is not the one that the sink was filled with cannot read
//! what is there, and the stream does not start.
//!
//! Closing is deterministic authenticated encryption (SIV): a keyed hash of the plain text is both the tag and where the
//! stream of the mask starts. No two marks are alike, so nothing shows that two would be.

use crate::Mark;
use crate::key::Key;

/// Longer marks are not padded further; most are far shorter.
const BLOCK: usize = 64;
/// Bytes of the tag.
const TAG: usize = 16;

/// Closes and opens the marks of one stream.
#[derive(Clone)]
pub struct Seal {
    tag: Key,
    mask: Key,
    id: Key,
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seal").finish_non_exhaustive()
    }
}

impl Seal {
    /// From the key of a stream. Each use has a key of its own, so that none says anything about another or about draws.
    pub fn new(key: &[u8; 32]) -> Seal {
        let part = |what: &str| blake3::derive_key(&format!("shoal stream 2026 mark {what}"), key);
        Seal { tag: part("tag"), mask: part("mask"), id: part("id") }
    }

    /// The mark as it may be seen.
    pub fn close(&self, mark: &Mark) -> String {
        let mut text = format!("{} {}", mark.step, mark.frontier).into_bytes();
        // The number of digits would say how far the stream is.
        text.resize(text.len().next_multiple_of(BLOCK), b' ');
        let tag = self.tag_of(&text);
        self.mask(&tag, &mut text);
        tag.iter().chain(&text).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The mark that was closed; none where it was closed with another key, or changed.
    pub fn open(&self, text: &str) -> Option<Mark> {
        let pair = |at: usize| text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let bytes: Vec<u8> = (0..text.len()).step_by(2).map(pair).collect::<Option<_>>()?;
        let (tag, masked) = bytes.split_at_checked(TAG)?;
        let tag: [u8; TAG] = tag.try_into().ok()?;
        let mut text = masked.to_vec();
        self.mask(&tag, &mut text);
        if self.tag_of(&text) != tag {
            return None;
        }
        let text = String::from_utf8(text).ok()?;
        let (step, frontier) = text.split_once(' ')?;
        Some(Mark { step: step.parse().ok()?, frontier: frontier.trim_end().parse().ok()? })
    }

    /// A name for the message of a step, by which a broker tells it from others, and which does not tell the step.
    pub fn id(&self, step: u64) -> String {
        let hash = blake3::keyed_hash(&self.id, &step.to_le_bytes());
        format!("shoal-{}", &hash.to_hex()[..32])
    }

    fn tag_of(&self, text: &[u8]) -> [u8; TAG] {
        let hash = blake3::keyed_hash(&self.tag, text);
        hash.as_bytes()[..TAG].try_into().expect("a hash is longer")
    }

    fn mask(&self, tag: &[u8; TAG], text: &mut [u8]) {
        let mut stream = blake3::Hasher::new_keyed(&self.mask).update(tag).finalize_xof();
        let mut mask = vec![0; text.len()];
        stream.fill(&mut mask);
        text.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(step: u64) -> Mark {
        Mark { step, frontier: format!("0:{step},3:9").parse().unwrap() }
    }

    #[test]
    fn a_mark_is_read_with_its_key_only_and_says_nothing_without() {
        let (ours, other) = (Seal::new(&[1; 32]), Seal::new(&[2; 32]));
        for step in [0, 7, 12_345_678_901] {
            let closed = ours.close(&mark(step));
            assert_eq!(ours.open(&closed), Some(mark(step)));
            assert_eq!(other.open(&closed), None);
            assert_eq!(closed.len(), ours.close(&mark(1)).len(), "the length tells how far it is");
            assert!(!closed.contains(&step.to_string()) || step < 10);
        }
        let wide = (0..40).map(|partition| format!("{partition}:99")).collect::<Vec<_>>().join(",");
        let wide = Mark { step: 1, frontier: wide.parse().unwrap() };
        assert_eq!(ours.open(&ours.close(&wide)), Some(wide));
    }

    #[test]
    fn a_mark_that_was_changed_is_none() {
        let seal = Seal::new(&[1; 32]);
        let closed = seal.close(&mark(7));
        for at in 0..closed.len() {
            let mut changed = closed.clone().into_bytes();
            changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
            assert_eq!(seal.open(std::str::from_utf8(&changed).unwrap()), None);
        }
        for text in ["", "7", "zz", "0:17", "\u{e9}\u{e9}", &closed[..31], &closed[..closed.len() - 2]] {
            assert_eq!(seal.open(text), None, "{text}");
        }
    }

    #[test]
    fn every_step_has_a_name_of_its_own_under_every_key() {
        let (ours, other) = (Seal::new(&[1; 32]), Seal::new(&[2; 32]));
        assert_eq!(ours.id(7), ours.id(7));
        assert_ne!(ours.id(7), ours.id(8));
        assert_ne!(ours.id(7), other.id(7));
    }
}
