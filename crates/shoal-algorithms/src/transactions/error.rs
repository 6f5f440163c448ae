/// Parameters that make no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamsError {
    /// A share that is not between 0 and 1.
    #[error("{name} = {value} is not a share between 0 and 1")]
    NotAShare {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A weight that is not between 0 and 1.
    #[error("the weight {value} of item number {item} is not between 0 and 1")]
    NotAWeight {
        /// The number of the item.
        item: u32,
        /// Its weight.
        value: f64,
    },
}

impl ParamsError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            ParamsError::NotAShare { .. } => "0.15 lets 15 items in a hundred go",
            ParamsError::NotAWeight { .. } => "1 is an item that matters most, 0 one that does not matter",
        }
    }
}

/// Why an algorithm cannot anonymize transactions. Items are named by their numbers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TransactionsError {
    /// There are fewer transactions than a crowd needs.
    #[error("k = {k} asks for crowds of {k}, but only {transactions} transactions hold an item")]
    TooFewTransactions {
        /// The k asked for.
        k: usize,
        /// How many transactions are not empty.
        transactions: usize,
    },
    /// There are fewer people than a crowd needs.
    #[error(
        "k = {k} asks for crowds of {k} people, but only {people} people have a transaction with an item"
    )]
    TooFewPeople {
        /// The k asked for.
        k: usize,
        /// How many people have a transaction that is not empty.
        people: usize,
    },
    /// A set of items can only be protected by suppressing more items than allowed.
    #[error(
        "the items {constraint:?} can only be hidden by suppressing {items:?}, which makes {suppressed} \
         suppressed items where {allowed} are allowed; utility constraint {utility} leaves no other way"
    )]
    Infeasible {
        /// The items of the set that breaks the promise, with those that are published as one with them.
        constraint: Vec<u32>,
        /// The items that would have to go.
        items: Vec<u32>,
        /// How many items would then be suppressed.
        suppressed: usize,
        /// How many may be.
        allowed: usize,
        /// The utility constraint of the items that would have to go, counted from 1.
        utility: usize,
    },
    /// Something is given per item, but not for as many items as there are.
    #[error("{what} speak of {given} items, the transactions of {items}")]
    WrongItemCount {
        /// What is given.
        what: &'static str,
        /// For how many items.
        given: usize,
        /// How many there are.
        items: usize,
    },
    /// A privacy constraint names an item that does not exist.
    #[error("a privacy constraint names item number {item}, but there are only {items} items")]
    UnknownItem {
        /// The number.
        item: u32,
        /// How many items there are.
        items: usize,
    },
    /// The data has an item that the hierarchy does not know.
    #[error("`{item}` is not a leaf of the hierarchy of items")]
    NotInHierarchy {
        /// The item's text.
        item: String,
    },
    /// The algorithm cannot keep a promise of this kind.
    #[error("`{algorithm}` protects all sets of up to m items, and no other promise")]
    UnsupportedPromise {
        /// The algorithm.
        algorithm: &'static str,
    },
}

impl TransactionsError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            TransactionsError::TooFewTransactions { .. } => "lower k, or publish more transactions",
            TransactionsError::TooFewPeople { .. } => "lower k, or publish the transactions of more people",
            TransactionsError::Infeasible { .. } => {
                "allow more suppressed items, join that utility constraint with another, or lower k"
            }
            TransactionsError::WrongItemCount { .. } => "give one for each item of the data",
            TransactionsError::UnknownItem { .. } => "leave the item out, or correct its name",
            TransactionsError::NotInHierarchy { .. } => "add a line for the item to the hierarchy file",
            TransactionsError::UnsupportedPromise { .. } => {
                "promise m = 2, or take the algorithm pcta, which keeps any promise"
            }
        }
    }
}
