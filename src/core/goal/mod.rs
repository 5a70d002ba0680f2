//! Goals: what a person writes becomes one goal with an end that can be checked, or a refusal that says what is missing.

mod budget;
mod draft;
mod form;
mod questions;
mod reply;
mod vague;
pub mod words;

pub use draft::{Draft, EVERY_TURNS};
pub use form::{USAGE, read};
pub use questions::{KnownFacts, Validated, checkpoint};
pub use reply::read_reply;
