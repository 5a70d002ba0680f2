//! What is approved is what is shown: for each tool, over generated arguments and sizes, what the pane says before it can be
//! allowed holds what the call is then run with, and a file that is written is the one that was named.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use countersign::agent::{Agent, Effect, Event, Input, Intent, Settings};
use countersign::ledger::{ApprovalRequest, Body, Millis, ModelRef, Outcome, Preview, Stop};
use countersign::model::{ModelEvent, ModelNews, ModelSpec};
use countersign::policy::{Policy, Rule, RuleKind, page};
use countersign::runtime::{Groups, LocalTools, ToolPort, tool_specs};
use countersign::tool::{Invocation, Preparation, ToolSpec};
use countersign::ui::update::UiEffect;
use proptest::prelude::*;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::{Map, Value, json};

use crate::generated::{OLD, added, members, path, says, size, squeezed, text};
use crate::screen_harness::ScreenHarness;
use crate::session_builder::{SessionBuilder, view};

/// Columns and rows.
pub type Size = (u16, u16);

pub const SIZES: [Size; 5] = [(40, 10), (60, 15), (80, 24), (100, 30), (132, 40)];

/// Tools of others: what they are given is all that is known of them.
fn of_others() -> [(ToolSpec, Preview); 2] {
    let to = |address: &str| Preview::Recipient(address.to_owned());
    [
        (
            ToolSpec::from_elsewhere("mcp__some-long-server-name__a_tool_with_a_long_name"),
            to("stdio: server"),
        ),
        (ToolSpec::from_elsewhere("delegate_to_researcher"), to("https://agents.example.org/a2a")),
    ]
}

/// A loop that asks about everything, and the real tools in a folder of their own.
struct LinearPlayer {
    folder: tempfile::TempDir,
    tools: LocalTools,
    agent: Agent,
    events: Vec<Event>,
    runs: Vec<Invocation>,
    now: u64,
}

/// What came of a call.
struct Asked {
    request: ApprovalRequest,
    /// All that the pane showed before it could be allowed, without blanks.
    pane: String,
    /// What is run.
    run: Invocation,
}

impl LinearPlayer {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("1/2/3/4");
        fs::create_dir_all(root.join("work/guide/deep")).unwrap();
        fs::create_dir_all(root.join("out/inner")).unwrap();
        symlink("../../out/inner", root.join("work/guide/away")).unwrap();
        symlink("guide", root.join("work/near")).unwrap();
        fs::write(root.join("work/old.txt"), OLD).unwrap();
        symlink("../old.txt", root.join("work/guide/link.txt")).unwrap();
        let others = of_others().map(|(tool, _)| ToolSpec { schema: json!({ "type": "object" }), ..tool });
        let tools: Vec<ToolSpec> = tool_specs().into_iter().chain(others).collect();
        let rules = tools.iter().map(|tool| Rule::parse(RuleKind::Ask, &tool.name).unwrap()).collect();
        let work = root.join("work");
        let settings = Settings {
            tools,
            cwd: work.display().to_string(),
            policy: Policy { rules, ..Policy::default() },
            ..Settings::new(ModelSpec::unknown(ModelRef::parse("first")))
        };
        let tools = LocalTools::new(work, vec![("HOME".into(), root.join("out").into())], Groups::default());
        let (events, runs) = (Vec::new(), Vec::new());
        Self { folder, tools, agent: Agent::new(settings), events, runs, now: 1_000 }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("1/2/3/4")
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
    }

    /// Does what the loop wants, up to the next decision; what it wants to run is noted.
    fn step(&mut self, input: Input, model: &[ModelNews]) {
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            self.now += 10;
            for effect in self.agent.step(Millis(self.now), input) {
                match effect {
                    Effect::Append(entry) => self.events.push(Event::Appended(entry)),
                    Effect::CallModel(message, _) => {
                        inputs.extend(model.iter().map(|news| Input::Model(message, news.clone())));
                    }
                    Effect::Prepare(call) => {
                        let other = of_others().into_iter().find(|(tool, _)| tool.name == call.name);
                        let id = call.call;
                        let found = match other {
                            Some((_, preview)) => Preparation { preview, ..Preparation::default() },
                            None => Self::block_on(self.tools.prepare(call)),
                        };
                        inputs.push_back(Input::Prepared(id, found));
                    }
                    Effect::RunTool(call) => self.runs.push(call),
                    _ => {}
                }
            }
        }
    }

    /// The model makes a call; a person reads its pane to the end and allows it. `None`: it was refused before.
    fn asks(&mut self, name: &str, arguments: &Value, size: Size) -> Option<Asked> {
        let index = 0;
        let news = [
            ModelEvent::CallStarted { index, wire_id: "w".into(), name: name.into() },
            ModelEvent::CallArguments { index, text: arguments.to_string() },
            ModelEvent::CallDone { index },
            ModelEvent::Stop(Stop::ToolUse),
        ];
        let news: Vec<ModelNews> =
            news.into_iter().map(ModelNews::Event).chain([ModelNews::Finished]).collect();
        self.step(Input::Intent(Intent::Submit("go".into())), &news[..]);
        let request = self.events.iter().rev().find_map(|event| match event {
            Event::Appended(entry) => match &entry.body {
                Body::ApprovalRequested(request) => Some(request.clone()),
                _ => None,
            },
            Event::Live(_) => None,
        })?;
        let (pane, intent) = read_and_allow(&self.events, size);
        self.step(Input::Intent(intent), &[]);
        let run = self.runs.pop().unwrap();
        Some(Asked { request, pane, run })
    }

    /// Runs what was allowed, and says which files it changed.
    fn runs(&self, run: &Invocation) -> (Outcome, BTreeSet<PathBuf>) {
        let before = files(self.folder.path());
        let (output, _listener) = tokio::sync::mpsc::channel(1);
        let report = Self::block_on(self.tools.run(run.clone(), output));
        let after = files(self.folder.path());
        let changed = after.iter().filter(|(path, content)| before.get(*path) != Some(content));
        (report.outcome, changed.map(|(path, _)| path.clone()).collect())
    }
}

