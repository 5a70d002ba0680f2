//! `policy`: what the rules would do with a line, with past calls, or with the cases of a file. Nothing is run or written.

pub mod args;
mod assert;
mod bench;
mod explain;
mod redecider;
mod suggest;
mod test;

use std::path::Path;

use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use args::{PolicyArgs, PolicyVerb};
use bench::PolicyBench;

/// Does what was asked for.
///
/// # Errors
/// A configuration, a rule or a file that cannot be read.
pub(super) fn run(words: &PolicyArgs, cd: Option<&Path>, environment: &Environment) -> Result<Exit, Fault> {
    let cwd = super::folder(words.cd.as_deref().or(cd))?;
    let bench = PolicyBench { cwd, environment };
    match &words.verb {
        PolicyVerb::Explain { line, tool, rules, json } => explain::run(&bench, line, tool, rules, *json),
        PolicyVerb::Test { over, rules, json } => test::run(&bench, *over, rules, *json),
        PolicyVerb::Suggest { over, least } => suggest::run(&bench, *over, *least),
        PolicyVerb::Assert { file, rules } => assert::run(&bench, file, rules),
    }
}
