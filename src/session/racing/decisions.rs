//! What people decided about the lanes of a race: their calls, and which result was taken.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ledger::{Arguments, Body, Change, Decider, Entry, Outcome, Reach, ToolUse};
use crate::session::subagents::LaneTerms;
use crate::tool::name::ADOPT;

/// Decisions about the calls of a lane: allowed by a person, and denied.
pub(super) fn decided(own: &[Arc<Entry>]) -> (u64, u64) {
    let decisions = || {
        own.iter().filter_map(|entry| {
            if let Body::ApprovalDecided(decision) = &entry.body { Some(decision) } else { None }
        })
    };
    let allowed = decisions().filter(|decision| decision.allow && decision.by == Decider::User).count();
    (allowed as u64, decisions().filter(|decision| !decision.allow).count() as u64)
}

/// Whether a call of a lane waits for a person.
pub(super) fn asks(own: &[Arc<Entry>]) -> bool {
    let mut waiting = BTreeSet::new();
    for entry in own {
        match &entry.body {
            Body::ApprovalRequested(asked) => drop(waiting.insert(asked.call)),
            Body::ApprovalDecided(decision) => drop(waiting.remove(&decision.call)),
            Body::CallEdited(call) => drop(waiting.remove(&call.id)),
            Body::ToolResult(result) => drop(waiting.remove(&result.call)),
            _ => {}
        }
    }
    !waiting.is_empty()
}

/// Why the last check of a lane did not run, if somebody or something did not allow it.
pub(super) fn check_refused(own: &[Arc<Entry>]) -> Option<String> {
    let check = own.iter().rev().find_map(|entry| match &entry.body {
        Body::Validation(call) => Some(call.id),
        _ => None,
    })?;
    let (mut asked, mut denied, mut is_over) = (None, None, false);
    for entry in own {
        match &entry.body {
            // A request may be recorded again; the last one counts.
            Body::ApprovalRequested(request) if request.call == check => asked = Some(request.why.as_str()),
            Body::ApprovalDecided(decision) if decision.call == check && !decision.allow => {
                denied = Some(decision);
            }
            Body::ToolResult(result) if result.call == check => {
                is_over = matches!(result.outcome, Outcome::Denied(_));
            }
            _ => {}
        }
    }
    // What it was asked for is not why it did not run: a person could have allowed it.
    if let Some(by_person) = denied.filter(|decision| is_over && decision.by == Decider::User) {
        let reason = by_person.reason.trim();
        return Some(if reason.is_empty() {
            "denied by you".to_owned()
        } else {
            format!("denied by you: {reason}")
        });
    }
    // Where nobody was asked and nobody decided, a limit was used up.
    let denied = denied.map(|decision| decision.reason.as_str());
    let said: Vec<&str> = asked.into_iter().chain(denied).collect();
    (is_over && !said.is_empty()).then(|| {
        let said: Vec<&str> = said.into_iter().filter(|said| !said.is_empty()).collect();
        said.join("; ")
    })
}

/// Whether the session of the race took the result of this lane into the folder, and did not take that back.
pub(super) fn is_adopted(entries: &[Arc<Entry>], lane: u64, terms: &LaneTerms) -> bool {
    let stands = |call: &ToolUse| {
        let went_well = |entry: &Arc<Entry>| matches!(&entry.body, Body::ToolResult(result) if result.call == call.id && result.outcome == Outcome::Ok);
        let at = entries.iter().position(went_well);
        at.is_some_and(|at| !entries.iter().skip(at).any(|entry| takes_back(entry, call)))
    };
    entries.iter().any(|entry| match &entry.body {
        Body::Command(call) => takes(call, lane, terms) && stands(call),
        _ => false,
    })
}

/// Whether taking the result of this lane was cut off, so that a part of it may be in the folder, and was not taken back. `is_open`: a process
/// has the session open, which may be at it.
pub(super) fn is_half_adopted(entries: &[Arc<Entry>], lane: u64, terms: &LaneTerms, is_open: bool) -> bool {
    let was_cut_off = |call: &ToolUse| {
        let result = entries.iter().find_map(|entry| match &entry.body {
            Body::ToolResult(result) if result.call == call.id => Some(result),
            _ => None,
        });
        result.map_or(!is_open, |result| result.outcome.reach() == Reach::CutShort)
    };
    entries.iter().any(|entry| match &entry.body {
        Body::Command(call) => {
            takes(call, lane, terms)
                && was_cut_off(call)
                && !entries.iter().any(|entry| takes_back(entry, call))
        }
        _ => false,
    })
}

/// Whether a call takes the result of this lane.
fn takes(call: &ToolUse, lane: u64, terms: &LaneTerms) -> bool {
    let number = match &call.arguments {
        Arguments::Object(members) => members.get("lane").and_then(|lane| lane.as_u64()),
        Arguments::Unusable(_) => None,
    };
    call.name == ADOPT && number == Some(lane) && call.arguments.text("base") == Some(terms.base.as_str())
}

