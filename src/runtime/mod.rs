//! Everything that waits: the driver and what is plugged into it.

mod ports;

pub use ports::{ModelPort, StorePort, ToolPort};
