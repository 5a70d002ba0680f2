//! What a call is about, in one line: where it was asked about, with the path that is used.

use super::{Panel, summary};

/// One line for a call: [`summary`] of its arguments, the path as it is used where that is known. Not yet safe for a screen.
pub fn subject(panel: &Panel) -> String {
    match panel.request() {
        Some((_, request)) if request.leads_to.is_some() => summary(&request.used()),
        _ => panel.arguments().map(summary).unwrap_or_default(),
    }
}
