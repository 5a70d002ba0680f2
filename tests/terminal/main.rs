//! The real binary in a real pseudo-terminal: what a person sees, what is in the books, what the terminal is left as.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    missing_docs,
    reason = "tests"
)]

#[path = "../support/a2a/mod.rs"]
mod a2a;
#[path = "../support/executable.rs"]
mod executable;
#[path = "../support/pictures.rs"]
mod pictures;

mod approvals;
mod around;
mod backgrounds;
mod budgets;
mod chat;
mod console;
mod crashes;
mod custom_commands;
mod delegating;
mod editing;
mod endings;
mod escapes;
mod fulldisk;
mod goals;
mod graphics;
mod half_lines;
mod home;
mod hostile;
mod images;
mod inspector;
mod instructions;
mod keeping;
mod linear;
mod mentions;
mod offers;
mod outside;
mod pointer;
mod questions;
mod races;
mod replays;
mod returning;
mod rewinding;
mod servers;
mod session_commands;
mod shells;
mod sizes;
mod start;
mod statuses;
mod storm;
mod strays;
#[path = "../support/stub_server.rs"]
mod stub_server;
mod subagents;
mod suspension;
mod switching;
mod typing;
mod undoing;
