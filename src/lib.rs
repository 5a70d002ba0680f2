//! countersign: a terminal AI agent that keeps its books. It proposes; you countersign.
//!
//! The floors, lowest first. A floor imports only from those above it in this list
//! (`tests/program/architecture` holds that), so reading from the top never needs what comes later.

// 1 to 12. What decides, and never waits: a crate of its own, in `src/core`.
pub use countersign_core::{
    agent, budget, context, goal, hooks, ledger, model, policy, recorded, tool, view, wire,
};

// 13. Everything that waits.
#[expect(clippy::disallowed_methods, reason = "the impure floor: clock, files, sockets, processes")]
pub mod runtime;

// 14. The screen.
pub mod ui;

// 15. What the program is started with: files, environment, flags, models, trust.
#[expect(clippy::disallowed_methods, reason = "reads the environment and files, so that nobody below must")]
pub mod config;

// 16. A session that runs, whatever shows it.
#[expect(clippy::disallowed_methods, reason = "opens files and starts tasks, so that front ends must not")]
pub mod session;

// 17. The command line: words in, a front end or a report out.
#[expect(
    clippy::disallowed_methods,
    reason = "reads the environment, the clock and files, so that nobody below must"
)]
pub mod cli;
