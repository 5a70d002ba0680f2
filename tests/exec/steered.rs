//! `--input jsonl`: a program sends messages, decides about calls and interrupts.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::world::{Ran, World, script, text};

/// A run at the other end of two pipes.
pub(crate) struct Steered {
    child: Child,
    lines: Option<ChildStdin>,
    events: BufReader<ChildStdout>,
    seen: Vec<Value>,
}

impl Steered {
    pub(crate) fn start(world: &World, words: &[&str]) -> Self {
        let mut program = world.program();
        let mut child = program
            .args(["exec", "--json", "--input", "jsonl"])
            .args(words)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let (lines, events) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, lines, events, seen: Vec::new() }
    }

    pub(crate) fn say(&mut self, line: &Value) {
        self.say_raw(&line.to_string());
    }

    fn say_raw(&mut self, line: &str) {
        self.lines.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn message(&mut self, content: &str) {
        self.say(&json!({ "type": "user_message", "content": content }));
    }

    /// The next event of a type.
    pub(crate) fn until(&mut self, kind: &str) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.events.read_line(&mut line).unwrap() > 0, "no {kind} in {:?}", self.seen);
            let event: Value = serde_json::from_str(&line).unwrap();
            self.seen.push(event.clone());
            if event["type"] == kind {
                return event;
            }
        }
    }

    fn rejected(&mut self, line: &str, why: &str) {
        self.say_raw(line);
        let event = self.until("input_rejected");
        assert!(text(&event, "why").contains(why), "{event}");
    }

    /// Ends the process at once.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends stdin and waits.
    pub(crate) fn end(mut self) -> Ran {
        self.lines = None;
        let mut out = String::new();
        std::io::Read::read_to_string(&mut self.events, &mut out).unwrap();
        let output = self.child.wait_with_output().unwrap();
        Ran::of(output.status, out.into_bytes(), output.stderr)
    }
}

fn touches(file: &str) -> Value {
    json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": format!("touch {file}") } }] })
}

/// As a program answers that does not say which request it means.
pub(crate) fn answer(request: &Value, decision: &str) -> Value {
    json!({ "type": "approval", "id": request["id"], "digest": request["digest"], "decision": decision })
}

