/// Parameters that make no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamsError {
    /// k below 2 promises nothing.
    #[error("k = {k} hides nobody: a crowd has at least 2 members")]
    KTooSmall {
        /// The k asked for.
        k: usize,
    },
    /// A share that is not between 0 and 1.
    #[error("{name} = {value} is not a share between 0 and 1")]
    NotAShare {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// Less than one value in a class.
    #[error("l = {l} asks for nothing: every class has at least 1 value")]
    LTooSmall {
        /// The l asked for.
        l: f64,
    },
    /// A factor that no class can meet, or that says nothing.
    #[error("{name} = {value} is not a number above 0")]
    NotPositive {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A condition that nobody can keep without looking at sensitive values.
    #[error(
        "{condition}: only distinct and frequency l-diversity with one record a person can be transparent"
    )]
    NotTransparent {
        /// What was asked for.
        condition: String,
    },
    /// Transparency without a condition on a sensitive column.
    #[error("nothing is promised about a sensitive column, so that there is nothing to be transparent about")]
    NothingToHide,
}

impl ParamsError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            ParamsError::KTooSmall { .. } => "5 to 20 is usual; 2 is the least",
            ParamsError::NotAShare { name: "t", .. } => {
                "0.1 to 0.5 is usual; 0 asks for the same shares in all classes"
            }
            ParamsError::NotAShare { .. } => "0.01 lets one record in a hundred go",
            ParamsError::LTooSmall { .. } => "2 to 5 is usual; it cannot be more than the column has values",
            ParamsError::NotTransparent { .. } => {
                "take distinct or frequency l-diversity, or an algorithm that is not transparent"
            }
            ParamsError::NothingToHide => "promise distinct or frequency l-diversity",
            ParamsError::NotPositive { name: "beta", .. } => "1 lets a share double; 1 to 4 is usual",
            ParamsError::NotPositive { .. } => "1 to 5 is usual; the lower, the more is promised",
        }
    }
}

/// Why an algorithm cannot anonymize a table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TableError {
    /// There are fewer records than a crowd needs.
    #[error("k = {k} asks for crowds of {k}, but there {}", only(*records))]
    TooFewRecords {
        /// The k asked for.
        k: usize,
        /// How many records there are.
        records: usize,
    },
    /// There are fewer people than a crowd needs.
    #[error("k = {k} asks for crowds of {k} people, but the {records} records belong to only {people}")]
    TooFewPeople {
        /// The k asked for.
        k: usize,
        /// How many people there are.
        people: usize,
        /// How many records they have.
        records: usize,
    },
    /// Somebody asks for a larger crowd than there are people, and one person may have several records.
    #[error("record {record} asks for a crowd of {k} people, but there are only {people}")]
    PersonalKAbovePeople {
        /// The record, counted from 1.
        record: usize,
        /// The k that it asks for.
        k: usize,
        /// How many people there are.
        people: usize,
    },
    /// Somebody asks for a larger crowd than there are people.
    #[error("record {record} asks for a crowd of {k}, but there {}", only(*records))]
    PersonalKTooLarge {
        /// The record, counted from 1.
        record: usize,
        /// The k that it asks for.
        k: usize,
        /// How many records there are.
        records: usize,
    },
    /// Something is promised about a column that does not exist.
    #[error("there is no column `{column}`, about which something is promised")]
    NoSuchColumn {
        /// The column.
        column: String,
    },
    /// Something is promised about a column that is not sensitive.
    #[error("column `{column}` has the role {role}, and only about a sensitive column can this be promised")]
    NotSensitive {
        /// The column.
        column: String,
        /// Its role.
        role: &'static str,
    },
    /// The distance of values is that of an order or a hierarchy, which the column does not have.
    #[error("column `{column}` has no {lacking}, by which the distance of its values is asked for")]
    NoDistance {
        /// The column.
        column: String,
        /// `order` or `hierarchy`.
        lacking: &'static str,
    },
    /// A value of the table is not in the distribution that classes are compared with.
    #[error(
        "column `{column}` has the value `{value}`, which nobody has in the distribution that is given for it"
    )]
    NotInDistribution {
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// A value of the distribution is not in the table, and its distance from others is asked for.
    #[error(
        "the distribution that is given for column `{column}` has the value `{value}`, which the table does not have, so \
         that its distance from others is not known"
    )]
    BeyondTable {
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// The whole table has fewer values than a class needs.
    #[error("column `{column}` has only {found} different values, {values}, but every class needs {l}")]
    TooFewValues {
        /// The column.
        column: String,
        /// How many values a class needs.
        l: usize,
        /// How many there are.
        found: usize,
        /// The first of them.
        values: String,
    },
    /// A value is so frequent in the whole table that it is too frequent in some class, whatever the classes.
    #[error("`{value}` stands in {count} of {records} records of column `{column}`, too many for {promise}")]
    TooFrequent {
        /// The column.
        column: String,
        /// The value.
        value: String,
        /// How many records have it.
        count: usize,
        /// How many records there are.
        records: usize,
        /// What was asked for.
        promise: String,
    },
    /// So many people have a value, among others of theirs, that all people together do not keep the promise.
    #[error(
        "{count} of {people} people have `{value}` in column `{column}`; since people have several values, too many for \
         {promise} of the table as a whole"
    )]
    TooManyPeople {
        /// The column.
        column: String,
        /// The value.
        value: String,
        /// How many people have it.
        count: usize,
        /// How many people there are.
        people: usize,
        /// What was asked for.
        promise: String,
    },
    /// More records would be left out than may be.
    #[error(
        "{suppressed} of {records} records would be left out, more than the share of {limit} that may be"
    )]
    TooManySuppressed {
        /// How many would be left out.
        suppressed: usize,
        /// How many records there are.
        records: usize,
        /// The share that may be.
        limit: f64,
    },
    /// No way was found to put records together that differ in every sensitive column.
    #[error("no way was found to put all records into groups that differ in each of `{columns}`")]
    NoPlan {
        /// The columns.
        columns: String,
    },
    /// Sets of names would take too much memory.
    #[error("the quasi-identifiers without a hierarchy have too many names for `{algorithm}`")]
    TooManyNames {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// The table has no quasi-identifier.
    #[error("no column is a quasi-identifier, so there is nothing to generalize")]
    NoQuasiIdentifiers,
    /// Domain generalization cannot do without a hierarchy.
    #[error("column `{column}` has no hierarchy, which `{algorithm}` needs")]
    NoHierarchy {
        /// The column.
        column: String,
        /// The algorithm.
        algorithm: &'static str,
    },
    /// There are more ways to generalize than a search can go through.
    #[error("there are {nodes} nodes to search, more than the {most} that `{algorithm}` takes on")]
    LatticeTooLarge {
        /// The nodes over every subset of the quasi-identifiers.
        nodes: u64,
        /// The most that are searched.
        most: u64,
        /// The algorithm.
        algorithm: &'static str,
    },
}

