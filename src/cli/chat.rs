//! The terminal app. Not wired yet.

use super::{
    Invocation,
    args::Which,
    exit::Exit,
    fault::Fault,
    models::{Table, choose},
};

/// Opens the app, with a first message or in an earlier session.
pub(super) fn run(
    invocation: &Invocation,
    _prompt: Option<&str>,
    _session: Option<&Which>,
) -> Result<Exit, Fault> {
    choose(&invocation.config, &invocation.environment, &Table::embedded())?;
    Err(Fault::failed("the app is not wired yet", ""))
}
