//! "Always" for longer than the session: the line that would be written is shown before, and written once the decision is
//! recorded.

use crate::linear_harness::LinearHarness;
use crate::permissions::{RULE, harness, waits};
use crate::screen_harness::{ScreenHarness, snapshot};
use countersign::agent::{Answer, Intent, Live};
use countersign::ledger::{CallId, Decider, Decision, Remark, Scope};
use countersign::ui::linear::LinearEffect;
use countersign::ui::local::RuleToKeep;
use countersign::ui::replies::reply;
use countersign::ui::update::{UiEffect, hear};
use countersign::ui::{Reply, Request, RuleLines, RulePlan};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const NONE: KeyModifiers = KeyModifiers::NONE;
/// What is said below a pane that says why.
const REFUSED: &str = "not possible: why stands above";
const LINE: &str = "allow = [\"read\", \"shell(cargo test *)\"]";

fn plan() -> RulePlan {
    let lines = RuleLines { file: "~/.config/countersign/config.toml".to_owned(), lines: LINE.to_owned() };
    RulePlan {
        rule: RULE.to_owned(),
        project: Err("this folder is not trusted".to_owned()),
        everywhere: Ok(lines),
    }
}

/// A screen that shows the rule, and so many steps to the right.
fn shown(steps: usize) -> ScreenHarness {
    let mut harness = harness(waits(Some(RULE)));
    harness.frame(80, 24);
    assert_eq!(harness.answers("a"), [UiEffect::Ask(Request::PlanRule(RULE.to_owned()))]);
    for _ in 0..steps {
        assert!(harness.key(KeyCode::Right, NONE).is_empty());
    }
    harness
}

fn seen(harness: &mut ScreenHarness) {
    harness.frame(80, 24);
    harness.waits(1_000);
}

fn taken(acts: &[UiEffect]) -> (CallId, Scope) {
    match acts {
        [UiEffect::Send(Intent::Decide { call, answer: Answer::Always { rule, scope }, .. })]
            if rule.starts_with("shell(cargo test ") =>
        {
            (*call, *scope)
        }
        other => panic!("no rule is taken: {other:?}"),
    }
}

/// The decision is recorded as it was made.
fn recorded(harness: &mut ScreenHarness, call: CallId, scope: Scope, rule: &str) -> Option<Request> {
    let once = Decision::permission(call, Decider::User, "");
    let decision = Decision { scope, rule: Some(rule.to_owned()), ..once };
    harness.builder.remark(Remark::ApprovalDecided(decision));
    harness.catch_up();
    RuleToKeep::due(&mut harness.local.to_keep, &harness.view)
}

#[test]
fn what_would_be_written_is_shown_before_it_can_be_taken() {
    let mut harness = shown(2);
    seen(&mut harness);
    assert!(harness.key(KeyCode::Enter, NONE).is_empty(), "nobody knows the line yet");
    assert!(harness.local.hint.as_ref().unwrap().contains("still being read"));
    reply(&mut harness.local, &harness.view, Reply::RulePlan(plan()));
    assert!(harness.key(KeyCode::Enter, NONE).is_empty(), "no frame has shown the line");
    for (width, height) in [(80, 24), (120, 40), (40, 10)] {
        let frame = harness.frame(width, height);
        snapshot(&format!("always_kept_{width}x{height}"), &frame);
    }
    seen(&mut harness);
    let (call, scope) = taken(&harness.key(KeyCode::Enter, NONE));
    assert_eq!(scope, Scope::Everywhere);
    assert_eq!(RuleToKeep::due(&mut harness.local.to_keep, &harness.view), None, "nothing is recorded yet");
    let request = recorded(&mut harness, call, Scope::Everywhere, RULE);
    let (rule, lines) = (RULE.to_owned(), LINE.to_owned());
    assert_eq!(request, Some(Request::KeepRule { rule, scope: Scope::Everywhere, lines }));
    assert_eq!(RuleToKeep::due(&mut harness.local.to_keep, &harness.view), None, "it is written once");
}

#[test]
fn a_and_one_number_take_a_rule_for_as_long_as_that_says() {
    let mut harness = shown(0);
    reply(&mut harness.local, &harness.view, Reply::RulePlan(plan()));
    seen(&mut harness);
    let frame = harness.frame(80, 24);
    assert!(frame.contains("config.toml") && frame.contains("this folder is not trusted"), "{frame}");
    assert!(harness.press("2").is_empty(), "it is said why not");
    let refused = harness.frame(80, 24);
    assert_eq!(refused.matches("this folder is not trusted").count(), 1, "{refused}");
    assert!(refused.contains(REFUSED), "{refused}");
    seen(&mut harness);
    assert_eq!(taken(&harness.press("3")).1, Scope::Everywhere);
}

