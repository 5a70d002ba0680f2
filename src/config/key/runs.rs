//! The keys of `[loop]`: how a run goes.

use super::{KeyRow, KeyValue, Owner, Tightens};
use crate::agent::FinalResponse;
use crate::config::ToolCalling;
use crate::config::spelling::quoted;

pub(super) static ROWS: &[KeyRow] = &[
    KeyRow::new(
        "loop.tool_timeout_seconds",
        KeyValue::count(
            1,
            86_400,
            |config| Some(config.tool_timeout_ms / 1000),
            |config, seconds| config.tool_timeout_ms = seconds * 1000,
        ),
        Tightens::Lower,
        Owner::Trusted,
    ),
    KeyRow::new(
        "loop.parallel_tool_execution",
        KeyValue::switch(|config| config.parallel, |config, on| config.parallel = on),
        Tightens::Lower,
        Owner::Trusted,
    ),
    KeyRow::new(
        "loop.final_response",
        KeyValue::letters(
            |config| {
                Some(quoted(match config.final_response {
                    FinalResponse::SameCall => "same_call",
                    FinalResponse::Separate => "separate",
                }))
            },
            |config, setting| {
                config.final_response = final_response(setting.value.text()?)?;
                Ok(())
            },
        ),
        Tightens::If(|_, after| after.final_response == FinalResponse::SameCall),
        Owner::Trusted,
    ),
    KeyRow::new(
        "loop.max_consecutive_failures",
        KeyValue::count(
            1,
            10_000,
            |config| Some(u64::from(config.max_consecutive_failures)),
            |config, turns| config.max_consecutive_failures = u32::try_from(turns).unwrap_or(u32::MAX),
        ),
        Tightens::Lower,
        Owner::Trusted,
    ),
    KeyRow::new(
        "agents.max_parallel",
        KeyValue::count(
            0,
            64,
            |config| Some(config.subagents.most_at_once),
            |config, most| config.subagents.most_at_once = most,
        ),
        Tightens::Lower,
        Owner::Trusted,
    ),
    KeyRow::new(
        "loop.max_answer_bytes",
        KeyValue::count(
            10_000,
            1 << 30,
            |config| Some(config.answer.bytes),
            |config, bytes| config.answer.bytes = bytes,
        ),
        Tightens::Lower,
        Owner::Trusted,
    ),
    KeyRow::new(
        "loop.max_argument_bytes",
        KeyValue::count(
            10_000,
            1 << 30,
            |config| Some(config.answer.argument_bytes),
            |config, bytes| config.answer.argument_bytes = bytes,
        ),
        Tightens::Lower,
        Owner::Trusted,
    ),
    KeyRow::new(
        "loop.max_calls_per_answer",
        KeyValue::count(
            1,
            10_000,
            |config| Some(config.answer.calls),
            |config, calls| config.answer.calls = calls,
        ),
        Tightens::Lower,
        Owner::Trusted,
    ),
    KeyRow::new(
        "loop.compact_at_percent",
        KeyValue::count(
            1,
            100,
            |config| Some(config.compact_at_percent),
            |config, percent| config.compact_at_percent = percent,
        ),
        Tightens::Never,
        Owner::Trusted,
    ),
    KeyRow::new(
        "loop.tools",
        KeyValue::letters(
            |config| Some(quoted(config.tools.as_str())),
            |config, setting| {
                config.tools = tool_calling(setting.value.text()?)?;
                Ok(())
            },
        ),
        Tightens::Always,
        Owner::Trusted,
    ),
];

fn final_response(text: &str) -> Result<FinalResponse, String> {
    match text {
        "same_call" => Ok(FinalResponse::SameCall),
        "separate" => Ok(FinalResponse::Separate),
        other => Err(format!("must be \"same_call\" or \"separate\", not {other:?}")),
    }
}

fn tool_calling(text: &str) -> Result<ToolCalling, String> {
    match text {
        "auto" => Ok(ToolCalling::Auto),
        "native" => Ok(ToolCalling::Native),
        "string" => Ok(ToolCalling::String),
        other => Err(format!("must be \"native\", \"string\" or \"auto\", not {other:?}")),
    }
}