impl TableError {
    /// The same about a table of which only these records, ascending and counted from 0, were looked at: a record
    /// is called by its number in the whole table.
    #[must_use]
    pub fn with_records(self, looked_at: &[u32]) -> Self {
        match self {
            TableError::PersonalKTooLarge { record, k, records } => {
                let number = |&row: &u32| row as usize + 1;
                let record = looked_at.get(record - 1).map_or(record, number);
                TableError::PersonalKTooLarge { record, k, records }
            }
            TableError::PersonalKAbovePeople { record, k, people } => {
                let number = |&row: &u32| row as usize + 1;
                let record = looked_at.get(record - 1).map_or(record, number);
                TableError::PersonalKAbovePeople { record, k, people }
            }
            other => other,
        }
    }

    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            TableError::TooFewRecords { .. } => "lower k, or publish more records",
            TableError::TooFewPeople { .. } => "lower k, or publish records of more people",
            TableError::PersonalKTooLarge { .. } | TableError::PersonalKAbovePeople { .. } => {
                "leave the record out, or lower what it asks for"
            }
            TableError::NoSuchColumn { .. } => "name a column of the table",
            TableError::NotSensitive { .. } => "give role = \"sensitive\" to the column, or name another",
            TableError::NoDistance { lacking: "order", .. } => {
                "give the column a kind of numbers or dates, or take the distance equal or hierarchical"
            }
            TableError::NoDistance { .. } => {
                "give the column a hierarchy in the policy, or take the distance equal"
            }
            TableError::NotInDistribution { .. } => {
                "count the values of everybody, those of this table included"
            }
            TableError::BeyondTable { .. } => "take the distance equal, or a table that has all values",
            TableError::TooFewValues { .. } => "lower l, or promise nothing about this column",
            TableError::TooFrequent { .. } => {
                "lower l (or raise c), or leave out records that have this value"
            }
            TableError::TooManyPeople { .. } => {
                "lower l (or raise c), or publish fewer records of each person, such as the last one"
            }
            TableError::TooManySuppressed { .. } => {
                "raise the limit, lower what is promised, or take mondrian, which leaves nobody out"
            }
            TableError::NoPlan { .. } => "lower l, or promise l-diversity about one of the columns only",
            TableError::TooManyNames { .. } => "give the columns with most names a hierarchy",
            TableError::NoQuasiIdentifiers => {
                "give role = \"quasi-identifier\" to what others may know about a person: age, sex, zip, …"
            }
            TableError::NoHierarchy { .. } => "give the column a hierarchy in the policy",
            TableError::LatticeTooLarge { .. } => {
                "take fewer quasi-identifiers or fewer levels, or the algorithm datafly or mondrian"
            }
        }
    }
}

/// `is only 1 record`, `are only 2 records`.
fn only(records: usize) -> String {
    if records == 1 { "is only 1 record".to_owned() } else { format!("are only {records} records") }
}
