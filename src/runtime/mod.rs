//! Everything that waits: the driver and what is plugged into it.

mod http;
mod ports;

pub use http::{HttpModel, Timeouts};
pub use ports::{ModelPort, StorePort, ToolPort};
