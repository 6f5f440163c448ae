//! Every constant that trades loss against time or memory, in one place.
//!
//! All of them were set while the figures of `docs/performance.md` were reached: 3 s for the 30,162 records of Adult, 15 s
//! and 1 GiB for a million people, 200 s for ten million. "By hand" means that the value was set once, met these bars,
//! and was not compared with others. A change of nearly any of them changes what is published, since each decides how
//! many random numbers are drawn or which attempts are made.
//!
//! Not here: [`WHOLE`](super::space::WHOLE), which is a unit, and the defaults of the policy
//! ([`Outliers::USUAL_SHARE`](super::Outliers::USUAL_SHARE)).

/// The constants, as associated ones so that they can stand in patterns.
pub(in crate::table) struct Tuning;

/// Memory, and representations that are faster for small inputs.
impl Tuning {
    /// The most memory for sets of names, in words of 64 bits: every point has a bit for each name of a column without
    /// a hierarchy. 2^26 words are half a GiB, half of what a million people may take. Beyond it Mondrian does the work.
    pub(in crate::table) const MAX_SET_WORDS: usize = 1 << 26;

    /// Trees with up to this many leaves have the cost of each pair of leaves in a table (256² entries of 4 bytes: 256 KiB).
    /// Larger ones need two look-ups and a maximum. By hand. No influence on what is published.
    pub(super) const PAIR_TABLE_LEAVES: usize = 256;

    /// Every this many words that a cover has beyond one for each column count as one more unit of time, where work is
    /// limited by counting covers that are looked at. By hand.
    pub(super) const WORDS_PER_TIME_UNIT: u64 = 16;

    /// In classes of more members than this, it is asked whether the cover changes without a member before it is made again. By hand. No
    /// influence on what is published.
    pub(super) const LARGE_CLASS_MEMBERS: usize = 24;

    /// Groups of more items than this are cut by two threads, and sorted in parallel; below, starting the second thread
    /// costs more than it saves. By hand. No influence on what is published.
    pub(super) const PARALLEL_ITEMS: usize = 4096;
}

/// Blocks, and the combinations of levels for peeling.
impl Tuning {
    /// A table of up to this many points is one block, so that all combinations are tried on all of them.
    pub(super) const ONE_BLOCK_POINTS: usize = 100_000;

    /// The most points of a block of a larger table. By hand.
    pub(super) const BLOCK_POINTS: usize = 24_000;

    /// The most combinations of levels for the columns; levels are given up where there would be more. Measured: with every tenth of them Adult at k = 10 loses 9.9 %
    /// instead of 8.3 % (see the module's documentation), so it is as many as the time allows. On a table with eight deep trees (KDD Cup 1998, 63,441 records, 45,000 combinations) 2^16 give
    /// 14.65 instead of 14.97 % at k = 50 in the same time as 2^14, since most combinations never come to the head of the queue; trying all of them instead of every second
    /// ([`MAX_POINT_VISITS`](Self::MAX_POINT_VISITS)) gives 14.63 % in a seventh more.
    pub(super) const MAX_COMBINATIONS: usize = 1 << 16;

    /// How often points are looked at at most while all combinations are tried on one block: points × combinations, as if no point left. Beyond it evenly spaced
    /// combinations are tried: with 2^14 combinations or fewer that are all of them on a block of [`ONE_BLOCK_POINTS`](Self::ONE_BLOCK_POINTS).
    pub(super) const MAX_POINT_VISITS: usize = 1_640_000_000;

    /// Where there are several blocks, all combinations are tried on this many of them … By hand: one takes as long as
    /// the whole of a table that is a single block.
    pub(super) const SAMPLE_BLOCKS: usize = 1;

    /// … and this many of the combinations that took out most records there are tried on every block. By hand.
    pub(super) const COMBINATIONS_PER_BLOCK: usize = 160;

    /// A way to start that loses more than this fraction (1/16) more than another on the sampled blocks is not tried on the others. Measured on a table of
    /// 200,000 records and 20 columns, where peeling lost 11 % more and won in none of 14 blocks.
    pub(super) const WORSE_DIVISOR: u64 = 16;

