//! What the enumerations of all shapes share: dice, and all ways to hand out the rows of a release.

pub(super) struct Dice(pub u64);

impl Dice {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// How many releases are drawn: a small number, or what `SHOAL_WORLDS` says.
pub(super) fn drawn(small: usize) -> usize {
    std::env::var("SHOAL_WORLDS").ok().and_then(|text| text.parse().ok()).unwrap_or(small)
}

/// All orders of some things.
pub(super) fn orders(things: &[usize]) -> Vec<Vec<usize>> {
    if things.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..things.len() {
        let mut rest = things.to_vec();
        let first = rest.remove(at);
        all.extend(orders(&rest).into_iter().map(|mut order| {
            order.insert(0, first);
            order
        }));
    }
    all
}

/// All ways to choose one of each list.
pub(super) fn choices<T: Clone>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    lists.iter().fold(vec![Vec::new()], |all, list| {
        let longer = |some: &Vec<T>| {
            list.iter().map(|next| [&some[..], std::slice::from_ref(next)].concat()).collect::<Vec<_>>()
        };
        all.iter().flat_map(longer).collect()
    })
}
