//! The rest of what the screen can show, at three sizes: endings, states of a call, remarks, goals, lists, modes.

use crate::frames::{Seat, snapshot};
use crate::scenes;
use crate::stage::Stage;
use countersign::agent::Live;
use countersign::ledger::{
    Abort, AbortPath, Answerer, Arguments, Asked, Change, Checkpoint, CutBy, Decider, Effort, Ending, Goal,
    Image, Injected, Injector, Limit, ModelRef, OpenCall, Outcome, Preview, Remark, UserMessage, Validation,
};
use countersign::ui::Replay;
use countersign::ui::local::Overlay;
use countersign::ui::picker::{Choice, Item, Picker};
use countersign::ui::source::Source;
use countersign::ui::theme::Theme;
use countersign::ui::update::paste;
use countersign::ui::vim::Vim;
use countersign::view::View;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::json;

const NONE: KeyModifiers = KeyModifiers::NONE;
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

fn at_all_sizes(name: &str, seat: impl Fn() -> Seat) {
    for (width, height) in SIZES {
        snapshot(&format!("{name}_{width}x{height}"), &seat().frame(width, height));
    }
}

/// Many frames on one page, each under its name, with one empty row where there are more.
fn family(name: &str, members: &[(String, &dyn Fn() -> Seat)]) {
    for (width, height) in SIZES {
        let mut page = String::new();
        for (title, seat) in members {
            page.push_str(&format!("== {title}\n"));
            let frame = seat().frame(width, height);
            let rows: Vec<&str> = frame.lines().collect();
            let kept = rows.iter().enumerate().filter(|(at, row)| {
                !(row.is_empty() && at.checked_sub(1).is_some_and(|before| rows[before].is_empty()))
            });
            kept.for_each(|(_, row)| page.push_str(&format!("{row}\n")));
        }
        snapshot(&format!("{name}_{width}x{height}"), &page);
    }
}

fn called() -> (Stage, OpenCall) {
    let mut stage = Stage::new();
    stage.user("Test it.");
    let call =
        stage.tool_use("shell", json!({"command": "cargo test --all-features --workspace -- --nocapture"}));
    let open = stage.say(None, "", "Running it.", vec![call]).pop().unwrap();
    (stage, open)
}

/// With a limit of each kind, so that each can be raised.
fn with_limits(stage: Stage) -> Seat {
    let mut seat = Seat::new(stage);
    let mut settings = seat.view.settings.clone();
    settings.limits.set(Limit::Cost, 2_000_000);
    settings.limits.set(Limit::InputTokens, 400_000);
    settings.limits.set(Limit::OutputTokens, 60_000);
    settings.token_budget = Some(500_000);
    seat.view = View::new(settings);
    seat.stage.events.iter().for_each(|event| seat.view.fold(event));
    seat
}

#[test]
fn every_ending_has_a_card_that_says_what_next() {
    let plays: Vec<Box<dyn Fn() -> Seat>> = Ending::ALL
        .into_iter()
        .map(|ending| {
            Box::new(move || {
                let (mut stage, open) = called();
                stage.decide(open.id(), true, Decider::User);
                stage.settle(open, Outcome::Ok, "ok\n", 900);
                stage.end(ending);
                with_limits(stage)
            }) as Box<dyn Fn() -> Seat>
        })
        .collect();
    let names = Ending::ALL.into_iter().map(|ending| ending.as_str().to_owned());
    let members: Vec<(String, &dyn Fn() -> Seat)> = names.zip(plays.iter().map(AsRef::as_ref)).collect();
    family("endings", &members);
}

fn unsettled(state: &str) -> Stage {
    let (mut stage, open) = called();
    let id = open.id();
    std::mem::forget(open);
    match state {
        "waiting" => drop(stage.ask(id, "shell", Preview::None)),
        "queued" => stage.decide(id, true, Decider::User),
        "refused" => stage.decide(id, false, Decider::Hook),
        "running" => {
            stage.decide(id, true, Decider::Policy);
            stage.run(id, "shell");
            stage.now += 72_000;
        }
        "running with output" => {
            stage.decide(id, true, Decider::Policy);
            stage.run(id, "shell");
            (0..30).for_each(|n| stage.output(id, &format!("test case_{n} ... ok\n")));
            stage.output(id, "a line without its end");
        }
        "done" => {
            stage.decide(id, true, Decider::Policy);
            stage.run(id, "shell");
            stage.live(Live::ToolFinished { call: id, outcome: Outcome::Ok });
        }
        _ => {}
    }
    stage
}