    /// How many combinations are tested in parallel for whether they take out anything. By hand. No influence on what is
    /// published: a combination that takes out nothing now takes out nothing later.
    pub(super) const COMBINATIONS_IN_PARALLEL: usize = 64;

    /// A crowd is taken out although the next combination may have one that loses up to this fraction (1/32) less: it is looked at less often.
    pub(super) const PEEL_SLACK_DIVISOR: u32 = 32;

    /// Slots of the hash table in which records of equal looks are counted, per point. At 4 few points share a slot by
    /// accident; those that do only cost a second look. By hand.
    pub(super) const SLOTS_PER_POINT: usize = 4;

    /// Columns are looked up together while they have no more combinations of values than this: 2^12 images of 8 bytes are 32 KiB, a first-level cache.
    /// No influence on what is published.
    pub(super) const FUSED_VALUES: usize = 1 << 12;

    /// And while the tables for all combinations of their levels have no more entries than this (2^20 of 8 bytes: 8 MiB). By hand. No influence on
    /// what is published.
    pub(super) const FUSED_ENTRIES: usize = 1 << 20;

    /// Levels for numbers and dates without a hierarchy: bins with equally many records each. By hand: each level is
    /// about twice as coarse as the one before it.
    pub(super) const BINS: [u64; 5] = [64, 24, 12, 6, 3];

    /// Levels for names without a hierarchy: this many of the most frequent ones stay as they are, the others are one
    /// group. By hand.
    pub(super) const FREQUENT_NAMES: [u32; 3] = [16, 4, 1];
}

/// The other constructions.
impl Tuning {
    /// The most records for which all partitions are tried; 3^12 are half a million steps. `docs/performance.md` shows
    /// what is found without it: 0.02 % more than the least possible loss for 13 and 14 records.
    pub(super) const EXACT_RECORDS: u32 = 12;

    /// How many orders of the columns are tried for the ribbon of a table that is one block … By hand.
    pub(super) const COLUMN_ORDERS: usize = 6;

    /// … and for each block where there are several. By hand.
    pub(super) const COLUMN_ORDERS_PER_BLOCK: usize = 2;

    /// A block is cut by dynamic programming where that takes at most this many steps, of which there are 2k per record
    /// and order. By hand.
    pub(super) const MAX_CUT_STEPS: u64 = 4_000_000;

    /// Blocks of up to this many points are also merged pair by pair, which takes quadratic time. By hand.
    pub(super) const MERGE_POINTS: usize = 600;

    /// Classes of more members than this are cut nearer to the middle, so that a split takes n log n steps and not n².
    /// By hand.
    pub(super) const SPLIT_MIDDLE_MEMBERS: usize = 512;

    /// Of such a class neither part has fewer members than this fraction (1/8). By hand.
    pub(super) const SPLIT_MARGIN_DIVISOR: usize = 8;
}

/// Rounds of improvement.
impl Tuning {
    /// Tables with up to this many points are small: there is time for many attempts per class. By hand.
    pub(super) const SMALL_POINTS: usize = 5000;

    /// Tables with at least this many points are large: a round takes seconds. By hand.
    pub(super) const LARGE_POINTS: usize = 200_000;

    /// Rounds for small tables, for large ones, and for those between, where nobody asks for a number. By hand, for the
    /// bars in time; on Adult at k = 10 ten times as many rounds save 1.5 % of the loss (`docs/performance.md`).
    pub(super) const ROUNDS_SMALL: u32 = 64;
    /// See [`ROUNDS_SMALL`](Self::ROUNDS_SMALL).
    pub(super) const ROUNDS_MEDIUM: u32 = 4;
    /// See [`ROUNDS_SMALL`](Self::ROUNDS_SMALL).
    pub(super) const ROUNDS_LARGE: u32 = 2;
    /// Rounds for large tables with more columns than [`EVALUATION_COLUMNS`](Self::EVALUATION_COLUMNS). Measured on a million people with 20 columns: the
    /// first round lowers the loss by 2.2 %, the second by 0.7 % in the same time.
    pub(super) const ROUNDS_LARGE_WIDE: u32 = 1;

