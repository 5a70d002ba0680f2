//! The members that stand in the hash of a line as they are, by the type of the line. What else stands there,
//! no program of ours has written: nobody knows what it says, and it cannot be left out.

use super::chain::is_content;
use super::decode::is_known;

/// Members of every record, and those of the chain that the hash covers.
const COMMON: [&str; 6] = ["type", "entry", "at", "id", "prev", "sealed"];

/// The first of these members, which stand before the hash of a line of this type, that is not known here.
pub(super) fn unknown<'m>(kind: &str, mut names: impl Iterator<Item = &'m str>) -> Option<&'m str> {
    let (known, has_contents) = (of(kind), is_known(kind));
    names.find(|name| {
        !(COMMON.contains(name) || known.contains(name) || has_contents && is_content(kind, name))
    })
}

/// Content fields that programs before November 27, 2026, wrote into the record itself.
pub(super) fn was_plain(kind: &str, name: &str) -> bool {
    match kind {
        "approval" => matches!(name, "digest" | "key"),
        "error" => name == "next",
        "note" | "delegation_response" => name == "task_id",
        "host_allowed" | "host_revoked" => name == "host",
        _ => false,
    }
}

/// Those of a type beside [`COMMON`]; of one that is not known, none.
fn of(kind: &str) -> &'static [&'static str] {
    match kind {
        "session_started" => &[
            "session",
            "cwd",
            "model",
            "version",
            "app",
            "mode",
            "forked_from",
            "imported_from",
            "imported_to",
            "copied_from",
        ],
        "user_message" => &["pastes"],
        "injected" => &["by", "pastes"],
        "agent_response" => &["model", "stop_reason", "interrupted", "usage"],
        "tool_call" | "call_edited" => &["name", "wire_id", "by", "arguments_as_text"],
        "approval_request" => {
            &["name", "arguments_as_text", "risk", "effects", "sandbox", "partial", "usual", "replaces"]
        }
        "approval" => &["decision", "scope", "by", "cwd", "scope_before_import"],
        "delegation_request" => &["agent"],
        "delegation_response" => &["agent", "is_error", "state"],
        "tool_result" => &[
            "name",
            "is_error",
            "outcome",
            "duration_ms",
            "cut_chars",
            "elsewhere",
            "denied_by",
            "abort",
            "started",
        ],
        "tombstone" => &["target"],
        "compaction" => &["trigger", "tokens_before", "tokens_after", "replaces_to", "model", "usage"],
        "transition" => &["turn", "reason"],
        "note" => NOTE,
        "turn_ended" => &[
            "status",
            "reason",
            "completed",
            "next_safe_action",
            "turns",
            "usage",
            "cost_usd",
            "wall_ms",
            "not_ok",
            "hosted_tools",
            "by",
        ],
        "goal" => &["budget", "checkpoints"],
        "goal_checkpoint" => &["number"],
        "goal_progress" => &["checkpoint", "objective_valid", "done"],
        _ => of_change(kind),
    }
}

/// Of notes of all kinds.
const NOTE: &[&str] = &[
    "about",
    "kind",
    "attempt",
    "background",
    "class",
    "retry_after_ms",
    "window",
    "prompt",
    "most_output",
    "cached",
    "fresh",
    "answer_least",
    "answer_most",
    "limit",
    "again",
    "lesson",
];

fn of_change(kind: &str) -> &'static [&'static str] {
    match kind {
        "budget_raised" => &["name", "limit"],
        "price_accepted" => &["up_to"],
        "model_changed" => &["model", "previous"],
        "effort_changed" => &["effort"],
        "seed_set" => &["seed"],
        "mode_changed" => &["mode", "resumed"],
        "grant_revoked" | "subagent_started" | "gaps_accepted" => &["call"],
        "background_stopped" => &["background", "call"],
        "rewound" => &["message", "branch"],
        "imported" => &["from", "session"],
        "sealed" => &["head", "signature"],
        "files_restored" => &["since"],
        "escrow_reserved" => &["call", "limits", "parallel", "in_background", "session", "waits"],
        "escrow_settled" => &["call", "spent", "is_assumed", "state"],
        "subagent_waits" => &["call", "waits"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_named_and_contents_are_known_only_with_their_type() {
        let first = |kind: &str, names: &[&'static str]| unknown(kind, names.iter().copied());
        assert_eq!(first("tool_result", &["type", "outcome", "content", "foo", "bar"]), Some("foo"));
        assert_eq!(first("user_message", &["type", "cwd"]), Some("cwd"), "that is a member of another type");
        assert_eq!(first("constellation", &["type", "content"]), Some("content"));
        assert_eq!(first("sealed", &["type", "head", "signature", "prev"]), None);
    }
}
