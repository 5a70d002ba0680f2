//! The ledger inspector alone. Not wired yet.

use super::{Invocation, args::Which, exit::Exit, fault::Fault};

/// Shows a session's ledger.
pub(super) fn run(_invocation: &Invocation, _session: &Which) -> Result<Exit, Fault> {
    Err(Fault::failed("inspect is not wired yet", ""))
}
