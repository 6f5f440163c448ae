//! SBC and Mondrian: slow twins, properties, the thesis' tables, and the Adult data.

mod mondrian_twin;
mod papers;
mod properties;
mod sbc_twin;
mod slow_cover;
mod tables;
