//! A session that runs, whatever shows it: opened or resumed, with its model, tools and agents, and a gateway that does what
//! a front end asks for.

pub(crate) mod attachments;
pub(crate) mod branching;
pub(crate) mod compose;
pub(crate) mod exporting;
pub(crate) mod external;
pub(crate) mod gateway;
pub mod instructions;
pub(crate) mod model_switch;
mod notices;
pub(crate) mod other_sessions;
mod ports;
mod reports;
mod rule_keeper;
pub(crate) mod sandbox;
mod session_choice;
pub(crate) mod spending;
pub(crate) mod status_line;
pub(crate) mod telemetry;
pub(crate) mod undo;
pub(crate) mod unrecorded;

pub use session_choice::{Keeping, SessionChoice};
