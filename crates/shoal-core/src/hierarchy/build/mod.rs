//! Hierarchies built from a column's values where nobody has written one.
