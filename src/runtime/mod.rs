//! Everything that waits: the driver and what is plugged into it.

mod driver;
mod http;
mod operations;
mod outbox;
mod ports;

pub use driver::{Driver, DriverError, Handles, Ports};
pub use http::{HttpModel, Timeouts};
pub use ports::{ModelPort, StorePort, ToolPort};
