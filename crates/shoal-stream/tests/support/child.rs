//! What runs in processes of their own have in common: a key, tuples that look random, and somebody who listens.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use shoal_stream::{Figures, Watcher};

/// The key of every run here.
pub(crate) const KEY: [u8; 32] = *b"a test's key, 32 bytes: Zq7%xV!u";

pub(crate) fn write_key(path: &Path) {
    let key: String = KEY.iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(path, key).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// Not random, but without a pattern that matters here.
pub(crate) fn scatter(n: u64) -> u64 {
    let z = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33
}

pub(crate) struct Loud;

impl Watcher for Loud {
    fn notice(&self, text: &str) {
        println!("{text}");
    }

    fn status(&self, figures: &Figures) {
        println!("{}", figures.to_line());
    }
}
