//! Changes of a session, as members of their records.

use serde_json::{Map, Value, json};

use crate::ledger::{Body, Change, Effort, FilesRestored, ForeignTool, Limit, Mode, ModelRef};

use super::RecordError;
use super::escrow;
use super::fields::{Fields, Reader, put};

pub(super) fn write(record: &mut Map<String, Value>, change: &Change) {
    let members = match change {
        Change::Budget { limit, to } => json!({ "name": limit.name(), "limit": to }),
        Change::PriceAccepted { up_to } => json!({ "up_to": up_to }),
        Change::Model { model, previous } => {
            json!({ "model": model.to_string(), "previous": previous.to_string() })
        }
        Change::Effort { effort } => json!({ "effort": effort.map(Effort::as_str) }),
        Change::Seed { seed } => json!({ "seed": seed }),
        Change::Mode { mode, resumed: false } => json!({ "mode": mode.as_str() }),
        Change::Mode { mode, resumed: true } => json!({ "mode": mode.as_str(), "resumed": true }),
        Change::GrantRevoked { call } => json!({ "call": call.to_string() }),
        Change::BackgroundStopped { id, call } => json!({ "background": id, "call": call.to_string() }),
        Change::Rewound { message, branch } => json!({ "message": message.to_string(), "branch": branch }),
        Change::Renamed { name } => json!({ "name": name }),
        Change::Tagged { added, removed } => json!({ "added": added, "removed": removed }),
        Change::Imported { from, session } => json!({ "from": from.as_str(), "session": session }),
        Change::HostOpened { host } | Change::HostClosed { host } => json!({ "host": host }),
        Change::GapsAccepted { gaps, call: None } => json!({ "gaps": gaps }),
        Change::GapsAccepted { gaps, call: Some(call) } => json!({ "call": call.to_string(), "gaps": gaps }),
        Change::GapsRefused => json!({}),
        Change::Sealed { head, signature } => json!({ "head": head, "signature": signature }),
        Change::FilesRestored(done) => json!({
            "since": done.since.to_string(),
            "restored": done.restored,
            "deleted": done.deleted,
            "left": done.left,
        }),
        Change::EscrowReserved(set_aside) => escrow::reserved(set_aside),
        Change::SubagentStarted { call } => json!({ "call": call.to_string() }),
        Change::EscrowSettled(settled) => escrow::settled(settled),
        Change::SubagentWaits { call, waits } => json!({ "call": call.to_string(), "waits": waits }),
    };
    put(record, members);
}

/// What reads a record of this type; `None`: the type is not a change.
pub(super) fn reader(kind: &str) -> Option<Reader> {
    Some(match kind {
        "budget_raised" => |f, _| raised(f).map(Body::Change),
        "price_accepted" => {
            |f, _| f.number("up_to").map(|up_to| Body::Change(Change::PriceAccepted { up_to }))
        }
        "model_changed" => |f, _| model(f).map(Body::Change),
        "effort_changed" => |f, _| effort(f).map(Body::Change),
        "seed_set" => |f, _| f.number("seed").map(|seed| Body::Change(Change::Seed { seed })),
        "mode_changed" => |f, _| mode(f).map(Body::Change),
        "grant_revoked" => |f, _| f.call("call").map(|call| Body::Change(Change::GrantRevoked { call })),
        "background_stopped" => |f, _| stopped(f).map(Body::Change),
        "rewound" => |f, _| rewound(f).map(Body::Change),
        "session_renamed" => |f, _| f.text("name").map(|name| Body::Change(Change::Renamed { name })),
        "session_tagged" => |f, _| {
            let (added, removed) = (f.texts("added")?, f.texts("removed")?);
            Ok(Body::Change(Change::Tagged { added, removed }))
        },
        "imported" => |f, _| {
            let (from, session) = (f.one_of("from", ForeignTool::parse)?, f.text("session")?);
            Ok(Body::Change(Change::Imported { from, session }))
        },
        "host_allowed" => |f, _| f.text("host").map(|host| Body::Change(Change::HostOpened { host })),
        "host_revoked" => |f, _| f.text("host").map(|host| Body::Change(Change::HostClosed { host })),
        "gaps_accepted" => |f, _| {
            let call = f.get("call").map(|_| f.call("call")).transpose()?;
            Ok(Body::Change(Change::GapsAccepted { gaps: f.texts("gaps")?, call }))
        },
        "sealed" => {
            |f, _| Ok(Body::Change(Change::Sealed { head: f.text("head")?, signature: f.text("signature")? }))
        }
        "gaps_refused" => |_, _| Ok(Body::Change(Change::GapsRefused)),
        "files_restored" => |f, _| restored(f).map(Body::Change),
        "escrow_reserved" => {
            |f, _| escrow::read_reserved(f).map(|escrow| Body::Change(Change::EscrowReserved(escrow)))
        }
        "escrow_settled" => {
            |f, _| escrow::read_settled(f).map(|settled| Body::Change(Change::EscrowSettled(settled)))
        }
        "subagent_started" => |f, _| Ok(Body::Change(Change::SubagentStarted { call: f.call("call")? })),
        "subagent_waits" => {
            |f, _| Ok(Body::Change(Change::SubagentWaits { call: f.call("call")?, waits: f.flag("waits")? }))
        }
        _ => return None,
    })
}

fn raised(fields: &Fields<'_>) -> Result<Change, RecordError> {
    let name = fields.str("name")?;
    // A limit that only another version has means nothing here: the line stays, and is reported.
    let limit =
        Limit::parse(name).ok_or_else(|| RecordError::UnknownType(format!("budget_raised of {name}")))?;
    Ok(Change::Budget { limit, to: fields.number("limit")? })
}

fn model(fields: &Fields<'_>) -> Result<Change, RecordError> {
    let read = |name| fields.str(name).map(ModelRef::parse);
    Ok(Change::Model { model: read("model")?, previous: read("previous")? })
}

fn effort(fields: &Fields<'_>) -> Result<Change, RecordError> {
    let given = fields.get("effort").filter(|level| !level.is_null());
    let unknown = |_| RecordError::UnknownType("effort_changed to an unknown level".to_owned());
    let effort = given.map(|_| Effort::parse(fields.str("effort")?).map_err(unknown)).transpose()?;
    Ok(Change::Effort { effort })
}

fn mode(fields: &Fields<'_>) -> Result<Change, RecordError> {
    let unknown = |_| RecordError::UnknownType("mode_changed to an unknown mode".to_owned());
    let mode = Mode::parse(fields.str("mode")?).map_err(unknown)?;
    Ok(Change::Mode { mode, resumed: fields.get("resumed").is_some() && fields.flag("resumed")? })
}

fn stopped(fields: &Fields<'_>) -> Result<Change, RecordError> {
    Ok(Change::BackgroundStopped { id: fields.text("background")?, call: fields.call("call")? })
}

fn rewound(fields: &Fields<'_>) -> Result<Change, RecordError> {
    Ok(Change::Rewound { message: fields.entry("message")?, branch: fields.text("branch")? })
}

fn restored(fields: &Fields<'_>) -> Result<Change, RecordError> {
    Ok(Change::FilesRestored(FilesRestored {
        since: fields.call("since")?,
        restored: fields.texts("restored")?,
        deleted: fields.texts("deleted")?,
        left: fields.texts("left")?,
    }))
}
