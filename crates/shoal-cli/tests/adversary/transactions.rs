//! Transactions of one person, and columns that nobody looked at.
