//! The rest of what the screen can show, at three sizes: endings, states of a call, remarks, goals, lists, modes.

use crate::scenes;
use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::SessionBuilder;
use countersign::agent::Live;
use countersign::ledger::{
    Abort, AbortPath, Answerer, Arguments, Asked, Change, Checkpoint, CutBy, Decider, Effort, Ending, Goal,
    Image, Injected, Injector, Limit, ModelRef, OpenCall, Outcome, Preview, Remark, UserMessage, Validation,
};
use countersign::ui::Replay;
use countersign::ui::local::Overlay;
use countersign::ui::picker::{Choice, Item, Picker};
use countersign::ui::picker_source::Source;
use countersign::ui::theme::Theme;
use countersign::ui::update::paste;
use countersign::ui::vim::Vim;
use countersign::view::View;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::json;

const NONE: KeyModifiers = KeyModifiers::NONE;
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

fn at_all_sizes(name: &str, harness: impl Fn() -> ScreenHarness) {
    for (width, height) in SIZES {
        snapshot(&format!("{name}_{width}x{height}"), &harness().frame(width, height));
    }
}

/// Many frames on one page, each under its name, with one empty row where there are more.
fn family(name: &str, members: &[(String, &dyn Fn() -> ScreenHarness)]) {
    for (width, height) in SIZES {
        let mut page = String::new();
        for (title, harness) in members {
            page.push_str(&format!("== {title}\n"));
            let frame = harness().frame(width, height);
            let rows: Vec<&str> = frame.lines().collect();
            let kept = rows.iter().enumerate().filter(|(at, row)| {
                !(row.is_empty() && at.checked_sub(1).is_some_and(|before| rows[before].is_empty()))
            });
            kept.for_each(|(_, row)| page.push_str(&format!("{row}\n")));
        }
        snapshot(&format!("{name}_{width}x{height}"), &page);
    }
}

fn called() -> (SessionBuilder, OpenCall) {
    let mut builder = SessionBuilder::new();
    builder.user("Test it.");
    let call =
        builder.tool_use("shell", json!({"command": "cargo test --all-features --workspace -- --nocapture"}));
    let open = builder.say(None, "", "Running it.", vec![call]).pop().unwrap();
    (builder, open)
}

/// With a limit of each kind, so that each can be raised.
fn with_limits(builder: SessionBuilder) -> ScreenHarness {
    let mut harness = ScreenHarness::new(builder);
    let mut settings = harness.view.settings.clone();
    settings.limits.set(Limit::Cost, 2_000_000);
    settings.limits.set(Limit::InputTokens, 400_000);
    settings.limits.set(Limit::OutputTokens, 60_000);
    settings.token_budget = Some(500_000);
    harness.view = View::new(settings);
    harness.builder.events.iter().for_each(|event| harness.view.fold(event));
    harness
}

#[test]
fn every_ending_has_a_card_that_says_what_next() {
    let plays: Vec<Box<dyn Fn() -> ScreenHarness>> = Ending::ALL
        .iter()
        .copied()
        .map(|ending| {
            Box::new(move || {
                let (mut builder, open) = called();
                builder.decide(open.id(), true, Decider::User);
                builder.settle(open, Outcome::Ok, "ok\n", 900);
                builder.end(ending);
                with_limits(builder)
            }) as Box<dyn Fn() -> ScreenHarness>
        })
        .collect();
    let names = Ending::ALL.iter().copied().map(|ending| ending.as_str().to_owned());
    let members: Vec<(String, &dyn Fn() -> ScreenHarness)> =
        names.zip(plays.iter().map(AsRef::as_ref)).collect();
    family("endings", &members);
}

