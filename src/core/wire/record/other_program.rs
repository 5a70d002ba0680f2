//! Where the part of a session ends that came with an import from another program.

use std::sync::Arc;

use crate::ledger::{Body, Change, Ending, Entry, EntryId};

/// The last entry that came with an import from another program. Its second line says that it is one; where
/// it ends nobody knows while it is written, and what follows shows it: something that only this program
/// writes.
pub(super) fn foreign_to(entries: &[Arc<Entry>]) -> Option<EntryId> {
    let is_import = |entry: &Arc<Entry>| matches!(entry.body, Body::Change(Change::Imported { .. }));
    entries.iter().any(is_import).then_some(())?;
    let own = entries.iter().position(|entry| !can_be_foreign(&entry.body));
    let (before, after) = entries.split_at(own.unwrap_or(entries.len()));
    // A message about which a model is asked at once was said here, and so was a command that is run at once.
    let is_from_here = |entry: &Arc<Entry>| matches!(entry.body, Body::Transition { .. } | Body::Command(_));
    let is_asked = after.first().is_some_and(is_from_here);
    let before = match before {
        [came @ .., said] if is_asked && matches!(said.body, Body::User(_)) => came,
        all => all,
    };
    before.last().map(|entry| entry.id)
}

/// Whether an import from another program can have it.
fn can_be_foreign(body: &Body) -> bool {
    match body {
        Body::ToolResult(result) => result.facts.is_elsewhere,
        // An import ends as completed, or says nothing of its end. What is written when it goes on is ours.
        Body::TurnEnded(ended) => ended.reason == Ending::Completed,
        other => matches!(
            other,
            Body::SessionStarted(_)
                | Body::User(_)
                | Body::Assistant(_)
                | Body::ToolCall(_)
                | Body::Compaction(_)
                | Body::Change(Change::Imported { .. } | Change::Renamed { .. })
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{
        Arguments, CallId, ForeignTool, Millis, ToolUse, Transition, TurnEnded, Usage, UserMessage,
    };

    fn entries(bodies: Vec<Body>) -> Vec<Arc<Entry>> {
        let entry = |(id, body)| Arc::new(Entry { id: EntryId(id), at: Millis(id), body });
        (1..).zip(bodies).map(entry).collect()
    }

    fn ended(reason: Ending) -> Body {
        Body::TurnEnded(TurnEnded {
            reason,
            turns: 0,
            tool_calls: 0,
            hosted_tools: 0,
            usage: Usage::default(),
            wall_ms: 0,
            text: "".into(),
            not_ok: Vec::new(),
            next_safe_action: String::new(),
            cut_by: None,
        })
    }

    #[test]
    fn the_end_that_is_written_when_an_import_goes_on_is_no_part_of_it() {
        let said = || Body::User(Arc::new(UserMessage::text("look")));
        let import = || Body::Change(Change::Imported { from: ForeignTool::Codex, session: String::new() });
        let all = |reason| entries(vec![import(), said(), ended(reason), said()]);
        assert_eq!(foreign_to(&all(Ending::AbortedTools)), Some(EntryId(2)));
        assert_eq!(foreign_to(&all(Ending::AbortedStreaming)), Some(EntryId(2)));
        assert_eq!(foreign_to(&all(Ending::Completed)), Some(EntryId(4)), "it is as the importer writes it");
    }

    #[test]
    fn an_import_ends_where_a_model_is_asked_here() {
        let said = || Body::User(Arc::new(UserMessage::text("look")));
        let import = || Body::Change(Change::Imported { from: ForeignTool::Claude, session: String::new() });
        let asked = || Body::Transition { turn: 1, reason: Transition::Submitted };
        assert_eq!(foreign_to(&entries(vec![import(), said()])), Some(EntryId(2)));
        assert_eq!(foreign_to(&entries(vec![import(), said(), said(), asked()])), Some(EntryId(2)));
        let sealed = Body::Change(Change::Sealed { head: "0".repeat(64), signature: "signature".to_owned() });
        assert_eq!(foreign_to(&entries(vec![import(), said(), sealed])), Some(EntryId(2)));
        let call = ToolUse {
            id: CallId(1),
            wire_id: String::new(),
            name: "shell".to_owned(),
            arguments: Arguments::from_value(serde_json::json!({ "command": "ls" })),
        };
        let run = Body::Command(call);
        assert_eq!(foreign_to(&entries(vec![import(), said(), said(), run])), Some(EntryId(2)));
        assert_eq!(foreign_to(&entries(vec![said(), asked()])), None, "it is no import");
    }
}
