//! A rule that has no room on a low screen is read part by part, and taken only once its end was in sight.

use crate::mouse::Mouse;
use crate::permissions::{harness, waits};
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;
use countersign::agent::{Answer, Intent};
use countersign::ledger::{Preview, Scope};
use countersign::ui::replies::reply;
use countersign::ui::update::UiEffect;
use countersign::ui::{Reply, RuleLines, RulePlan};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEventKind};
use serde_json::json;

const NONE: KeyModifiers = KeyModifiers::NONE;

/// A rule of at least so many characters, each part of which can be told from the others.
fn rule_of(characters: usize) -> String {
    let mut words = "shell(cargo test --workspace".to_owned();
    for number in 0.. {
        if words.len() + 3 >= characters {
            break;
        }
        words.push_str(&format!(" --part{number}"));
    }
    words + " *)"
}

/// The files in which a rule can be kept.
fn plan(rule: &str) -> RulePlan {
    let lines = |file: &str| {
        Ok(RuleLines { file: file.to_owned(), lines: format!("allow = [\"read\", \"{rule}\"]") })
    };
    RulePlan {
        rule: rule.to_owned(),
        project: lines(".countersign/config.toml"),
        everywhere: lines("~/.config/countersign/config.toml"),
    }
}

fn taken(acts: &[UiEffect], wanted: &str) -> Option<Scope> {
    match acts {
        [] => None,
        [UiEffect::Send(Intent::Decide { answer: Answer::Always { rule, scope }, .. })] => {
            assert_eq!(rule, wanted);
            Some(*scope)
        }
        other => panic!("no rule: {other:?}"),
    }
}

/// What stands in the rows of the frame between the edges of the box, without blanks.
fn read(frame: &str) -> String {
    let rows = frame.lines().filter_map(|row| row.trim().strip_prefix(['│', '┃'])?.strip_suffix(['│', '┃']));
    rows.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect()
}

fn shown(rule: &str, (width, height): (u16, u16)) -> ScreenHarness {
    let mut harness = harness(waits(Some(rule)));
    harness.frame(width, height);
    harness.answers("a");
    harness.frame(width, height);
    reply(&mut harness.local, &harness.view, Reply::RulePlan(plan(rule)));
    harness
}