#[test]
fn messages_start_runs_until_stdin_ends() {
    let world = World::new();
    let mut run = Steered::start(&world, &["--script", r#"["One.", "Two."]"#]);
    run.message("first");
    assert_eq!(run.until("turn_ended")["text"], "One.");
    run.message("second");
    assert_eq!(run.until("turn_ended")["text"], "Two.");
    let ran = run.end();
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
    // All at once, too: what was said is done before the run ends.
    let line = "{\"type\":\"user_message\",\"content\":\"hi\"}";
    let ran = world.exec_fed(&["--json", "--input", "jsonl", "--script", r#"["One."]"#], line.as_bytes());
    assert_eq!((ran.code, ran.reason().as_str()), (0, "completed"), "{}", ran.err);
    let words = ["--json", "--input", "jsonl", "--script", r#"["One."]"#, "as an argument"];
    let ran = world.exec_fed(&words, b"");
    assert_eq!((ran.code, &ran.one("user_message")["content"]), (0, &json!("as an argument")));
}

#[test]
fn a_decision_holds_for_exactly_what_was_asked() {
    let world = World::new();
    let script = script(json!([touches("a"), touches("b"), "Done."]));
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &script, "make them"]);
    let first = run.until("approval_request");
    assert_eq!(text(&first, "digest").len(), 64);
    let forged = json!({ "type": "approval", "id": first["id"], "digest": "0", "decision": "allow" });
    run.rejected(&forged.to_string(), "the digest is not that of call c1, which still waits");
    run.rejected(&answer(&first, "allow").to_string().replace("c1", "c9"), "no call `c9` waits");
    run.rejected("allow it", "the line was not understood");
    run.rejected(r#"{"type":"user_message","content":" "}"#, "the message is empty");
    run.rejected(r#"{"type":"user_message","content":"@no.png"}"#, "there is no image at no.png");
    assert!(!world.work().join("a").exists());
    run.say(&answer(&first, "allow"));
    let decided = run.until("approval");
    let (decision, by, digest) = (&decided["decision"], &decided["by"], &decided["digest"]);
    assert_eq!((decision, by, digest), (&json!("allow"), &json!("user"), &first["digest"]));
    let second = run.until("approval_request");
    run.rejected(&answer(&first, "allow").to_string(), "no call `c1` waits");
    let mut denial = answer(&second, "deny");
    denial["reason"] = json!("not that one");
    run.say(&denial);
    assert!(text(&run.until("tool_result"), "content").contains("not that one"));
    run.until("turn_ended");
    let ran = run.end();
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("denied by user: shell"), "{}", ran.err);
    assert!(world.work().join("a").exists() && !world.work().join("b").exists());
}

#[test]
fn a_word_that_may_be_no_file_is_named_with_its_line_and_sent_as_text() {
    let world = World::new();
    let mut run = Steered::start(&world, &["--script", &script(json!(["It is a name."]))]);
    run.message("why is @user.name nil?");
    let noted = run.until("input_noted");
    assert_eq!(noted["line"], 1, "{noted}");
    assert_eq!(text(&noted, "why"), "there is no file at user.name; sent as text");
    run.until("turn_ended");
    assert_eq!(run.end().code, 0);
}

#[test]
fn the_reason_of_a_yes_is_recorded_as_that_of_a_no_is() {
    let world = World::new();
    let mut run = Steered::start(&world, &["--script", &script(json!([touches("new.txt"), "Done."]))]);
    run.message("touch it");
    let request = run.until("approval_request");
    let mut line = answer(&request, "allow");
    line["reason"] = json!("the ticket asks for it");
    run.say(&line);
    let decided = run.until("approval");
    assert_eq!(
        (&decided["decision"], text(&decided, "reason")),
        (&json!("allow"), "the ticket asks for it".to_owned())
    );
    assert_eq!(run.end().code, 0);
    let kept: Vec<String> =
        world.entries().iter().filter(|e| e["type"] == "approval").map(|e| text(e, "reason")).collect();
    assert_eq!(kept, ["the ticket asks for it"]);
    assert!(world.work().join("new.txt").exists());
}

#[test]
fn a_decision_that_comes_too_late_is_named_by_its_line() {
    let world = World::new();
    let script = script(json!([touches("a"), "Done."]));
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &script, "make it"]);
    let asked = run.until("approval_request");
    let (first, second) = (answer(&asked, "allow"), answer(&asked, "deny"));
    run.say_raw(&format!("\n{first}\n{second}"));
    let rejected = run.until("input_rejected");
    assert_eq!(rejected["line"], 3, "{rejected}");
    assert_eq!(run.until("turn_ended")["reason"], "completed");
    assert_eq!(run.end().code, 0);
}

#[test]
fn the_last_decision_counts_though_stdin_ends_behind_it() {
    let world = World::new();
    let script = script(json!([touches("a"), "Done."]));
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &script, "make it"]);
    let request = run.until("approval_request");
    run.say(&answer(&request, "allow"));
    let ran = run.end();
    assert_eq!((ran.code, ran.reason().as_str()), (0, "completed"), "{}", ran.err);
    assert!(world.work().join("a").exists());
}

