//! The order of the input, read back from a release.
