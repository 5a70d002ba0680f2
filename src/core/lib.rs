//! The books and the loop of countersign: everything that decides, and nothing that waits. No clock, no file, no socket,
//! no task: none of the crates below could open one.
//!
//! The floors, lowest first. A floor imports only from those above it in this list
//! (`tests/program/architecture` holds that), so reading from the top never needs what comes later.

// 1. What was said and done: append-only, well-formed by construction.
pub mod ledger;

// 2. What a model is: requests, stream events, failures.
pub mod model;

// 3. What a tool is: its schema, its effect, its bounded output.
pub mod tool;

// 4. May it happen: modes, rules, approvals.
pub mod policy;

// 5. May it go on: the ten budgets, metered from the ledger.
pub mod budget;

// 6. Who else may speak: hooks, which tighten and never loosen.
pub mod hooks;

// 7. What is to be achieved, and how its end is known.
pub mod goal;

// 8. What the model is shown.
pub mod context;

// 9. The loop, as a pure state machine.
pub mod agent;

// 10. A session's past, played again through the loop.
pub mod recorded;

// 11. Other people's formats, bytes only.
pub mod wire;

// 12. What is to be seen: events folded into a view.
pub mod view;
