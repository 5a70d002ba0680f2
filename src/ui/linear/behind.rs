//! A session in lines that stands behind that of a sub-agent.

use crate::ledger::CallId;

use super::approvals::Approvals;
use super::budget_stop::Stop;
use super::renderer::LinearRenderer;

/// A session that stands behind the one that is said.
#[derive(Debug)]
pub(super) struct Behind {
    /// The call that started the one before it.
    pub(super) call: CallId,
    pub(super) renderer: LinearRenderer,
    pub(super) asking: Approvals,
    pub(super) stop: Stop,
}
