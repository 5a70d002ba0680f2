//! Everything that waits: the driver and what is plugged into it.

mod models;
mod ports;
#[expect(clippy::disallowed_methods, reason = "session files are read and written here")]
pub mod store;

pub use models::{Pace, RehearsalModel, ScriptedModel, ToolMode};
pub use ports::{ModelPort, StorePort, ToolPort};
pub use store::SessionStore;
