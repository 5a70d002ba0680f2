//! The loop as a pure state machine: one input in, a list of effects out. No clock, no I/O, no await.

mod effect;
mod event;
mod input;
mod settings;

pub use effect::{Effect, Operation};
pub use event::{Event, Live};
pub use input::{Answer, Input, Intent, TimerId};
pub use settings::{Attendance, Settings};
