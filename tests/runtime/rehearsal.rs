//! The rehearsal model, spoken to as the loop speaks to it.

use std::sync::Arc;

use countersign::goal;
use countersign::ledger::*;
use countersign::model::{Draft, ModelEvent, ModelNews, Request, ToolDescription};
use countersign::runtime::{ModelPort, Pace, RehearsalModel};
use futures_util::StreamExt;
use serde_json::{Value, json};

/// A conversation with the rehearsal, results given by the test.
struct Talk {
    messages: Vec<Message>,
    calls: u64,
}

impl Talk {
    fn new() -> Self {
        Self { messages: vec![Message::User(Arc::new("Today is Friday.".into()))], calls: 0 }
    }

    fn request(&self) -> Request {
        let tool = |name: &str| ToolDescription::new(name.into(), String::new(), json!({ "type": "object" }));
        Request {
            model: ModelRef::parse("rehearsal"),
            system: String::new(),
            messages: self.messages.clone(),
            tools: ["read", "list", "search", "edit", "write", "shell"].map(tool).to_vec(),
            max_output: 8192,
            effort: None,
            seed: None,
            adaptive_thinking: false,
            reasons: None,
            cache_key: String::new(),
            answer_schema: None,
            withheld: Default::default(),
        }
    }

    async fn user(&mut self, text: &str) -> AssistantMessage {
        self.messages.push(Message::User(Arc::new(text.into())));
        self.go_on().await
    }

    async fn go_on(&mut self) -> AssistantMessage {
        let mut stream = RehearsalModel::new(Pace { pause_ms: 0 }).stream(self.request());
        let mut draft = Draft::default();
        let mut ends = 0;
        while let Some(news) = stream.next().await {
            match news {
                ModelNews::Event(event) => draft.push(event),
                ModelNews::ToolsRefused => panic!("the rehearsal model takes tools"),
                ModelNews::Finished => ends += 1,
                ModelNews::Failed(failure) => panic!("{failure}"),
            }
        }
        assert_eq!(ends, 1);
        let usage = draft.usage(0);
        assert!(usage.estimated && usage.output > 0);
        let message = draft.complete(EntryId(1), ModelRef::parse("rehearsal"), usage, || {
            self.calls += 1;
            CallId(self.calls)
        });
        self.messages.push(Message::Assistant(Arc::new(message.clone())));
        message
    }

    /// Results, and words that come with them.
    async fn results_and(&mut self, results: &[(Outcome, &str)], words: &str) -> AssistantMessage {
        self.push_results(results);
        self.user(words).await
    }

    async fn results(&mut self, results: &[(Outcome, &str)]) -> AssistantMessage {
        self.push_results(results);
        self.go_on().await
    }

    fn push_results(&mut self, results: &[(Outcome, &str)]) {
        let Some(Message::Assistant(said)) = self.messages.last() else { panic!("no answer yet") };
        assert_eq!(said.calls().count(), results.len(), "each call has one result");
        let results = said.calls().zip(results).map(|(call, (outcome, content))| ToolResult {
            call: call.id,
            name: call.name.clone(),
            outcome: outcome.clone(),
            content: (*content).into(),
            duration_ms: 1,
            written: None,
            cut_chars: 0,
            facts: Facts::default(),
            images: vec![],
        });
        self.messages.push(Message::Results(results.map(Arc::new).collect()));
    }
}

fn calls(message: &AssistantMessage) -> Vec<(&str, Value)> {
    message.calls().map(|call| (call.name.as_str(), call.arguments.to_value())).collect()
}

#[tokio::test]
async fn joined_requests_become_calls_of_one_message() {
    let mut talk = Talk::new();
    let said = talk.user("read a.md and search fn main( in src").await;
    assert_eq!(said.text(), "I'll read `a.md` and search for `fn main(` in `src`.");
    assert_eq!(said.stop, Stop::ToolUse);
    assert_eq!(
        calls(&said),
        [("read", json!({ "path": "a.md" })), ("search", json!({ "pattern": "fn main\\(", "path": "src" }))]
    );
    let report = talk
        .results(&[
            (Outcome::Ok, "    1\t\n    2\t# Hello\n(2 lines)"),
            (Outcome::Ok, "no matches in 3 files"),
        ])
        .await;
    assert_eq!(
        report.text(),
        "I read `a.md`: 2 lines. It begins with `# Hello`.\n\nThe search found no matches in 3 files."
    );
    assert_eq!((calls(&report).len(), report.stop), (0, Stop::End));
    let next = talk.user("read a.md").await;
    assert_eq!(calls(&next).len(), 1, "what was asked before is over");
}

