//! Classification metric (thesis §2.6): how badly a class predicts the sensitive value of its members.

use shoal_core::RawColumn;
use shoal_privacy::Classes;

use super::Published;

/// |{records that are suppressed or differ from the majority of their class}| / |D|, the mean over the
/// sensitive columns; none without one. Which of several equally frequent values is called the majority
/// makes no difference to the count.
pub fn of(published: &Published<'_>) -> Option<f64> {
    let columns = published.sensitive.len();
    let starred = published.starred();
    let penalties = published.sensitive.iter().map(|column| {
        let penalized = in_minority(column, published.classes, &starred) + published.left_out();
        published.mean(penalized as f64)
    });
    (columns > 0).then(|| penalties.sum::<f64>() / columns as f64)
}

/// Records of the file that are starred or do not hold their class' most frequent value.
fn in_minority(column: &RawColumn, classes: &Classes, starred: &[bool]) -> u64 {
    let pairs = Classes::of_codes(classes.class_of.len(), &[&classes.class_of, &column.codes]);
    let mut majority = vec![0; classes.len()];
    for (&class, &pair) in classes.class_of.iter().zip(&pairs.class_of) {
        let most = &mut majority[class as usize];
        *most = pairs.sizes[pair as usize].max(*most);
    }
    let penalized = classes.sizes.iter().zip(majority).zip(starred);
    penalized.map(|((&size, most), &starred)| u64::from(if starred { size } else { size - most })).sum()
}
