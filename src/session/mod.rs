//! A session that runs, whatever shows it: opened or resumed, with its model, tools and agents, and a gateway that does what
//! a front end asks for.

pub(crate) mod attachments;
mod background_ids;
pub(crate) mod bisect;
pub(crate) mod blame;
pub(crate) mod branching;
mod changes_report;
pub(crate) mod compose;
mod copied_folder;
pub(crate) mod decided;
pub(crate) mod exporting;
pub(crate) mod exposure;
pub(crate) mod external;
pub(crate) mod family;
pub(crate) mod file_history;
pub(crate) mod gateway;
pub mod instructions;
mod interrupted_undo;
pub(crate) mod model_switch;
mod moment;
pub(crate) mod notices;
pub(crate) mod other_sessions;
pub(crate) mod past_calls;
pub(crate) mod ports;
pub(crate) mod racing;
pub(crate) mod rehearsing;
mod reports;
pub(crate) mod rule_keeper;
pub(crate) mod sandbox;
mod session_choice;
pub(crate) mod settings;
pub(crate) mod spending;
pub(crate) mod status_line;
pub(crate) mod subagents;
pub(crate) mod telemetry;
pub(crate) mod undo;
pub(crate) mod unrecorded;
pub(crate) mod whatif;

pub use session_choice::{Keeping, SessionChoice};
