//! The whole product without a screen: what happens is said once, in order, as lines of plain words. Nothing is drawn
//! and nothing is drawn again. Pure; `ui/run/linear.rs` has the loop.

mod always;
mod asking;
mod calls;
mod deciding;
mod expected;
mod gather;
mod moment;
mod obeying;
mod output;
pub(super) mod pages;
mod renderer;
mod replying;
mod session;
mod stopping;
mod undoing;
pub(super) mod words;

pub use session::{Act, Line, LinearSession};