#[tokio::test]
async fn then_waits_for_the_results_and_stops_after_a_failure() {
    let mut talk = Talk::new();
    talk.user("change a to b in x.rs, then run cargo test").await;
    let next = talk.results(&[(Outcome::Ok, "edited x.rs: 1 replacement at line 3 (+1 -1 lines)")]).await;
    assert_eq!(calls(&next), [("shell", json!({ "command": "cargo test" }))]);
    let report = talk.results(&[(Outcome::Failed, "1 test failed\nexit code 101")]).await.text();
    assert!(report.contains("Done: edited x.rs: 1 replacement at line 3 (+1 -1 lines)."), "{report}");
    assert!(
        report.contains("Running `cargo test` failed:\n\n```text\n1 test failed\nexit code 101\n```"),
        "{report}"
    );

    let mut talk = Talk::new();
    talk.user("change a to b in x.rs, then run cargo test").await;
    let stopped = talk.results(&[(Outcome::Failed, "`a` is not in `x.rs`")]).await;
    assert_eq!(calls(&stopped).len(), 0);
    assert!(stopped.text().ends_with("So I stop here and did not run `cargo test`."), "{}", stopped.text());
}

#[tokio::test]
async fn what_is_told_of_a_goal_does_not_take_the_place_of_its_objective() {
    let goal = goal::read("write x: hi\ncheck: test -f x").unwrap();
    let mut talk = Talk::new();
    talk.messages.push(Message::User(Arc::new(goal.objective.as_str().into())));
    let said = talk.user(&goal::words::brief(&goal)).await;
    assert_eq!(calls(&said), [("write", json!({ "path": "x", "content": "hi\n" }))]);
    let report = talk.results(&[(Outcome::Ok, "wrote x (+1 -0 lines)")]).await;
    assert_eq!((calls(&report).len(), report.stop), (0, Stop::End));
}

#[tokio::test]
async fn arguments_are_those_of_the_tools() {
    let mut talk = Talk::new();
    let said = talk.user("change `a` to `b` in x, write y: hi").await;
    assert_eq!(
        calls(&said),
        [
            ("edit", json!({ "path": "x", "edits": [{ "old_text": "a", "new_text": "b" }] })),
            ("write", json!({ "path": "y", "content": "hi\n" })),
        ]
    );
    let mut talk = Talk::new();
    assert_eq!(calls(&talk.user("list").await), [("list", json!({}))]);
    let mut talk = Talk::new();
    let content = "é".repeat(30_000);
    let said = talk.user(&format!("write y: {content}")).await;
    assert_eq!(calls(&said)[0].1["content"], json!(format!("{content}\n")));
}

#[tokio::test]
async fn every_outcome_is_told_as_it_was() {
    let abort =
        |ran_ms| Outcome::Aborted(Abort { path: AbortPath::C, ran_ms, by: CutBy::User, within: None });
    let cases = [
        (Outcome::Ok, "succeeded"),
        (Outcome::Failed, "failed"),
        (Outcome::Invalid, "was not run"),
        (Outcome::UnknownTool, "was not run"),
        (Outcome::Denied(Decider::User), "You declined running `make`, so it was not started"),
        (Outcome::Denied(Decider::Policy), "Nobody allowed running `make`, so it was not started"),
        (Outcome::Denied(Decider::Hook), "A hook refused running `make`"),
        (Outcome::TimedOut, "took too long"),
        (abort(None), "interrupted before it started"),
        (abort(Some(3)), "effects may be partial"),
        (Outcome::Lost { started: false }, "was never started"),
        (Outcome::Lost { started: true }, "effects may be partial"),
    ];
    for (outcome, words) in cases {
        let mut talk = Talk::new();
        talk.user("run make").await;
        let report = talk.results(&[(outcome.clone(), "what the tool said")]).await.text();
        assert!(report.contains(words), "{outcome:?}: {report}");
        assert_eq!(report.contains("succeeded"), outcome == Outcome::Ok, "{outcome:?}: {report}");
    }
}

#[tokio::test]
async fn output_cannot_break_out_of_its_block() {
    let mut talk = Talk::new();
    talk.user("run cat x").await;
    let report = talk.results(&[(Outcome::Ok, "```\n# not a heading\n```")]).await.text();
    assert!(report.ends_with("~~~~~~text\n```\n# not a heading\n```\n~~~~~~"), "{report}");
}