/// Every file below a folder; links are not followed.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder.canonicalize().unwrap()).unwrap().map(Result::unwrap) {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files(&entry.path()));
        } else if kind.is_file() {
            found.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    found
}

/// Presses y until it decides: gives all that stood in the pane meanwhile, each line once, and the decision.
fn read_and_allow(events: &[Event], size: Size) -> (String, Intent) {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.view = view(events);
    harness.size = size;
    harness.waits(5_000);
    harness.frame(size.0, size.1);
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    let (mut lines, mut title) = (BTreeMap::new(), String::new());
    for _ in 0..4_000 {
        let frame = harness.frame(size.0, size.1);
        let mut rows = frame.lines().skip_while(|row| !row.trim_start().starts_with('┏'));
        title = squeezed(rows.next().unwrap().split("━━").next().unwrap());
        let reading = harness.local.reading.unwrap_or_else(|| panic!("it has to stand in a pane:\n{frame}"));
        for (at, row) in (reading.from..).zip(rows.take(reading.rows)) {
            let inner = row.trim().strip_prefix('┃').unwrap_or_else(|| panic!("{row:?}\n{frame}"));
            lines.insert(at, inner.strip_suffix('┃').unwrap_or(inner).trim().to_owned());
        }
        harness.waits(1_000);
        if let [UiEffect::Send(intent)] = &harness.press("y")[..] {
            assert_eq!(lines.len(), reading.all, "it was allowed with lines unseen at {size:?}\n{frame}");
            let body: String = lines.values().map(|line| squeezed(line)).collect();
            return (format!("{title}\u{0}{body}"), intent.clone());
        }
    }
    panic!("{title}: it can never be allowed");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_file_that_is_written_is_the_one_that_was_shown(path in path(), content in text(), size in size()) {
        let mut player = LinearPlayer::new();
        let arguments = json!({ "path": path, "content": content });
        let Asked { request, pane, run } = player.asks("write", &arguments, size).unwrap();
        prop_assert_eq!(&run.arguments.to_value(), &arguments);
        let used = request.leads_to.clone().unwrap();
        prop_assert!(pane.contains(&squeezed(&used)), "{:?}: {used}\n{pane}", size);
        let plain = path.trim_start_matches("./");
        prop_assert_eq!(pane.contains("writtenas"), plain != used, "{} {}\n{}", path, used, pane);
        let is_new = !player.root().join("work").join(&used).exists();
        // Of a new file that is too long for its preview, the call itself says all of it.
        let is_listed = matches!(&request.preview, Preview::Diff(diff) if diff.starts_with("--- /dev/null\n"));
        if request.is_partial && !is_listed {
            prop_assert!(pane.contains(&squeezed(&content)), "{pane}");
        } else if is_new {
            let shown = [true, false].map(|numbers| added(&content, numbers));
            prop_assert!(shown.iter().any(|all| pane.contains(all)), "{size:?}\n{shown:?}\n{pane}");
        }
        let (_, changed) = player.runs(&run);
        let named = player.root().join("work").join(&used);
        for path in &changed {
            prop_assert_eq!(path, &named);
        }
    }

    #[test]
    fn an_edit_changes_what_was_shown(at in 0..9_usize, new in text(), size in size(), path in prop_oneof![
        Just("old.txt"), Just("guide/link.txt"), Just("near/../guide/deep/../../old.txt"), Just("missing.txt")
    ]) {
        let mut player = LinearPlayer::new();
        let old = OLD.lines().nth(at).unwrap();
        let arguments = json!({ "path": path, "edits": [{ "old_text": old, "new_text": new }] });
        let Asked { request, pane, run } = player.asks("edit", &arguments, size).unwrap();
        let used = request.leads_to.clone().unwrap();
        prop_assert!(pane.contains(&squeezed(&used)), "{pane}");
        if request.is_partial {
            prop_assert!(says(&pane, "", &arguments["edits"]), "{pane}");
        } else {
            for line in new.split('\n').filter(|line| !OLD.lines().any(|old| old == *line)) {
                prop_assert!(pane.contains(&squeezed(line)) || size.0 > 110, "{line:?}\n{pane}");
            }
        }
        let (_, changed) = player.runs(&run);
        for path in &changed {
            prop_assert_eq!(path, &player.root().join("work").join(&used));
        }
    }

    #[test]
    fn what_looks_at_a_path_says_which(path in path(), pattern in "[a-z*./]{1,80}", size in size()) {
        for (tool, arguments) in [
            ("read", json!({ "path": path, "offset": 3, "limit": 12 })),
            ("list", json!({ "path": path })),
            ("glob", json!({ "pattern": pattern, "path": path })),
            ("search", json!({ "pattern": pattern, "path": path, "glob": "*.rs" })),
        ] {
            let mut player = LinearPlayer::new();
            let Asked { request, pane, run } = player.asks(tool, &arguments, size).unwrap();
            prop_assert_eq!(&run.arguments.to_value(), &arguments);
            let used = request.leads_to.unwrap();
            let as_used = arguments.as_object().unwrap().iter().map(|(name, value)| match name.as_str() {
                "path" => (name, json!(used)),
                _ => (name, value.clone()),
            });
            for (name, value) in as_used {
                prop_assert!(says(&pane, name, &value), "{tool} {size:?}: {name} {value}\n{pane}");
            }
        }
    }

    #[test]
    fn a_command_is_shown_with_all_that_it_is_given(
        command in text().prop_filter("a command says something", |text| !text.trim().is_empty()),
        seconds in proptest::option::of(1..600_u64), background in proptest::option::of(any::<bool>()), size in size(),
    ) {
        let mut arguments = Map::from_iter([("command".to_owned(), json!(command))]);
        arguments.extend(seconds.map(|seconds| ("timeout_seconds".to_owned(), json!(seconds))));
        arguments.extend(background.map(|background| ("background".to_owned(), json!(background))));
        let mut player = LinearPlayer::new();
        let Asked { pane, run, .. } = player.asks("shell", &Value::Object(arguments), size).unwrap();
        for (name, value) in run.arguments.to_value().as_object().unwrap() {
            let is_there = match name.as_str() {
                "command" => pane.contains(&squeezed(&format!("${command}"))),
                _ => pane.contains(&squeezed(&format!("{name}: {value}"))),
            };
            prop_assert!(is_there, "{size:?}: {name} {value}\n{pane}");
        }
    }

    #[test]
    fn tools_of_others_are_shown_with_all_that_they_are_given(members in members(), size in size()) {
        let arguments = Value::Object(members);
        for (tool, preview) in of_others() {
            let mut player = LinearPlayer::new();
            let Asked { pane, run, .. } = player.asks(&tool.name, &arguments, size).unwrap();
            prop_assert_eq!(&run.name, &tool.name);
            for (name, value) in run.arguments.to_value().as_object().unwrap() {
                prop_assert!(says(&pane, name, value), "{size:?}: {name} {value}\n{pane}");
            }
            let parts = tool.name.strip_prefix("mcp__").unwrap_or("researcher").split("__");
            for part in parts {
                prop_assert!(pane.contains(part), "{size:?}: {part}\n{pane}");
            }
            let Preview::Recipient(to) = preview else { unreachable!() };
            prop_assert!(pane.contains(&squeezed(&to)), "{pane}");
        }
    }

    #[test]
    fn a_task_is_shown_to_its_end(task in text(), goes_on in any::<bool>(), size in size()) {
        let mut arguments = json!({ "task": task });
        if goes_on {
            arguments["task_id"] = json!("t-4711");
        }
        let mut player = LinearPlayer::new();
        let Asked { pane, run, .. } = player.asks("delegate_to_researcher", &arguments, size).unwrap();
        prop_assert_eq!(&run.arguments.to_value(), &arguments);
        let given = run.arguments.text("task").unwrap();
        prop_assert!(says(&pane, "", &json!(given)), "{pane}");
        prop_assert!(!goes_on || pane.contains("task_idt-4711"), "{pane}");
    }

    #[test]
    fn a_page_is_shown_as_it_is_asked_for(
        url in "https?://([a-z]{2,9}\\.){1,2}(org|com)(:80|:8080)?(/[a-zA-Z0-9.%_~-]{0,40}){0,5}(\\?[a-z=&]{0,20})?", size in size(),
    ) {
        let mut player = LinearPlayer::new();
        let asked = player.asks("fetch", &json!({ "url": url }), size);
        match (asked, page(&url)) {
            (Some(asked), Ok(page)) => {
                prop_assert!(asked.pane.contains(&squeezed(&page.whole)), "{}", asked.pane);
                prop_assert!(asked.pane.contains(&format!("from{}", page.server)), "{}", asked.pane);
            }
            (None, Err(_)) => {}
            (asked, page) => prop_assert!(false, "{url}: {} {page:?}", asked.is_some()),
        }
    }
}

