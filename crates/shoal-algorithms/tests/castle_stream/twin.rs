//! The same algorithm, slow and obvious: boxes, domains and losses are computed afresh from the tuples whenever they are
//! needed, every cluster and every waiting tuple is looked at, and nothing is skipped.

use proptest::prelude::*;
use shoal_algorithms::stream::castle::{CastleCell, CastleParams, CastleRelease, CastleRules, CastleValue};
use shoal_core::Hierarchy;

use crate::support::{Tuple, castle, covers, hierarchy, is_crowd, run, streams};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_twin_releases_the_same((params, tuples) in streams()) {
        let expected = Twin::new(params).run(&tuples);
        for (step, (found, expected)) in run(&mut castle(params), &tuples).into_iter().zip(expected).enumerate() {
            prop_assert_eq!(found, expected, "step {}", step);
        }
    }
}

struct Twin {
    params: CastleParams,
    tree: Hierarchy,
    seen: Vec<Tuple>,
    waiting: Vec<Tuple>,
    clusters: Vec<Vec<Tuple>>,
    /// Cells and when they were used.
    classes: Vec<(Vec<CastleCell>, u64)>,
    clock: u64,
    losses: Vec<f64>,
    random: u64,
    out: Vec<CastleRelease>,
}

impl Twin {
    fn new(params: CastleParams) -> Twin {
        Twin {
            params,
            tree: hierarchy(),
            seen: Vec::new(),
            waiting: Vec::new(),
            clusters: Vec::new(),
            classes: Vec::new(),
            clock: 0,
            losses: Vec::new(),
            random: params.seed,
            out: Vec::new(),
        }
    }

    fn run(&mut self, tuples: &[Tuple]) -> Vec<Vec<CastleRelease>> {
        let mut steps: Vec<Vec<CastleRelease>> = tuples.iter().map(|tuple| self.push(*tuple)).collect();
        self.flush();
        steps.push(self.leaving());
        steps
    }

    fn push(&mut self, tuple: Tuple) -> Vec<CastleRelease> {
        self.seen.push(tuple);
        self.waiting.push(tuple);
        if self.paper() {
            match self.select(&tuple) {
                Some(cluster) => self.clusters[cluster].push(tuple),
                None => self.clusters.push(vec![tuple]),
            }
        }
        while let Some(&oldest) =
            self.waiting.first().filter(|t| t.position + self.params.delta <= tuple.position)
        {
            if self.paper() { self.expire_by_the_paper(oldest) } else { self.expire_with_the_nearest(oldest) }
        }
        self.leaving()
    }

    fn leaving(&mut self) -> Vec<CastleRelease> {
        self.out.sort_by_key(|release| release.position);
        std::mem::take(&mut self.out)
    }

    fn paper(&self) -> bool {
        self.params.rules == CastleRules::Paper
    }

    fn select(&self, tuple: &Tuple) -> Option<usize> {
        let with: Vec<f64> =
            self.clusters.iter().map(|c| self.loss_of(&[&c[..], &[*tuple]].concat())).collect();
        let grows: Vec<f64> =
            self.clusters.iter().zip(&with).map(|(c, with)| with - self.loss_of(c)).collect();
        let least = grows.iter().copied().fold(f64::INFINITY, f64::min);
        let nearest: Vec<usize> = (0..grows.len()).filter(|c| grows[*c] == least).collect();
        let good: Vec<usize> = nearest.iter().copied().filter(|c| with[*c] < self.tau()).collect();
        let smallest = |of: Vec<usize>| of.into_iter().min_by_key(|c| self.clusters[*c].len());
        if !good.is_empty() {
            smallest(good)
        } else if self.clusters.len() < self.params.beta {
            None
        } else {
            smallest(nearest)
        }
    }

    fn tau(&self) -> f64 {
        let last = &self.losses[self.losses.len().saturating_sub(self.params.mu)..];
        last.iter().sum::<f64>() / last.len().max(1) as f64
    }

    fn expire_by_the_paper(&mut self, tuple: Tuple) {
        let mut at = self.clusters.iter().position(|cluster| cluster.contains(&tuple)).unwrap();
        if is_crowd(self.clusters[at].iter(), &self.params) {
            return self.publish_parts(self.clusters[at].clone());
        }
        let covering = self.covering(&tuple);
        if !covering.is_empty() {
            let draw = self.draw(covering.len());
            return self.join(&tuple, covering[draw]);
        }
        let larger = self.clusters.iter().filter(|c| c.len() > self.clusters[at].len()).count();
        if larger * 2 > self.clusters.len() || !is_crowd(self.waiting.iter(), &self.params) {
            return self.suppress(&tuple);
        }
        while !is_crowd(self.clusters[at].iter(), &self.params) {
            let other = self.neighbour(at);
            let moved = self.clusters[other].clone();
            self.clusters[at].extend(moved);
            self.clusters.swap_remove(other);
            at = self.clusters.iter().position(|cluster| cluster.contains(&tuple)).unwrap();
        }
        self.publish_parts(self.clusters[at].clone());
    }

