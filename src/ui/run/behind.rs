//! A session that stands behind the one of a sub-agent.

use crate::ledger::CallId;
use crate::ui::local::Local;
use crate::ui::panes::Layouts;
use crate::view::View;

/// A session that stands behind the one that is shown.
pub(super) struct Behind {
    /// The call that started the one before it.
    pub(super) call: CallId,
    /// Whether that one worked in an earlier process, and is only read.
    pub(super) is_past: bool,
    pub(super) view: View,
    pub(super) local: Local,
    pub(super) layouts: Layouts,
}
