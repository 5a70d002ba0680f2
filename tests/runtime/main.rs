//! What waits: the driver, models over HTTP and from scripts, tools as text, hooks, the store.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::string_slice,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "tests"
)]

#[path = "../support/legacy_facts.rs"]
mod legacy_facts;
#[path = "../support/model_server/mod.rs"]
mod model_server;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../support/paused.rs"]
mod paused;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../support/strictness.rs"]
mod strictness;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../support/wire/mod.rs"]
mod support;

mod driver;
mod hooks;
mod http;
mod rehearsal;
mod script;
mod store;
mod string_mode;
