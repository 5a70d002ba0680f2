//! Why a result stands where no tool gave one, in the words of the inspector.

use crate::ledger::{CutBy, Outcome, ToolResult, seconds};

/// What made up a result; `None` when a tool gave it.
pub fn synthetic(result: &ToolResult) -> Option<String> {
    match &result.outcome {
        Outcome::Ok | Outcome::Failed | Outcome::TimedOut => None,
        Outcome::Invalid => Some("invalid arguments; was not started".to_owned()),
        Outcome::UnknownTool => Some("unknown tool; was not started".to_owned()),
        Outcome::Denied(by) => Some(format!("denied by {}; was not started", by.as_str())),
        Outcome::Aborted(abort) => {
            let state = abort.ran_ms.map_or_else(
                || "was not started".to_owned(),
                |ms| format!("was running for {}; {}", seconds(ms), abort.reach().words()),
            );
            Some(format!("{}, path {}: {state}", cut_by(abort.by), abort.path.as_str()))
        }
        Outcome::Lost { started: true } => Some("the outcome is unknown; effects may be partial".to_owned()),
        Outcome::Lost { started: false } => {
            Some("the process ended before it was allowed; was not started".to_owned())
        }
    }
}

/// Who cut it short.
fn cut_by(by: CutBy) -> &'static str {
    match by {
        CutBy::User => "Esc",
        CutBy::WallTime => "wall-time budget",
        CutBy::Approval => "stopped for an approval",
        CutBy::SessionEnd => "end of the session",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Abort, AbortPath, CallId, Facts, aborted_text};

    #[test]
    fn a_synthetic_result_says_its_path() {
        for (by, ran_ms, says) in [
            (CutBy::User, Some(3_200), "Esc, path C: was running for 3.2 s; effects may be partial"),
            (CutBy::User, None, "Esc, path C: was not started"),
            (CutBy::WallTime, None, "wall-time budget, path C: was not started"),
            (CutBy::Approval, None, "stopped for an approval, path C: was not started"),
            (CutBy::SessionEnd, None, "end of the session, path C: was not started"),
        ] {
            let abort = Abort { path: AbortPath::C, ran_ms, by, within: None };
            let (name, content, facts) = (String::new(), aborted_text(abort), Facts::default());
            let outcome = Outcome::Aborted(abort);
            let (call, images) = (CallId(1), Vec::new());
            let (written, duration_ms, cut_chars) = (None, 0, 0);
            let result =
                ToolResult { call, name, outcome, content, written, duration_ms, cut_chars, facts, images };
            assert_eq!(synthetic(&result).as_deref(), Some(says));
        }
    }
}
