//! Everything that waits: the driver and what is plugged into it.

mod driver;
mod operations;
mod outbox;
mod ports;

pub use driver::{Driver, DriverError, Handles, Ports};
pub use ports::{ModelPort, StorePort, ToolPort};