fn unsettled(state: &str) -> SessionBuilder {
    let (mut builder, open) = called();
    let id = open.id();
    std::mem::forget(open);
    match state {
        "waiting" => drop(builder.ask(id, "shell", Preview::None)),
        "queued" => builder.decide(id, true, Decider::User),
        "refused" => builder.decide(id, false, Decider::Hook),
        "running" => {
            builder.decide(id, true, Decider::Policy);
            builder.run(id, "shell");
            builder.now += 72_000;
        }
        "running with output" => {
            builder.decide(id, true, Decider::Policy);
            builder.run(id, "shell");
            (0..30).for_each(|n| builder.output(id, &format!("test case_{n} ... ok\n")));
            builder.output(id, "a line without its end");
        }
        "done" => {
            builder.decide(id, true, Decider::Policy);
            builder.run(id, "shell");
            builder.live(Live::ToolFinished { call: id, outcome: Outcome::Ok });
        }
        _ => {}
    }
    builder
}

#[test]
fn a_call_in_each_of_its_states() {
    let states = ["preparing", "waiting", "queued", "refused", "running", "running with output", "done"];
    let plays = states.map(|state| move || ScreenHarness::new(unsettled(state)));
    let members: Vec<(String, &dyn Fn() -> ScreenHarness)> = states
        .iter()
        .zip(&plays)
        .map(|(name, play)| ((*name).to_owned(), play as &dyn Fn() -> ScreenHarness))
        .collect();
    family("states", &members);
}

#[test]
fn a_call_with_each_of_its_outcomes() {
    at_all_sizes("outcomes", || {
        let mut builder = SessionBuilder::new();
        builder.user("All of it.");
        let aborted = |path, ran_ms| Outcome::Aborted(Abort { path, ran_ms, by: CutBy::User, within: None });
        let outcomes = [
            ("read", Outcome::Ok, "    1\tone\n(1 line)"),
            ("shell", Outcome::Failed, "error: could not compile `parser`\nexit code 101"),
            ("edit", Outcome::Invalid, "edits: expected an array, got a string"),
            ("no_such_tool", Outcome::UnknownTool, "There is no tool `no_such_tool`."),
            ("write", Outcome::Denied(Decider::User), "Denied by the user: not there."),
            ("shell", Outcome::Denied(Decider::Policy), "Denied by policy: the mode is plan."),
            ("shell", Outcome::Denied(Decider::Hook), "Denied by a hook: no network."),
            ("search", Outcome::TimedOut, "Timed out after 30 s."),
            ("shell", aborted(AbortPath::C, Some(3_200)), "Interrupted mid-execution after 3.2 s."),
            ("shell", aborted(AbortPath::B, None), "Interrupted by user; was not started."),
            ("write", Outcome::Lost { started: true }, "The process died; effects may be partial."),
            ("list", Outcome::Lost { started: false }, "The process died; was not started."),
        ];
        let uses = outcomes
            .iter()
            .map(|(name, ..)| builder.tool_use(name, json!({"path": "src/parser.rs"})))
            .collect();
        let open = builder.say(None, "", "", uses);
        for (call, (_, outcome, content)) in open.into_iter().zip(outcomes) {
            builder.settle(call, outcome, content, 1_234);
        }
        builder.end(Ending::Completed);
        ScreenHarness::new(builder)
    });
}

#[test]
fn every_remark() {
    at_all_sizes("remarks", || {
        let mut builder = SessionBuilder::new();
        builder.user("Go.");
        for by in Injector::ALL.iter().copied() {
            let said = Injected::text(
                by,
                "A sentence that neither side said and that is long enough to be cut on a narrow screen.",
            );
            builder.ledger.inject(builder.at(), said).unwrap();
            builder.tell();
        }
        let [one, two] = ["anthropic/claude-test", "openai/gpt-test"].map(ModelRef::parse);
        builder.remark(Remark::Change(Change::Model { model: two, previous: one }));
        builder.remark(Remark::Change(Change::Effort { effort: Some(Effort::High) }));
        builder.remark(Remark::Change(Change::Effort { effort: None }));
        builder.remark(Remark::Change(Change::Budget { limit: Limit::Cost, to: 4_000_000 }));
        builder.note("e5", "The model call failed: overloaded");
        let message = "openai/gpt-test cannot be reached: the name of the server is not known".into();
        let next = "Check the network, then send the message again.".into();
        builder.remark(Remark::Error { message, next });
        ScreenHarness::new(builder)
    });
}

