//! Discernibility (thesis equation 2-1): every record costs the size of the crowd that it cannot be distinguished from.

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
