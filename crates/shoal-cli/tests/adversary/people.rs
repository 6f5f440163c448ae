//! Crowds of rows that belong to one person, in tables.