    /// The most classes of a piece. Fewer in small tables, where so many attempts are made that a class is better off
    /// among its nearest neighbours only, and in large ones, where there is little time for each record. By hand.
    pub(super) const PIECE_CLASSES: usize = 96;
    /// See [`PIECE_CLASSES`](Self::PIECE_CLASSES).
    pub(super) const PIECE_CLASSES_SMALL: usize = 24;
    /// See [`PIECE_CLASSES`](Self::PIECE_CLASSES).
    pub(super) const PIECE_CLASSES_LARGE: usize = 16;

    /// The work of one round, in records that are evaluated: this many for the whole table … By hand.
    pub(super) const EVALUATIONS_PER_ROUND: u64 = 4_000_000;

    /// … and this many more per record. By hand.
    pub(super) const EVALUATIONS_PER_RECORD: u64 = 4;

    /// The same where classes have to be asked about more than k, and in small tables: an attempt does less there. By hand.
    pub(super) const EVALUATIONS_PER_RECORD_ASKED: u64 = 6;

    /// Beyond this many columns there are as many fewer evaluations as each of them takes longer. By hand.
    pub(super) const EVALUATION_COLUMNS: u64 = 10;

    /// An attempt counts as evaluating all records of its piece and this many more, for what it does in any case. By
    /// hand.
    pub(super) const EVALUATIONS_PER_ATTEMPT: u64 = 400;

    /// It counts once more for every this many of k: larger classes take longer to make. By hand.
    pub(super) const ATTEMPT_K: u64 = 50;

    /// The most attempts per class in a round. By hand.
    pub(super) const ATTEMPTS_PER_CLASS: u64 = 20;

    /// A round that saves less than this share of the loss has found nothing. By hand.
    pub(super) const NEGLIGIBLE_GAIN: f64 = 1e-4;

    /// With a time limit, rounds go on until at least this many in a row have found nothing. Measured on Adult at k = 50: with 4, the search ended
    /// after 10 of 40 CPU seconds at 15.66 %; with 60 it was at 15.61 % after 20.
    pub(super) const IDLE_ROUNDS: u32 = 40;
}

/// Classes that are opened for whole crowds, in rounds beyond the usual number. Chosen on Adult at k = 50 and 100.
impl Tuning {
    /// How many records are looked at in each such round: 64 million are a fifth of all combinations of levels on Adult, and one to two CPU seconds.
    pub(super) const OPEN_VISITS: usize = 64_000_000;

    /// How many combinations are looked at before the best plans of all of them are carried out: plans that need the same classes have to wait. By hand; with 256 and other
    /// changes at the same time the loss at k = 50 was 15.574 instead of 15.576 %, which tells nothing.
    pub(super) const OPEN_BATCH: usize = 128;

    /// A plan that promises to cost no more than this fraction (1/3) of what a class loses on average is tried as well: promises are cautious.
    /// By hand; with 1/12 the loss at k = 50 was 15.571 instead of 15.576 %, and k = 100 was not tried.
    pub(super) const OPEN_SLACK_DIVISOR: u64 = 3;

    /// The most classes for which it is tried: which of them can give records to which is a number for each pair (64 MiB).
    pub(super) const OPEN_CLASSES: usize = 4096;

    /// The most words for the sets of classes that cover each value, 8 MiB. They are made anew whenever classes were opened, by one question for each bit, so that this
    /// bounds the time as well: 67 million questions. Adult has some thousands of words. By hand.
    pub(super) const OPEN_SET_WORDS: usize = 1 << 20;
}

/// Attempts within a piece.
impl Tuning {
    /// How many times classes are pooled and split again in an attempt, for one reform, where there are few attempts for each class. Measured on Adult at k = 10 and 50 and on a million
    /// people: per second, splitting pools gains five to ten times as much as reforms, which find what pools cannot.
    pub(super) const RECREATIONS_PER_ATTEMPT: usize = 6;

