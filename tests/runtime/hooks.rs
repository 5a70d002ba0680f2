//! Hooks as real commands: what they hear, what they may say, and that none outlives its run.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::time::Duration;

use countersign::hooks::{
    HookAnswer, HookCall, HookDecision, HookId, HookPoint, HookSpec, Payload, PreVerdict, combine_pre_tool,
    combine_user_prompt, notes,
};
use countersign::ledger::{Arguments, CallId};
use countersign::runtime::{CommandHooks, Groups, HookPort, NoHooks};
use futures_util::future::{Either, select};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;

/// A session's folder, and the hooks that run there.
struct Fixture {
    folder: TempDir,
    groups: Groups,
}

impl Fixture {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap(), groups: Groups::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn hooks(&self, specs: Vec<HookSpec>) -> CommandHooks {
        let variable = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let path = (OsString::from("PATH"), std::env::var_os("PATH").unwrap());
        let environment = vec![path, variable("ANTHROPIC_API_KEY", "sk-1"), variable("COLOUR", "green")];
        CommandHooks::new(specs, "s1".to_owned(), self.path(""), environment, self.groups.clone())
    }

    async fn ask(&self, commands: &[&str], payload: Payload) -> Vec<HookAnswer> {
        let point = payload.point();
        let specs = commands.iter().map(|command| spec(point, command)).collect();
        self.hooks(specs).run(HookCall { id: HookId(1), payload }).await
    }

    /// The answer of one hook to a call of `shell`.
    async fn pre(&self, command: &str) -> HookAnswer {
        self.ask(&[command], before("shell")).await.remove(0)
    }

    /// A pipe that ends when the last process that holds it (`exec 9>tether`) has ended: no ids, no polling.
    fn tether(&self) -> oneshot::Receiver<String> {
        let path = self.path("tether");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (sender, receiver) = oneshot::channel();
        std::thread::spawn(move || {
            let mut text = String::new();
            fs::File::open(path).unwrap().read_to_string(&mut text).unwrap();
            sender.send(text).ok();
        });
        receiver
    }
}

/// Only a failure takes as long as the limit.
async fn let_go(tether: oneshot::Receiver<String>) -> String {
    tokio::time::timeout(Duration::from_secs(20), tether).await.expect("a process lives on").unwrap()
}

fn spec(point: HookPoint, command: &str) -> HookSpec {
    HookSpec { point, command: command.to_owned(), timeout_ms: 30_000, matcher: Vec::new() }
}

fn before(tool: &str) -> Payload {
    let tool_input = Arguments::from_value(json!({ "command": "rm -r build" }));
    Payload::PreTool { call: Some(CallId(7)), tool_name: tool.to_owned(), tool_input }
}

fn stop() -> Payload {
    Payload::Stop { text: "done".to_owned(), stop_hook_active: false }
}

fn trouble(answer: &HookAnswer) -> &str {
    assert_eq!((answer.decision, &answer.prevent), (None, &None), "trouble blocks nothing");
    answer.trouble.as_deref().expect("there is trouble")
}

#[tokio::test]
async fn a_hook_hears_one_object_in_the_sessions_folder() {
    let fixture = Fixture::new();
    fixture.pre("cat >heard; pwd >where; env >known").await;
    let heard: Value = serde_json::from_str(&fs::read_to_string(fixture.path("heard")).unwrap()).unwrap();
    let folder = fixture.path("").display().to_string();
    assert_eq!(
        heard,
        json!({
            "hook": "pre_tool", "session": "s1", "cwd": folder,
            "hook_event_name": "PreToolUse", "session_id": "s1",
            "tool_name": "shell", "tool_input": { "command": "rm -r build" }, "tool_use_id": "c7",
        })
    );
    let place = fs::read_to_string(fixture.path("where")).unwrap();
    assert_eq!(place.trim(), folder.trim_end_matches('/'));
    let known = fs::read_to_string(fixture.path("known")).unwrap();
    assert!(known.contains("COLOUR=green") && !known.contains("sk-1"), "{known}");
}

