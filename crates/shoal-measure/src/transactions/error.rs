/// Why published transactions cannot be measured against an original.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TransactionsMeasureError {
    /// The file has more transactions than the original.
    #[error("{published} transactions are published, but there were only {original}")]
    MoreTransactions {
        /// Transactions of the file.
        published: usize,
        /// Transactions of the original.
        original: usize,
    },
    /// A published text is not an item, a group or a node above an item.
    #[error("`{text}` stands for no item of the original")]
    Unknown {
        /// The published text.
        text: String,
    },
    /// A published group names something that is not an item.
    #[error("`{text}`: there is no item `{member}` in the original")]
    UnknownMember {
        /// The published text.
        text: String,
        /// What it names.
        member: String,
    },
    /// Two published texts stand for the same item.
    #[error("`{item}` is published both as `{first}` and as `{second}`")]
    TwoImages {
        /// The item.
        item: String,
        /// One text that stands for it.
        first: String,
        /// Another one.
        second: String,
    },
    /// A published transaction is not what the recoding makes of any transaction of the original.
    #[error(
        "published transaction {row} is not true of any transaction of the original ({transactions} such)"
    )]
    Untrue {
        /// The first of them, counted from 1.
        row: u64,
        /// How many there are.
        transactions: usize,
    },
    /// Transactions of the original, with items that are published, are not in the file.
    #[error("{transactions} transactions of the original are not in the published file")]
    Lost {
        /// How many there are.
        transactions: usize,
    },
    /// There is not one weight per item.
    #[error("{weights} weights are given for {items} items")]
    WeightCount {
        /// How many weights there are.
        weights: usize,
        /// How many items there are.
        items: usize,
    },
    /// A weight that is not between 0 and 1.
    #[error("`{item}` has the weight {weight}, which is not between 0 and 1")]
    Weight {
        /// The item.
        item: String,
        /// Its weight.
        weight: f64,
    },
    /// A utility constraint or a query names an item by a number that no item has.
    #[error("there is no item number {item} among {items} items")]
    NoSuchItem {
        /// The number.
        item: u32,
        /// How many items there are.
        items: usize,
    },
}

impl TransactionsMeasureError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            TransactionsMeasureError::MoreTransactions { .. } => {
                "is this the original that the file was made from?"
            }
            TransactionsMeasureError::Unknown { .. } | TransactionsMeasureError::UnknownMember { .. } => {
                "is this the original, with the hierarchy, that the file was made from?"
            }
            TransactionsMeasureError::TwoImages { .. } => {
                "only files in which an item is published in the same way everywhere can be measured"
            }
            TransactionsMeasureError::Untrue { .. } | TransactionsMeasureError::Lost { .. } => {
                "is this the original? In a file that was made from it each transaction holds exactly the texts that \
                 stand for its items"
            }
            TransactionsMeasureError::WeightCount { .. } => "give each item of the original one weight",
            TransactionsMeasureError::Weight { .. } => {
                "1 is an item that matters most, 0 one that does not matter"
            }
            TransactionsMeasureError::NoSuchItem { .. } => {
                "items are numbered from 0 in the order of the original; use its own numbers"
            }
        }
    }
}
