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
    /// delay-free, paper: a tuple and its group (QIT in the paper).
    Member {
        /// The group.
        group: u64,
        /// The tuple's cells.
        cells: Vec<Cow<'a, str>>,
    },
    /// delay-free, paper: a value of a group (ST in the paper).
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

impl StreamTuple<'_> {
    /// The same tuple with texts of its own.
    pub fn into_owned(self) -> StreamTuple<'static> {
        StreamTuple {
            position: self.position,
            person: self.person.map(text),
            cells: texts(self.cells),
            value: text(self.value),
        }
    }
}

impl StreamLine<'_> {
    /// The same line with texts of its own.
    pub fn into_owned(self) -> StreamLine<'static> {
        match self {
            StreamLine::Set { cells, values } => {
                StreamLine::Set { cells: texts(cells), values: texts(values) }
            }
            StreamLine::Member { group, cells } => StreamLine::Member { group, cells: texts(cells) },
            StreamLine::Slot { group, value, count } => StreamLine::Slot { group, value: text(value), count },
            StreamLine::Row { cells, value } => StreamLine::Row { cells: texts(cells), value: text(value) },
        }
    }
}

fn text(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

fn texts(texts: Vec<Cow<'_, str>>) -> Vec<Cow<'static, str>> {
    texts.into_iter().map(text).collect()
}
