//! The screens as they look: whole frames at three sizes, kept as snapshots and read by eye.

use crate::frames::{Seat, page, snapshot};
use crate::scenes;
use crate::stage::Stage;
use countersign::agent::Live;
use countersign::ledger::{Ending, Injector, Limit, Outcome};
use countersign::ui::local::{Inspector, Overlay};
use countersign::ui::update::hear;
use countersign::view::View;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

fn at_all_sizes(name: &str, seat: impl Fn() -> Seat) {
    for (width, height) in SIZES {
        snapshot(&format!("{name}_{width}x{height}"), &seat().frame(width, height));
    }
}

#[test]
fn empty_start() {
    at_all_sizes("empty", || {
        let mut seat = Seat::new(Stage::new());
        let notice =
            "The rehearsal model is used: it needs no key. To connect a real one, set ANTHROPIC_API_KEY.";
        seat.local.notice = Some(notice.into());
        seat
    });
}

#[test]
fn conversation() {
    at_all_sizes("conversation", || Seat::new(scenes::conversation()));
}

#[test]
fn markdown() {
    at_all_sizes("markdown", || {
        let mut stage = Stage::new();
        stage.user("Compare them.");
        let text = "## What differs\n\n| parser | speed | notes |\n|---|--:|---|\n| `nom` | 120 MB/s | combinators, **zero** copies, \
                    error messages need care |\n| pest 漢字 | 35 MB/s | a grammar in a file 👨‍👩‍👧‍👦 |\n\n1. read\n   - nested\n     - deeper\n\
                    2. see [the guide](https://example.org/guide)\n\n- [x] measured\n- [ ] decided\n\n> Fast is not clear.\n\n---\n\n\
                    ```sh\ncargo bench --bench parsers -- --save-baseline before\n```";
        stage.say(None, "", text, vec![]);
        stage.end(Ending::Completed);
        let mut seat = Seat::new(stage);
        seat.key(KeyCode::Tab, KeyModifiers::NONE);
        seat
    });
}

/// Before the first message it stands where nothing else does; then with what the model is told.
#[test]
fn a_server_of_tools_that_is_not_there() {
    let why = "The MCP server `files` could not be started: program `npx` not found; its tools are not \
        available.";
    at_all_sizes("unreached_start", || {
        let mut seat = Seat::new(Stage::new());
        hear(&mut seat.local, &Live::Unreached(why.into()));
        seat
    });
    at_all_sizes("unreached", || {
        let mut stage = Stage::new();
        stage.user("List the files.");
        stage.inject(Injector::Discovery, why);
        stage.say(None, "", "I cannot.", vec![]);
        stage.end(Ending::Completed);
        Seat::new(stage)
    });
}

#[test]
fn growing_answer() {
    at_all_sizes("growing", || Seat::new(scenes::growing()));
}

#[test]
fn hosted_tools() {
    at_all_sizes("hosted", || Seat::new(scenes::hosted()));
    snapshot("hosted_growing_80x24", &Seat::new(scenes::hosted_growing()).frame(80, 24));
}

#[test]
fn running_tool() {
    at_all_sizes("running", || Seat::new(scenes::running()));
}

#[test]
fn approval_of_a_command() {
    at_all_sizes("approval_command", || Seat::new(scenes::waiting_command()));
    for (width, height) in SIZES {
        let mut seat = Seat::new(scenes::waiting_command());
        seat.size = (width, height);
        seat.turns();
        snapshot(&format!("approval_focused_{width}x{height}"), &seat.frame(width, height));
        let mut stop = Seat::new(scenes::budget_stop());
        stop.size = (width, height);
        stop.turns();
        snapshot(&format!("budget_focused_{width}x{height}"), &stop.frame(width, height));
    }
}

#[test]
fn approval_of_a_diff() {
    at_all_sizes("approval_diff", || Seat::new(scenes::waiting_diff()));
    at_all_sizes("approval_behind", || Seat::new(scenes::waiting_behind()));
}

#[test]
fn denial_with_a_reason() {
    at_all_sizes("approval_reason", || {
        let mut seat = Seat::new(scenes::waiting_command());
        seat.answers("r");
        seat.press("keep the caches");
        seat
    });
}

#[test]
fn interrupted_turn() {
    at_all_sizes("interrupted", || Seat::new(scenes::interrupted()));
}

#[test]
fn budget_stop() {
    at_all_sizes("budget_stop", || Seat::new(scenes::budget_stop()));
}