#[test]
fn up_and_down_choose_too_and_a_key_without_a_meaning_puts_nothing_away() {
    let mut harness = shown(0);
    reply(&mut harness.local, &harness.view, Reply::RulePlan(plan()));
    seen(&mut harness);
    for (key, scope) in [
        (KeyCode::Down, Scope::Project),
        (KeyCode::Down, Scope::Everywhere),
        (KeyCode::Down, Scope::Everywhere),
        (KeyCode::Up, Scope::Project),
        (KeyCode::Delete, Scope::Project),
        (KeyCode::PageDown, Scope::Project),
        (KeyCode::F(5), Scope::Project),
        (KeyCode::Down, Scope::Everywhere),
    ] {
        assert!(harness.key(key, NONE).is_empty());
        seen(&mut harness);
        assert_eq!(harness.local.always.as_ref().map(|always| always.scope), Some(scope), "{key:?}");
    }
    assert_eq!(taken(&harness.key(KeyCode::Enter, NONE)).1, Scope::Everywhere);
    // What is typed as people type goes to the composer, and takes no rule.
    let mut harness = shown(0);
    seen(&mut harness);
    assert!(harness.bursts("xy").is_empty());
    assert_eq!((harness.local.always, harness.local.composer.is_empty()), (None, false));
}

/// A low screen on which a was pressed for this rule, and what would be written is known.
fn on_a_low_screen(rule: &str, width: u16) -> ScreenHarness {
    let mut harness = harness(waits(Some(rule)));
    harness.frame(width, 10);
    harness.answers("a");
    harness.frame(width, 10);
    reply(&mut harness.local, &harness.view, Reply::RulePlan(RulePlan { rule: rule.to_owned(), ..plan() }));
    harness
}

#[test]
fn on_a_low_screen_a_and_one_number_are_enough_where_all_that_is_written_is_in_sight() {
    let mut harness = on_a_low_screen(RULE, 120);
    assert!(harness.press("3").is_empty(), "no frame has shown the files");
    let frame = harness.frame(120, 10);
    snapshot("always_in_few_rows_120x10", &frame);
    harness.waits(300);
    assert!(harness.press("3").is_empty(), "they have just appeared");
    harness.waits(1_000);
    assert!(harness.press("2").is_empty(), "it is said that it is not possible");
    assert_eq!(harness.local.hint.as_deref(), Some(REFUSED));
    harness.frame(120, 10);
    harness.waits(1_000);
    assert_eq!(taken(&harness.press("3")).1, Scope::Everywhere);
}

/// Presses a key until it takes something, and tells all that was in sight until then, without blanks and edges.
fn read_on(harness: &mut ScreenHarness, key: &str) -> (String, Scope) {
    let (width, height) = harness.size;
    let mut seen = String::new();
    for _ in 0..20 {
        let frame = harness.frame(width, height);
        let rows =
            frame.lines().filter_map(|row| row.trim().strip_prefix(['│', '┃'])?.strip_suffix(['│', '┃']));
        let is_whole = !frame.contains("read on");
        seen.push_str(&rows.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect::<String>());
        harness.waits(1_000);
        let acts = harness.press(key);
        if !acts.is_empty() {
            assert!(is_whole, "there is more to read\n{frame}");
            return (seen, taken(&acts).1);
        }
    }
    panic!("it can never be taken: {}", harness.frame(width, height));
}

#[test]
fn what_is_written_to_which_file_is_read_whole_before_a_number_takes_it() {
    let file = "/home/somebody/work/a-project-with-a-long-name/and-a-folder/.countersign/config.toml";
    let line = "allow = [\"read\", \"shell(git status)\", \"shell(git diff *)\", \"shell(cargo test *)\"]";
    let without_blanks = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    for (width, height) in [(40, 10), (60, 12), (80, 24)] {
        for (number, scope) in [("2", Scope::Project), ("3", Scope::Everywhere)] {
            let mut harness = harness(waits(Some(RULE)));
            harness.frame(width, height);
            harness.answers("a");
            harness.frame(width, height);
            let written = || Ok(RuleLines { file: file.to_owned(), lines: line.to_owned() });
            let plan = RulePlan { project: written(), everywhere: written(), ..plan() };
            reply(&mut harness.local, &harness.view, Reply::RulePlan(plan));
            let (seen, taken) = read_on(&mut harness, number);
            assert_eq!(taken, scope);
            for wanted in [file, line] {
                let wanted = without_blanks(wanted);
                // A row can be in sight twice, where it is scrolled by less than a page.
                let cells: Vec<char> = wanted.chars().collect();
                for from in [0, cells.len() / 2, cells.len() - 8] {
                    let part: String = cells[from..from + 8].iter().collect();
                    assert!(seen.contains(&part), "{width}x{height} {part}\n{seen}");
                }
            }
        }
    }
}