#[tokio::test]
async fn hooks_of_a_copy_stand_in_the_folder_that_it_is_a_copy_of() {
    let (fixture, persons) = (Fixture::new(), TempDir::new().unwrap());
    let persons = persons.path().canonicalize().unwrap();
    let copy = fixture.path("").display().to_string();
    let after = |tool_name: &str| Payload::PostTool {
        call: CallId(7),
        tool_name: tool_name.to_owned(),
        tool_input: Arguments::from_value(json!({ "path": "a.txt" })),
        tool_result: "written".to_owned(),
        is_error: false,
    };
    let absolute = fixture.path("a.txt").display().to_string();
    for (tool, path) in [("write", absolute.as_str()), ("mcp__files__write", "a.txt")] {
        let said = "cat >heard; pwd >where; echo \"$COUNTERSIGN_CWD\" >named";
        let hooks = fixture.hooks(vec![spec(HookPoint::PostTool, said)]).standing_in(persons.clone());
        hooks.run(HookCall { id: HookId(1), payload: after(tool) }).await;
        let read = |name: &str| fs::read_to_string(persons.join(name)).unwrap().trim().to_owned();
        let heard: Value = serde_json::from_str(&read("heard")).unwrap();
        assert_eq!(heard["tool_input"]["path"], path, "{tool}");
        assert_eq!((heard["cwd"].as_str(), read("named")), (Some(copy.as_str()), copy.clone()));
        assert_eq!(read("where"), persons.display().to_string());
    }
}