    /// How many random swaps are tried after each larger attempt, at k = 2; as many fewer as k is greater. Measured: at k = 2 they gain as much per second as
    /// anything else, at k = 10 a thirtieth.
    pub(super) const SWAPS_PER_ATTEMPT: usize = 40;

    /// With at least this many attempts per class, changes that cost something are accepted at first (annealing) … By
    /// hand.
    pub(super) const ANNEALING_ATTEMPTS_PER_CLASS: usize = 6;

    /// … in this fraction of the attempts (numerator and denominator), the accepted cost falling to 0. By hand.
    pub(super) const ANNEALING_SHARE: (usize, usize) = (3, 4);

    /// At the start a change may cost the mean loss of a class divided by this. By hand.
    pub(super) const ANNEALING_LOSS_DIVISOR: u64 = 2;

    /// A swap may cost only this fraction (1/8) of what larger changes may, since it changes little. By hand.
    pub(super) const SWAP_COST_FACTOR: i64 = 8;

    /// The most neighbours with which a class is pooled and split again. By hand.
    pub(super) const POOL_NEIGHBOURS: usize = 4;

    /// Pools of up to this many records are split by trying all partitions; fewer than in a construction
    /// ([`EXACT_RECORDS`](Self::EXACT_RECORDS)) because there are very many pools: 3^8 are 6,561 steps. By hand.
    pub(super) const POOL_EXACT_RECORDS: u32 = 8;

    /// Pools that take up to this many steps may be cut by dynamic programming. By hand.
    pub(super) const POOL_CUT_STEPS: u64 = 200_000;

    /// One in this many of them is. Measured on Adult at k = 10 and on a million people: cutting gains a fifth of what growing around seeds gains
    /// in the same time.
    pub(super) const POOL_CUT_EVERY: usize = 8;

    /// Of the other pools half are split up to twice this many columns, and this many of as many as there are columns beyond. Measured: with 5 and
    /// 9 columns splitting gains as much per second as growing around seeds, with 20 columns a twentieth.
    pub(super) const POOL_SPLIT_COLUMNS: usize = 4;

    /// Where more than k is asked for, pools of up to this many members may be merged pair by pair. By hand. (Elsewhere merging gained a tenth of
    /// what the other methods gain per second.)
    pub(super) const POOL_MERGE_MEMBERS: usize = 64;

    /// A costly class is given up together with fewer than this many of its nearest: 0, 1 or 2. By hand.
    pub(super) const REFORM_NEIGHBOURS: usize = 3;

    /// After this many records around which no class could be formed that gains, an attempt to reform ends. By hand.
    pub(super) const REFORM_FAILURES: usize = 3;

    /// How often a new class that has k records already grows by its nearest candidate. By hand.
    pub(super) const REFORM_GROWTH_STEPS: u32 = 4;
}

/// Outliers.
impl Tuning {
    /// Under β-likeness, this fraction (1/4) more records of a value may be left out than a first pass wanted to. Values are the rarer the more
    /// may be left out, and then more have to be.
    pub(super) const LEFT_OUT_MARGIN_DIVISOR: u32 = 4;

    /// A value of which the first pass leaves out more than this fraction (1/3) is left out as a whole. On Adult with β = 2 and up to 15 % left out
    /// the loss is 17.7 % with it (1,106 records left out) and 30.1 % without (722).
    pub(super) const LEFT_OUT_WHOLE_DIVISOR: u32 = 3;

    /// Up to this many points, the report says what leaving outliers out would gain, although they are kept. Above, the
    /// time for it is not spent. By hand.
    pub(super) const OUTLIER_COST_POINTS: usize = 200_000;

    /// When a class is given up, its records go to classes among this many neighbours. By hand; the size of a piece.
    pub(super) const OUTLIER_NEIGHBOURS: usize = 96;

    /// Classes are tried, the costliest first, until they hold this many times the records that may be left out. By
    /// hand: enough to choose from.
    pub(super) const OUTLIER_CANDIDATES: u64 = 2;
}
