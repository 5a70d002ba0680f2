//! Every end of a task, and every kind of thing that it can give.

use super::*;
use crate::wire::a2a::{A2aMessage, Artifact, Event, Task, TaskStatus};

fn said(words: &str) -> A2aMessage {
    A2aMessage { is_of_agent: true, parts: vec![Part::Text(words.into())] }
}

fn told(
    state: TaskState,
    message: Option<&str>,
    artifacts: Vec<Artifact>,
    history: Vec<A2aMessage>,
) -> TaskProgress {
    let status = TaskStatus { state, message: message.map(said) };
    let mut told = TaskProgress::default();
    told.take(Event::Task(Task { id: "t-1".into(), status, artifacts, history, output: None }));
    told
}

fn report(told: &TaskProgress) -> (Outcome, String) {
    let secrets = Secrets::new(["key-123456".to_owned()]);
    let report = of("writer", told, &secrets, 10_000);
    assert!(report.remote.is_some());
    (report.outcome, report.content)
}

#[test]
fn every_end_has_its_words() {
    use TaskState as State;
    let failed = |words: &str| (Outcome::Failed, words.to_owned());
    let with = |state, why| report(&told(state, why, Vec::new(), Vec::new()));
    let why = Some("no\u{1b}[2J paper key-123456");
    assert_eq!(
        with(State::Failed, why),
        failed("the agent writer failed the task and says: no[2J paper [hidden]")
    );
    assert_eq!(with(State::Rejected, None), failed("the agent writer rejected the task and did not say why"));
    assert_eq!(
        with(State::Canceled, Some("bye")),
        failed("the agent writer canceled the task and says: bye")
    );
    let login =
        "the agent writer needs a login for the task, which cannot be given here, and says: at x.test";
    assert_eq!(with(State::AuthRequired, Some("at x.test")), failed(login));
    let asks = "Which?\n[the agent writer waits for an answer: call delegate_to_writer with task_id \"t-1\"]";
    assert_eq!(with(State::InputRequired, Some("Which?")), (Outcome::Ok, asks.to_owned()));
}

#[test]
fn what_was_made_comes_before_what_was_said() {
    use TaskState::Completed;
    let made = |id: &str, words: &str| Artifact { id: id.into(), parts: vec![Part::Text(words.into())] };
    let history =
        vec![said("earlier"), A2aMessage { is_of_agent: false, parts: vec![Part::Text("mine".into())] }];
    let ok = |words: &str| (Outcome::Ok, words.to_owned());
    let all = told(Completed, Some("status"), vec![made("a", "one"), made("b", "two")], history.clone());
    assert_eq!(report(&all), ok("one\ntwo"));
    assert_eq!(report(&told(Completed, Some("status"), Vec::new(), history.clone())), ok("status"));
    assert_eq!(report(&told(Completed, None, Vec::new(), history)), ok("earlier"));
    assert_eq!(report(&told(Completed, None, vec![made("a", "")], Vec::new())), ok("(nothing)"));
    let mut direct = TaskProgress::default();
    direct.take(Event::Message { task: None, message: said("hello") });
    assert_eq!(report(&direct), ok("hello"));
}

#[test]
fn things_are_named_and_the_line_of_ours_is_never_cut() {
    let file =
        |name: &str, kind: &str| Part::File { name: name.into(), kind: kind.into(), base64: "AAAA".into() };
    let parts = vec![
        Part::Data("[1]".into()),
        file("a\u{202e}b.txt", "text/plain"),
        file("", ""),
        file("p", "image/png"),
        Part::Link { name: "n".into(), kind: "a/b".into(), url: "http://x/\u{1b}".into() },
        Part::Link { name: String::new(), kind: String::new(), url: "http://y/".into() },
        Part::Unknown,
    ];
    let things = told(TaskState::Completed, None, vec![Artifact { id: "a".into(), parts }], Vec::new());
    let (_, content) = report(&things);
    let lines: Vec<&str> = content.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "[1]",
            "[file ab.txt (text/plain, 3 bytes)]",
            "[file without a name (of a kind that is not supported, 3 bytes)]"
        ]
    );
    assert!(lines[3].starts_with("[an image that "), "{content}");
    assert_eq!(lines[4..], ["[link http://x/ (n, a/b)]", "[link http://y/]", "[a part of an unknown kind]"]);
    let asks = told(TaskState::InputRequired, Some(&"why ".repeat(1_000)), Vec::new(), Vec::new());
    let report = of("writer", &asks, &Secrets::new([]), 300);
    assert!(
        report.content.ends_with("with task_id \"t-1\"]") && report.cut_chars > 3_000,
        "{}",
        report.content
    );
}

#[test]
fn what_steers_a_terminal_is_for_the_books_alone() {
    let secrets = Secrets::new(["key-123456".to_owned()]);
    let raw = "\u{1b}[1mbold\u{1b}[m 1\r2\u{1b}]0;t\u{7}";
    let made = Artifact { id: "a".into(), parts: vec![Part::Text(raw.into())] };
    let report = |told: &TaskProgress| {
        let report = of("writer", told, &secrets, 10_000);
        (report.content, report.written)
    };
    let done = told(TaskState::Completed, None, vec![made], Vec::new());
    assert_eq!(report(&done), ("2old 1".to_owned(), Some(raw.to_owned())));
    let (content, written) = report(&told(TaskState::InputRequired, Some(raw), Vec::new(), Vec::new()));
    let line = "\n[the agent writer waits for an answer: call delegate_to_writer with task_id \"t-1\"]";
    assert_eq!((content, written), (format!("2old 1{line}"), Some(format!("{raw}{line}"))));
}
