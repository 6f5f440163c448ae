//! Bytes of a published file that are not its data: names, comments, metadata, unused entries.
