//! What hooks read and write, name by name.

use proptest::prelude::*;

use super::*;
use crate::hooks::{HookId, Start};
use crate::ledger::{CallId, CompactionTrigger};

fn said(point: HookPoint, code: i32, stdout: impl AsRef<[u8]>, stderr: &str) -> HookAnswer {
    let ended = HookEnd { code: Some(code), stdout: stdout.as_ref().to_vec(), stderr: stderr.into() };
    parse(point, "check".to_owned(), &ended)
}

fn pre(stdout: &str) -> HookAnswer {
    said(HookPoint::PreTool, 0, stdout, "")
}

fn told(payload: Payload) -> Value {
    let line = encode(&HookCall { id: HookId(1), payload }, "s1", "/work");
    assert_eq!(line.matches('\n').count(), 1, "one line: {line}");
    serde_json::from_str(&line).unwrap()
}

#[test]
fn every_point_has_its_names() {
    let input = Arguments::from_value(json!({ "command": "a\nb" }));
    let (call, tool_name) = (CallId(7), "shell".to_owned());
    let pre = Payload::PreTool { call: Some(call), tool_name: tool_name.clone(), tool_input: input.clone() };
    let own = json!({ "tool_name": "shell", "tool_input": { "command": "a\nb" }, "tool_use_id": "c7" });
    let mut after = own.as_object().unwrap().clone();
    after.extend(
        json!({
            "tool_result": "out", "is_error": true, "tool_response": { "content": "out", "is_error": true },
        })
        .as_object()
        .unwrap()
        .clone(),
    );
    let post =
        Payload::PostTool { call, tool_name, tool_input: input, tool_result: "out".into(), is_error: true };
    let text = || "t".to_owned();
    let cases = [
        (Payload::SessionStart { source: Start::Resume }, "SessionStart", json!({ "source": "resume" })),
        (Payload::UserPrompt { prompt: text() }, "UserPromptSubmit", json!({ "prompt": "t" })),
        (pre, "PreToolUse", own),
        (post, "PostToolUse", Value::Object(after)),
        (
            Payload::PostSampling { text: text() },
            "PostSampling",
            json!({ "text": "t", "last_assistant_message": "t" }),
        ),
        (
            Payload::Stop { text: text(), stop_hook_active: true },
            "Stop",
            json!({ "text": "t", "last_assistant_message": "t", "stop_hook_active": true }),
        ),
        (
            Payload::StopFailure { reason: "model_error".into(), error: text(), recovering: true },
            "StopFailure",
            json!({ "reason": "model_error", "error": "t", "recovering": true }),
        ),
        (
            Payload::PreCompact { trigger: CompactionTrigger::Manual },
            "PreCompact",
            json!({ "trigger": "manual" }),
        ),
        (Payload::Notification { text: text() }, "Notification", json!({ "text": "t", "message": "t" })),
    ];
    for (payload, event, own) in cases {
        let point = payload.point().as_str();
        let mut all = json!({
            "hook": point, "session": "s1", "cwd": "/work", "hook_event_name": event, "session_id": "s1",
        });
        all.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        assert_eq!(told(payload), all, "{point}");
    }
}

