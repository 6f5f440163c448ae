//! Whoever knows the algorithm: what the choice of classes tells about sensitive values.