#[tokio::test]
async fn what_a_hook_can_decide() {
    let fixture = Fixture::new();
    for (said, decision) in [
        ("allow", Some(HookDecision::Allow)),
        ("ask", Some(HookDecision::Ask)),
        ("deny", Some(HookDecision::Deny)),
        ("block", Some(HookDecision::Deny)),
    ] {
        let answer = fixture.pre(&format!(r#"echo '{{"decision":"{said}","reason":"why not"}}'"#)).await;
        assert_eq!((answer.decision, answer.reason.as_deref()), (decision, Some("why not")), "{said}");
        assert_eq!(answer.trouble, None);
    }
    let quiet = fixture.pre("true").await;
    assert_eq!(quiet, HookAnswer { hook: "true".to_owned(), ..HookAnswer::default() });
}

#[tokio::test]
async fn changed_arguments_context_and_the_end_of_the_run() {
    let fixture = Fixture::new();
    let changed = fixture
        .pre(r#"sed 's/.*"tool_input"://; s/,"tool_use_id".*//; s/rm/ls/; s/^/{"updated_input":/; s/$/}/'"#);
    let wanted = Arguments::from_value(json!({ "command": "ls -r build" }));
    assert_eq!(changed.await.updated_input, Some(wanted));
    let all = fixture.pre(r#"echo '{"inject":"be kind","continue":false,"stopReason":"enough"}'"#).await;
    assert_eq!((all.inject.as_deref(), all.prevent.as_deref()), (Some("be kind"), Some("enough")));
    let prompt = Payload::UserPrompt { prompt: "hello".to_owned() };
    let context = fixture.ask(&["echo on branch main"], prompt).await;
    assert_eq!(context[0].inject.as_deref(), Some("on branch main"));
}

#[tokio::test]
async fn exit_two_refuses_and_stderr_is_the_message() {
    let fixture = Fixture::new();
    let refused = fixture.pre("echo ignored; echo not in this folder >&2; exit 2").await;
    assert_eq!(refused.decision, Some(HookDecision::Deny));
    assert_eq!(refused.reason.as_deref(), Some("not in this folder"));
    let sent_on = fixture.ask(&["echo two tests fail >&2; exit 2"], stop()).await;
    assert_eq!(sent_on[0].reason.as_deref(), Some("two tests fail"));
}

#[tokio::test]
async fn trouble_is_shown_and_blocks_nothing() {
    let fixture = Fixture::new();
    assert_eq!(
        trouble(&fixture.pre(r#"echo '{"decision":"deny"}'; echo oops >&2; exit 1"#).await),
        "exit code 1: oops"
    );
    let killed = fixture.ask(&["kill -9 $$"], stop()).await;
    assert!(trouble(&killed[0]).starts_with("was killed by a signal; try again"), "{killed:?}");
    assert_eq!(trouble(&fixture.pre("printf 'a\\377\\376'").await), "printed bytes that are not text");
    assert!(
        trouble(&fixture.pre(r#"echo '{"decision":'"#).await).starts_with("printed JSON that does not parse")
    );
    let answers = fixture.ask(&["exit 3", "echo fine"], stop()).await;
    assert_eq!(notes(&answers), ["hook `exit 3`: exit code 3", "hook `echo fine`: fine"]);
}

#[tokio::test]
async fn a_gate_that_cannot_start_is_closed_and_elsewhere_it_is_trouble() {
    let fixture = Fixture::new();
    fs::write(fixture.folder.path().join("check.sh"), "#!/bin/sh\nexit 0\n").unwrap();
    for (command, code) in [("no-such-program", 127), ("./no-such-file", 127), ("./check.sh", 126)] {
        let refused = fixture.pre(command).await;
        assert_eq!((refused.decision, &refused.trouble), (Some(HookDecision::Deny), &None), "{command}");
        let begins = format!("the hook `{command}` could not be started: exit code {code}: ");
        assert!(refused.why().starts_with(&begins), "{refused:?}");
        let prompt = Payload::UserPrompt { prompt: "hello".to_owned() };
        assert!(combine_user_prompt(&fixture.ask(&[command], prompt).await).blocked.is_some());
        let told = fixture.ask(&[command], stop()).await;
        assert!(trouble(&told[0]).starts_with("could not be started: exit code "), "{told:?}");
    }
}

#[tokio::test]
async fn a_gate_whose_hook_is_killed_is_closed() {
    let fixture = Fixture::new();
    for command in ["kill -9 $$", "(kill -9 $(sh -c 'echo $PPID')); exit $?"] {
        let refused = fixture.pre(command).await;
        assert_eq!((refused.decision, &refused.trouble), (Some(HookDecision::Deny), &None), "{command}");
        let begins = format!("the hook `{command}` was killed by a signal");
        assert!(refused.why().starts_with(&begins), "{refused:?}");
        let prompt = Payload::UserPrompt { prompt: "hello".to_owned() };
        assert!(combine_user_prompt(&fixture.ask(&[command], prompt).await).blocked.is_some());
    }
}

#[tokio::test]
async fn megabytes_are_trouble_and_hold_nobody_up() {
    let fixture = Fixture::new();
    let flood = fixture.pre("head -c 10000000 /dev/zero | tr '\\0' x").await;
    assert!(trouble(&flood).contains("more than 64 KB"));
    let refused = fixture.pre("echo no >&2; head -c 10000000 /dev/zero | tr '\\0' x >&2; exit 2").await;
    assert_eq!(refused.decision, Some(HookDecision::Deny));
    let reason = refused.reason.unwrap();
    assert!(reason.starts_with("no\n") && reason.len() < 70_000, "{}", reason.len());
}

#[tokio::test]
async fn a_hook_need_not_read_what_it_is_told() {
    let fixture = Fixture::new();
    let much = || {
        let prompt = "x".repeat(3_000_000);
        Payload::UserPrompt { prompt }
    };
    for command in ["echo fine", "exec <&-; echo fine", "head -c 10 >/dev/null; echo fine"] {
        let answers = fixture.ask(&[command], much()).await;
        assert_eq!((answers[0].inject.as_deref(), &answers[0].trouble), (Some("fine"), &None), "{command}");
    }
    let all = fixture.ask(&["wc -c"], much()).await;
    assert!(
        all[0].inject.as_deref().unwrap().parse::<usize>().unwrap() > 3_000_000,
        "who reads gets all of it"
    );
}

#[tokio::test]
async fn a_hook_that_closes_its_mouth_is_still_waited_for() {
    let fixture = Fixture::new();
    let refused = fixture.pre("echo no >&2; exec >&- 2>&- <&-; echo late >done; exit 2").await;
    assert_eq!((refused.decision, refused.reason.as_deref()), (Some(HookDecision::Deny), Some("no")));
    assert_eq!(fs::read_to_string(fixture.path("done")).unwrap(), "late\n");
}

#[tokio::test]
async fn a_hook_that_hangs_is_ended_with_its_children() {
    let fixture = Fixture::new();
    let tether = fixture.tether();
    let hang = "exec 9>tether; echo here >&9; (sleep 600; true) & sleep 600; echo never >&9";
    let hooks = fixture.hooks(vec![HookSpec { timeout_ms: 2000, ..spec(HookPoint::PreTool, hang) }]);
    let answers = hooks.run(HookCall { id: HookId(1), payload: before("shell") }).await;
    assert_eq!((answers[0].decision, &answers[0].trouble), (Some(HookDecision::Deny), &None), "a gate");
    let why = answers[0].why();
    assert!(why.contains("` did not answer within 2.0 s and was stopped; try again"), "{why}");
    assert_eq!(let_go(tether).await, "here\n");
}

#[tokio::test]
async fn a_hook_that_hangs_is_trouble_where_nothing_waits_for_leave() {
    let fixture = Fixture::new();
    let told = |point, payload| {
        let hooks = fixture.hooks(vec![HookSpec { timeout_ms: 50, ..spec(point, "sleep 600") }]);
        hooks.run(HookCall { id: HookId(1), payload })
    };
    let stopped = told(HookPoint::Stop, stop()).await;
    assert!(trouble(&stopped[0]).starts_with("did not answer within 0.0 s and was stopped"), "{stopped:?}");
    let prompt = Payload::UserPrompt { prompt: "hello".to_owned() };
    assert!(combine_user_prompt(&told(HookPoint::UserPrompt, prompt).await).blocked.is_some());
}

#[tokio::test]
async fn dropping_the_run_ends_all_of_its_groups() {
    let fixture = Fixture::new();
    let tether = fixture.tether();
    let begun = fixture.path("begun");
    assert!(std::process::Command::new("mkfifo").arg(&begun).status().unwrap().success());
    let (sender, both_run) = oneshot::channel();
    std::thread::spawn(move || {
        // Held for writing too, so that it does not end between the two.
        let pipe = fs::OpenOptions::new().read(true).write(true).open(begun).unwrap();
        sender.send(BufReader::new(pipe).lines().take(2).count()).ok();
    });
    let hang = "exec 9>tether; trap '' TERM; echo here >begun; sleep 600 & wait; sleep 600";
    let hooks = fixture.hooks(vec![spec(HookPoint::Stop, hang), spec(HookPoint::Stop, hang)]);
    let run = hooks.run(HookCall { id: HookId(1), payload: stop() });
    let Either::Right((count, run)) = select(run, both_run).await else { unreachable!("they hang") };
    assert_eq!(count, Ok(2));
    assert_eq!(fixture.groups.count(), 2);
    drop(run);
    let_go(tether).await;
}

#[tokio::test]
async fn what_a_hook_leaves_behind_ends_with_it() {
    let fixture = Fixture::new();
    let tether = fixture.tether();
    let answer = fixture.pre(r#"exec 9>tether; sleep 600 & echo '{"decision":"ask"}'"#).await;
    assert_eq!(answer.decision, Some(HookDecision::Ask));
    let_go(tether).await;
}

#[tokio::test]
async fn all_run_at_once_and_answer_in_the_order_of_the_configuration() {
    let fixture = Fixture::new();
    // Each waits for the other at a pipe: one after the other they would wait for ever.
    for name in ["a", "b"] {
        let path = fixture.path(name);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    }
    let first = "cat a; echo >b; echo one >&2; exit 2";
    let second = "echo >a; cat b; echo two >&2; exit 2";
    let answers = fixture.ask(&[first, second, "echo three >&2; exit 2"], before("shell")).await;
    let before = combine_pre_tool(&answers);
    assert_eq!((before.verdict, before.reason().as_str()), (PreVerdict::Deny, "one; two; three"));
}

#[tokio::test]
async fn many_hooks_take_turns() {
    let fixture = Fixture::new();
    let commands: Vec<String> = (0..70).map(|number| format!("echo {number}")).collect();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let answers = fixture.ask(&commands, stop()).await;
    let said: Vec<String> = answers.iter().map(|answer| answer.remark.clone().unwrap()).collect();
    assert_eq!(said, (0..70).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[tokio::test]
async fn only_those_run_that_listen() {
    let fixture = Fixture::new();
    let of = |command: &str, matcher: &str| HookSpec {
        matcher: vec![matcher.to_owned()],
        ..spec(HookPoint::PreTool, command)
    };
    let hooks = fixture.hooks(vec![
        of("echo shell", "shell"),
        of("echo any", "*"),
        of("echo mcp", "mcp__*"),
        spec(HookPoint::Stop, "echo stop"),
    ]);
    let told = |payload| {
        let run = hooks.run(HookCall { id: HookId(1), payload });
        async { run.await.into_iter().filter_map(|answer| answer.remark).collect::<Vec<_>>().join(" ") }
    };
    assert_eq!(told(before("shell")).await, "shell any");
    assert_eq!(told(before("mcp__git__log")).await, "any mcp");
    assert_eq!(told(stop()).await, "stop");
    assert_eq!(told(Payload::Notification { text: String::new() }).await, "");
    assert_eq!(NoHooks.run(HookCall { id: HookId(1), payload: stop() }).await, []);
}

#[tokio::test]
async fn a_folder_that_is_gone_and_a_program_that_ends_are_trouble() {
    let fixture = Fixture::new();
    fixture.groups.end_all(Duration::ZERO);
    let refused = fixture.pre("true").await;
    assert_eq!(refused.decision, Some(HookDecision::Deny));
    assert!(refused.why().starts_with("the hook `true` could not be started: "), "{refused:?}");
    let fixture = Fixture::new();
    let hooks = fixture.hooks(vec![spec(HookPoint::Stop, "true")]);
    fs::remove_dir_all(fixture.folder.path()).unwrap();
    let answers = hooks.run(HookCall { id: HookId(1), payload: stop() }).await;
    assert!(trouble(&answers[0]).starts_with("could not be started: "));
}