#[test]
fn a_call_that_nobody_can_decide_waits_for_the_next_run() {
    let world = World::new();
    let script = script(json!([touches("a"), "Done."]));
    let words = ["--mode", "ask", "--script", &script];
    let steered = ["--json", "--input", "jsonl", "-o", "answer.md"];
    let ran = world.exec_fed(&[&steered[..], &words[..], &["make it"]].concat(), b"");
    assert_eq!(ran.code, 4, "{}", ran.out);
    let why = "stdin ended while call c1 waited for a decision";
    assert!(ran.err.contains(&format!("note: answer.md was not written: {why}")), "{}", ran.err);
    let session = world.sessions().pop().unwrap().file_stem().unwrap().to_string_lossy().into_owned();
    let says = format!("{why}; next: `countersign resume {session}` offers the call again");
    assert!(ran.err.contains(&says), "{}", ran.err);
    assert!(!world.work().join("a").exists());
    assert!(!world.session_text().contains("\"type\":\"approval\","), "nothing was decided");
    let world = World::new();
    let kept_nowhere = ["--json", "--input", "jsonl", "--ephemeral"];
    let ran = world.exec_fed(&[&kept_nowhere[..], &words[..], &["make it"]].concat(), b"");
    assert_eq!(ran.code, 4, "{}", ran.out);
    assert!(ran.err.contains("with --ephemeral there is no session to resume"), "{}", ran.err);
    assert!(!ran.err.contains("offers the call again"), "{}", ran.err);
}

#[test]
fn a_call_that_waited_is_told_again_and_decided_later() {
    let world = World::new();
    let asks = script(json!([touches("a"), "Done."]));
    let words = ["--mode", "ask", "--json", "--input", "jsonl", "--script", &asks, "make it"];
    assert_eq!(world.exec_fed(&words, b"").code, 4);
    let mut run = Steered::start(&world, &["--mode", "ask", "--last", "--script", r#"["Done."]"#]);
    let request = run.until("approval_request");
    run.say(&answer(&request, "allow"));
    assert_eq!(run.until("turn_ended")["text"], "Done.");
    assert_eq!(run.end().code, 0);
    assert!(world.work().join("a").exists());
}

#[test]
fn an_answer_to_an_earlier_request_does_not_count_for_a_later_one() {
    let world = World::new();
    let link = world.work().join("link");
    let [before, by_now] = ["before", "by_now"].map(|name| world.work().join(name));
    [&before, &by_now].iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    symlink(&before, &link).unwrap();
    let call = json!({ "name": "write", "arguments": { "path": "link/new.txt", "content": "x" } });
    let asks = script(json!([{ "tool_calls": [call] }]));
    let words = ["--mode", "ask", "--json", "--input", "jsonl", "--script", &asks, "write it"];
    let ran = world.exec_fed(&words, b"");
    assert_eq!(ran.code, 4, "{} {}", ran.out, ran.err);
    // The same arguments lead to another file when the session goes on.
    std::fs::remove_file(&link).unwrap();
    symlink(&by_now, &link).unwrap();
    let mut run = Steered::start(&world, &["--mode", "ask", "--last", "--script", r#"["Done."]"#]);
    let (first, second) = (run.until("approval_request"), run.until("approval_request"));
    assert_eq!((&first["id"], &first["digest"]), (&second["id"], &second["digest"]));
    assert_eq!((&first["request"], &second["request"]), (&first["entry"], &second["entry"]));
    assert_ne!(first["request"], second["request"]);
    let mut line = answer(&second, "allow");
    line["request"] = first["request"].clone();
    run.rejected(&line.to_string(), &format!("that waits, which is {}", text(&second, "request")));
    assert!(!by_now.join("new.txt").exists());
    line["request"] = second["request"].clone();
    run.say(&line);
    assert_eq!(run.until("turn_ended")["text"], "Done.");
    assert_eq!(run.end().code, 0);
    assert!(by_now.join("new.txt").exists() && !before.join("new.txt").exists());
}

#[test]
fn a_question_needs_its_answer() {
    let world = World::new();
    let call = json!({ "tool_calls": [{ "name": "ask", "arguments": { "question": "Which?" } }] });
    let mut run = Steered::start(&world, &["--script", &script(json!([call, "Done."])), "go"]);
    let question = run.until("approval_request");
    let mut line = answer(&question, "allow");
    run.rejected(&line.to_string(), "call c1 is a question: put the answer into `reason`");
    line["reason"] = json!("the first");
    run.say(&line);
    assert_eq!(run.until("tool_result")["content"], "the first");
    assert_eq!(run.end().code, 0);
}

#[test]
fn an_interrupt_stops_what_runs_and_the_next_message_goes_on() {
    let world = World::new();
    let script = script(json!([touches("a"), "Two."]));
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &script, "make it"]);
    run.until("approval_request");
    run.say(&json!({ "type": "interrupt" }));
    assert_eq!(run.until("turn_ended")["completed"], false);
    run.message("go on");
    assert_eq!(run.until("turn_ended")["text"], "Two.");
    assert_eq!(run.end().code, 0);
}

#[test]
fn an_interrupt_counts_in_the_order_of_the_lines() {
    let world = World::new();
    let script = script(json!([touches("a"), "Two."]));
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &script, "make it"]);
    run.until("approval_request");
    // In one write: what was said before the interrupt is given back and begins nothing.
    run.say_raw("{\"type\":\"user_message\",\"content\":\"and b\"}\n{\"type\":\"interrupt\"}");
    assert_eq!(run.until("turn_ended")["completed"], false);
    assert_eq!(run.until("message_returned")["content"], "and b");
    run.rejected(r#"{"type":"interrupt"}"#, "nothing is running");
    assert_eq!(run.end().code, 130);
}

#[test]
fn a_message_that_waits_is_given_back_when_stdin_ends_over_an_open_call() {
    let world = World::new();
    let script = script(json!([touches("a"), "Two."]));
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &script, "make it"]);
    run.until("approval_request");
    run.message("and b");
    let ran = run.end();
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert_eq!(ran.one("message_returned")["content"], "and b");
}

