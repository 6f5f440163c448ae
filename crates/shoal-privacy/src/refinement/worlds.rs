//! What the tests of all shapes share that try out every world which the published files leave possible.

/// Small numbers that look random, the same in every run.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// How many releases are drawn; `SHOAL_WORLDS` says another number.
pub(super) fn drawn(unless_said: usize) -> usize {
    std::env::var("SHOAL_WORLDS").ok().and_then(|text| text.parse().ok()).unwrap_or(unless_said)
}

/// Every way to hand out rows to people, so that each of them has at least one: for each row whose it is.
pub(super) fn hand_out(rows: usize, people: &[usize]) -> Vec<Vec<usize>> {
    let owners = vec![people.to_vec(); rows];
    let mut all = combine(&owners);
    all.retain(|owners| people.iter().all(|person| owners.contains(person)));
    all
}

/// Every list that has one of the first choices, one of the second, and so on.
pub(super) fn combine<T: Clone>(choices: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    for choices in choices {
        let longer = |list: &Vec<T>| {
            choices.iter().map(|next| list.iter().chain([next]).cloned().collect()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
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

/// What came out of the releases that were tried.
#[derive(Debug, Default)]
pub(super) struct Tried {
    pub(super) accepted: usize,
    /// Of the accepted, those whose releases differ.
    pub(super) differ: usize,
    pub(super) refused: usize,
    /// Of the refused, those that some attacker beats.
    pub(super) beaten: usize,
}

impl Tried {
    pub(super) fn total(&self) -> usize {
        self.accepted + self.refused
    }

    /// A test that accepts nothing, or that nobody could beat, shows nothing.
    pub(super) fn report(&self, name: &str) {
        println!("{name}: {self:?}");
        assert!(self.accepted > self.total() / 20 && self.differ > 0 && self.beaten > 0, "{name}: {self:?}");
    }
}