#[test]
fn ledger() {
    at_all_sizes("ledger", || {
        let mut seat = Seat::new(scenes::interrupted());
        seat.local.overlay = Some(Overlay::Ledger(Inspector::default()));
        seat
    });
}

#[test]
fn help() {
    at_all_sizes("help", || {
        let mut seat = Seat::new(Stage::new());
        seat.local.overlay = Some(page("/help", &seat.view));
        seat
    });
}

#[test]
fn output_of_a_call() {
    at_all_sizes("output", || {
        let mut seat = Seat::new(scenes::waiting_diff());
        seat.frame(80, 24);
        seat.press("o");
        seat
    });
}

#[test]
fn messages_that_wait() {
    at_all_sizes("queued", || {
        let mut seat = Seat::new(scenes::queued());
        seat.press("one more");
        seat
    });
}

#[test]
fn steering_delivered_and_notes() {
    at_all_sizes("steered", || Seat::new(scenes::steered()));
}

#[test]
fn retry_countdown() {
    at_all_sizes("retrying", || Seat::new(scenes::retrying()));
}

#[test]
fn compaction_under_way() {
    at_all_sizes("compacting", || Seat::new(scenes::compacting()));
}

#[test]
fn compaction_card() {
    at_all_sizes("compacted", || {
        let mut seat = Seat::new(scenes::compacted());
        seat.key(KeyCode::Tab, KeyModifiers::NONE);
        seat
    });
}

#[test]
fn compaction_opened() {
    at_all_sizes("summary", || {
        let mut seat = Seat::new(scenes::compacted());
        seat.key(KeyCode::Tab, KeyModifiers::NONE);
        seat.press("o");
        seat
    });
}

#[test]
fn compaction_in_the_ledger() {
    at_all_sizes("ledger_compacted", || {
        let mut seat = Seat::new(scenes::compacted());
        seat.ctrl('o');
        for _ in 0..3 {
            seat.key(KeyCode::Up, KeyModifiers::NONE);
        }
        seat
    });
}

#[test]
fn background_commands() {
    let serving = || {
        let mut stage = Stage::new();
        stage.user("Serve it.");
        for (command, told) in [
            ("make serve PORT=8080", "compiling\nlistening on 8080\x1b[31m\n\n[b1: running for 0 s]"),
            ("make watch", "no such target\n[b2: exit code 2 after 0 s]"),
        ] {
            let call = stage.tool_use("shell", serde_json::json!({ "command": command, "background": true }));
            let open = stage.say(None, "", "", vec![call]).pop().unwrap();
            stage.settle(open, Outcome::Ok, told, 200);
        }
        stage.end(Ending::Completed);
        Seat::new(stage)
    };
    at_all_sizes("shells", || {
        let mut seat = serving();
        seat.local.composer.replace("/shells");
        seat.key(KeyCode::Enter, KeyModifiers::NONE);
        seat
    });
    assert!(serving().frame(120, 40).contains("ask · 1 shell"), "the header counts those that run");
}

#[test]
fn budgets() {
    at_all_sizes("budgets", || {
        let mut seat = Seat::new(scenes::compacted());
        let limits = &mut seat.view.settings.limits;
        limits.set(Limit::Cost, 500_000);
        limits.set(Limit::OutputTokens, 900);
        limits.set(Limit::ToolCalls, 0);
        seat.view.settings.token_budget = Some(10_000);
        seat.view =
            seat.stage.events.iter().fold(View::new(seat.view.settings.clone()), |mut view, event| {
                view.fold(event);
                view
            });
        seat.ctrl('b');
        seat
    });
}

#[test]
fn words_keep_a_measure_on_wide_screens() {
    let mut stage = Stage::new();
    let prose = "word ".repeat(60);
    stage.user(&prose);
    let table = format!("| a | b |\n|---|---|\n| {} | {} |", "x".repeat(60), "y".repeat(60));
    let text = format!("{prose}\n\n- {prose}\n\n```\n{}\n```\n\n{table}", "c".repeat(120));
    stage.say(None, &prose, &text, vec![]);
    stage.end(Ending::Completed);
    let mut seat = Seat::new(stage);
    seat.ctrl('t');
    snapshot("wide_200x50", &seat.frame(200, 50));
}

#[test]
fn too_small() {
    for (width, height) in [(20, 5), (1, 1), (39, 40), (40, 9), (0, 0)] {
        let frame = Seat::new(scenes::waiting_command()).frame(width, height);
        if width >= 20 {
            assert!(frame.replace('\n', " ").contains("too small"), "{frame}");
        }
    }
}