#[test]
fn a_call_in_each_of_its_states() {
    let states = ["preparing", "waiting", "queued", "refused", "running", "running with output", "done"];
    let plays = states.map(|state| move || Seat::new(unsettled(state)));
    let members: Vec<(String, &dyn Fn() -> Seat)> = states
        .iter()
        .zip(&plays)
        .map(|(name, play)| ((*name).to_owned(), play as &dyn Fn() -> Seat))
        .collect();
    family("states", &members);
}

#[test]
fn a_call_with_each_of_its_outcomes() {
    at_all_sizes("outcomes", || {
        let mut stage = Stage::new();
        stage.user("All of it.");
        let aborted = |path, ran_ms| Outcome::Aborted(Abort { path, ran_ms, by: CutBy::User });
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
            .map(|(name, ..)| stage.tool_use(name, json!({"path": "src/parser.rs"})))
            .collect();
        let open = stage.say(None, "", "", uses);
        for (call, (_, outcome, content)) in open.into_iter().zip(outcomes) {
            stage.settle(call, outcome, content, 1_234);
        }
        stage.end(Ending::Completed);
        Seat::new(stage)
    });
}

#[test]
fn every_remark() {
    at_all_sizes("remarks", || {
        let mut stage = Stage::new();
        stage.user("Go.");
        for by in Injector::ALL {
            let said = Injected::text(
                by,
                "A sentence that neither side said and that is long enough to be cut on a narrow screen.",
            );
            stage.ledger.inject(stage.at(), said).unwrap();
            stage.tell();
        }
        let [one, two] = ["anthropic/claude-test", "openai/gpt-test"].map(ModelRef::parse);
        stage.remark(Remark::Change(Change::Model { model: two, previous: one }));
        stage.remark(Remark::Change(Change::Effort { effort: Some(Effort::High) }));
        stage.remark(Remark::Change(Change::Effort { effort: None }));
        stage.remark(Remark::Change(Change::Budget { limit: Limit::Cost, to: 4_000_000 }));
        stage.note("e5", "The model call failed: overloaded");
        let message = "openai/gpt-test cannot be reached: the name of the server is not known".into();
        let next = "Check the network, then send the message again.".into();
        stage.remark(Remark::Error { message, next });
        Seat::new(stage)
    });
}

