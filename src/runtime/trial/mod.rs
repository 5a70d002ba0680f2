//! A copy of a folder in which commands are tried, so that nothing happens to the folder itself.

mod attempt;
mod copy;
mod links;
mod repository;

pub use attempt::{Attempt, Trial};
pub use copy::TrialFolder;
