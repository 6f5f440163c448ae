use crate::refusal::DEFECT;

/// Why lines do not leave. Lines are those of the published stream, counted from 1; positions are those of the tuples.
///
/// Errors show places, and texts that would have been published: an original value is for its owner to look up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamViolation {
    /// The gate has refused before.
    #[error("the gate has refused lines before and admits no more")]
    Spent,
    /// A line that this kind of stream does not have.
    #[error("line {line} is a {found}, which such a stream does not have")]
    Alien {
        /// The line.
        line: u64,
        /// What it is.
        found: &'static str,
    },
    /// It is not said of every line which tuple it shows.
    #[error("{lines} lines show a tuple, but {tuples} tuples are given")]
    Unpaired {
        /// Lines that show a tuple.
        lines: usize,
        /// The tuples.
        tuples: usize,
    },
    /// A tuple is skipped, repeated, or out of turn.
    #[error("tuple {position} comes where tuple {expected} should")]
    OutOfTurn {
        /// The tuple's position.
        position: u64,
        /// Whose turn it is.
        expected: u64,
    },
    /// A line or a tuple has more or fewer cells than there are columns.
    #[error("line {line}, tuple {position}: {cells} cells for {columns} columns")]
    Ragged {
        /// The line.
        line: u64,
        /// The tuple's position.
        position: u64,
        /// Its number of cells.
        cells: usize,
        /// How many there should be.
        columns: usize,
    },
    /// A value that is published as it is has changed.
    #[error("line {line}, column `{column}`: `{text}` is not the value of tuple {position}")]
    Changed {
        /// The line.
        line: u64,
        /// The tuple's position.
        position: u64,
        /// The column; the sensitive one is called `value`.
        column: String,
        /// What would be published.
        text: String,
    },
    /// A generalized cell says something that is not true of the tuple.
    #[error("line {line}, column `{column}`: `{text}` does not cover the value of tuple {position}")]
    NotCovered {
        /// The line.
        line: u64,
        /// The tuple's position.
        position: u64,
        /// The column.
        column: String,
        /// What would be published.
        text: String,
    },
    /// A set has not as many values as promised.
    #[error("line {line} shows {values} values, but {l} are promised")]
    SetSize {
        /// The line.
        line: u64,
        /// Its number of values.
        values: usize,
        /// How many are promised.
        l: usize,
    },
    /// The values of a set do not ascend: one stands twice, or the order says something.
    #[error("line {line}: `{value}` does not come after the value before it")]
    SetOrder {
        /// The line.
        line: u64,
        /// The value.
        value: String,
    },
    /// A tuple's own value is not in its set.
    #[error("line {line}: the value of tuple {position} is not among those that are shown")]
    NotInSet {
        /// The line.
        line: u64,
        /// The tuple's position.
        position: u64,
    },
    /// A set that the design does not draw, or not for such a tuple.
    #[error("line {line}: {why}")]
    Impossible {
        /// The line.
        line: u64,
        /// Why not.
        why: String,
    },
    /// A quasi-identifier beside the strata is shown.
    #[error("line {line}: `{column}` is not among the strata, so it must be `*`")]
    NotWithheld {
        /// The line.
        line: u64,
        /// The column.
        column: String,
    },
    /// A group is opened a second time, or after a later one.
    #[error("line {line}: group {group} is not new")]
    GroupNotNew {
        /// The line.
        line: u64,
        /// The group.
        group: u64,
    },
    /// A value of a group after its first member.
    #[error("line {line}: `{value}` joins group {group}, whose members are already shown")]
    LateSlot {
        /// The line.
        line: u64,
        /// The group.
        group: u64,
        /// The value.
        value: String,
    },
    /// The values of a group do not ascend: one stands twice, or the order says whose is the first member's.
    #[error("line {line}: `{value}` does not come after the value before it in group {group}")]
    SlotOrder {
        /// The line.
        line: u64,
        /// The group.
        group: u64,
        /// The value.
        value: String,
    },
    /// Nobody may have a value of a group, or more than can be counted.
    #[error("line {line}: `{value}` stands in group {group} with a count of {count}")]
    SlotCount {
        /// The line.
        line: u64,
        /// The group.
        group: u64,
        /// The value.
        value: String,
        /// Its count.
        count: u64,
    },
    /// Too few values to hide among.
    #[error("line {line}: group {group} has {values} distinct values when it is used, but {l} are promised")]
    GroupTooSmall {
        /// The line that uses it.
        line: u64,
        /// The group.
        group: u64,
        /// Its distinct values.
        values: usize,
        /// How many are promised.
        l: usize,
    },
    /// A value of a group is likelier than promised.
    #[error("line {line}: `{value}` has {count} of the {sum} counts of group {group}, above 1/{l}")]
    TooFrequent {
        /// The line that uses the group.
        line: u64,
        /// The group.
        group: u64,
        /// The value.
        value: String,
        /// Its count.
        count: u64,
        /// The sum of all counts.
        sum: u64,
        /// What is promised.
        l: usize,
    },
    /// A group is opened, and nobody is in it.
    #[error("group {group} is opened without a member")]
    NoMember {
        /// The group.
        group: u64,
    },
    /// A tuple in a group that was never opened, is full, or has been given up.
    #[error("line {line}: tuple {position} is put into group {group}, which is not open")]
    GroupNotOpen {
        /// The line.
        line: u64,
        /// The tuple's position.
        position: u64,
        /// The group.
        group: u64,
    },
    /// All places for the tuple's value are taken.
    #[error("line {line}: group {group} has no place left for the value of tuple {position}")]
    NoFreeSlot {
        /// The line.
        line: u64,
        /// The tuple's position.
        position: u64,
        /// The group.
        group: u64,
    },
    /// Two members of a group have the same quasi-identifiers.
    #[error("line {line}: group {group} holds the quasi-identifiers of tuple {position} already")]
    QuasiTwice {
        /// The line.
        line: u64,
        /// The tuple's position.
        position: u64,
        /// The group.
        group: u64,
    },
    /// A tuple that never arrived, or has left already.
    #[error("line {line}: tuple {position} has never arrived, or has left before")]
    NotWaiting {
        /// The line.
        line: u64,
        /// The tuple's position.
        position: u64,
    },
    /// A tuple is not the one that arrived at its position.
    #[error("line {line}: tuple {position} is not as it arrived")]
    Swapped {
        /// The line.
        line: u64,
        /// The tuple's position.
        position: u64,
    },
    /// A tuple has waited too long.
    #[error(
        "tuple {position} still waits after tuple {arrived} has arrived, but {delta} is the longest delay"
    )]
    Late {
        /// The tuple's position.
        position: u64,
        /// The position of the last that arrived.
        arrived: u64,
        /// The longest delay.
        delta: usize,
    },
    /// A tuple has waited too long by the clock.
    #[error("tuple {position} still waits after {waited} ms, but {limit} ms is the longest wait")]
    Overdue {
        /// The tuple's position.
        position: u64,
        /// How long it has waited, in milliseconds.
        waited: u64,
        /// The longest wait, in milliseconds.
        limit: u64,
    },
    /// Lines that leave together do not stand in the order of what they say: their order may tell who came first.
    #[error(
        "line {line} does not come after the line before it, so the order of a crowd may tell who came first"
    )]
    CrowdOrder {
        /// The line.
        line: u64,
    },
    /// Too few people look like this.
    #[error("line {line}: the class {class} has {people} people, but {k} are promised")]
    SmallCrowd {
        /// The first line of the class.
        line: u64,
        /// Its quasi-identifiers.
        class: String,
        /// How many people are in it.
        people: usize,
        /// How many are promised.
        k: usize,
    },
    /// A crowd with too few sensitive values.
    #[error("line {line}: the class {class} has {values} sensitive values, but {l} are promised")]
    PoorCrowd {
        /// The first line of the class.
        line: u64,
        /// Its quasi-identifiers.
        class: String,
        /// Its distinct sensitive values.
        values: usize,
        /// How many are promised.
        l: usize,
    },
    /// More rows of a class than tuples of which they are true.
    #[error("line {line}: {rows} rows are like this, but they are true of {tuples} tuples only")]
    Untrue {
        /// The first of the lines.
        line: u64,
        /// How many lines are like it.
        rows: usize,
        /// Of how many tuples they are true.
        tuples: usize,
    },
    /// The stream has ended, and tuples have not left.
    #[error("{tuples} tuples have arrived and not left, the first is tuple {position}")]
    LeftBehind {
        /// How many.
        tuples: usize,
        /// The position of the first.
        position: u64,
    },
}

impl StreamViolation {
    /// What to do. None of this can come from a policy or from data: something in the program is wrong.
    pub fn hint(&self) -> &'static str {
        DEFECT
    }
}