fn goal() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Make the parser accept empty input.");
    builder.remark(Remark::Goal(Goal {
        objective: "Make the parser accept empty input.".into(),
        done_condition: "`cargo test parser` exits with 0".into(),
        budget: vec![(Limit::Turns, 20), (Limit::Cost, 2_000_000)],
        checkpoints: 5,
        current_plan: String::new(),
        progress_log: vec![],
        validation_method: Validation::Command("cargo test parser".into()),
        stop_rules: vec!["the grammar would have to change".into()],
    }));
    let mut arguments = serde_json::Map::new();
    arguments.insert("command".into(), "cargo test parser".into());
    let (call, open) = builder.ledger.validate(builder.at(), "shell", Arguments::Object(arguments)).unwrap();
    builder.tell();
    builder.decide(call.id, true, Decider::User);
    builder.settle(open, Outcome::Failed, "test empty ... FAILED\nexit code 101", 2_300);
    builder
}

fn checkpoint(builder: &mut SessionBuilder, number: u32, done: &str) {
    let asked = |question: &str, answer: Option<&str>, by| Asked {
        question: question.into(),
        answer: answer.map(str::to_owned),
        by,
    };
    builder.remark(Remark::Checkpoint(Checkpoint {
        number,
        questions: vec![
            asked("Is the objective still valid?", None, Answerer::Model),
            asked(
                "What evidence proves progress?",
                Some("2 calls worked (edit, shell), 1 did not"),
                Answerer::Ledger,
            ),
            asked("What remains?", None, Answerer::Model),
            asked("Is the done condition met?", Some(done), Answerer::ValidationCommand),
        ],
    }));
    builder.call_model(countersign::ledger::Transition::GoalCheck);
}

#[test]
fn a_goal_is_set_checked_and_handed_off() {
    at_all_sizes("goal", || {
        let mut builder = goal();
        checkpoint(&mut builder, 1, "no");
        builder.say(None, "", "The rule for nothing is missing.", vec![]);
        checkpoint(&mut builder, 2, "no");
        let text =
            "Objective: Make the parser accept empty input.\nDone: no\nNext: the rule for nothing.".into();
        builder.remark(Remark::Handoff { text });
        builder.end(Ending::BlockedOnUser);
        ScreenHarness::new(builder)
    });
    at_all_sizes("goal_reached", || {
        let mut builder = goal();
        checkpoint(&mut builder, 1, "yes");
        builder.end(Ending::GoalReached);
        ScreenHarness::new(builder)
    });
}

fn picking(source: Source, lines: &[(&str, &str)], query: &str) -> ScreenHarness {
    let mut harness = ScreenHarness::new(scenes::conversation());
    let items = lines.iter().map(|(words, aside)| Item {
        words: (*words).into(),
        aside: (*aside).into(),
        choice: Choice::Prompt((*words).into()),
    });
    let mut picker = Picker::new(source, items.collect());
    picker.query = query.into();
    harness.local.overlay = Some(Overlay::Picker(picker));
    harness
}

#[test]
fn lists_of_models_and_themes_and_lists_that_nothing_fits() {
    let models = [
        ("anthropic/claude-test", "200k · $3.00 in, $15.00 out · answers now"),
        ("openai/gpt-test", "400k · $1.25 in, $10.00 out"),
        ("openrouter/a-vendor/a-model-with-a-very-long-name-2026-01-01", "128k"),
        ("rehearsal", "no key needed"),
    ];
    at_all_sizes("models", || picking(Source::Models, &models, ""));
    at_all_sizes("models_none", || picking(Source::Models, &models, "zzz"));
    at_all_sizes("themes", || {
        let themes: Vec<(&str, &str)> = Theme::names()
            .iter()
            .map(|name| (*name, if name.contains("light") { "light" } else { "" }))
            .collect();
        picking(Source::Themes, &themes, "")
    });
}

