//! Everything that waits: the driver and what is plugged into it.

mod ports;
#[expect(clippy::disallowed_methods, reason = "processes, threads and their waits")]
mod process;
#[expect(clippy::disallowed_methods, reason = "files, processes and the clock")]
mod tools;

pub use ports::{ModelPort, StorePort, ToolPort};
pub use process::Groups;
pub use tools::{LocalTools, tool_specs};
