//! What a line of a session says about spending, read without understanding the rest of the line.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::file::before_contents;
use super::time;
use crate::ledger::{CallId, EntryId, MicroDollars, Millis, Usage};

/// How the lines begin that say something: the type comes first in what we write.
const KINDS: [&[u8]; 7] = [
    br#"{"type":"agent_response""#,
    br#"{"type":"compaction""#,
    br#"{"type":"tool_result""#,
    br#"{"type":"tombstone""#,
    br#"{"type":"transition""#,
    br#"{"type":"error""#,
    br#"{"type":"escrow_settled""#,
];

/// What a line says, and when it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct SpentLine {
    /// The entry.
    pub entry: EntryId,
    /// When.
    pub at: Millis,
    /// What.
    pub what: SpentWhat,
}

/// What was spent, or is known of what was spent before.
#[derive(Debug, Clone, PartialEq)]
pub enum SpentWhat {
    /// An answer or a summary of this model.
    Answer {
        /// The model.
        model: String,
        /// Its tokens, and what they cost.
        usage: Usage,
    },
    /// An answer was withdrawn: this entry.
    Withdrawn(EntryId),
    /// Nobody knows what a task has spent that was given away, so all that was set aside for it is charged.
    Assumed {
        /// The call that gave it away.
        call: CallId,
        /// What is charged.
        usage: Usage,
    },
    /// A tool ended; whether it worked.
    Tool {
        /// Its name.
        name: String,
        /// Whether its outcome is an error.
        failed: bool,
    },
    /// A model call was tried again.
    Retry,
    /// An error stopped something.
    Error,
}

#[derive(Deserialize)]
struct Members {
    #[serde(rename = "type")]
    kind: String,
    entry: String,
    at: Value,
    model: Option<String>,
    usage: Option<Spending>,
    target: Option<String>,
    name: Option<String>,
    #[serde(default)]
    is_error: bool,
    outcome: Option<String>,
    reason: Option<String>,
    call: Option<String>,
    spent: Option<Charged>,
    #[serde(default)]
    is_assumed: bool,
}

#[derive(Deserialize)]
struct Charged {
    usage: Spending,
}

#[derive(Deserialize)]
struct Spending {
    input: u64,
    output: u64,
    #[serde(default)]
    cache_read: u64,
    #[serde(default)]
    cache_write: u64,
    #[serde(default)]
    reasoning: u64,
    cost_usd: Option<f64>,
    #[serde(default)]
    estimated: bool,
}

impl SpentLine {
    /// Understands a line if it is about spending. Most lines are told apart by how they begin.
    pub fn of(line: &[u8]) -> Option<Self> {
        // A line that others have written may name its type later.
        let is_ours = line.starts_with(br#"{"type":""#);
        if is_ours && !KINDS.iter().any(|kind| line.starts_with(kind)) {
            return None;
        }
        let line: Members = members(line)?;
        let what = match line.kind.as_str() {
            "agent_response" | "compaction" => {
                SpentWhat::Answer { model: line.model?, usage: line.usage?.into_usage() }
            }
            "tombstone" => SpentWhat::Withdrawn(EntryId::parse(&line.target?)?),
            "tool_result" => {
                // What was denied was not started, so it did not fail.
                let failed = line.is_error && line.outcome.as_deref() != Some("denied");
                SpentWhat::Tool { name: line.name?, failed }
            }
            "transition" if line.reason.as_deref() == Some("transient_retry") => SpentWhat::Retry,
            "error" => SpentWhat::Error,
            "escrow_settled" if line.is_assumed => SpentWhat::Assumed {
                call: CallId::parse(&line.call?)?,
                usage: line.spent?.usage.into_usage(),
            },
            _ => return None,
        };
        Some(Self { entry: EntryId::parse(&line.entry)?, at: time::from_value(&line.at)?, what })
    }
}

/// Reads members of a line. None of them is a content: in a line with a hash, those that stand before it are looked at, and not the texts
/// behind it, which are most of a session. One that was not written to its end says nothing.
fn members<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    let head = before_contents(line).filter(|_| line.ends_with(b"\n"));
    let read = head.and_then(|head| serde_json::from_slice(&head).ok());
    read.or_else(|| serde_json::from_slice(line).ok())
}

impl Spending {
    fn into_usage(self) -> Usage {
        let micros = |dollars: f64| MicroDollars((dollars * 1e6).round() as u64);
        Usage {
            input: self.input,
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            reasoning: self.reasoning,
            cost: self.cost_usd.filter(|dollars| *dollars >= 0.0).map(micros),
            estimated: self.estimated,
        }
    }
}

/// The last entry of this session that belongs to the one it was forked from, if its first line says that it is a fork.
pub fn inherited_to(first_line: &[u8]) -> Option<EntryId> {
    #[derive(Deserialize)]
    struct Fork {
        forked_from: Option<String>,
    }
    let fork: Fork = members(first_line)?;
    EntryId::parse(fork.forked_from?.rsplit_once('@')?.1)
}