#[test]
fn the_composer_in_its_modes() {
    at_all_sizes("vim_normal", || {
        let mut harness = ScreenHarness::new(scenes::conversation());
        harness.local.vim = Vim::new(true);
        harness.press("three words here");
        harness.key(KeyCode::Esc, NONE);
        harness
    });
    at_all_sizes("draft", || {
        let mut harness = ScreenHarness::new(scenes::conversation());
        for line in 0..12 {
            harness.press(&format!("line {line} of a draft that is longer than the composer is high"));
            harness.ctrl('j');
        }
        harness
    });
    at_all_sizes("pasted", || {
        let mut harness = ScreenHarness::new(scenes::conversation());
        harness.press("look: ");
        paste(&mut harness.local, &harness.view, &"a line of a log\n".repeat(400));
        harness
    });
    at_all_sizes("quit_armed", || {
        let mut harness = ScreenHarness::new(scenes::conversation());
        harness.ctrl('c');
        harness
    });
    at_all_sizes("replay", || {
        let mut harness = ScreenHarness::new(scenes::conversation());
        let entries = harness.builder.ledger.entries();
        let mut replay = Replay::of(entries);
        (replay.paused, replay.doublings, replay.shown) = (true, 1, entries.len() - 2);
        harness.local.replay = Some(replay);
        harness
    });
}

#[test]
fn what_is_read_with_reasoning_images_and_a_place_above_the_end() {
    at_all_sizes("reasoning", || {
        let mut builder = SessionBuilder::new();
        let image = Image {
            name: "screenshot.png".into(),
            media_type: "image/png".into(),
            data: "AAAA".into(),
            size: Some((1280, 720)),
        };
        let asked = UserMessage {
            content: "What is wrong in @screenshot.png?".into(),
            images: vec![image],
            files: Vec::new(),
            ..UserMessage::default()
        };
        builder.ledger.user(builder.at(), asked).unwrap();
        builder.tell();
        let reasoning = "The header is cut.\n\nIt has **two** parts, and the right one is longer than the room that is left for it.";
        builder.say(None, reasoning, "The header is cut at the right.", vec![]);
        builder.end(Ending::Completed);
        let mut harness = ScreenHarness::new(builder);
        harness.ctrl('t');
        harness
    });
    at_all_sizes("scrolled", || {
        let mut harness = ScreenHarness::new(scenes::eventful());
        harness.frame(80, 24);
        harness.key(KeyCode::PageUp, NONE);
        harness.frame(80, 24);
        harness.builder.note("e5", "The model call failed: overloaded");
        harness.catch_up();
        harness
    });
}

#[test]
fn approvals_of_other_kinds() {
    at_all_sizes("approval_long", || {
        let (mut builder, open) = called();
        let command = (1..40)
            .map(|n| format!("echo step {n} of a script that is long && \\"))
            .collect::<Vec<_>>()
            .join("\n");
        builder.ask(open.id(), "shell", Preview::Command(command));
        std::mem::forget(open);
        ScreenHarness::new(builder)
    });
    at_all_sizes("approval_bare", || {
        let mut builder = SessionBuilder::new();
        builder.user("Ask it.");
        let call = builder.tool_use(
            "mcp__tickets__create",
            json!({"title": "Empty input", "labels": ["bug", "parser"], "body": "two\nlines"}),
        );
        let open = builder.say(None, "", "", vec![call]).pop().unwrap();
        builder.ask(open.id(), "mcp__tickets__create", Preview::None);
        std::mem::forget(open);
        ScreenHarness::new(builder)
    });
    at_all_sizes("approval_while_typing", || {
        let mut harness = ScreenHarness::new(scenes::waiting_command());
        harness.press("x");
        harness.ctrl('u');
        harness.key(KeyCode::Tab, NONE);
        paste(&mut harness.local, &harness.view, "not an answer");
        harness
    });
}
