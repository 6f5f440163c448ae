//! What the tests with real brokers share: servers, messages, and the scenarios that every broker has to stand.

pub(crate) mod child;
pub(crate) mod killed;
pub(crate) mod releases;
pub(crate) mod scenarios;
pub(crate) mod server;
