//! Everything that waits: the driver and what is plugged into it.

mod ports;
#[expect(clippy::disallowed_methods, reason = "session files are read and written here")]
pub mod store;

pub use ports::{ModelPort, StorePort, ToolPort};
pub use store::SessionStore;