/// Whether an undo took back what a call did.
fn takes_back(entry: &Entry, call: &ToolUse) -> bool {
    matches!(&entry.body, Body::Change(Change::FilesRestored(done)) if done.since <= call.id)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ledger::{
        ApprovalRequest, CallId, Decision, EntryId, Facts, FilesRestored, Millis, Preview, Sandboxing,
        ToolResult,
    };

    fn entries(bodies: Vec<Body>) -> Vec<Arc<Entry>> {
        let entry = |(id, body)| Arc::new(Entry { id: EntryId(id), at: Millis(id), body });
        (1..).zip(bodies).map(entry).collect()
    }

    fn terms(base: char) -> LaneTerms {
        LaneTerms {
            task: "Do it".to_owned(),
            model: None,
            seed: None,
            check: None,
            base: base.to_string().repeat(40),
            branch: "race/0a1b/2".to_owned(),
        }
    }

    fn result(call: CallId, name: &str, outcome: Outcome) -> Body {
        Body::ToolResult(Arc::new(ToolResult {
            call,
            name: name.to_owned(),
            outcome,
            content: String::new(),
            written: None,
            duration_ms: 1,
            cut_chars: 0,
            facts: Facts::default(),
            images: Vec::new(),
        }))
    }

    /// A call is asked about for this reason.
    fn request(call: CallId, why: &str) -> Body {
        Body::ApprovalRequested(ApprovalRequest {
            call,
            name: "shell".to_owned(),
            arguments: json!({}),
            why: why.to_owned(),
            risk: String::new(),
            effects: Vec::new(),
            preview: Preview::None,
            warning: None,
            rule: None,
            sandboxing: Sandboxing::Without,
            leads_to: None,
            is_partial: false,
            is_usual: false,
            replaces: false,
            gaps: Vec::new(),
        })
    }

    #[test]
    fn a_check_that_a_person_denied_is_denied_by_the_person_and_not_for_what_it_was_asked() {
        let call = CallId(1);
        let arguments = Arguments::from_value(json!({ "command": "make test" }));
        let check = ToolUse { id: call, wire_id: String::new(), name: "shell".to_owned(), arguments };
        let refused = |by, reason: &str| {
            check_refused(&entries(vec![
                Body::Validation(check.clone()),
                request(call, "no rule covers it"),
                Body::ApprovalDecided(Decision::denial(call, by, reason)),
                result(call, "shell", Outcome::Denied(by)),
            ]))
        };
        assert_eq!(refused(Decider::User, "").as_deref(), Some("denied by you"));
        let with_reason = refused(Decider::User, "use make check");
        assert_eq!(with_reason.as_deref(), Some("denied by you: use make check"));
        let by_nobody = refused(Decider::Nobody, "no user is available to approve it");
        assert_eq!(by_nobody.as_deref(), Some("no rule covers it; no user is available to approve it"));
    }

    #[test]
    fn what_was_taken_is_adopted_until_it_is_taken_back() {
        let call = CallId(3);
        let base = "a".repeat(40);
        let arguments = Arguments::from_value(json!({ "lane": 2, "base": base, "commit": "c", "files": [] }));
        let made = ToolUse { id: call, wire_id: String::new(), name: ADOPT.to_owned(), arguments };
        let result = |outcome| result(call, ADOPT, outcome);
        let undone = |since| {
            let (restored, deleted, left) = (Vec::new(), Vec::new(), Vec::new());
            Body::Change(Change::FilesRestored(FilesRestored { since, restored, deleted, left }))
        };
        let taken = entries(vec![Body::Command(made.clone()), result(Outcome::Ok)]);
        assert!(is_adopted(&taken, 2, &terms('a')));
        assert!(!is_adopted(&taken, 1, &terms('a')) && !is_adopted(&taken, 2, &terms('b')), "another lane");
        let failed = entries(vec![Body::Command(made.clone()), result(Outcome::Failed)]);
        assert!(!is_adopted(&failed, 2, &terms('a')) && !is_half_adopted(&failed, 2, &terms('a'), false));
        // The process died at it, and the session was resumed then.
        let begun = entries(vec![Body::Command(made.clone())]);
        assert!(
            is_half_adopted(&begun, 2, &terms('a'), false) && !is_half_adopted(&begun, 2, &terms('a'), true)
        );
        let lost = || vec![Body::Command(made.clone()), result(Outcome::Lost { started: true })];
        assert!(is_half_adopted(&entries(lost()), 2, &terms('a'), true));
        assert!(!is_half_adopted(&entries(lost()), 1, &terms('a'), true), "another lane");
        let undone_half = entries(lost().into_iter().chain([undone(call)]).collect());
        assert!(!is_half_adopted(&undone_half, 2, &terms('a'), true));
        for (since, stands) in [(CallId(2), false), (call, false), (CallId(4), true)] {
            let all = entries(vec![Body::Command(made.clone()), result(Outcome::Ok), undone(since)]);
            assert_eq!(is_adopted(&all, 2, &terms('a')), stands, "{since}");
        }
    }

    #[test]
    fn decisions_of_people_and_denials_are_counted() {
        let permission = |by| Body::ApprovalDecided(Decision::permission(CallId(1), by, ""));
        let own = entries(vec![permission(Decider::User), permission(Decider::Policy)]);
        assert_eq!((decided(&own), asks(&own)), ((1, 0), false));
    }

    #[test]
    fn a_call_waits_from_its_request_to_its_decision() {
        let request = request(CallId(1), "");
        assert!(asks(&entries(vec![request.clone()])));
        let denied = Body::ApprovalDecided(Decision::denial(CallId(1), Decider::User, ""));
        let own = entries(vec![request, denied]);
        assert_eq!((decided(&own), asks(&own)), ((0, 1), false));
    }
}