    fn neighbour(&self, at: usize) -> usize {
        let united =
            |other: usize| self.loss_of(&[&self.clusters[at][..], &self.clusters[other][..]].concat());
        let others = (0..self.clusters.len()).filter(|other| *other != at);
        others.min_by(|a, b| united(*a).total_cmp(&united(*b))).unwrap()
    }

    fn expire_with_the_nearest(&mut self, tuple: Tuple) {
        let best = self.best_class(&tuple);
        let crowd = self.gather(tuple, &self.waiting, true);
        let crowd = crowd.filter(|crowd| {
            best.is_none_or(|class| self.loss_of(crowd) <= self.loss(&self.classes[class].0) / 1.6)
        });
        match (crowd, best) {
            (Some(crowd), _) => {
                let crowd = self.with_stranded(crowd);
                self.publish(&crowd);
            }
            (None, Some(class)) => self.join(&tuple, class),
            (None, None) => self.suppress(&tuple),
        }
    }

    fn with_stranded(&self, mut crowd: Vec<Tuple>) -> Vec<Tuple> {
        let many = self.params.k.max(self.params.l);
        let now = self.seen[self.seen.len() - 1].position;
        if self.waiting.len() - crowd.len() >= many {
            return crowd;
        }
        for (at, tuple) in
            self.waiting.iter().enumerate().filter(|(_, t)| !crowd.contains(t)).collect::<Vec<_>>()
        {
            let later = self.waiting[at..].iter().filter(|t| !crowd.contains(t)).count();
            let to_come = (tuple.position + self.params.delta).saturating_sub(now) as usize;
            let joins_later = self.params.max_reusable > 0 && self.covers(&self.cells(&crowd), tuple);
            let covered = joins_later || !self.covering(tuple).is_empty();
            if later + to_come < many && !covered {
                crowd.push(*tuple);
            }
        }
        crowd
    }

    fn gather(&self, seed: Tuple, pool: &[Tuple], growing: bool) -> Option<Vec<Tuple>> {
        let mut crowd = vec![seed];
        while !is_crowd(crowd.iter(), &self.params) {
            let lacks = |have: usize, need: usize| need.saturating_sub(have);
            let persons = lacks(distinct(&crowd, |t| t.person), self.params.k);
            let values = lacks(distinct(&crowd, |t| u64::from(t.value)), self.params.l);
            let wanted = pool.iter().filter(|t| {
                if values > 0 && values >= persons {
                    crowd.iter().all(|member| member.value != t.value)
                } else {
                    crowd.iter().all(|member| member.person != t.person)
                }
            });
            let near = if growing { &crowd[..] } else { &crowd[..1] };
            let loss = |t: &Tuple| self.loss_of(&[near, &[*t]].concat());
            let nearest = *wanted.min_by(|a, b| loss(a).total_cmp(&loss(b)))?;
            crowd.push(nearest);
        }
        Some(crowd)
    }

    fn publish_parts(&mut self, mut cluster: Vec<Tuple>) {
        cluster.sort_by_key(|tuple| tuple.position);
        let mut parts: Vec<Vec<Tuple>> = Vec::new();
        while is_crowd(cluster.iter(), &self.params) {
            let seed = cluster[self.draw(cluster.len())];
            let part = self.gather(seed, &cluster, !self.paper()).unwrap();
            cluster.retain(|tuple| !part.contains(tuple));
            parts.push(part);
        }
        for tuple in cluster {
            let grows = |part: &[Tuple]| self.loss_of(&[part, &[tuple]].concat()) - self.loss_of(part);
            let nearest = (0..parts.len()).min_by(|a, b| grows(&parts[*a]).total_cmp(&grows(&parts[*b])));
            parts[nearest.unwrap()].push(tuple);
        }
        parts.iter().for_each(|part| self.publish(part));
    }

    fn flush(&mut self) {
        if !is_crowd(self.waiting.iter(), &self.params) {
            for tuple in self.waiting.clone() {
                match self.best_class(&tuple) {
                    Some(class) => self.join(&tuple, class),
                    None => self.suppress(&tuple),
                }
            }
        } else if !self.paper() {
            self.publish_parts(self.waiting.clone());
        }
        while let Some(small) = self.clusters.iter().position(|c| !is_crowd(c.iter(), &self.params)) {
            let other = self.neighbour(small);
            let moved = self.clusters[small].clone();
            self.clusters[other].extend(moved);
            self.clusters.swap_remove(small);
        }
        while let Some(cluster) = self.clusters.last() {
            self.publish_parts(cluster.clone());
        }
    }

    fn publish(&mut self, crowd: &[Tuple]) {
        let cells = self.cells(crowd);
        let loss = self.loss(&cells);
        self.losses.push(loss);
        if !self.paper() || loss < self.tau() {
            self.remember(&cells);
        }
        for tuple in crowd {
            self.out.push(CastleRelease {
                position: tuple.position,
                cells: cells.clone(),
                suppressed: false,
            });
        }
        self.leave(crowd);
    }