#[test]
fn other_tools_of_ours_are_shown_with_all_that_they_are_given() {
    for size in SIZES {
        let items = json!([{ "text": "first ".repeat(20), "status": "pending" }]);
        for (tool, arguments) in [
            ("shell_output", json!({ "id": "b1" })),
            ("shell_kill", json!({ "id": "b12" })),
            ("plan", json!({ "items": items })),
        ] {
            let mut player = LinearPlayer::new();
            let Asked { pane, run, .. } = player.asks(tool, &arguments, size).unwrap();
            for (name, value) in run.arguments.to_value().as_object().unwrap() {
                assert!(says(&pane, name, value), "{tool} {size:?}: {name} {value}\n{pane}");
            }
        }
    }
}

#[test]
fn a_path_that_can_be_read_in_two_ways_is_not_asked_about() {
    for path in ["a\nb.txt", "guide/\u{202e}txt.exe", "a\u{200b}.txt", " a.txt", "a.txt ", "x\u{1b}[2K"] {
        for (tool, arguments) in [
            ("write", json!({ "path": path, "content": "" })),
            ("edit", json!({ "path": path, "edits": [{ "old_text": "a", "new_text": "b" }] })),
            ("read", json!({ "path": format!("../{path}x{}", if path.ends_with(' ') { " " } else { "" }) })),
        ] {
            if tool == "read" && path.starts_with(' ') {
                continue;
            }
            let mut player = LinearPlayer::new();
            assert!(player.asks(tool, &arguments, (80, 24)).is_none(), "{tool} {path:?}");
            let refused = player.events.iter().any(|event| {
                matches!(event, Event::Appended(entry)
                    if matches!(&entry.body, Body::ToolResult(result) if result.outcome == Outcome::Invalid))
            });
            assert!(refused, "{tool} {path:?}");
            assert!(player.runs.is_empty());
        }
    }
}

#[test]
fn a_long_way_round_ends_at_the_path_that_is_written() {
    let path = format!("{}.git/hooks/pre-commit", "guide/../".repeat(12));
    for size in SIZES {
        let mut player = LinearPlayer::new();
        let arguments = json!({ "path": path, "content": "#!/bin/sh\n" });
        let Asked { request, pane, .. } = player.asks("write", &arguments, size).unwrap();
        assert_eq!(request.leads_to.as_deref(), Some(".git/hooks/pre-commit"));
        assert!(pane.contains(".git/hooks/pre-commit") && pane.contains("writtenasguide/../"), "{pane}");
    }
}
