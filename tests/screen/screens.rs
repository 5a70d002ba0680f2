//! The screens as they look: whole frames at three sizes, kept as snapshots and read by eye.

use crate::scenes;
use crate::screen_harness::{ScreenHarness, page, snapshot};
use crate::session_builder::SessionBuilder;
use countersign::agent::Live;
use countersign::ledger::{Ending, Injector, Limit, Outcome};
use countersign::ui::local::{Inspector, Overlay};
use countersign::ui::update::hear;
use countersign::view::View;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

fn at_all_sizes(name: &str, harness: impl Fn() -> ScreenHarness) {
    for (width, height) in SIZES {
        snapshot(&format!("{name}_{width}x{height}"), &harness().frame(width, height));
    }
}

#[test]
fn empty_start() {
    at_all_sizes("empty", || {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        let notice =
            "The rehearsal model is used: it needs no key. To connect a real one, set ANTHROPIC_API_KEY.";
        harness.local.notice = Some(notice.into());
        harness
    });
}

#[test]
fn conversation() {
    at_all_sizes("conversation", || ScreenHarness::new(scenes::conversation()));
}

#[test]
fn markdown() {
    at_all_sizes("markdown", || {
        let mut builder = SessionBuilder::new();
        builder.user("Compare them.");
        let text = "## What differs\n\n| parser | speed | notes |\n|---|--:|---|\n| `nom` | 120 MB/s | combinators, **zero** copies, \
                    error messages need care |\n| pest 漢字 | 35 MB/s | a grammar in a file 👨‍👩‍👧‍👦 |\n\n1. read\n   - nested\n     - deeper\n\
                    2. see [the guide](https://example.org/guide)\n\n- [x] measured\n- [ ] decided\n\n> Fast is not clear.\n\n---\n\n\
                    ```sh\ncargo bench --bench parsers -- --save-baseline before\n```";
        builder.say(None, "", text, vec![]);
        builder.end(Ending::Completed);
        let mut harness = ScreenHarness::new(builder);
        harness.key(KeyCode::Tab, KeyModifiers::NONE);
        harness
    });
}

/// Before the first message it stands where nothing else does; then with what the model is told.
#[test]
fn a_server_of_tools_that_is_not_there() {
    let why =
        "The MCP server `files` could not be started: program `npx` not found; its tools are not available.";
    at_all_sizes("unreached_start", || {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        hear(&mut harness.local, &harness.view, &Live::Unreached(why.into()));
        harness
    });
    at_all_sizes("unreached", || {
        let mut builder = SessionBuilder::new();
        builder.user("List the files.");
        builder.inject(Injector::Discovery, why);
        builder.say(None, "", "I cannot.", vec![]);
        builder.end(Ending::Completed);
        ScreenHarness::new(builder)
    });
}

#[test]
fn growing_answer() {
    at_all_sizes("growing", || ScreenHarness::new(scenes::growing()));
}

#[test]
fn hosted_tools() {
    at_all_sizes("hosted", || ScreenHarness::new(scenes::hosted()));
    snapshot("hosted_growing_80x24", &ScreenHarness::new(scenes::hosted_growing()).frame(80, 24));
}

#[test]
fn running_tool() {
    at_all_sizes("running", || ScreenHarness::new(scenes::running()));
}

#[test]
fn approval_of_a_command() {
    at_all_sizes("approval_command", || ScreenHarness::new(scenes::waiting_command()));
    for (width, height) in SIZES {
        let mut harness = ScreenHarness::new(scenes::waiting_command());
        harness.size = (width, height);
        harness.turns();
        snapshot(&format!("approval_focused_{width}x{height}"), &harness.frame(width, height));
        let mut stop = ScreenHarness::new(scenes::budget_stop());
        stop.size = (width, height);
        stop.turns();
        snapshot(&format!("budget_focused_{width}x{height}"), &stop.frame(width, height));
    }
}

#[test]
fn approval_of_a_diff() {
    at_all_sizes("approval_diff", || ScreenHarness::new(scenes::waiting_diff()));
    at_all_sizes("approval_behind", || ScreenHarness::new(scenes::waiting_behind()));
}

#[test]
fn denial_with_a_reason() {
    at_all_sizes("approval_reason", || {
        let mut harness = ScreenHarness::new(scenes::waiting_command());
        harness.answers("r");
        harness.press("keep the caches");
        harness
    });
}

#[test]
fn interrupted_turn() {
    at_all_sizes("interrupted", || ScreenHarness::new(scenes::interrupted()));
}

#[test]
fn budget_stop() {
    at_all_sizes("budget_stop", || ScreenHarness::new(scenes::budget_stop()));
}

