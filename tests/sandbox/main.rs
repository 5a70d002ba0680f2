//! Attacks on the sandbox, each really tried by a confined child, and before that without the sandbox: an attack that
//! fails anyway proves nothing.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stderr,
    unreachable_pub,
    reason = "tests look at the world themselves"
)]
#![cfg(target_os = "linux")]

mod covered;
#[path = "../support/executable.rs"]
mod executable;
mod files;
mod fixture;
mod hosts;
mod network;
mod page;
mod processes;
mod secrets;
mod terminal;

use countersign::runtime::sandbox::{Support, support};

#[test]
fn what_is_said_of_this_kernel_is_what_it_does() {
    match support() {
        Support::Full => {}
        Support::Partial(reasons) => {
            // The attacks that need it fail the tests below unless they are named here.
            eprintln!("not all is held here, and it is said: {reasons:?}");
            assert!(!reasons.is_empty());
        }
        Support::None(why) => {
            // Then nothing is confined, and nothing pretends to be: a command that must be is not started.
            eprintln!("no attack was tried in the sandbox, there is none: {why}");
            assert!(!why.is_empty());
        }
    }
}
