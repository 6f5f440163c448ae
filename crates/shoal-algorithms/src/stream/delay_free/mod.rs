//! Delay-free release: every tuple leaves at once, its sensitive value hidden among l.
//!
//! Quasi-identifiers leave as they came; what is not said is which of l values is the tuple's own. There are two
//! modes. [`Hardened`], the usual one, publishes with each tuple a set of l values that holds the true one, drawn
//! by a keyed function of person and value: nothing is remembered, a replay gives the same bytes, and what is drawn for a tuple
//! does not depend on any other. [`Published`] is the paper's algorithm: a tuple *joins* a group that has
//! its value still to spare and none of its quasi-identifiers (late validation), or else opens one with l − 1
//! counterfeits; groups whose slots are all taken are forgotten.
//!
//! **Paper**: S. Kim, M. K. Sung, Y. D. Chung, *A framework to preserve the privacy of electronic health data
//! streams*, Journal of Biomedical Informatics 50 (2014): §3 (the promise, definition 3), §4.1 (late validation),
//! §4.2–4.3 (counterfeits, algorithm 1), §5.2 (SAU). `Hardened` is ours.
//!
//! **`Published` leaks.** It joins whenever it can, so not joining reveals something. With values A, B, C, D,
//! equally frequent, l = 2 and counterfeits drawn alike: after the new groups {A, B}, {A, C} the first tuple is A
//! with 2/3, and after {A, C}, {B, C}, {A, B} the second is certainly B. An adversary who guesses the easiest
//! tuple is right in 0.58 of all cases after two tuples and in 0.78 after five (promised: 0.5), and somebody who
//! returns with the same value can be told from the intersection of the groups. The tests go through every
//! choice of the kernel to show that.
//!
//! **What `Hardened` promises, exactly.** For whoever believes the same of everybody and for tuples of different persons,
//! however many, the posterior of each is that belief within its set (uniform design), or 1/l (calibrated design, where the
//! belief is its prior). A belief that depends on the quasi-identifiers does better, and lines with exact ones teach
//! it; so a stream may have a design for each stratum of people ([`strata`](super::strata)) and publish the
//! stratum instead. Of somebody who returns:
//! - With the same value, the same set comes again. A value that lasts is as well hidden as before. If the person
//!   draws a new value every time and happens to get the same, a repeated set favours the frequent values: for
//!   shares of (.4, .3, .2, .1) and l = 2, the calibrated set of the first and the last value, seen twice, means
//!   the first with 13/17.
//! - With another value, another set may come, and two different sets cannot be for one value. Where they share
//!   all but one value, that one has l/(l² − l + 1) instead of 1/l: 2/3 for l = 2, 0.11 for l = 10. Every further
//!   different set adds to this; with l = 2, t sets around one value give t/(t + 1).
//!
//! **Departures** from the paper:
//! - Counterfeits are l − 1 *other* values, drawn without replacement in proportion to their frequency so far,
//!   each for one member. The printed generator raises counts until none is above 1/l, which does not end where a
//!   value's share of the pool is above 1/l; on Adult that is every l from 10 on.
//! - Open groups are limited; beyond, the oldest is given up with its counterfeits. So are looks at open slots,
//!   since with few combinations of quasi-identifiers nearly every group has the tuple's already.
//! - Groups are numbered in order, not at random: the order of the lines says the same.
//! - A calibrated design draws one of a fixed, public list of orders of its ring instead of a fresh order for
//!   each tuple: every order by itself has the posterior 1/l, and only so can counts be estimated without the
//!   key.
//!
//! **Cost** a tuple: `Hardened` one block of blake3 and l draws, no memory. `Published` one block, an expected
//! constant number of looks at open slots, and for a new group l draws of log(values) steps; memory is some 16
//! bytes for each of l · `max_open_groups` slots. No method has a SAU below 1 − 1/(l · share of the commonest
//! value), and this is within 0.01 of it on Adult for l ≥ 15.
//!
//! **When another is better**: where single values must be exact and a delay does no harm,
//! [`castle`](super::castle), which generalizes quasi-identifiers and publishes sensitive values as they are.
//! `Published` has fewer counterfeits than `Hardened`, which shows l values for each tuple; it is here for
//! comparison.

mod draws;
mod groups;
mod hardened;
mod params;
mod pool;
mod published;
mod snapshot;

pub use draws::{Draws, KeyedDraws};
pub use hardened::{Hardened, UnknownValue, draw_set};
pub use params::{ParamsError, PublishedParams, ValidPublishedParams};
pub use published::{Placement, Published, PublishedFigures};
