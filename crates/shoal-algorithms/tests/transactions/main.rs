//! PCTA, UPCTA and COAT: the paper's examples, the traps of its loop, a slow twin, properties, a clickstream.

mod clickstream;
mod data;
mod papers;
mod promise;
mod properties;
mod slow;
mod traps;
