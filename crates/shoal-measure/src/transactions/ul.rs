//! Utility loss (PCTA paper, definitions 1 and 2): how many sets of items a generalized item could stand for.
//!
//! It has 2^|I| in it, with thousands of items in I, so all is computed in log₂ and only the result becomes a
//! plain number, where there is one.

use super::PublishedItems;

/// log₂ of the loss of one generalized item: (2^s − 1) / (2^|I| − 1) · w · sup / N with s the number of items
/// that it stands for. None where the loss is 0.
pub fn log2_of_item(size: usize, items: usize, weight: f64, support: usize, records: usize) -> Option<f64> {
    log2_of_share(weight, support, records)
        .map(|share| log2_of_subsets(size) - log2_of_subsets(items) + share)
}

/// log₂ of UL = Σ over published items c of UL(c) + Σ over suppressed items i of w(i) · sup(i) / N.
///
/// w(c) is the mean weight of the items in c; sup(c) is counted after, sup(i) before; N is the number of
/// original transactions. Items published alone count like any other, as definition 2 has it. The penalty of a
/// suppressed item is what it would lose in one cluster of all items, the worst there is. None where UL is 0.
pub fn log2(items: &PublishedItems<'_>, weights: &[f64]) -> Option<f64> {
    let (records, all) = (items.original().len(), items.image().len());
    let after = items.members().iter().zip(items.published().supports()).map(|(members, support)| {
        let weight = members.iter().map(|&item| weights[item as usize]).sum::<f64>() / members.len() as f64;
        log2_of_item(members.len(), all, weight, support as usize, records)
    });
    let before = items.original().supports();
    let suppressed = items.suppressed().map(|item| item as usize);
    let suppressed = suppressed.map(|item| log2_of_share(weights[item], before[item] as usize, records));
    log2_of_sum(&after.chain(suppressed).flatten().collect::<Vec<_>>())
}

/// The plain value of UL, where it is not too small for a floating-point number.
pub fn linear(log2: Option<f64>) -> Option<f64> {
    log2.map_or(Some(0.0), |log2| Some(log2.exp2()).filter(|ul| ul.is_normal()))
}

/// log₂(2^size − 1).
fn log2_of_subsets(size: usize) -> f64 {
    // = size + log₂(1 − 2^−size), which does not overflow for large sizes.
    size as f64 + (-(-(size as f64)).exp2()).ln_1p() / std::f64::consts::LN_2
}

fn log2_of_share(weight: f64, support: usize, records: usize) -> Option<f64> {
    (weight > 0.0 && support > 0).then(|| weight.log2() + (support as f64 / records as f64).log2())
}

pub(super) fn log2_of_sum(terms: &[f64]) -> Option<f64> {
    // The greatest term is taken out of the sum: the others, relative to it, cannot overflow, and what underflows
    // does not matter.
    let most = terms.iter().copied().max_by(f64::total_cmp)?;
    Some(most + terms.iter().map(|term| (term - most).exp2()).sum::<f64>().log2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_3_of_the_paper() {
        let ul = log2_of_item(2, 7, 1.0, 5, 6).unwrap().exp2();
        assert!((ul - 0.0197).abs() < 5e-5, "{ul}");
        assert!((ul - 3.0 / 127.0 * 5.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn thousands_of_items_have_a_logarithm_but_no_plain_value() {
        let tiny = log2_of_item(2, 3340, 1.0, 5, 10).unwrap();
        assert!((tiny - (3_f64.log2() - 3340.0 - 1.0)).abs() < 1e-9, "{tiny}");
        assert_eq!(linear(Some(tiny)), None);
        assert_eq!(log2_of_item(3340, 3340, 1.0, 10, 10), Some(0.0));
        assert_eq!(linear(None), Some(0.0));
    }
}
