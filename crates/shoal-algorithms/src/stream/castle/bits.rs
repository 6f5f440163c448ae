//! Numbers written down as their bits, so that no format can round them.

use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(numbers: &[f64], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(numbers.iter().map(|x| x.to_bits()))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    Ok(Vec::<u64>::deserialize(from)?.into_iter().map(f64::from_bits).collect())
}