    fn remember(&mut self, cells: &[CastleCell]) {
        self.clock += 1;
        let known = self.classes.iter().position(|(class, _)| class == cells);
        if let Some(known) = known {
            self.classes[known].1 = self.clock;
        } else if self.params.max_reusable > 0 {
            if self.classes.len() == self.params.max_reusable {
                let oldest = (0..self.classes.len()).min_by_key(|class| self.classes[*class].1).unwrap();
                self.classes.swap_remove(oldest);
            }
            self.classes.push((cells.to_vec(), self.clock));
        }
    }

    fn join(&mut self, tuple: &Tuple, class: usize) {
        self.clock += 1;
        self.classes[class].1 = self.clock;
        let cells = self.classes[class].0.clone();
        self.out.push(CastleRelease { position: tuple.position, cells, suppressed: false });
        self.leave(&[*tuple]);
    }

    fn suppress(&mut self, tuple: &Tuple) {
        self.out.push(CastleRelease { position: tuple.position, cells: Vec::new(), suppressed: true });
        self.leave(&[*tuple]);
    }

    fn leave(&mut self, tuples: &[Tuple]) {
        self.waiting.retain(|tuple| !tuples.contains(tuple));
        for at in (0..self.clusters.len()).rev() {
            self.clusters[at].retain(|tuple| !tuples.contains(tuple));
            if self.clusters[at].is_empty() {
                self.clusters.swap_remove(at);
            }
        }
    }

    fn covering(&self, tuple: &Tuple) -> Vec<usize> {
        (0..self.classes.len()).filter(|class| self.covers(&self.classes[*class].0, tuple)).collect()
    }

    fn covers(&self, cells: &[CastleCell], tuple: &Tuple) -> bool {
        cells.iter().zip(tuple.quasi).all(|(cell, value)| covers(cell, value, &self.tree))
    }

    fn best_class(&self, tuple: &Tuple) -> Option<usize> {
        let loss = |class: &usize| self.loss(&self.classes[*class].0);
        self.covering(tuple).into_iter().min_by(|a, b| loss(a).total_cmp(&loss(b)))
    }

    fn loss_of(&self, tuples: &[Tuple]) -> f64 {
        self.loss(&self.cells(tuples))
    }

    fn cells(&self, tuples: &[Tuple]) -> Vec<CastleCell> {
        let (codes, leaves) = (column(tuples, 1), column(tuples, 2));
        let node = self.tree.lowest_common(leaves[0], leaves[leaves.len() - 1]);
        vec![range(tuples), CastleCell::Set(codes), CastleCell::Node(node)]
    }

    fn loss(&self, cells: &[CastleCell]) -> f64 {
        let loss = |cell: &CastleCell| match cell {
            CastleCell::Missing => 0.0,
            CastleCell::Any => 1.0,
            CastleCell::Range(lo, hi) if lo == hi => 0.0,
            CastleCell::Range(lo, hi) => {
                let (least, greatest) = bounds(&self.seen).unwrap();
                ((hi - lo) * (1.0 / (greatest - least))).min(1.0)
            }
            CastleCell::Set(codes) if codes.len() == 1 => 0.0,
            CastleCell::Set(codes) => {
                (codes.len() - 1) as f64 * (1.0 / (column(&self.seen, 1).len() - 1) as f64)
            }
            CastleCell::Node(node) => {
                let below = self.tree.leaves_below(*node).len() as f64 - 1.0;
                (below * (1.0 / f64::from(self.tree.leaf_count() - 1))).min(1.0)
            }
        };
        // In the order of the fast one, since sums are compared to the last bit.
        (loss(&cells[0]) + loss(&cells[2]) + loss(&cells[1])) / 3.0
    }

    fn draw(&mut self, below: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % below as u64) as usize
    }
}

fn range(tuples: &[Tuple]) -> CastleCell {
    let missing = tuples.iter().any(|tuple| tuple.quasi[0] == CastleValue::Missing);
    match bounds(tuples) {
        None => CastleCell::Missing,
        Some(_) if missing => CastleCell::Any,
        Some((lo, hi)) => CastleCell::Range(lo, hi),
    }
}

fn bounds(tuples: &[Tuple]) -> Option<(f64, f64)> {
    let mut numbers: Vec<f64> = Vec::new();
    for tuple in tuples {
        if let CastleValue::Number(x) = tuple.quasi[0] {
            numbers.push(x);
        }
    }
    numbers.sort_by(f64::total_cmp);
    Some((*numbers.first()?, *numbers.last()?))
}

/// The distinct codes of a column, ascending.
fn column(tuples: &[Tuple], at: usize) -> Vec<u32> {
    let code = |tuple: &Tuple| if let CastleValue::Code(code) = tuple.quasi[at] { Some(code) } else { None };
    let mut codes: Vec<u32> = tuples.iter().filter_map(code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn distinct(tuples: &[Tuple], of: impl Fn(&Tuple) -> u64) -> usize {
    tuples.iter().map(of).collect::<std::collections::BTreeSet<u64>>().len()
}
