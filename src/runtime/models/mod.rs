//! The models that live in this program, scripted replies and the rehearsal, and the modes around any model.

mod auto_tools;
mod play;
mod rehearsal;
mod scripted;
mod string_mode;
mod tool_mode;

pub use auto_tools::{AutoToolMode, RunningMode};
pub use rehearsal::{Pace, RehearsalModel};
pub use scripted::ScriptedModel;
pub use string_mode::StringModel;
pub use tool_mode::ToolMode;
