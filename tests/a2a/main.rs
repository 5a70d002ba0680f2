//! A2A agents as they are met: a strict one that does what its task says, one that misbehaves as it is told, one that is
//! built on the official SDK, and one of KAOS, made up and real.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests look at the world themselves"
)]

#[path = "../support/a2a/mod.rs"]
mod a2a;
mod bench;
mod broken;
mod cards;
mod endings;
mod hostile;
#[path = "../support/inner.rs"]
mod inner;
mod kaos;
mod peers;
#[path = "../support/pictures.rs"]
mod pictures;
mod tasks;
