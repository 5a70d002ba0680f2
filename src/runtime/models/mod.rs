//! The models that live in this program: scripted replies and the rehearsal.

mod play;
mod rehearsal;
mod scripted;

pub use rehearsal::{Pace, RehearsalModel};
pub use scripted::{ScriptedModel, ToolMode};
