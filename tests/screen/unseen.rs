//! What is decided about has been in sight: the end of a command, the name of a file, the page of a call.

use crate::deliberate::{NONE, SIZES, before, decides, long_command, look};
use crate::scenes;
use crate::screen_harness::{ScreenHarness, page};
use crate::session_builder::{SessionBuilder, view};
use countersign::agent::{Answer, Intent};
use countersign::ledger::Preview;
use countersign::ui::local::{Inspector, Local, Overlay};
use countersign::ui::replies::reply;
use countersign::ui::theme::Theme;
use countersign::ui::update::UiEffect;
use countersign::ui::{Reply, RuleLines, RulePlan};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::style::Color;
use serde_json::json;

#[test]
fn the_end_of_a_command_is_seen_before_it_is_allowed() {
    for size in SIZES {
        for key in ["y", "s", "b"] {
            let mut harness = before(long_command(), size);
            assert!(!look(&mut harness).contains("rm -rf /"));
            harness.turns();
            let mut presses = 0;
            let acts = loop {
                let acts = harness.press(key);
                let frame = look(&mut harness);
                presses += 1;
                if decides(&acts) {
                    break acts;
                }
                assert!(presses < 80, "{frame}");
                harness.waits(1_000);
            };
            let [UiEffect::Send(Intent::Decide { answer, .. })] = &acts[..] else { panic!("{acts:?}") };
            assert!(!matches!(answer, Answer::Deny(_)) && presses > 1);
        }
        // Every line was in sight on the way, and the last one when it says so.
        let mut harness = before(long_command(), size);
        harness.turns();
        let mut seen = String::new();
        for _ in 0..80 {
            seen.push_str(&look(&mut harness));
            harness.waits(1_000);
            if harness.local.reading.is_some_and(|reading| !reading.is_unread()) {
                break;
            }
            assert!(!decides(&harness.press("y")));
            harness.waits(1_000);
        }
        assert!((1..=60).all(|line| seen.contains(&format!("echo line {line} "))), "{size:?}\n{seen}");
        assert!(look(&mut harness).contains("rm -rf /"));
        assert!(look(&mut harness).contains("now shown: press again"));

        let mut denied = before(long_command(), size);
        assert!(decides(&denied.answers("n")), "to deny it needs no reading");
        let mut scrolled = before(long_command(), size);
        scrolled.turns();
        scrolled.key(KeyCode::End, NONE);
        assert!(look(&mut scrolled).contains("rm -rf /"));
        scrolled.waits(1_000);
        // Whoever goes to the end is told what has not been shown, and is asked again.
        assert!(!decides(&scrolled.press("y")));
        assert!(look(&mut scrolled).contains("unseen: press again"), "{}", look(&mut scrolled));
        assert!(!decides(&scrolled.press("y")), "at once it is no answer to that");
        scrolled.waits(1_000);
        assert!(decides(&scrolled.press("y")));
        let mut lines = before(long_command(), size);
        lines.turns();
        let first = look(&mut lines);
        lines.key(KeyCode::Down, NONE);
        assert_ne!(look(&mut lines), first, "an arrow scrolls it");
        assert!(lines.local.composer.is_empty());
    }
}

#[test]
fn an_approval_names_its_file_at_every_size() {
    let path = "src/a/rather/deep/folder/of/the/project/parser.rs";
    for size in SIZES {
        let mut builder = SessionBuilder::new();
        builder.user("Go.");
        let edit = builder.tool_use("edit", json!({ "path": path, "edits": [] }));
        let open = builder.say(None, "", "It.", vec![edit]);
        builder.ask(open[0].id(), "edit", Preview::Diff("@@ -1,1 +1,1 @@\n-old\n+new\n".into()));
        std::mem::forget(open);
        let mut harness = before(builder, size);
        harness.turns();
        let frame = look(&mut harness);
        let plain: String = frame.chars().filter(|c| !c.is_whitespace() && *c != '┃').collect();
        assert!(plain.contains(path), "{size:?}\n{frame}");
        assert!(frame.contains("y once"), "{frame}");
    }
    let mut harness = before(scenes::waiting_diff(), (40, 10));
    assert!(look(&mut harness).contains("src/parser.rs"), "{}", look(&mut harness));
}

