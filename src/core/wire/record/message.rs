//! What the model said, and what it cost, as fields of a record.

use serde_json::{Map, Value, json};

use crate::ledger::{
    Arguments, AssistantMessage, Block, EntryId, Hosted, MicroDollars, ModelRef, Stop, Thinking, ToolUse,
    Usage,
};

use super::RecordError;
use super::fields::{Fields, put, put_value};

/// Writes the fields of `agent_response`. `blocks` is there only when thinking, then text, then calls would not
/// be the message again: thinking to be replayed, what the provider ran itself, or another order.
pub(super) fn write(record: &mut Map<String, Value>, said: &AssistantMessage) {
    let (text, thinking) = (said.text(), said.thinking());
    let calls: Vec<ToolUse> = said.calls().cloned().collect();
    put(record, json!({ "text": text }));
    if !thinking.is_empty() {
        put(record, json!({ "thinking": thinking }));
    }
    put(
        record,
        json!({
            "tool_calls": calls.iter().map(call_in_message).collect::<Vec<_>>(),
            "model": said.model.to_string(),
            "stop_reason": said.stop.as_str(),
            "interrupted": said.interrupted,
            "usage": usage(&said.usage),
        }),
    );
    let hosted: Vec<_> = said.hosted().map(hosted).collect();
    if !hosted.is_empty() {
        put(record, json!({ "hosted": hosted }));
    }
    if plain_blocks(text, thinking, calls) != said.blocks {
        put(record, json!({ "blocks": said.blocks.iter().map(block).collect::<Vec<_>>() }));
    }
}

/// Reads them back.
pub(super) fn read(fields: &Fields<'_>, id: EntryId) -> Result<AssistantMessage, RecordError> {
    let calls: Vec<ToolUse> = fields
        .list("tool_calls")?
        .iter()
        .map(|value| {
            let call = Fields::of("tool_calls", value)?;
            read_call(&call)
        })
        .collect::<Result<_, RecordError>>()?;
    let blocks = match fields.get("blocks") {
        None => plain_blocks(fields.text("text")?, fields.text_or_empty("thinking")?, calls),
        Some(_) => read_blocks(fields.list("blocks")?, calls, read_hosted(fields)?)?,
    };
    Ok(AssistantMessage {
        id,
        model: ModelRef::parse(fields.str("model")?),
        blocks,
        stop: Stop::parse(fields.str("stop_reason")?),
        usage: read_usage(&fields.object("usage")?)?,
        interrupted: fields.flag("interrupted")?,
    })
}

/// Reads one call: of `tool_call` itself, or in the list of a message.
/// Writes a call without its id, which is the record's own.
pub(super) fn write_call(record: &mut Map<String, Value>, call: &ToolUse) {
    put(record, json!({ "name": call.name }));
    put_value(record, "arguments", call.arguments.to_value());
    if !call.wire_id.is_empty() {
        put(record, json!({ "wire_id": call.wire_id }));
    }
}

/// A call as it stands in the list of its message.
fn call_in_message(call: &ToolUse) -> Value {
    let mut members = Map::new();
    members.insert("id".to_owned(), call.id.to_string().into());
    write_call(&mut members, call);
    Value::Object(members)
}

pub(super) fn read_call(fields: &Fields<'_>) -> Result<ToolUse, RecordError> {
    Ok(ToolUse {
        id: fields.call("id")?,
        wire_id: fields.text_or_empty("wire_id")?,
        name: fields.text("name")?,
        arguments: Arguments::from_value(fields.value("arguments")?),
    })
}

/// What a record without `blocks` means.
fn plain_blocks(text: String, thinking: String, calls: Vec<ToolUse>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !thinking.is_empty() {
        blocks.push(Block::Thinking(Thinking { text: thinking, replay: None }));
    }
    if !text.is_empty() {
        blocks.push(Block::Text(text.into()));
    }
    blocks.extend(calls.into_iter().map(Block::ToolUse));
    blocks
}

fn block(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({ "type": "text", "text": &**text }),
        Block::ToolUse(call) => json!({ "type": "tool_use", "id": call.id.to_string() }),
        Block::Hosted(_) => json!({ "type": "hosted" }),
        Block::Thinking(thinking) => {
            let mut members = Map::new();
            put(&mut members, json!({ "type": "thinking", "text": thinking.text }));
            if let Some(replay) = &thinking.replay {
                put_value(&mut members, "replay", replay.clone());
            }
            Value::Object(members)
        }
    }
}

