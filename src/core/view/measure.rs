//! What a finished call brought, in a few words.

use crate::ledger::{Summary, ToolResult};

/// `212 lines`, `4 matches in 2 files`, `+3 −1`; the number of lines when its tool says nothing better.
pub fn measure(result: &ToolResult) -> String {
    match &result.facts.summary {
        Some(Summary::Words(words)) => words.clone(),
        Some(Summary::Changed { added, removed }) => format!("+{added} −{removed}"),
        None if result.facts.is_silent => "no output".to_owned(),
        None => match result.content.lines().count() {
            1 => "1 line".to_owned(),
            n => format!("{n} lines"),
        },
    }
}

/// How a command that failed ended, and what it wrote before that was said: `exit code 2`.
pub fn exit(result: &ToolResult) -> (Option<&str>, &str) {
    let content = result.content.trim_end();
    match result.facts.ended() {
        Some(how) => (Some(how), content.strip_suffix(how).map_or(content, str::trim_end)),
        None => (None, result.content.as_str()),
    }
}
