//! SBC and Mondrian: slow twins, properties, the thesis' tables, and the Adult data.

mod mondrian_twin;
mod papers;
mod properties;
mod sbc_twin;
mod slow_cover;
#[allow(dead_code, reason = "shared with the other tests")]
#[path = "../support/mod.rs"]
mod support;
mod tables;
