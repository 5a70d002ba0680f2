//! The models that live in this program, scripted replies and the rehearsal, and the modes around any model.

mod auto_tools;
mod play;
mod rehearsal;
mod scripted;
mod string_mode;

pub use auto_tools::AutoToolMode;
pub use rehearsal::{Pace, RehearsalModel};
pub use scripted::ScriptedModel;
pub use string_mode::StringModel;
