//! Discernibility (thesis equation 2-1): every record is charged with the crowd it cannot be told from.

use super::Published;

/// Σ |E|² over the classes E, and |D| for every suppressed record.
///
/// The thesis charges |D| for the records of classes below k, meaning that these are suppressed; here the
/// suppressed ones are known.
pub fn of(published: &Published<'_>) -> u64 {
    let all = published.records as u64;
    let classes = published.classes.sizes.iter().zip(published.starred());
    let charge = |(&size, starred): (&u32, bool)| u64::from(size) * if starred { all } else { size.into() };
    classes.map(charge).sum::<u64>() + published.left_out() * all
}
