//! Servers and agents of others as they are met: stubs, strict ones, and the real ones.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests"
)]

#[path = "../support/a2a/mod.rs"]
mod a2a;
#[path = "../support/inner.rs"]
mod inner;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../support/mcp_site.rs"]
mod mcp_site;
#[path = "../support/model_server/mod.rs"]
mod model_server;
#[cfg(target_os = "linux")]
#[path = "../support/own_process.rs"]
mod own_process;
#[path = "../support/pictures.rs"]
mod pictures;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../support/stub_server.rs"]
mod stub_server;

mod agents;
mod editors;
#[cfg(target_os = "linux")]
mod mcp;
