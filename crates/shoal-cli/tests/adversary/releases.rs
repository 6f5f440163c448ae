//! Several releases of the same people, held side by side.