#[test]
fn decisions_in_all_their_spellings() {
    for (stdout, decision) in [
        (r#"{"decision":"allow"}"#, Some(HookDecision::Allow)),
        (r#"{"decision":"approve"}"#, Some(HookDecision::Allow)),
        (r#"{"decision":"ask"}"#, Some(HookDecision::Ask)),
        (r#"{"decision":"deny"}"#, Some(HookDecision::Deny)),
        (" \u{feff} {\"decision\":\"Block\"}\n", Some(HookDecision::Deny)),
        (r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#, Some(HookDecision::Deny)),
        (r#"{"hookSpecificOutput":{"permissionDecision":"defer"}}"#, None),
        (
            r#"{"decision":"allow","hookSpecificOutput":{"permissionDecision":"ask"}}"#,
            Some(HookDecision::Ask),
        ),
        (
            r#"{"decision":"deny","hookSpecificOutput":{"permissionDecision":"allow"}}"#,
            Some(HookDecision::Deny),
        ),
        (r#"{"decision":null}"#, None),
        ("{}", None),
        ("", None),
    ] {
        assert_eq!(pre(stdout).decision, decision, "{stdout}");
    }
}

#[test]
fn the_other_members_in_both_spellings() {
    let ours =
        pre(r#"{"reason":"r","updated_input":{"a":1},"inject":"i","continue":false,"stopReason":"s"}"#);
    let theirs = pre(r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecisionReason":"r",
        "updatedInput":{"a":1},"additionalContext":"i"},"continue":false,"stopReason":"s"}"#);
    assert_eq!(ours, theirs);
    assert_eq!(ours.updated_input, Some(Arguments::from_value(json!({ "a": 1 }))));
    let text = |text: &str| Some(text.to_owned());
    assert_eq!((ours.reason, ours.inject, ours.prevent), (text("r"), text("i"), text("s")));
    assert_eq!(pre(r#"{"continue":false}"#).prevent, text("the hook `check` ended the run"));
    assert_eq!(pre(r#"{"continue":true,"stopReason":"s"}"#).prevent, None);
    assert_eq!(pre(r#"{"systemMessage":"hi"}"#).remark, text("hi"));
    let stop = said(HookPoint::Stop, 0, r#"{"updated_input":{}}"#, "");
    assert_eq!(stop.updated_input, None, "only a call has arguments");
}

#[test]
fn plain_words_are_a_remark_or_context() {
    assert_eq!(pre("all \u{1b}[31mgood\n").remark.as_deref(), Some("all [31mgood"));
    for point in [HookPoint::UserPrompt, HookPoint::SessionStart] {
        assert_eq!(said(point, 0, "branch: main\n", "").inject.as_deref(), Some("branch: main"));
    }
    assert_eq!(pre("[1]").remark.as_deref(), Some("[1]"));
}

#[test]
fn exit_codes() {
    let blocked = said(HookPoint::PreTool, 2, r#"{"decision":"allow"}"#, "not\nhere\n");
    assert_eq!((blocked.decision, blocked.reason.as_deref()), (Some(HookDecision::Deny), Some("not\nhere")));
    let mute = said(HookPoint::Stop, 2, "", "");
    assert_eq!(
        (mute.decision, mute.why().as_str()),
        (Some(HookDecision::Deny), "the hook `check` gave no reason")
    );
    let start = said(HookPoint::SessionStart, 2, "", "no");
    assert_eq!(
        (start.decision, start.trouble.as_deref()),
        (None, Some("exit code 2 does not block here: no"))
    );
    let failed = said(HookPoint::PreTool, 1, r#"{"decision":"deny"}"#, "Traceback\nKeyError: 'x'\n");
    assert_eq!((failed.decision, failed.trouble.as_deref()), (None, Some("exit code 1: KeyError: 'x'")));
}

#[test]
fn a_gate_stays_closed_if_a_signal_kills_its_hook_and_elsewhere_it_is_trouble() {
    for point in HookPoint::ALL.iter().copied() {
        // 137 is what a shell ends with whose command was killed.
        let ends = [(None, ""), (Some(137), " (exit code 137)"), (Some(192), " (exit code 192)")];
        for (code, named) in ends {
            let ended = HookEnd { code, stderr: b"out of memory\n".to_vec(), ..HookEnd::default() };
            let answer = parse(point, "check".into(), &ended);
            let how = format!("was killed by a signal{named}: out of memory; try again, or correct it");
            if point.is_gate() {
                assert_eq!((answer.decision, &answer.trouble), (Some(HookDecision::Deny), &None), "{point}");
                assert!(answer.why().starts_with(&format!("the hook `check` {how}")), "{answer:?}");
            } else {
                assert_eq!(answer.decision, None, "{point}");
                assert!(answer.trouble.as_deref().unwrap().starts_with(&how), "{answer:?}");
            }
        }
        // Codes of their own beside those of signals.
        for code in [1, 128, 193, 255] {
            assert_eq!(said(point, code, "", "").trouble, Some(format!("exit code {code}")));
        }
    }
}

#[test]
fn what_nobody_understands_is_trouble_and_blocks_nothing() {
    for stdout in [
        "{\"decision\":\"deny\"",
        "{'decision': 'deny'}",
        "{\"decision\":\"perhaps\"}",
        "{\"decision\":5}",
        "{\"continue\":\"no\"}",
        "{\"updated_input\":[1]}",
        "{\"hookSpecificOutput\":\"deny\"}",
        "a\0b",
    ] {
        let answer = pre(stdout);
        assert!(answer.trouble.is_some(), "{stdout}");
        assert_eq!((answer.decision, answer.prevent, answer.updated_input), (None, None, None), "{stdout}");
    }
    assert!(said(HookPoint::PreTool, 0, b"\xff\xfe", "").trouble.is_some());
    assert!(said(HookPoint::PreTool, 0, vec![b' '; MOST_BYTES + 1], "").trouble.unwrap().contains("64 KB"));
    assert!(
        said(HookPoint::Stop, 0, r#"{"decision":"ask"}"#, "").trouble.unwrap().contains("has no meaning")
    );
    let both = pre(r#"{"decision":"deny","updated_input":5}"#);
    assert_eq!(both.decision, Some(HookDecision::Deny), "a wrong field loses no denial");
    assert!(both.trouble.is_some());
    let long = said(HookPoint::PreTool, 2, "", &"x".repeat(MOST_BYTES + 1)).reason.unwrap();
    assert!(long.len() < MOST_BYTES + 100 && long.ends_with("was not read …]"));
}

proptest! {
    #[test]
    fn no_bytes_are_a_crash(stdout in proptest::collection::vec(any::<u8>(), 0..300), stderr in "\\PC*", code in -1..4) {
        for point in HookPoint::ALL.iter().copied() {
            let answer = said(point, code, &stdout, &stderr);
            prop_assert!(code == 2 && point.can_refuse() || answer.decision.is_none());
        }
    }
}
