//! What is set aside for sub-agents, as members of records.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::ledger::{Escrow, EscrowSettlement, Limit, Spent, TaskState};

use super::RecordError;
use super::fields::Fields;
use super::message;

pub(super) fn reserved(escrow: &Escrow) -> Value {
    let limits: Map<String, Value> =
        escrow.limits.iter().map(|(limit, most)| (limit.name().to_owned(), json!(most))).collect();
    let mut members = json!({
        "call": escrow.call.to_string(),
        "limits": limits,
        "parallel": escrow.parallel,
        "in_background": escrow.in_background,
    });
    if let Value::Object(members) = &mut members {
        if !escrow.is_elsewhere() {
            members.insert("session".to_owned(), json!(escrow.session));
        }
        if escrow.waits {
            members.insert("waits".to_owned(), json!(true));
        }
    }
    members
}

pub(super) fn read_reserved(fields: &Fields<'_>) -> Result<Escrow, RecordError> {
    let mut limits = BTreeMap::new();
    let set_aside = fields.object("limits")?;
    for limit in Limit::ALL.iter().copied().filter(|limit| set_aside.get(limit.name()).is_some()) {
        limits.insert(limit, set_aside.number(limit.name())?);
    }
    Ok(Escrow {
        call: fields.call("call")?,
        session: fields.get("session").map(|_| fields.text("session")).transpose()?.unwrap_or_default(),
        limits,
        parallel: fields.number("parallel")?,
        in_background: fields.flag("in_background")?,
        waits: fields.get("waits").is_some() && fields.flag("waits")?,
    })
}

pub(super) fn settled(settled: &EscrowSettlement) -> Value {
    let mut members = json!({
        "call": settled.call.to_string(),
        "spent": {
            "turns": settled.spent.turns,
            "tool_calls": settled.spent.tool_calls,
            "wall_ms": settled.spent.wall_ms,
            "usage": message::usage(&settled.spent.usage),
        },
        "is_assumed": settled.is_assumed,
        "state": settled.state.as_str(),
    });
    if let (Some(answer), Value::Object(members)) = (&settled.answer, &mut members) {
        members.insert("answer".to_owned(), json!(answer));
    }
    members
}

pub(super) fn read_settled(fields: &Fields<'_>) -> Result<EscrowSettlement, RecordError> {
    let spent = fields.object("spent")?;
    Ok(EscrowSettlement {
        call: fields.call("call")?,
        spent: Spent {
            turns: spent.number("turns")?,
            tool_calls: spent.number("tool_calls")?,
            wall_ms: spent.number("wall_ms")?,
            usage: message::read_usage(&spent.object("usage")?)?,
        },
        is_assumed: fields.flag("is_assumed")?,
        state: fields.one_of("state", TaskState::parse)?,
        answer: fields.get("answer").map(|_| fields.text("answer")).transpose()?,
    })
}
