//! The key from which a stream's random choices come.

use shoal_pipeline::files::KeyFile;

use crate::StreamError;

/// 256 bits. Whoever has them can tell the true value of every tuple of a hardened stream.
pub(crate) type Key = [u8; 32];

/// A secret key, and what it was used for.
///
/// A key belongs to one design: sets that are drawn from two designs under one key can be intersected, where a person
/// returns. So whoever stores a key stores what it was used for ([`Stream::key_use`](crate::Stream::key_use)) with it.
#[derive(Clone)]
pub struct StreamKey {
    key: Key,
    used_for: Option<String>,
}

impl StreamKey {
    /// A key that was never used. One that somebody could guess (one byte again and again, a pattern, a count) is refused.
    pub fn unused(key: [u8; 32]) -> Result<StreamKey, StreamError> {
        if KeyFile::is_guessable(&key) {
            return Err(StreamError::GuessableKey);
        }
        Ok(StreamKey { key, used_for: None })
    }

    /// A key that was used before, with the text that [`Stream::key_use`](crate::Stream::key_use) gave then.
    pub fn used(key: [u8; 32], used_for: &str) -> Result<StreamKey, StreamError> {
        Ok(StreamKey { used_for: Some(used_for.to_owned()), ..StreamKey::unused(key)? })
    }

    /// A fresh key.
    pub fn draw() -> Result<StreamKey, StreamError> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| StreamError::NoRandomness { why: error.to_string() })?;
        Ok(StreamKey { key, used_for: None })
    }

    /// The key itself.
    pub(crate) fn bytes(&self) -> &Key {
        &self.key
    }

    /// What it was used for, where it was used.
    pub(crate) fn used_for(&self) -> Option<&str> {
        self.used_for.as_deref()
    }

    /// A name for something, which says nothing to whoever lacks the key.
    pub(crate) fn name_of(&self, what: &str, text: &str) -> String {
        let key = blake3::derive_key("shoal stream 2026 names of what must not change", &self.key);
        let mut hasher = blake3::Hasher::new_keyed(&key);
        hasher.update(&(what.len() as u64).to_le_bytes()).update(what.as_bytes()).update(text.as_bytes());
        hasher.finalize().to_hex().to_string()
    }

    /// The key of one partition. Where choices depend on a tuple's number, two partitions under one key would make the same
    /// ones.
    #[cfg(feature = "kafka")]
    pub(crate) fn of_partition(&self, partition: u32) -> StreamKey {
        StreamKey { key: self.part(&format!("partition {partition}")), used_for: None }
    }

    /// A key for another use, which says nothing about this one.
    pub(crate) fn part(&self, what: &str) -> Key {
        blake3::derive_key(&format!("shoal stream 2026 {what}"), &self.key)
    }
}

impl std::fmt::Debug for StreamKey {
    /// Never prints the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamKey").field("used_for", &self.used_for).finish_non_exhaustive()
    }
}
