use super::{FrequencySet, FullDomain, Standing};

impl FullDomain<'_> {
    /// Total NCP of a node whose frequency set this is: the mean over all quasi-identifier cells, columns by
    /// their weight, of leaves below the published node / leaves of its hierarchy (0 for a single leaf), and
    /// 1 for each cell of a record in a group that does not stand.
    pub(crate) fn loss(&self, node: &[usize], set: &FrequencySet, standing: &Standing) -> f64 {
        let suppressed = standing.left_out() as f64;
        let (mut lost, mut weights) = (0.0, 0.0);
        for (dim, (ladder, &step)) in self.ladders.iter().zip(node).enumerate() {
            // Whole numbers up to the one division, so that equal losses stay equal.
            let leaves: u64 = set
                .groups()
                .iter()
                .zip(standing.groups())
                .filter(|(_, stands)| **stands)
                .map(|(group, _)| {
                    let code = self.points.point(group.point as usize)[dim];
                    u64::from(group.records) * u64::from(ladder.leaves(step, code))
                })
                .sum();
            let weight = self.columns[dim].weight;
            lost += weight * (leaves as f64 / f64::from(ladder.root_leaves()) + suppressed);
            weights += weight;
        }
        lost / weights / self.rows as f64
    }
}
