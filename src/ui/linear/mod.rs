//! The whole product without a screen: what happens is said once, in order, as lines of plain words. Nothing is drawn
//! and nothing is drawn again. Pure; `ui/run/linear.rs` has the loop.

mod approvals;
mod asked_words;
mod awaited;
mod behind;
mod below;
mod budget_stop;
mod call_numbers;
mod calls;
mod commands;
mod deciding;
mod decisions;
mod kept;
mod line;
mod lineage;
mod moment;
mod multiline;
mod offered_undo;
mod output;
mod pages;
mod pasted;
mod renderer;
mod replying;
mod retry;
mod rewind_step;
mod said_call;
mod said_message;
mod session;
mod session_rule;
mod several_lines;
mod undo;
mod waiting;
mod word;
pub(super) mod words;

pub use line::{Echo, Line};
pub use session::{LinearEffect, LinearSession};