fn goal() -> Stage {
    let mut stage = Stage::new();
    stage.user("Make the parser accept empty input.");
    stage.remark(Remark::Goal(Goal {
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
    let (call, open) = stage.ledger.validate(stage.at(), "shell", Arguments::Object(arguments)).unwrap();
    stage.tell();
    stage.decide(call.id, true, Decider::User);
    stage.settle(open, Outcome::Failed, "test empty ... FAILED\nexit code 101", 2_300);
    stage
}

fn checkpoint(stage: &mut Stage, number: u32, done: &str) {
    let asked = |question: &str, answer: Option<&str>, by| Asked {
        question: question.into(),
        answer: answer.map(str::to_owned),
        by,
    };
    stage.remark(Remark::Checkpoint(Checkpoint {
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
    stage.call_model(countersign::ledger::Transition::GoalCheck);
}

#[test]
fn a_goal_is_set_checked_and_handed_off() {
    at_all_sizes("goal", || {
        let mut stage = goal();
        checkpoint(&mut stage, 1, "no");
        stage.say(None, "", "The rule for nothing is missing.", vec![]);
        checkpoint(&mut stage, 2, "no");
        let text =
            "Objective: Make the parser accept empty input.\nDone: no\nNext: the rule for nothing.".into();
        stage.remark(Remark::Handoff { text });
        stage.end(Ending::BlockedOnUser);
        Seat::new(stage)
    });
    at_all_sizes("goal_reached", || {
        let mut stage = goal();
        checkpoint(&mut stage, 1, "yes");
        stage.end(Ending::GoalReached);
        Seat::new(stage)
    });
}

fn picking(source: Source, lines: &[(&str, &str)], query: &str) -> Seat {
    let mut seat = Seat::new(scenes::conversation());
    let items = lines.iter().map(|(words, aside)| Item {
        words: (*words).into(),
        aside: (*aside).into(),
        choice: Choice::Prompt((*words).into()),
    });
    let mut picker = Picker::new(source, items.collect());
    picker.query = query.into();
    seat.local.overlay = Some(Overlay::Picker(picker));
    seat
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
        let mut seat = Seat::new(scenes::conversation());
        seat.local.vim = Vim::new(true);
        seat.press("three words here");
        seat.key(KeyCode::Esc, NONE);
        seat
    });
    at_all_sizes("draft", || {
        let mut seat = Seat::new(scenes::conversation());
        for line in 0..12 {
            seat.press(&format!("line {line} of a draft that is longer than the composer is high"));
            seat.ctrl('j');
        }
        seat
    });
    at_all_sizes("pasted", || {
        let mut seat = Seat::new(scenes::conversation());
        seat.press("look: ");
        paste(&mut seat.local, &seat.view, &"a line of a log\n".repeat(400));
        seat
    });
    at_all_sizes("quit_armed", || {
        let mut seat = Seat::new(scenes::conversation());
        seat.ctrl('c');
        seat
    });
    at_all_sizes("replay", || {
        let mut seat = Seat::new(scenes::conversation());
        seat.local.replay = Some(Replay { paused: true, doublings: 1, steps: 0 });
        seat
    });
}

#[test]
fn what_is_read_with_reasoning_images_and_a_place_above_the_end() {
    at_all_sizes("reasoning", || {
        let mut stage = Stage::new();
        let image = Image {
            name: "screenshot.png".into(),
            media_type: "image/png".into(),
            data: "AAAA".into(),
            size: Some((1280, 720)),
        };
        let asked = UserMessage { content: "What is wrong in @screenshot.png?".into(), images: vec![image] };
        stage.ledger.user(stage.at(), asked).unwrap();
        stage.tell();
        let reasoning = "The header is cut.\n\nIt has **two** parts, and the right one is longer than the room that is left for it.";
        stage.say(None, reasoning, "The header is cut at the right.", vec![]);
        stage.end(Ending::Completed);
        let mut seat = Seat::new(stage);
        seat.ctrl('t');
        seat
    });
    at_all_sizes("scrolled", || {
        let mut seat = Seat::new(scenes::eventful());
        seat.frame(80, 24);
        seat.key(KeyCode::PageUp, NONE);
        seat.frame(80, 24);
        seat.stage.note("e5", "The model call failed: overloaded");
        seat.catch_up();
        seat
    });
}

#[test]
fn approvals_of_other_kinds() {
    at_all_sizes("approval_long", || {
        let (mut stage, open) = called();
        let command = (1..40)
            .map(|n| format!("echo step {n} of a script that is long && \\"))
            .collect::<Vec<_>>()
            .join("\n");
        stage.ask(open.id(), "shell", Preview::Command(command));
        std::mem::forget(open);
        Seat::new(stage)
    });
    at_all_sizes("approval_bare", || {
        let mut stage = Stage::new();
        stage.user("Ask it.");
        let call = stage.tool_use(
            "mcp__tickets__create",
            json!({"title": "Empty input", "labels": ["bug", "parser"], "body": "two\nlines"}),
        );
        let open = stage.say(None, "", "", vec![call]).pop().unwrap();
        stage.ask(open.id(), "mcp__tickets__create", Preview::None);
        std::mem::forget(open);
        Seat::new(stage)
    });
    at_all_sizes("approval_while_typing", || {
        let mut seat = Seat::new(scenes::waiting_command());
        seat.press("x");
        seat.ctrl('u');
        seat.key(KeyCode::Tab, NONE);
        paste(&mut seat.local, &seat.view, "not an answer");
        seat
    });
}
