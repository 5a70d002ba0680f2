//! The program as it is built, configured and described: its rules, its pages, its command line.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "tests"
)]

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../examples/pictures/app.rs"]
mod app;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../support/configured.rs"]
mod configured;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../examples/pictures/demo.rs"]
mod demo;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../support/page.rs"]
mod page;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../examples/pictures/settle.rs"]
mod settle;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../examples/pictures/svg.rs"]
mod svg;

mod architecture;
mod cli;
mod config;
mod endings;
mod guide;
#[cfg(unix)]
mod pictures;
mod providers;
mod requirements;
mod schemas;
mod session_format;
