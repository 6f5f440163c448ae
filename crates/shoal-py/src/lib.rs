//! Shoal in Python: the module `shoal._native`.
//!
//! A front like the command line: it makes a `Request`, a `Source` and a `Sink` and calls `shoal_pipeline`. Data come and go as Arrow streams
//! (the PyCapsule interface), so that pandas, Polars and PyArrow are the same here and no buffer is copied on the way; what was found comes back as
//! JSON. What a person types and sees (frames of any kind, the builder of policies, notebooks) is written in Python, in `python/shoal/`.

mod background;
mod earlier;
mod errors;
mod frames;
mod hierarchies;
mod policy;
mod propose;
mod release;
mod same;
mod save;
mod stream;
mod verbs;

use pyo3::prelude::*;

// Why the interpreter's lock is not needed: classes are frozen, so that Python cannot change them; a stream, which changes, is behind a lock of its own, and so is the pool
// of threads, the only thing that calls share. Arrow data that come in are read and never written to.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::earlier::policy_of_release;
    #[pymodule_export]
    use crate::errors::{Error, PolicyError, PromiseError};
    #[pymodule_export]
    use crate::frames::{HeldFrame, addresses, hold, timestamps};
    #[pymodule_export]
    use crate::hierarchies::{build_hierarchy, hierarchy_rows};
    #[pymodule_export]
    use crate::policy::{dict_to_toml, policy_schema, policy_to_json, toml_to_json};
    #[pymodule_export]
    use crate::propose::propose;
    #[pymodule_export]
    use crate::release::{NativeRelease, anonymize, key_of_release, release_key};
    #[pymodule_export]
    use crate::same::{fold, positions};
    #[pymodule_export]
    use crate::save::save;
    #[pymodule_export]
    use crate::stream::NativeStream;
    #[pymodule_export]
    use crate::verbs::{attack, check, explain, judge_cells, measure, verify};
}
