//! Keys and states of streams: foreign, lost, weak, shared.