#[tokio::test]
async fn the_tour_looks_reads_and_asks_for_two_signatures() {
    let mut talk = Talk::new();
    assert_eq!(calls(&talk.user("tour").await), [("list", json!({}))]);
    let listing = ".: 3 entries\nsrc/\nCargo.toml  1.2 KB\nREADME.md  3 KB";
    let said = talk.results(&[(Outcome::Ok, listing)]).await;
    assert!(
        said.text().starts_with("This folder has 3 entries: `src/`, `Cargo.toml`, `README.md`."),
        "{}",
        said.text()
    );
    assert_eq!(calls(&said), [("read", json!({ "path": "README.md" }))]);
    let said = talk.results(&[(Outcome::Ok, "    1\t# Parser\n(1 line)")]).await;
    let proposed = calls(&said);
    let [("write", write), ("shell", _)] = proposed.as_slice() else { panic!("{proposed:?}") };
    assert_eq!(write["path"], json!("countersign-tour.txt"));
    let end = talk
        .results(&[(Outcome::Ok, "created countersign-tour.txt"), (Outcome::Denied(Decider::User), "no")])
        .await;
    let text = end.text();
    for words in
        ["Done: created", "You declined", "run rm countersign-tour.txt", "Esc", "Ctrl-O", "ANTHROPIC_API_KEY"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(calls(&end).len(), 0);
}

#[tokio::test]
async fn the_tour_names_tab_and_goes_on_when_something_is_said_or_changed_meanwhile() {
    for words in ["y", "The user changed the arguments of your call of shell to {\"command\":\"ls\"}."] {
        let mut talk = Talk::new();
        talk.user("tour").await;
        let said = talk.results_and(&[(Outcome::Ok, ".: 0 entries")], words).await;
        assert_eq!(calls(&said).len(), 2, "{words}: {}", said.text());
        assert!(said.text().contains("**Tab** gives the first pane the keys"), "{}", said.text());
        let end = talk.results_and(&[(Outcome::Ok, "created"), (Outcome::Ok, "hello")], words).await;
        assert!(end.text().contains("Ctrl-O") && !end.text().contains("I can follow"), "{}", end.text());
    }
    // A wish of its own is followed.
    let mut talk = Talk::new();
    talk.user("tour").await;
    let said = talk.results_and(&[(Outcome::Ok, ".: 0 entries")], "run git status").await;
    assert_eq!(calls(&said), [("shell", json!({ "command": "git status" }))]);
}

#[tokio::test]
async fn the_tour_goes_on_in_an_empty_folder() {
    let mut talk = Talk::new();
    talk.user("tour").await;
    let said = talk.results(&[(Outcome::Ok, ".: 0 entries")]).await;
    assert_eq!(calls(&said).len(), 2);
    let denied = || (Outcome::Denied(Decider::User), "The user denied this call.");
    let end = talk.results(&[denied(), denied()]).await;
    assert!(calls(&end).is_empty() && !end.text().contains("run rm"), "{}", end.text());
}

#[tokio::test]
async fn it_says_what_it_is_when_it_does_not_understand() {
    let mut talk = Talk::new();
    let said = talk.user("refactor the `parser`\nplease").await;
    let text = said.text();
    assert!(text.contains("`` refactor the `parser`… ``"), "{text}");
    assert!(text.contains("OPENAI_API_KEY") && text.contains("`read FILE`") && calls(&said).is_empty());
    let long = talk.user("explain yourself").await.text();
    assert!(long.lines().count() >= 40 && long.contains("```rust") && long.contains("|---"), "{long}");
}

#[tokio::test]
async fn a_session_without_the_tool_is_told_so() {
    let mut request = Talk::new().request();
    request.tools.retain(|tool| tool.name == "read");
    request.messages.push(Message::User(Arc::new("run ls".into())));
    let events: Vec<ModelNews> = RehearsalModel::new(Pace { pause_ms: 0 }).stream(request).collect().await;
    assert!(!events.iter().any(|n| matches!(n, ModelNews::Event(ModelEvent::CallStarted { .. }))));
    assert_eq!(events.last(), Some(&ModelNews::Finished));
}

#[tokio::test(start_paused = true)]
async fn it_speaks_at_a_readable_pace() {
    let mut request = Talk::new().request();
    request.messages.push(Message::User(Arc::new("explain yourself".into())));
    let begin = tokio::time::Instant::now();
    let pieces: Vec<ModelNews> = RehearsalModel::default().stream(request).collect().await;
    let text: usize = pieces
        .iter()
        .map(|n| if let ModelNews::Event(ModelEvent::Text(t)) = n { t.split_whitespace().count() } else { 0 })
        .sum();
    assert!(text > 300 && begin.elapsed().as_secs() >= 3, "{:?}", begin.elapsed());
}
