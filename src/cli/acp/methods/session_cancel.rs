//! `session/cancel`: Esc. The prompt is then answered with `cancelled`, after all that its end brings.

use serde_json::Value;

/// The notification.
pub(in crate::cli::acp) const METHOD: &str = "session/cancel";
/// The notification that takes back one request, whichever it is.
pub(in crate::cli::acp) const OF_REQUEST: &str = "$/cancel_request";

/// The session that it is about.
pub(in crate::cli::acp) fn session(params: &Value) -> Option<&str> {
    params.get("sessionId")?.as_str()
}
