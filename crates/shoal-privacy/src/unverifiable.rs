/// Why nothing can be said about a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unverifiable {
    /// No model was asked for, so there is nothing that could be broken.
    #[error("no privacy model is asked for")]
    NoPromise,
    /// The file lacks a column that a model needs.
    #[error("the published file has no column `{column}`")]
    Lacking {
        /// The column.
        column: String,
    },
    /// What can be known of a column's cells is said by a hierarchy, and there is none.
    #[error("`{column}` has no hierarchy, so it is not known what somebody may know of it")]
    NoHierarchy {
        /// The column.
        column: String,
    },
    /// A sensitive value is not of the column's kind, so it has no place among the others.
    #[error("row {row} of the published file, column `{column}`: `{value}` is not of the kind {kind}")]
    NotOfKind {
        /// The first row with this value, counted from 1.
        row: u64,
        /// The column.
        column: String,
        /// The value.
        value: String,
        /// What it should be, e.g. `integer`.
        kind: &'static str,
    },
    /// A sensitive value is not a leaf of the column's hierarchy, so its distance from others is not known.
    #[error("row {row} of the published file, column `{column}`: `{value}` is not a leaf of the hierarchy")]
    OutsideHierarchy {
        /// The first row with this value, counted from 1.
        row: u64,
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// A sensitive value is not in the distribution that classes are compared with.
    #[error(
        "row {row} of the published file, column `{column}`: nobody has `{value}` in the distribution that is given for it"
    )]
    NotAmongEverybody {
        /// The first row with this value, counted from 1.
        row: u64,
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// The distribution counts people and the file's records are not known to be people's, or the other way round.
    #[error(
        "the distribution that is given for `{column}` counts people where records are counted, or the other way round"
    )]
    OtherMembers {
        /// The column.
        column: String,
    },
    /// A value of the distribution is not in the file, so its distance from others is not known.
    #[error(
        "the distribution that is given for `{column}` has `{value}`, which is not in the published file"
    )]
    BeyondFile {
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// Who asks for which k is never published.
    #[error("how large a crowd each person asks for in `{column}` is not published, so it cannot be checked")]
    PersonalK {
        /// The column that holds it.
        column: String,
    },
    /// The policy says nothing about a column of the file.
    #[error("the published file has a column `{column}`, about which the policy says nothing")]
    Unknown {
        /// The column.
        column: String,
    },
    /// Two columns have one name.
    #[error("the published file has two columns named `{column}`")]
    Twice {
        /// Their name.
        column: String,
    },
    /// A column is longer or shorter than its table.
    #[error("column `{column}` has {cells} cells in a table of {rows} records")]
    Ragged {
        /// The column.
        column: String,
        /// Its number of cells.
        cells: usize,
        /// The table's number of records.
        rows: usize,
    },
    /// A published event does not say whose it is.
    #[error("row {row} of the published file has no `{column}`, so nobody knows whose event it is")]
    Nobodys {
        /// The row, counted from 1.
        row: u64,
        /// The column of the ids.
        column: String,
    },
    /// The promise counts people, and nothing says whose a published record is.
    #[error(
        "the promise counts people, whom `{column}` names, and the file does not say whose its records are"
    )]
    Person {
        /// The column that names them.
        column: String,
    },
    /// Rows could be several people's, and the promise about people breaks for those that were found.
    #[error(
        "whether the promise about people, whom `{column}` names, is kept cannot be decided: rows of the file could be several \
         people's, and for some of the ways to assign them it breaks"
    )]
    SeveralOrigins {
        /// The column that names them.
        column: String,
    },
    /// What an audit says about who is in which class cannot be.
    #[error(
        "the audit says who is in which class of the file, and by the original these people cannot be there, so one of them is \
         wrong"
    )]
    AuditContradicted,
    /// A record of the original is nobody's.
    #[error("record {row} of the original has no `{column}`, so nobody knows whose it is")]
    Anonymous {
        /// The record, counted from 1.
        row: u64,
        /// The column that names people.
        column: String,
    },
    /// An id of published sequences is not the next number, so it may name somebody, or carry an order.
    #[error(
        "row {row} of the published file has the {column} `{found}` where {due} is due: the ids of published people are the \
         numbers 1 to n, in this order, the rows of each together"
    )]
    NotNumbered {
        /// The row, counted from 1.
        row: u64,
        /// The column of the ids.
        column: String,
        /// What stands there.
        found: String,
        /// The number that should.
        due: u64,
    },
    /// Transactions hold the number of a group, and there is no dictionary that says what it stands for.
    #[error(
        "`{text}` is the number of a group, and there is no dictionary of groups beside the published file"
    )]
    NoDictionary {
        /// The number as it is published.
        text: String,
    },
    /// Two columns hold the ends of ranges, and these are no ends.
    #[error(
        "row {row} of the published file: `{column}_min` is `{lo}` and `{column}_max` is `{hi}`, which is no range"
    )]
    NotARange {
        /// The first row with these values, counted from 1.
        row: u64,
        /// The column that the ranges are of.
        column: String,
        /// The text of the lower end.
        lo: String,
        /// The text of the upper end.
        hi: String,
    },
    /// More records than a class number can count.
    #[error("{rows} records are more than can be verified at once")]
    TooMany {
        /// The number of records.
        rows: usize,
    },
}