#[test]
fn messages_wait_for_a_tool_result_but_not_without_bound() {
    let world = World::new();
    let script = script(json!([touches("a"), "Done."]));
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &script, "make it"]);
    let request = run.until("approval_request");
    (0..100).for_each(|n| run.message(&format!("note {n}")));
    run.rejected(r#"{"type":"user_message","content":"one more"}"#, "100 messages wait already");
    run.say(&answer(&request, "allow"));
    run.until("turn_ended");
    let steered = run.seen.iter().filter(|event| event["type"] == "injected" && event["by"] == "steering");
    assert_eq!(steered.count(), 100);
    assert_eq!(run.end().code, 0);
}

#[test]
fn what_cannot_be_combined_is_refused() {
    let world = World::new();
    assert!(world.refused(&["--input", "jsonl", "x"]).contains("--json"));
    assert!(world.refused(&["--json", "--input", "xml", "x"]).contains("xml"));
    let both = world.exec(&["--json", "--input", "jsonl", "-"]);
    assert!(both.code == 2 && both.complaint().contains("both read stdin"), "{}", both.err);
    assert_eq!(both.one("error")["message"], "`-` and --input both read stdin", "{}", both.out);
    assert!(
        world.refused(&["--json", "--input", "jsonl", "--on-approval", "stop"]).contains("--on-approval")
    );
    let ran = world.exec_fed(&["--json", "--input", "jsonl", "--script", "[]"], b"");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert!(ran.complaint().contains("stdin held no message"), "{}", ran.err);
    assert!(world.sessions().is_empty());
}

#[test]
fn a_message_calls_a_custom_command_as_the_prompt_does_and_other_names_are_words() {
    let world = World::new();
    let commands = world.place().join(".claude/commands");
    std::fs::create_dir_all(&commands).unwrap();
    std::fs::write(commands.join("tidy.md"), "Tidy $1.").unwrap();
    std::fs::write(commands.join("look.md"), "!`ls`").unwrap();
    let script = script(json!(["One.", "Two.", "Three."]));
    let mut run = Steered::start(&world, &["--script", &script]);
    run.rejected(
        r#"{"type":"user_message","content":"/look"}"#,
        "/look runs `ls` first, which nobody can approve here",
    );
    for (sent, said) in
        [("/tidy src", "Tidy src."), ("/unknown src", "/unknown src"), ("//tidy src", "/tidy src")]
    {
        run.message(sent);
        assert!(text(&run.until("user_message"), "content").ends_with(said), "{sent}");
        run.until("turn_ended");
    }
    assert_eq!(run.end().code, 0);
}
