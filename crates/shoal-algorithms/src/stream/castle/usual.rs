use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// The mean loss of the clusters published last: τ in the paper. 0 before the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct UsualLoss {
    mu: usize,
    /// The last losses as bits, so that no format can round them.
    losses: VecDeque<u64>,
}

impl UsualLoss {
    pub(super) fn new(mu: usize) -> UsualLoss {
        UsualLoss { mu, losses: VecDeque::new() }
    }

    pub(super) fn add(&mut self, loss: f64) {
        if self.losses.len() == self.mu {
            self.losses.pop_front();
        }
        self.losses.push_back(loss.to_bits());
    }

    pub(super) fn mean(&self) -> f64 {
        let sum: f64 = self.losses.iter().map(|loss| f64::from_bits(*loss)).sum();
        sum / self.losses.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_ones_count() {
        let mut usual = UsualLoss::new(2);
        assert_eq!(usual.mean(), 0.0);
        usual.add(1.0);
        assert_eq!(usual.mean(), 1.0);
        usual.add(0.5);
        usual.add(0.25);
        assert_eq!(usual.mean(), 0.375);
    }
}
