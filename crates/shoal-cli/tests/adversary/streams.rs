//! What the published lines of a stream teach about the values that they hide.
