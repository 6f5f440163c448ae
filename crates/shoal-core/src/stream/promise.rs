/// What is promised about a stream, at every moment and not only at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamPromise {
    /// delay-free, hardened: every tuple leaves at once with l distinct values, one of them its own.
    Sets {
        /// How many values.
        l: usize,
    },
    /// delay-free, paper: every tuple leaves at once in a group that has at least l distinct values, none of them
    /// with more than 1/l of the counts (definition 3 of the paper).
    Groups {
        /// How many values.
        l: usize,
        /// How many groups may be waiting for members; beyond that the oldest is given up.
        max_open_groups: usize,
    },
    /// castle: every tuple leaves at the latest when `delta` more have arrived or `max_wait` is over, looking like at least
    /// k tuples of different people, among which there are at least l sensitive values.
    Crowds {
        /// The size of the crowd.
        k: usize,
        /// How many sensitive values; 1 where nothing is promised about them.
        l: usize,
        /// The longest delay, in tuples.
        delta: usize,
        /// The longest delay in milliseconds, where there is one.
        max_wait: Option<u64>,
        /// Whether a tuple may leave alone into a class that is out already. Whoever knows when it arrived then knows its
        /// line, so where this is not allowed, every line leaves together with its whole crowd.
        reuse: bool,
    },
}