#[test]
fn why_a_rule_cannot_be_kept_is_told_whole() {
    let why = "this folder is not trusted, so a rule in its file could only tighten: countersign trust shows \
        what it would do and asks";
    for (width, height) in [(40, 10), (80, 24)] {
        let mut harness = on_a_low_screen(RULE, width);
        harness.frame(width, height);
        let plan = RulePlan { project: Err(why.to_owned()), everywhere: Err(why.to_owned()), ..plan() };
        reply(&mut harness.local, &harness.view, Reply::RulePlan(plan));
        harness.frame(width, height);
        let mut seen = String::new();
        harness.key(KeyCode::Right, NONE);
        for _ in 0..12 {
            let frame = harness.frame(width, height);
            let rows =
                frame.lines().filter_map(|row| row.trim().strip_prefix(['│', '┃'])?.strip_suffix(['│', '┃']));
            seen.push_str(&rows.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" "));
            harness.waits(1_000);
            harness.key(KeyCode::PageDown, NONE);
        }
        for words in ["this folder is not trusted", "only tighten", "asks"] {
            assert!(seen.contains(words), "{width}x{height} {words}\n{seen}");
        }
    }
}

/// A file that cannot be written was told of under both times, and below the pane once more.
#[test]
fn why_nothing_can_be_written_stands_once() {
    let why = "/etc/countersign/config.toml cannot be written: read-only file system";
    for size in [(80, 24), (120, 40), (120, 10)] {
        let mut harness = harness(waits(Some(RULE)));
        harness.frame(size.0, size.1);
        harness.answers("a");
        harness.frame(size.0, size.1);
        let refused = || Err(why.to_owned());
        let plan = RulePlan { project: refused(), everywhere: refused(), ..plan() };
        reply(&mut harness.local, &harness.view, Reply::RulePlan(plan));
        assert!(harness.press("3").is_empty());
        assert_eq!(harness.local.hint.as_deref(), Some(why), "no frame has said why");
        for _ in 0..2 {
            harness.frame(size.0, size.1);
            harness.waits(1_000);
        }
        assert!(harness.press("3").is_empty());
        let frame = harness.frame(size.0, size.1);
        let words =
            frame.split_whitespace().filter(|word| !["│", "┃"].contains(word)).collect::<Vec<_>>().join(" ");
        assert_eq!(words.matches(why).count(), 1, "{frame}");
        assert!(words.contains("for the same reason") && words.contains(REFUSED), "{frame}");
    }
    // Where the pane has no room for it, it is said below.
    let mut low = on_a_low_screen("shell(cargo test --workspace --all-features *)", 40);
    low.frame(40, 10);
    low.waits(1_000);
    low.press("2");
    low.frame(40, 10);
    assert!(low.press("2").is_empty());
    assert_eq!(low.local.hint.as_deref(), Some("this folder is not trusted"), "it has just appeared");
}

#[test]
fn on_a_low_screen_a_number_shows_the_file_first_where_the_rule_needs_the_room() {
    let long = "shell(cargo test --workspace --all-features *)";
    let mut harness = on_a_low_screen(long, 40);
    let frame = harness.frame(40, 10);
    assert!(!frame.contains("config.toml") && frame.contains("a enter session"), "{frame}");
    harness.waits(1_000);
    assert!(harness.press("3").is_empty());
    let frame = harness.frame(40, 10);
    assert!(frame.contains("config.toml"), "{frame}");
    let (seen, _) = read_on(&mut harness, "3");
    assert!(seen.contains("allow=[\"read\"") && seen.contains("test*)\"]"), "{seen}");
}

#[test]
fn on_a_low_screen_a_number_shows_the_file_first_where_its_path_would_be_cut() {
    let mut harness = on_a_low_screen(RULE, 40);
    let frame = harness.frame(40, 10);
    assert!(!frame.contains("config.toml"), "{frame}");
    harness.waits(1_000);
    assert!(harness.press("3").is_empty());
    let frame = harness.frame(40, 10);
    assert!(frame.contains("~/.config/countersign/config.toml"), "{frame}");
    assert_eq!(read_on(&mut harness, "3").1, Scope::Everywhere);
}

