//! Changes of a session, as lines of a story.

use countersign::ledger::{CallId, Change, Effort, MicroDollars};

/// What changed, and how it is from here on.
pub fn changed(change: &Change) -> (&'static str, String) {
    match change {
        Change::Budget { limit, to } => ("raised", format!("{} to {to}", limit.name())),
        Change::PriceAccepted { up_to } => ("accepted", format!("up to {}", MicroDollars(*up_to))),
        Change::Model { model, previous } => ("model", format!("{model} in the place of {previous}")),
        Change::Effort { effort } => ("effort", effort.map_or("the vendor's", Effort::as_str).to_owned()),
        Change::Mode { mode, resumed: false } => ("mode", mode.to_string()),
        Change::Mode { mode, resumed: true } => ("mode", format!("{mode}, in which the session goes on")),
        Change::GrantRevoked { call } => ("revoked", format!("what was granted with {}", number(*call))),
        Change::BackgroundStopped { id, .. } => ("stopped", id.clone()),
        Change::FilesRestored(done) => ("undone", format!("since {}: {}", done.since, done.words())),
        Change::GapsAccepted { gaps, call } => {
            let by = call.map(|call| format!(", at {}", number(call))).unwrap_or_default();
            ("accepted", format!("{}{by}", gaps.join("; ")))
        }
        other => (other.kind(), format!("{other:?}")),
    }
}

pub fn number(call: CallId) -> String {
    format!("#{}", call.0)
}
