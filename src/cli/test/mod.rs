//! `test`: sessions that were kept as tests, played through the program as it is now.

pub mod args;
mod junit;
mod play;
mod record;
mod run;
mod settings;
mod whole_file;

use crate::config::Flags;
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use args::{TestArgs, TestVerb};

/// Does what was asked for.
///
/// # Errors
/// A session, a test or a configuration that cannot be read.
pub(super) fn run(words: TestArgs, before: Flags, environment: Environment) -> Result<Exit, Fault> {
    match words.verb {
        TestVerb::Record { pick, output, flags } => {
            record::run(&before.then(*flags), environment, &pick, &output)
        }
        TestVerb::Run { files, junit, accept, live, flags } => {
            let flags = before.then(*flags);
            let how = run::How { junit, accept, live };
            run::run(&flags, &environment, &files, &how)
        }
    }
}