#[test]
fn what_cannot_be_kept_is_not_taken_and_the_session_needs_no_file() {
    let mut harness = shown(1);
    reply(&mut harness.local, &harness.view, Reply::RulePlan(plan()));
    seen(&mut harness);
    assert!(harness.key(KeyCode::Char('a'), NONE).is_empty());
    assert_eq!(harness.local.hint.as_deref(), Some(REFUSED));
    assert_eq!(harness.frame(80, 24).matches("this folder is not trusted").count(), 1);
    // Back to the session, and not beyond it.
    for _ in 0..2 {
        harness.key(KeyCode::Left, NONE);
    }
    seen(&mut harness);
    let (call, scope) = taken(&harness.key(KeyCode::Char('a'), NONE));
    assert_eq!(scope, Scope::Session);
    assert_eq!(recorded(&mut harness, call, Scope::Session, RULE), None);
}

#[test]
fn a_decision_that_is_another_one_writes_nothing() {
    for (scope, rule) in [(Scope::Session, RULE), (Scope::Everywhere, "shell(*)")] {
        let mut harness = shown(2);
        reply(&mut harness.local, &harness.view, Reply::RulePlan(plan()));
        seen(&mut harness);
        let (call, _) = taken(&harness.key(KeyCode::Enter, NONE));
        assert_eq!(recorded(&mut harness, call, scope, rule), None, "{scope:?} {rule}");
        assert_eq!(harness.local.to_keep, None);
    }
}

/// A refusal does not say what it is about: what is recorded is written, and nothing else.
#[test]
fn what_is_refused_meanwhile_does_not_keep_a_recorded_rule_from_being_written() {
    let (rule, lines) = (RULE.to_owned(), LINE.to_owned());
    let writes = Request::KeepRule { rule, scope: Scope::Everywhere, lines };
    for (scope, writes) in [(Scope::Everywhere, Some(writes)), (Scope::Session, None)] {
        let mut harness = shown(2);
        reply(&mut harness.local, &harness.view, Reply::RulePlan(plan()));
        seen(&mut harness);
        let (call, _) = taken(&harness.key(KeyCode::Enter, NONE));
        hear(&mut harness.local, &harness.view, &Live::Refused("not renamed".to_owned()));
        assert_eq!(recorded(&mut harness, call, scope, RULE), writes, "{scope:?}");
        assert_eq!(harness.local.to_keep, None);
    }
}

#[test]
fn lines_of_words_say_what_would_be_written_and_take_it_by_name() {
    let mut linear = LinearHarness::new(waits(Some(RULE)));
    assert_eq!(linear.types("a"), [LinearEffect::Ask(Request::PlanRule(RULE.to_owned()))]);
    assert_eq!(linear.types("a everywhere"), []);
    assert!(
        linear.said.ends_with("the configuration is still being read; type it again\n"),
        "{}",
        linear.said
    );
    linear.talk.reply(Reply::RulePlan(plan()));
    let before = linear.questions;
    linear.writes();
    assert!(
        linear.said.contains("always 1, project: not possible: this folder is not trusted\n"),
        "{}",
        linear.said
    );
    assert!(linear.said.contains(&format!(
        "always 1, everywhere: would write to ~/.config/countersign/config.toml: {LINE}\n"
    )));
    assert_eq!(linear.said.matches("type a again to add it").count(), 1, "{}", linear.said);
    assert!(
        linear.said.ends_with("always 1: a project or a everywhere writes it into that file\n"),
        "{}",
        linear.said
    );
    assert_eq!(linear.types_at("a everywhere", before), [], "it was typed before that was said");
    assert_eq!(linear.types("a project"), []);
    assert!(linear.said.ends_with("not an answer: this folder is not trusted\n"), "{}", linear.said);
    let acts = linear.types("a everywhere");
    let [LinearEffect::Send(Intent::Decide { call, answer: Answer::Always { scope, .. }, .. })] = acts[..]
    else {
        panic!("{acts:?}")
    };
    assert_eq!(scope, Scope::Everywhere);
    let once = Decision::permission(call, Decider::User, "");
    let decision = Decision { scope, rule: Some(RULE.to_owned()), ..once };
    // Something else is refused meanwhile.
    linear.builder.live(Live::Refused("not renamed".to_owned()));
    linear.hears();
    linear.builder.remark(Remark::ApprovalDecided(decision));
    linear.hears();
    let (rule, lines) = (RULE.to_owned(), LINE.to_owned());
    assert_eq!(linear.kept, [Request::KeepRule { rule, scope, lines }]);
}