#[test]
fn the_page_of_a_call_takes_its_answers() {
    let mut harness = before(scenes::waiting_diff(), (80, 24));
    harness.turns();
    harness.press("o");
    let page = look(&mut harness);
    assert!(page.contains("removed") || page.contains("change"), "{page}");
    assert!(
        page.find("change").unwrap() < page.find("arguments").unwrap(),
        "the change stands first\n{page}"
    );
    assert!(!decides(&harness.press("y")), "it has just appeared");
    harness.waits(1_000);
    assert!(!decides(&harness.bursts("ny")));
    harness.waits(1_000);
    assert!(decides(&harness.press("y")));
    assert_eq!(harness.local.overlay, None);
    let mut denied = before(scenes::waiting_diff(), (80, 24));
    denied.turns();
    denied.press("o");
    look(&mut denied);
    denied.waits(1_000);
    denied.press("r");
    denied.press("no");
    assert!(decides(&denied.key(KeyCode::Enter, NONE)));
}

#[test]
fn a_page_is_not_in_sight_while_the_terminal_is_too_small() {
    for small in [(39, 24), (80, 9)] {
        let mut harness = before(scenes::waiting_diff(), (80, 24));
        harness.turns();
        harness.press("o");
        for _ in 0..2 {
            assert!(harness.frame(small.0, small.1).contains("too small"));
            harness.waits(1_000);
            assert!(!decides(&harness.press("y")), "{small:?}: there is only that it is too small");
        }
        harness.waits(1_000);
        harness.frame(80, 24);
        assert!(!decides(&harness.press("y")), "{small:?}: it has just appeared");
        harness.waits(1_000);
        assert!(decides(&harness.press("y")), "{small:?}");
    }
}

#[test]
fn what_was_in_sight_until_the_card_shrank_is_shown_again() {
    let mut harness = before(long_command(), (80, 90));
    assert!(look(&mut harness).contains("rm -rf /"), "all of it is in sight for a moment");
    harness.size = (80, 24);
    assert!(!look(&mut harness).contains("rm -rf /"), "other calls take the room");
    harness.turns();
    harness.waits(1_000);
    assert!(!decides(&harness.press("y")));
    // And what comes into sight is not decided by a key that was on its way.
    harness.size = (80, 90);
    assert!(look(&mut harness).contains("rm -rf /"));
    assert!(!decides(&harness.press("y")));
    harness.waits(1_000);
    assert!(decides(&harness.press("y")));
}

/// A scene in which two calls wait: the second takes something away, the first does not.
fn one_is_grave() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Tidy up.");
    let calls = ["cargo doc", "rm -rf build && git push --force"];
    let uses = calls.map(|line| builder.tool_use("shell", json!({ "command": line })));
    let open = builder.say(None, "", "Two things:", uses.to_vec());
    for (at, (line, effects)) in calls.into_iter().zip([vec!["runs"], vec!["sends", "deletes"]]).enumerate() {
        builder.effects = effects.into_iter().map(str::to_owned).collect();
        builder.ask(open[at].id(), "shell", Preview::Command(line.to_owned()));
    }
    std::mem::forget(open);
    builder
}

#[test]
fn what_takes_away_or_sends_says_so_in_its_own_colour_at_every_size_and_whoever_has_the_focus() {
    for size in [(40, 10), (80, 24), (120, 40), (200, 50)] {
        let mut harness = before(one_is_grave(), size);
        harness.theme = Theme::builtin("countersign-dark").unwrap();
        if size.1 > 10 {
            // The second pane has not its turn.
            let buffer = harness.buffer(size.0, size.1);
            assert_eq!(colour_of(&buffer, "deletes, sends"), harness.theme.warning.fg, "{size:?}");
            assert_ne!(colour_of(&buffer, "runs"), harness.theme.warning.fg, "{size:?}");
        }
        harness.key(KeyCode::Tab, NONE);
        look(&mut harness);
        harness.key(KeyCode::Tab, NONE);
        let frame = look(&mut harness);
        assert!(frame.contains("rm -rf build") && frame.contains("deletes, sends"), "{frame}");
    }
}