/// Presses this key as often as it takes, and tells of each frame before; where the rule is taken, it says for how long.
fn pressed(harness: &mut ScreenHarness, key: KeyCode, rule: &str) -> (String, Scope) {
    let (width, height) = harness.size;
    let mut seen = String::new();
    for _ in 0..40 {
        let frame = harness.frame(width, height);
        seen.push_str(&read(&frame));
        assert!(taken(&harness.key(key, NONE), rule).is_none(), "it has just appeared\n{frame}");
        harness.waits(1_000);
        if let Some(scope) = taken(&harness.key(key, NONE), rule) {
            return (seen, scope);
        }
    }
    panic!("it can never be taken: {}", harness.frame(width, height));
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether each part of a rule stands in what was seen.
fn is_all_in(rule: &str, seen: &str) -> bool {
    without_blanks(rule).split("--").all(|part| seen.contains(part))
}

#[test]
fn a_rule_without_room_is_read_to_its_end_before_it_is_taken() {
    for (size, characters) in
        [((40, 10), 90), ((40, 10), 200), ((40, 10), 600), ((60, 12), 300), ((80, 24), 900)]
    {
        for key in [KeyCode::Char('a'), KeyCode::Enter] {
            let rule = rule_of(characters);
            let mut harness = shown(&rule, size);
            let frame = harness.frame(size.0, size.1);
            assert!(frame.contains("$ cargo test all") && frame.contains("always: shell(cargo"), "{frame}");
            assert!(frame.contains("a enter read on") && frame.contains("rows 1–"), "{frame}");
            let (seen, scope) = pressed(&mut harness, key, &rule);
            assert!(is_all_in(&rule, &seen), "{size:?} {characters}\n{seen}");
            assert_eq!(scope, Scope::Session);
        }
    }
}

#[test]
fn a_long_rule_scrolls_and_a_number_takes_it_for_as_long_as_that_says() {
    let rule = rule_of(200);
    let mut harness = shown(&rule, (40, 10));
    crate::screen_harness::snapshot("always_long_40x10", &harness.frame(40, 10));
    let mut seen = read(&harness.frame(40, 10));
    while !harness.frame(40, 10).contains("a enter session") {
        assert!(harness.key(KeyCode::Down, NONE).is_empty());
        seen.push_str(&read(&harness.frame(40, 10)));
    }
    assert!(is_all_in(&rule, &seen), "{seen}");
    crate::screen_harness::snapshot("always_long_read_40x10", &harness.frame(40, 10));
    harness.key(KeyCode::PageUp, NONE);
    assert!(harness.frame(40, 10).contains("a enter session"), "what was read stays read");
    harness.waits(1_000);
    let mut everywhere = harness;
    assert!(everywhere.press("3").is_empty(), "no frame has shown the file");
    let frame = everywhere.frame(40, 10);
    assert!(frame.contains("~/.config/countersign/config.toml"), "{frame}");
    assert!(everywhere.press("3").is_empty(), "it has just appeared");
    let (seen, scope) = pressed(&mut everywhere, KeyCode::Char('3'), &rule);
    assert!(seen.contains("allow=[") && is_all_in(&rule, &seen), "the line is read to its end\n{seen}");
    assert_eq!(scope, Scope::Everywhere);
}

#[test]
fn a_number_before_the_rule_was_read_takes_nothing_unread() {
    for (number, wanted) in [('2', Scope::Project), ('3', Scope::Everywhere)] {
        for characters in [60, 90, 200] {
            let rule = rule_of(characters);
            let mut harness = shown(&rule, (40, 10));
            // The number comes before any frame has shown the rule.
            harness.press(&number.to_string());
            let (seen, scope) = pressed(&mut harness, KeyCode::Char(number), &rule);
            assert!(is_all_in(&rule, &seen), "{number} {characters}\n{seen}");
            assert!(seen.contains("config.toml") && seen.contains("allow=["), "{seen}");
            assert_eq!(scope, wanted);
        }
    }
}

/// No row above the box stays empty while a part of the call has no room in it.
#[test]
fn a_call_that_is_cut_above_a_rule_has_every_row_that_is_left() {
    let command = format!("cargo test{}", " --a-rather-long-word".repeat(60));
    let mut builder = SessionBuilder::new();
    builder.user("Test it.");
    let call = builder.tool_use("shell", json!({ "command": command }));
    let open = builder.say(None, "", "Now all of it.", vec![call]).remove(0);
    builder.offer(open.id(), "shell", Preview::Command(command), Some("shell(cargo test *)"));
    std::mem::forget(open);
    let mut harness = harness(builder);
    harness.frame(80, 24);
    harness.answers("a");
    let frame = harness.frame(80, 24);
    assert!(frame.contains("a enter as marked") && frame.contains("o shows all"), "{frame}");
    let rows = frame.lines().skip_while(|row| !row.contains("┏ shell"));
    let rows = rows.take_while(|row| !row.contains('┗')).count() + 1;
    assert_eq!(rows, usize::from(harness.local.page), "{frame}");
}

#[test]
fn a_long_rule_can_be_put_away_and_the_wheel_scrolls_it() {
    let rule = rule_of(200);
    let mut harness = shown(&rule, (40, 10));
    harness.frame(40, 10);
    harness.waits(1_000);
    assert!(harness.key(KeyCode::Esc, NONE).is_empty());
    assert!(harness.frame(40, 10).contains("y once"));
    let mut mouse = Mouse { harness: shown(&rule, (40, 10)), ..Mouse::at(waits(Some(&rule)), 40, 10) };
    mouse.look();
    assert!(mouse.screen().contains("rows 1–2"));
    mouse.does(MouseEventKind::ScrollDown, (5, 3));
    mouse.look();
    assert!(mouse.screen().contains("rows 2–3"), "{}", mouse.screen());
}

/// A file of some hundred lines is written anew; a rule is offered for that.
fn overwrites() -> SessionBuilder {
    let changed: String = (1..=300).map(|n| format!("-old {n}\n+new {n}\n")).collect();
    let diff = format!("--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,300 +1,300 @@\n{changed}");
    let mut builder = SessionBuilder::new();
    builder.user("Write it.");
    let call = builder.tool_use("write", json!({ "path": "src/a.rs", "content": "" }));
    let open = builder.say(None, "", "Anew.", vec![call]).remove(0);
    builder.offer(open.id(), "write", Preview::Diff(diff), Some(OVERWRITES));
    std::mem::forget(open);
    builder
}

const OVERWRITES: &str = "write(src/a.rs)";

/// The rule for it is shown, and where it could be kept.
fn offers(harness: &mut ScreenHarness) {
    assert!(!harness.press("a").is_empty(), "the rule is shown");
    harness.frame(80, 24);
    reply(&mut harness.local, &harness.view, Reply::RulePlan(plan(OVERWRITES)));
    harness.frame(80, 24);
    harness.waits(1_000);
}

#[test]
fn whoever_reads_on_is_told_of_the_page_that_has_more_rows() {
    for (width, height, hint) in
        [(80, 24, "press again · o: read it in full"), (40, 10, "press again, or o: all of it")]
    {
        let mut harness = harness(overwrites());
        harness.frame(width, height);
        assert!(harness.answers("y").is_empty(), "it was not read");
        let frame = harness.frame(width, height);
        assert!(frame.contains(hint), "{frame}");
    }
    let mut harness = harness(overwrites());
    harness.frame(80, 24);
    harness.turns();
    offers(&mut harness);
    let frame = harness.frame(80, 24);
    assert!(frame.contains("pgup pgdn scroll · esc, then o shows all"), "{frame}");
    assert!(harness.press("2").is_empty(), "it was not read");
    let frame = harness.frame(80, 24);
    assert!(frame.contains("esc, o: read it in full, then a"), "{frame}");
}

/// Each page was on the screen, for the time between two keys.
#[test]
fn what_keys_pass_by_too_fast_was_not_seen() {
    for (every, is_seen) in [(2, false), (33, false), (120, true)] {
        let mut harness = harness(overwrites());
        harness.frame(80, 24);
        harness.turns();
        for _ in 0..90 {
            harness.waits(every);
            harness.reads(&[KeyEvent::new(KeyCode::PageDown, NONE)]);
            harness.frame(80, 24);
        }
        harness.waits(1_000);
        harness.frame(80, 24);
        assert_eq!(!harness.press("y").is_empty(), is_seen, "a key every {every} ms");
        let frame = harness.frame(80, 24);
        assert_eq!(frame.contains("rows unseen: press again"), !is_seen, "{frame}");
    }
}

#[test]
fn a_call_above_a_rule_goes_by_pages() {
    let mut harness = harness(overwrites());
    harness.frame(80, 24);
    harness.turns();
    offers(&mut harness);
    for key in [KeyCode::PageDown, KeyCode::Char(' ')] {
        let before = harness.local.reading.unwrap();
        assert!(harness.key(key, NONE).is_empty());
        harness.frame(80, 24);
        let now = harness.local.reading.unwrap();
        assert_eq!((now.from, now.seen), (before.from + before.rows, before.seen + before.rows), "{key:?}");
        assert!(harness.local.always.is_some() && harness.local.composer.is_empty());
        assert!(!harness.local.is_ripe(&harness.view), "other rows are another thing to read");
        harness.waits(1_000);
        harness.frame(80, 24);
    }
}

/// The whole call was to be read a second time, two rows at a time.
#[test]
fn what_was_read_whole_on_its_page_is_not_read_again_before_the_rule_is_taken() {
    for is_whole in [true, false] {
        let mut harness = harness(overwrites());
        harness.frame(80, 24);
        harness.turns();
        harness.press("o");
        let mut pages = 0;
        loop {
            harness.frame(80, 24);
            harness.waits(1_000);
            if pages > 2 && !is_whole || !harness.local.reading.unwrap().is_unread() {
                break;
            }
            pages += 1;
            assert!(pages < 80, "{}", harness.frame(80, 24));
            harness.key(KeyCode::PageDown, NONE);
        }
        offers(&mut harness);
        let wanted = is_whole.then_some(Scope::Project);
        assert_eq!(taken(&harness.press("2"), OVERWRITES), wanted, "{}", harness.frame(80, 24));
    }
}
