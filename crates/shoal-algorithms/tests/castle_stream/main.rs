//! CASTLE on random streams: what it promises, judged from what it releases, and a slow twin that releases the same.

mod adult;
mod properties;
mod support;
mod twin;
