//! The permission engine against real shells, and against a table that people can read.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stdout,
    missing_docs,
    reason = "tests"
)]

extern crate countersign_core as countersign;

mod close_calls;
mod closed;
mod containers;
mod differential;
#[path = "../support/executable.rs"]
mod executable;
mod files;
mod grammars;
mod guises;
mod hidden_words;
mod lines;
mod nasty;
mod offers;
mod pieces;
mod pipes;
mod places;
mod reads;
mod rules;
mod servers;
mod stubs;
mod support;
mod traced;
mod trees;
mod urls;
mod whole_tools;
mod words;