impl Unverifiable {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            Unverifiable::NoPromise => "ask for one under `[privacy]`, e.g. `k = 10`",
            Unverifiable::Lacking { .. } => {
                "verify a file that holds every column that the promise is about, or change the policy"
            }
            Unverifiable::NoHierarchy { .. } => "give every quasi-identifier a hierarchy",
            Unverifiable::NotOfKind { .. } => "correct the value, or the kind of the column",
            Unverifiable::OutsideHierarchy { .. } => "add the value to the hierarchy, or correct it",
            Unverifiable::OtherMembers { .. } => {
                "count people where data.person names them, and records otherwise"
            }
            Unverifiable::NotAmongEverybody { .. } => {
                "count the values of everybody, those of this file included"
            }
            Unverifiable::BeyondFile { .. } => "take the distance equal, or a file that has all values",
            Unverifiable::PersonalK { .. } => {
                "`shoal run` has checked it against the original before it published the file; check the rest with  \
                 --set 'columns.NAME.role=\"identifier\"'"
            }
            Unverifiable::Person { .. } => {
                "every class has enough records, which is needed but proves nothing about people; `shoal run` has counted \
                 them in the original before it published the file, and so does  verify --original"
            }
            Unverifiable::SeveralOrigins { .. } => {
                "give the release's audit.json as --policy, which knows who is in which class; where the promise is about \
                 sensitive values too, even that can be too little, and `shoal run` has counted before it published the file"
            }
            Unverifiable::AuditContradicted => {
                "give the audit.json and the original of this very release, or the policy instead of the audit"
            }
            Unverifiable::Anonymous { .. } => {
                "name the person, or leave such records out with  missing = \"suppress\"  for the column"
            }
            Unverifiable::Unknown { .. } => "give the column a role under `[columns]`, or remove it",
            Unverifiable::Twice { .. } => "rename one of them",
            Unverifiable::Ragged { .. } => "the file was not read to its end; read it again",
            Unverifiable::Nobodys { .. } => "give every person an id of their own, e.g. a number",
            Unverifiable::NotNumbered { .. } => {
                "number the people in the order of the file, whatever their names were, and keep their rows together"
            }
            Unverifiable::NoDictionary { .. } => {
                "put FILE.groups.csv, which was published with FILE, beside it; a file that comes through a pipe has nothing beside it"
            }
            Unverifiable::NotARange { .. } => {
                "a range has a least and a greatest value, both equal where the value is exact and both empty where there is none"
            }
            Unverifiable::TooMany { .. } => "publish the data in disjoint parts; each part keeps its promise",
        }
    }
}