/// The session that this one is an import of, and the last entry that came with it, if its first line says so: what is said of
/// an import whose id was taken.
pub fn imported_from(first_line: &[u8]) -> Option<(String, EntryId)> {
    #[derive(Deserialize)]
    struct Import {
        imported_from: Option<String>,
        imported_to: Option<String>,
    }
    let import: Import = members(first_line)?;
    Some((import.imported_from?, EntryId::parse(&import.imported_to?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = r#""entry":"e3","at":"2026-11-20T22:54:01.120Z","id":"e3""#;

    fn of(kind: &str, rest: &str) -> Option<SpentWhat> {
        let line = format!(r#"{{"type":"{kind}",{AT},{rest}}}"#);
        let elsewhere = format!(r#"{{{AT},{rest},"type":"{kind}"}}"#);
        let found = SpentLine::of(line.as_bytes());
        assert_eq!(found, SpentLine::of(elsewhere.as_bytes()), "the order of the members says nothing");
        found.map(|line| line.what)
    }

    #[test]
    fn answers_calls_and_errors_are_found_and_nothing_else() {
        let usage = r#""usage":{"input":10,"output":2,"cost_usd":0.5}"#;
        let cost = Some(MicroDollars(500_000));
        let usage_read = Usage { input: 10, output: 2, cost, ..Usage::default() };
        for kind in ["agent_response", "compaction"] {
            let found = of(kind, &format!(r#""text":"tool_result","model":"a/b",{usage}"#));
            assert_eq!(found, Some(SpentWhat::Answer { model: "a/b".to_owned(), usage: usage_read }));
        }
        assert_eq!(of("tombstone", r#""target":"e2""#), Some(SpentWhat::Withdrawn(EntryId(2))));
        let denied = r#""name":"edit","is_error":true,"outcome":"denied""#;
        let is_none = SpentWhat::Tool { name: "edit".to_owned(), failed: false };
        assert_eq!(of("tool_result", denied), Some(is_none));
        let failed = SpentWhat::Tool { name: "edit".to_owned(), failed: true };
        assert_eq!(of("tool_result", r#""name":"edit","is_error":true"#), Some(failed));
        assert_eq!(of("transition", r#""reason":"transient_retry""#), Some(SpentWhat::Retry));
        assert_eq!(of("transition", r#""reason":"next_turn""#), None);
        assert_eq!(of("user_message", r#""content":"agent_response""#), None);
        let absurd = r#""model":"a/b","usage":{"input":1,"output":1,"cost_usd":-1}"#;
        assert!(
            matches!(of("agent_response", absurd), Some(SpentWhat::Answer { usage, .. }) if usage.cost.is_none())
        );
        let charged = r#""call":"c7","spent":{"turns":1,"usage":{"input":10,"output":2,"cost_usd":0.5}}"#;
        let is_assumed = SpentWhat::Assumed { call: CallId(7), usage: usage_read };
        assert_eq!(of("escrow_settled", &format!(r#"{charged},"is_assumed":true"#)), Some(is_assumed));
        assert_eq!(of("escrow_settled", &format!(r#"{charged},"is_assumed":false"#)), None);
        assert_eq!(SpentLine::of(b"not JSON"), None);
    }

    #[test]
    fn the_texts_of_a_line_with_a_hash_are_not_looked_at_and_a_torn_line_says_nothing() {
        let line = |end: &str| {
            format!(
                r#"{{"type":"tool_result",{AT},"name":"edit","is_error":true,"prev":"0","sealed":{{"content":"1"}},"hash":"2","salts":{{"content":"3"}},"content":"{end}"#
            )
        };
        let of = |line: String| SpentLine::of(line.as_bytes()).map(|line| line.what);
        let failed = Some(SpentWhat::Tool { name: "edit".to_owned(), failed: true });
        assert_eq!(of(line("a text\"}\n")), failed);
        assert_eq!(of(line("not \\x JSON\"}\n")), failed, "nobody has read it");
        assert_eq!(of(line("a text\"}")), failed, "it is whole, though its newline is missing");
        for torn in ["", "a {text}", "a {text"] {
            assert_eq!(of(line(torn)), None, "{torn}");
        }
    }

    #[test]
    fn a_fork_names_what_it_inherited() {
        assert_eq!(
            inherited_to(br#"{"type":"session_started","forked_from":"0199@e14"}"#),
            Some(EntryId(14))
        );
        assert_eq!(inherited_to(br#"{"type":"session_started"}"#), None);
    }

    #[test]
    fn an_import_names_what_it_is_of() {
        let whole = br#"{"type":"session_started","imported_from":"0199","imported_to":"e14"}"#;
        assert_eq!(imported_from(whole), Some(("0199".to_owned(), EntryId(14))));
        assert_eq!(imported_from(br#"{"type":"session_started","imported_to":"e14"}"#), None);
    }
}