/// The colour in which the first of these words stands.
fn colour_of(buffer: &Buffer, words: &str) -> Option<Color> {
    let area = buffer.area;
    (0..area.height).find_map(|y| {
        let row: String = (0..area.width).map(|x| buffer[(x, y)].symbol()).collect();
        let (before, _) = row.split_once(words)?;
        let x = u16::try_from(before.chars().count()).unwrap();
        Some(buffer[(x, y)].fg)
    })
}

#[test]
fn every_page_says_that_something_waits_behind_it() {
    let view = view(&scenes::conversation().events);
    let opened = |command: &str| page(command, &view);
    let pages = [
        opened("/help"),
        opened("/budgets"),
        opened("/shells"),
        opened("/plan"),
        Overlay::Ledger(Inspector::default()),
        Overlay::Picker(countersign::ui::palette::palette(&Local::new(), &view)),
    ];
    for size in SIZES {
        for page in &pages {
            for (scene, says) in [
                (scenes::waiting_command as fn() -> SessionBuilder, "3 calls wait for you"),
                (scenes::waiting_diff, "1 call waits for you"),
                (scenes::budget_stop, "the budget stop waits for you"),
            ] {
                let mut harness = before(scene(), size);
                harness.local.overlay = Some(page.clone());
                let frame = look(&mut harness);
                assert!(frame.lines().last().unwrap().trim_end().ends_with(says), "{page:?}\n{frame}");
            }
            let mut harness = before(scenes::conversation(), size);
            harness.local.overlay = Some(page.clone());
            assert!(!look(&mut harness).trim_end().ends_with("for you"), "{page:?}");
        }
    }
}

#[test]
fn words_that_do_not_answer_a_question_say_so() {
    let mut harness = before(crate::deliberate::question(), (80, 24));
    harness.press("call it parser");
    assert!(matches!(&harness.key(KeyCode::Enter, NONE)[..], [UiEffect::Send(Intent::Submit(_))]));
    assert!(look(&mut harness).contains("the question is still waiting: tab, then r answers it"));
    let mut harness = before(scenes::waiting_command(), (80, 24));
    harness.press("go on");
    harness.key(KeyCode::Enter, NONE);
    assert!(!look(&mut harness).contains("the question is still waiting"));
}

#[test]
fn the_status_line_names_the_keys_of_a_reason_and_of_a_card() {
    let mut harness = before(scenes::waiting_command(), (80, 24));
    harness.turns();
    harness.press("r");
    let frame = look(&mut harness);
    let last = frame.lines().last().unwrap();
    assert!(
        last.contains("esc back") && last.contains("enter denies") && !last.contains("interrupt"),
        "{frame}"
    );
    let mut harness = before(scenes::conversation(), (80, 24));
    harness.key(KeyCode::Tab, NONE);
    let frame = look(&mut harness);
    let last = frame.lines().last().unwrap();
    assert!(frame.contains("keys go to this card") && last.contains("o open"), "{frame}");
}

#[test]
fn a_number_for_which_the_rest_of_a_call_is_shown_first_stays_marked() {
    let command: Vec<String> = (1..=60).map(|line| format!("echo line {line}")).collect();
    let command = command.join("\n");
    let mut builder = SessionBuilder::new();
    builder.user("Run it.");
    let call = builder.tool_use("shell", json!({ "command": command }));
    let open = builder.say(None, "", "All of it.", vec![call]).remove(0);
    builder.offer(open.id(), "shell", Preview::Command(command), Some("shell(echo *)"));
    std::mem::forget(open);
    let mut harness = ScreenHarness::new(builder);
    harness.frame(120, 40);
    harness.answers("a");
    let lines = || Ok(RuleLines { file: "config.toml".into(), lines: "allow = [\"shell(echo *)\"]".into() });
    let plan = RulePlan { rule: "shell(echo *)".into(), project: lines(), everywhere: lines() };
    reply(&mut harness.local, &harness.view, Reply::RulePlan(plan));
    let frame = harness.frame(120, 40);
    assert!(frame.contains("● 1 this session"), "{frame}");
    harness.waits(1_000);
    assert!(harness.press("2").is_empty(), "the call was not read");
    let frame = harness.frame(120, 40);
    assert!(frame.contains("● 2 this project") && frame.contains("○ 1 this session"), "{frame}");
}
