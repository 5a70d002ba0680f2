//! MCP servers as they are met: a stub that misbehaves as it is told, a small HTTP server, and reference servers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests look at the world themselves"
)]
#![cfg(target_os = "linux")]

mod bench;
mod calls;
mod ends;
mod http;
#[path = "../support/inner.rs"]
mod inner;
#[path = "../support/mcp_site.rs"]
mod mcp_site;
mod peers;
#[path = "../support/pictures.rs"]
mod pictures;
mod sandbox;
mod starting;
#[path = "../support/stub_server.rs"]
mod stub_server;
