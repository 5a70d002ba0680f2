//! A run without a screen. Not wired yet.

use super::{
    Invocation,
    args::Which,
    exit::Exit,
    fault::Fault,
    models::{Table, choose},
};

/// Runs one message to its ending.
pub(super) fn run(
    invocation: &Invocation,
    _prompt: Option<&str>,
    _json: bool,
    _session: Option<&Which>,
) -> Result<Exit, Fault> {
    choose(&invocation.config, &invocation.environment, &Table::embedded())?;
    Err(Fault::failed("exec is not wired yet", ""))
}
