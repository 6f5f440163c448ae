use blake3::{Hasher, OutputReader};

/// Where random choices come from. The kernels take any source, so that tests can walk through every choice there
/// is; in production it is [`KeyedDraws`].
pub trait Draws {
    /// A number below `bound`, each as likely as any other. `bound` is at least 1.
    fn below(&mut self, bound: u64) -> u64;
}

/// Choices that only the holder of a key can foresee, and that are the same whenever the same is asked: the output of
/// keyed blake3, cut into words.
#[derive(Debug)]
pub struct KeyedDraws {
    output: OutputReader,
    block: [u8; BLOCK],
    used: usize,
}

/// What blake3 yields at a time.
const BLOCK: usize = 64;

/// What the choices are for: the same key never gives the same words for two purposes.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Hardened = 1,
    Published = 2,
    /// Which records of a table fill which column.
    Table = 32,
}

impl KeyedDraws {
    /// The choices that hide this value of this person. The length comes first, so that no other pair reads alike.
    pub fn of_person(key: &[u8; 32], person: &[u8], value: u32) -> KeyedDraws {
        let mut hasher = hasher(key, Purpose::Hardened);
        hasher.update(&(person.len() as u64).to_le_bytes()).update(person).update(&value.to_le_bytes());
        KeyedDraws::from(&hasher)
    }

    /// The choices for the tuple at this position.
    pub fn of_position(key: &[u8; 32], position: u64) -> KeyedDraws {
        let mut hasher = hasher(key, Purpose::Published);
        hasher.update(&position.to_le_bytes());
        KeyedDraws::from(&hasher)
    }

    /// The choices for a table.
    pub fn of_table(key: &[u8; 32]) -> KeyedDraws {
        KeyedDraws::from(&hasher(key, Purpose::Table))
    }

    fn from(hasher: &Hasher) -> KeyedDraws {
        KeyedDraws { output: hasher.finalize_xof(), block: [0; BLOCK], used: BLOCK }
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        if self.used + N > BLOCK {
            self.output.fill(&mut self.block);
            self.used = 0;
        }
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.block[self.used..self.used + N]);
        self.used += N;
        bytes
    }
}

impl Draws for KeyedDraws {
    /// Lemire's method: the high half of word × bound, drawn again in the few cases that would favour a number.
    /// Words are half as long where that is enough: most sets then need a single block.
    fn below(&mut self, bound: u64) -> u64 {
        if bound <= 1 {
            return 0;
        }
        if let Ok(bound) = u32::try_from(bound) {
            loop {
                let product = u64::from(u32::from_le_bytes(self.bytes())) * u64::from(bound);
                if product as u32 >= bound || product as u32 >= bound.wrapping_neg() % bound {
                    return product >> 32;
                }
            }
        }
        loop {
            let product = u128::from(u64::from_le_bytes(self.bytes())) * u128::from(bound);
            if product as u64 >= bound || product as u64 >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }
}

fn hasher(key: &[u8; 32], purpose: Purpose) -> Hasher {
    let mut hasher = Hasher::new_keyed(key);
    hasher.update(&[purpose as u8]);
    hasher
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];

    #[test]
    fn numbers_are_below_the_bound_and_about_equally_frequent() {
        for bound in [2_u64, 3, 10, 1_000] {
            let mut draws = KeyedDraws::of_position(&KEY, bound);
            let mut seen = vec![0_u32; bound as usize];
            for _ in 0..bound * 1_000 {
                seen[draws.below(bound) as usize] += 1;
            }
            // 1,000 expected each, with a standard deviation of about 32.
            assert!(seen.iter().all(|n| (840..1_160).contains(n)), "{bound}: {seen:?}");
        }
    }

    #[test]
    fn bounds_beyond_a_short_word_use_the_whole_range() {
        let bound = 3_u64 << 40;
        let mut draws = KeyedDraws::of_position(&KEY, 0);
        let mut thirds = [0_u32; 3];
        for _ in 0..3_000 {
            thirds[(draws.below(bound) >> 40) as usize] += 1;
        }
        assert!(thirds.iter().all(|n| (850..1_150).contains(n)), "{thirds:?}");
    }

    /// The worst bound for the method: a third of all words must be refused.
    #[test]
    fn words_that_would_favour_a_number_are_refused() {
        let bound = (1_u64 << 31) + (1 << 30);
        let mut draws = KeyedDraws::of_position(&KEY, 1);
        let low = (0..30_000).filter(|_| draws.below(bound) < bound / 2).count();
        assert!((14_400..15_600).contains(&low), "{low}");
        let mut residues = [0_u32; 3];
        for _ in 0..30_000 {
            residues[(draws.below(bound) % 3) as usize] += 1;
        }
        assert!(residues.iter().all(|n| (9_500..10_500).contains(n)), "{residues:?}");
    }

    #[test]
    fn the_same_is_chosen_again_and_for_others_something_else() {
        let words = |mut draws: KeyedDraws| (0..40).map(|_| draws.below(1 << 30)).collect::<Vec<_>>();
        let of = |person: &[u8], value| words(KeyedDraws::of_person(&KEY, person, value));
        assert_eq!(of(b"ann", 3), of(b"ann", 3));
        assert_ne!(of(b"ann", 3), of(b"ann", 4));
        assert_ne!(of(b"ann", 3), of(b"bob", 3));
        assert_ne!(of(b"ann", 3), words(KeyedDraws::of_person(&[8; 32], b"ann", 3)));
        let position = |at| words(KeyedDraws::of_position(&KEY, at));
        assert_eq!(position(5), position(5));
        assert_ne!(position(5), position(6));
    }
}