fn hosted(block: &Hosted) -> Value {
    let mut members = Map::new();
    put(&mut members, json!({ "kind": block.kind, "name": block.name, "id": block.id }));
    put_value(&mut members, "value", block.value.clone());
    Value::Object(members)
}

fn read_hosted(fields: &Fields<'_>) -> Result<Vec<Hosted>, RecordError> {
    let Some(_) = fields.get("hosted") else { return Ok(Vec::new()) };
    let read = |value| {
        let fields = Fields::of("hosted", value)?;
        Ok(Hosted {
            kind: fields.text("kind")?,
            name: fields.text_or_empty("name")?,
            id: fields.text_or_empty("id")?,
            value: fields.value("value")?,
        })
    };
    fields.list("hosted")?.iter().map(read).collect()
}

/// A `tool_use` block names a call of `tool_calls`, a `hosted` block is the next of `hosted`; all in the same order.
fn read_blocks(
    values: &[Value],
    calls: Vec<ToolUse>,
    hosted: Vec<Hosted>,
) -> Result<Vec<Block>, RecordError> {
    let (mut calls, mut hosted) = (calls.into_iter(), hosted.into_iter());
    let mut blocks = Vec::new();
    for value in values {
        let fields = Fields::of("blocks", value)?;
        blocks.push(match fields.str("type")? {
            "text" => Block::Text(fields.str("text")?.into()),
            "thinking" => {
                let replay = fields.get("replay").map(|_| fields.value("replay")).transpose()?;
                Block::Thinking(Thinking { text: fields.text("text")?, replay })
            }
            "tool_use" => {
                let id = fields.call("id")?;
                let call = calls.next().filter(|call| call.id == id);
                Block::ToolUse(call.ok_or_else(|| {
                    fields.bad(
                        "id",
                        format!(
                            "{id} is not the next one in \
                        `tool_calls`"
                        ),
                    )
                })?)
            }
            "hosted" => {
                let block = hosted.next();
                Block::Hosted(block.ok_or_else(|| fields.bad("type", "is not the next one in `hosted`"))?)
            }
            other => return Err(fields.bad("type", format!("has the unknown value `{other}`"))),
        });
    }
    let left_out = match (calls.next(), hosted.next()) {
        (None, None) => return Ok(blocks),
        (Some(call), _) => format!("call {}", call.id),
        (None, Some(block)) => format!("what was hosted: {}", block.kind),
    };
    let (kind, field) = ("agent_response".to_owned(), "blocks".to_owned());
    Err(RecordError::Field { kind, field, what: format!("leaves out {left_out}") })
}

/// Token counts and cost.
pub(super) fn usage(usage: &Usage) -> Value {
    json!({
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "reasoning": usage.reasoning,
        "cost_usd": dollars(usage.cost),
        "estimated": usage.estimated,
    })
}

/// The reverse of [`usage`].
pub(super) fn read_usage(fields: &Fields<'_>) -> Result<Usage, RecordError> {
    Ok(Usage {
        input: fields.number("input")?,
        output: fields.number("output")?,
        cache_read: fields.number("cache_read")?,
        cache_write: fields.number("cache_write")?,
        reasoning: fields.number("reasoning")?,
        cost: read_dollars(fields)?,
        estimated: fields.get("estimated").is_some_and(|value| value == &Value::Bool(true)),
    })
}

/// Dollars as a decimal number; exact to the micro-dollar up to two billion dollars. Unknown is `null`.
pub(super) fn dollars(cost: Option<MicroDollars>) -> Value {
    cost.map_or(Value::Null, |micros| json!(micros.0 as f64 / 1e6))
}

pub(super) fn read_dollars(fields: &Fields<'_>) -> Result<Option<MicroDollars>, RecordError> {
    match fields.get("cost_usd") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64() {
            Some(dollars) if dollars >= 0.0 => Ok(Some(MicroDollars((dollars * 1e6).round() as u64))),
            _ => Err(fields.bad("cost_usd", "is not an amount of dollars")),
        },
    }
}
