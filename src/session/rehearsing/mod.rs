//! Past sessions, played again: with today's rules, limits, hooks and prompts, without a model, a tool or a network.

mod test_file;
mod today;

pub(crate) use test_file::RecordedTest;
pub(crate) use today::{LiveModel, RulesOf, Today, played};
