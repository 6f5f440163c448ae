use shoal_core::{Interner, canonical_text};

/// A number per text for the person that it names, from 0 in the order of the texts: one for all texts that likely name the same
/// person, `7`, `07` and `7.0`, or `Ann` and `ann `. Taking two people for one costs detail; taking one for two would cost the
/// promise.
pub(crate) fn persons_of_texts<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<u32> {
    let mut known = Interner::default();
    texts.map(|text| known.intern(&canonical_text(text))).collect()
}
