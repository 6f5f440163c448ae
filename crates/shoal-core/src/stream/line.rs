use std::borrow::Cow;

/// A tuple as it arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamTuple<'a> {
    /// Its place in the stream: 0 for the first tuple that was understood, then one more each.
    pub position: u64,
    /// Whose it is, where the policy names the column.
    pub person: Option<Cow<'a, str>>,
    /// The values of the columns that are published beside the sensitive one: quasi-identifiers and insensitive ones
    /// in the order of the policy; a missing value is empty.
    pub cells: Vec<Cow<'a, str>>,
    /// The sensitive value; where several columns are sensitive, their values with `|` between them.
    pub value: Cow<'a, str>,
}

/// A line of a published stream, as it is read from its bytes. `cells` are as in [`StreamTuple`].
#[derive(Clone, Debug, PartialEq)]
pub enum StreamLine<'a> {
    /// delay-free, hardened: a tuple and the values among which its own is.
    Set {
        /// The tuple's cells.
        cells: Vec<Cow<'a, str>>,
        /// The values, ascending.
        values: Vec<Cow<'a, str>>,
    },
    /// delay-free, published: a tuple and its group (QIT in the paper).
    Member {
        /// The group.
        group: u64,
        /// The tuple's cells.
        cells: Vec<Cow<'a, str>>,
    },
    /// delay-free, published: a value of a group (ST in the paper).
    Slot {
        /// The group.
        group: u64,
        /// The value.
        value: Cow<'a, str>,
        /// How many members may have it.
        count: u64,
    },
    /// castle: a tuple with its quasi-identifiers generalized. All cells and the value are `*` where the tuple was
    /// suppressed.
    Row {
        /// The generalized cells.
        cells: Vec<Cow<'a, str>>,
        /// The sensitive value, as it was; empty where no column is sensitive.
        value: Cow<'a, str>,
    },
}