#[test]
fn ledger() {
    at_all_sizes("ledger", || {
        let mut harness = ScreenHarness::new(scenes::interrupted());
        harness.local.overlay = Some(Overlay::Ledger(Inspector::default()));
        harness
    });
}

#[test]
fn help() {
    at_all_sizes("help", || {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        harness.local.overlay = Some(page("/help", &harness.view));
        harness
    });
}

#[test]
fn output_of_a_call() {
    at_all_sizes("output", || {
        let mut harness = ScreenHarness::new(scenes::waiting_diff());
        harness.frame(80, 24);
        harness.press("o");
        harness
    });
}

#[test]
fn messages_that_wait() {
    at_all_sizes("queued", || {
        let mut harness = ScreenHarness::new(scenes::queued());
        harness.press("one more");
        harness
    });
}

#[test]
fn steering_delivered_and_notes() {
    at_all_sizes("steered", || ScreenHarness::new(scenes::steered()));
}

#[test]
fn retry_countdown() {
    at_all_sizes("retrying", || ScreenHarness::new(scenes::retrying()));
}

#[test]
fn compaction_under_way() {
    at_all_sizes("compacting", || ScreenHarness::new(scenes::compacting()));
}

#[test]
fn compaction_card() {
    at_all_sizes("compacted", || {
        let mut harness = ScreenHarness::new(scenes::compacted());
        harness.key(KeyCode::Tab, KeyModifiers::NONE);
        harness
    });
}

#[test]
fn compaction_opened() {
    at_all_sizes("summary", || {
        let mut harness = ScreenHarness::new(scenes::compacted());
        harness.key(KeyCode::Tab, KeyModifiers::NONE);
        harness.press("o");
        harness
    });
}

#[test]
fn compaction_in_the_ledger() {
    at_all_sizes("ledger_compacted", || {
        let mut harness = ScreenHarness::new(scenes::compacted());
        harness.ctrl('o');
        for _ in 0..3 {
            harness.key(KeyCode::Up, KeyModifiers::NONE);
        }
        harness
    });
}

#[test]
fn background_commands() {
    let serving = || {
        let mut builder = SessionBuilder::new();
        builder.user("Serve it.");
        for (command, told) in [
            ("make serve PORT=8080", "compiling\nlistening on 8080\x1b[31m\n\n[b1: running for 0 s]"),
            ("make watch", "no such target\n[b2: exit code 2 after 0 s]"),
        ] {
            let call =
                builder.tool_use("shell", serde_json::json!({ "command": command, "background": true }));
            let open = builder.say(None, "", "", vec![call]).pop().unwrap();
            builder.settle(open, Outcome::Ok, told, 200);
        }
        builder.end(Ending::Completed);
        ScreenHarness::new(builder)
    };
    at_all_sizes("shells", || {
        let mut harness = serving();
        harness.local.composer.replace("/shells");
        harness.key(KeyCode::Enter, KeyModifiers::NONE);
        harness
    });
    assert!(serving().frame(120, 40).contains("ask · 1 shell"), "the header counts those that run");
    let low = serving().frame(40, 10);
    assert!(low.contains("countersign anthropic… · ask · 1 shell"), "the mode and what runs stay: {low}");
}

#[test]
fn budgets() {
    at_all_sizes("budgets", || {
        let mut harness = ScreenHarness::new(scenes::compacted());
        let limits = &mut harness.view.settings.limits;
        limits.set(Limit::Cost, 500_000);
        limits.set(Limit::OutputTokens, 900);
        limits.set(Limit::ToolCalls, 0);
        harness.view.settings.token_budget = Some(10_000);
        harness.view = harness.builder.events.iter().fold(
            View::new(harness.view.settings.clone()),
            |mut view, event| {
                view.fold(event);
                view
            },
        );
        harness.ctrl('b');
        harness
    });
}

#[test]
fn words_keep_a_measure_on_wide_screens() {
    let mut builder = SessionBuilder::new();
    let prose = "word ".repeat(60);
    builder.user(&prose);
    let table = format!("| a | b |\n|---|---|\n| {} | {} |", "x".repeat(60), "y".repeat(60));
    let text = format!("{prose}\n\n- {prose}\n\n```\n{}\n```\n\n{table}", "c".repeat(120));
    builder.say(None, &prose, &text, vec![]);
    builder.end(Ending::Completed);
    let mut harness = ScreenHarness::new(builder);
    harness.ctrl('t');
    snapshot("wide_200x50", &harness.frame(200, 50));
}

#[test]
fn too_small() {
    for (width, height) in [(20, 5), (1, 1), (39, 40), (40, 9), (0, 0)] {
        let frame = ScreenHarness::new(scenes::waiting_command()).frame(width, height);
        if width >= 20 {
            assert!(frame.replace('\n', " ").contains("too small"), "{frame}");
        }
    }
}
