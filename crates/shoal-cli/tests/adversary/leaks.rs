//! What a release still says although its promise holds, and whether the user is told.
