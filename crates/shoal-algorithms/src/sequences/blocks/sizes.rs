//! How large blocks are.

/// From when on people are cut into blocks, and how large these are. Sizes are in events, of which everybody has some at least and long
/// histories do not count all, see `of_person`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSizes {
    /// What is no larger is not cut at all.
    pub uncut: usize,
    /// What a block has at most where there are several. Smaller ones take less time and lose more.
    pub most: usize,
    /// What everybody counts at least: to compare two people takes some time whatever they have.
    pub least: usize,
    /// Events beyond so many count a quarter.
    pub full: usize,
}

impl BlockSizes {
    /// What everybody counts at least in [`BlockSizes::of`].
    pub const LEAST: usize = 8;

    /// For `cbmsa`. `most` was chosen by measurement (docs/performance.md). A person's events count since a block of long histories took many
    /// times as long as one of as many short ones. From when on they count a quarter was set by estimate and not varied: with all of 14 events,
    /// blocks would have 1,500 people. `uncut` leaves alone about what was not cut before.
    pub const CBMSA: BlockSizes = BlockSizes { uncut: 80_000, most: 20_000, least: 2, full: 6 };

    /// For `fcla`, which takes longer for those who are not cut.
    pub const FCLA: BlockSizes = BlockSizes::of(13 << 13);

    /// Blocks of at most this size, whatever there is.
    pub const fn of(most: usize) -> BlockSizes {
        BlockSizes { uncut: most, most, least: BlockSizes::LEAST, full: usize::MAX }
    }

    /// What somebody with so many events counts.
    pub(super) fn of_person(self, events: usize) -> usize {
        let long = events.saturating_sub(self.full);
        (events - long + long / 4).max(self.least)
    }
}
