//! The secret key of a release.
//!
//! Records with equal quasi-identifiers may go to different classes. Who of them goes where must not be known to an
//! attacker who has the program, the policy and the seed, so it is dealt by this key, as are the draws of
//! `transparent`. One key serves both: each purpose has a key of its own that is derived from it. The hashes of people
//! in `audit.json` have another key, since that one names a release, and a key file may serve many releases.

use std::fmt;

use shoal_algorithms::table::transparent::Secret;

use crate::PipelineError;

/// 32 secret bytes: drawn for one run, read from a key file, or those of an earlier release.
#[derive(Clone, PartialEq, Eq)]
pub struct ReleaseKey([u8; 32]);

impl ReleaseKey {
    /// For work that publishes nothing: trials must differ by their settings alone, and a verification deals nothing.
    pub(crate) const UNPUBLISHED: ReleaseKey = ReleaseKey([0; 32]);

    /// A fresh key.
    pub fn draw() -> Result<ReleaseKey, PipelineError> {
        let mut key = [0; 32];
        let failed = |error: getrandom::Error| PipelineError::NoRandomness { why: error.to_string() };
        getrandom::fill(&mut key).map_err(failed)?;
        Ok(ReleaseKey(key))
    }

    /// The key with these bytes, which nobody can guess.
    pub fn from_bytes(key: [u8; 32]) -> ReleaseKey {
        ReleaseKey(key)
    }

    /// Its bytes, for a key file.
    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// From 64 hexadecimal digits.
    pub fn from_hex(digits: &str) -> Option<ReleaseKey> {
        from_hex(digits).map(ReleaseKey)
    }

    /// The key in hexadecimal digits, as a key file and `audit.json` hold it.
    pub fn hex(&self) -> String {
        to_hex(&self.0)
    }

    /// What the order of records is made from.
    pub(crate) fn order(&self) -> [u8; 32] {
        blake3::derive_key("shoal 2026 order of records at the door", &self.0)
    }

    /// What `transparent` draws from.
    pub(crate) fn draws(&self) -> Secret {
        Secret(blake3::derive_key("shoal 2026 draws of transparent l-diversity", &self.0))
    }
}

/// A key must not get into a log.
impl fmt::Debug for ReleaseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReleaseKey(…)")
    }
}

/// 32 bytes as 64 hexadecimal digits.
pub(crate) fn to_hex(key: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*key).to_hex().to_string()
}

/// 64 hexadecimal digits, and nothing else, as 32 bytes.
pub(crate) fn from_hex(digits: &str) -> Option<[u8; 32]> {
    blake3::Hash::from_hex(digits).ok().map(blake3::Hash::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_its_hex_and_nothing_else_is_one() {
        let key = ReleaseKey([0xa5; 32]);
        assert_eq!(ReleaseKey::from_hex(&key.hex()), Some(key));
        for wrong in [
            "",
            "a5",
            &"a5".repeat(33),
            &"g5".repeat(32),
            &"+5".repeat(32),
            &"é".repeat(32),
            &"\0".repeat(64),
        ] {
            assert!(ReleaseKey::from_hex(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn purposes_have_keys_of_their_own_and_no_log_shows_one() {
        let key = ReleaseKey([7; 32]);
        assert_ne!(key.order(), key.draws().0);
        assert_ne!(key.order(), ReleaseKey::UNPUBLISHED.order());
        assert_eq!(format!("{key:?}"), "ReleaseKey(…)");
    }
}
