//! Average class size: how far the crowds are larger than they had to be.

use shoal_privacy::Classes;

/// records / classes of the published file; none without a class.
pub fn average(classes: &Classes) -> Option<f64> {
    (!classes.is_empty()).then(|| classes.class_of.len() as f64 / classes.len() as f64)
}

/// C_avg = records / (classes · k); none without a class or where k is 0.
pub fn normalized(classes: &Classes, k: usize) -> Option<f64> {
    average(classes).filter(|_| k > 0).map(|size| size / k as f64)
}
