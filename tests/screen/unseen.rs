//! What is decided about has been in sight: the end of a command, the name of a file, the page of a call.

use crate::deliberate::{NONE, SIZES, before, decides, long_command, look};
use crate::scenes;
use crate::stage::Stage;
use countersign::agent::{Answer, Intent};
use countersign::ledger::Preview;
use countersign::ui::update::Act;
use ratatui::crossterm::event::KeyCode;
use serde_json::json;

#[test]
fn the_end_of_a_command_is_seen_before_it_is_allowed() {
    for size in SIZES {
        for key in ["y", "s", "b"] {
            let mut seat = before(long_command(), size);
            assert!(!look(&mut seat).contains("rm -rf /"));
            seat.turns();
            let mut presses = 0;
            let acts = loop {
                let acts = seat.press(key);
                let frame = look(&mut seat);
                presses += 1;
                if decides(&acts) {
                    break acts;
                }
                assert!(presses < 80, "{frame}");
                seat.waits(1_000);
            };
            let [Act::Send(Intent::Decide { answer, .. })] = &acts[..] else { panic!("{acts:?}") };
            assert!(!matches!(answer, Answer::Deny(_)) && presses > 1);
        }
        // Every line was in sight on the way, and the last one when it says so.
        let mut seat = before(long_command(), size);
        seat.turns();
        let mut seen = String::new();
        for _ in 0..80 {
            seen.push_str(&look(&mut seat));
            seat.waits(1_000);
            if seat.local.reading.is_some_and(|reading| !reading.is_unread()) {
                break;
            }
            assert!(!decides(&seat.press("y")));
            seat.waits(1_000);
        }
        assert!((1..=60).all(|line| seen.contains(&format!("echo line {line} "))), "{size:?}\n{seen}");
        assert!(look(&mut seat).contains("rm -rf /"));
        assert!(look(&mut seat).contains("now shown: press again"));

        let mut denied = before(long_command(), size);
        assert!(decides(&denied.answers("n")), "to deny it needs no reading");
        let mut scrolled = before(long_command(), size);
        scrolled.turns();
        scrolled.key(KeyCode::End, NONE);
        assert!(look(&mut scrolled).contains("rm -rf /"));
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
        let mut stage = Stage::new();
        stage.user("Go.");
        let edit = stage.tool_use("edit", json!({ "path": path, "edits": [] }));
        let open = stage.say(None, "", "It.", vec![edit]);
        stage.ask(open[0].id(), "edit", Preview::Diff("@@ -1,1 +1,1 @@\n-old\n+new\n".into()));
        std::mem::forget(open);
        let mut seat = before(stage, size);
        seat.turns();
        let frame = look(&mut seat);
        let plain: String = frame.chars().filter(|c| !c.is_whitespace() && *c != '│').collect();
        assert!(plain.contains(path), "{size:?}\n{frame}");
        assert!(frame.contains("y once"), "{frame}");
    }
    let mut seat = before(scenes::waiting_diff(), (40, 10));
    assert!(look(&mut seat).contains("src/parser.rs"), "{}", look(&mut seat));
}

#[test]
fn the_page_of_a_call_takes_its_answers() {
    let mut seat = before(scenes::waiting_diff(), (80, 24));
    seat.turns();
    seat.press("o");
    let page = look(&mut seat);
    assert!(page.contains("removed") || page.contains("change"), "{page}");
    assert!(
        page.find("change").unwrap() < page.find("arguments").unwrap(),
        "the change stands first\n{page}"
    );
    assert!(!decides(&seat.press("y")), "it has just appeared");
    seat.waits(1_000);
    assert!(!decides(&seat.bursts("ny")));
    seat.waits(1_000);
    assert!(decides(&seat.press("y")));
    assert_eq!(seat.local.overlay, None);
    let mut denied = before(scenes::waiting_diff(), (80, 24));
    denied.turns();
    denied.press("o");
    look(&mut denied);
    denied.waits(1_000);
    denied.press("r");
    denied.press("no");
    assert!(decides(&denied.key(KeyCode::Enter, NONE)));
}
