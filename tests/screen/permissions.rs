//! The key a and the page of permissions: a rule is seen before it is taken, and whoever asks sees which rules are in force.

use crate::mouse::Mouse;
use crate::screen_harness::{ScreenHarness, scrolled, snapshot};
use crate::session_builder::{SessionBuilder, settings, shell_tool};
use countersign::agent::{Answer, Event, Intent};
use countersign::ledger::{
    ApprovalRequest, Arguments, Body, CallId, Decider, Decision, Outcome, Preview, Remark, Scope,
};
use countersign::policy::{Origin, Rule, RuleKind, Tier, digest};
use countersign::ui::Request;
use countersign::ui::linear::LinearSession;
use countersign::ui::local::Overlay;
use countersign::ui::update::UiEffect;
use countersign::view::{View, ViewSettings};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEventKind};
use serde_json::json;

const NONE: KeyModifiers = KeyModifiers::NONE;
pub const RULE: &str = "shell(cargo test *)";
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

pub fn told() -> ViewSettings {
    let rule = |kind, text: &str, tier, place: &str, line| {
        let origin = Origin { tier, place: Some(place.to_owned()), line };
        Rule::parse(kind, text).unwrap().from(origin)
    };
    let file = "~/.config/countersign/config.toml";
    let rules = vec![
        rule(RuleKind::Allow, "shell(git log *)", Tier::User, file, Some(12)),
        rule(RuleKind::Deny, "shell(rm *)", Tier::User, file, Some(14)),
        rule(RuleKind::Ask, "shell(git push *)", Tier::Flag, "--ask", None),
        rule(RuleKind::Allow, "read(*)", Tier::Project, ".countersign/config.toml", Some(3)),
    ];
    ViewSettings { rules, tools: vec![shell_tool()], ..settings() }
}

/// Two commands of a kind and another one have run; a third of that kind waits, and a rule is offered for it.
pub fn waits(rule: Option<&str>) -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Test it.");
    for command in ["cargo test lexer", "rm -rf target", "cargo test parser -- --nocapture"] {
        let call = builder.tool_use("shell", json!({ "command": command }));
        let open = builder.say(None, "", "", vec![call]).remove(0);
        builder.decide(open.id(), true, Decider::User);
        builder.settle(open, Outcome::Ok, "fine", 10);
    }
    let call = builder.tool_use("shell", json!({ "command": "cargo test all" }));
    let open = builder.say(None, "", "Now all of it.", vec![call]).remove(0);
    builder.offer(open.id(), "shell", Preview::Command("cargo test all".into()), rule);
    std::mem::forget(open);
    builder
}

pub fn harness(builder: SessionBuilder) -> ScreenHarness {
    let mut harness = ScreenHarness::new(builder);
    harness.view = harness.builder.events.iter().fold(View::new(told()), |mut view, event| {
        view.fold(event);
        view
    });
    harness
}

/// What showing the rule asks of the session.
fn plan() -> UiEffect {
    UiEffect::Ask(Request::PlanRule(RULE.to_owned()))
}

fn always(acts: &[UiEffect]) -> bool {
    matches!(acts, [UiEffect::Send(Intent::Decide { answer: Answer::Always { rule, scope: Scope::Session }, .. })] if rule == RULE)
}

#[test]
fn a_rule_that_was_kept_is_listed_with_its_file() {
    for (scope, title) in [
        (Scope::Everywhere, "Your file"),
        (Scope::Project, "The project's file, which you trust"),
        (Scope::Session, "This session"),
    ] {
        let mut builder = waits(Some(RULE));
        let once = Decision::permission(CallId(4), Decider::User, "");
        builder.remark(Remark::ApprovalDecided(Decision { scope, rule: Some(RULE.to_owned()), ..once }));
        let view = harness(builder).view;
        let listed = view.permissions().rules.into_iter().find(|rule| rule.text == RULE).unwrap();
        let tier = match scope {
            Scope::Everywhere => Tier::User,
            Scope::Project => Tier::Trusted,
            _ => Tier::Session,
        };
        assert_eq!(listed.origin.tier, tier, "{title}");
    }
}

#[test]
fn the_rule_is_offered_with_its_key() {
    for (width, height) in SIZES {
        snapshot(
            &format!("always_offered_{width}x{height}"),
            &harness(waits(Some(RULE))).frame(width, height),
        );
    }
}

#[test]
fn the_rule_is_shown_with_what_it_would_have_covered() {
    for (width, height) in SIZES {
        let mut harness = harness(waits(Some(RULE)));
        harness.frame(width, height);
        assert_eq!(harness.answers("a"), [plan()], "it only shows the rule");
        let frame = harness.frame(width, height);
        assert!(frame.contains(RULE) && frame.contains("2 earlier calls"), "{frame}");
        let keys = if height < 15 { "3 everywhere" } else { "a enter" };
        assert!(frame.contains(keys) && frame.contains("esc"), "{frame}");
        snapshot(&format!("always_shown_{width}x{height}"), &frame);
    }
}

#[test]
fn a_second_a_or_enter_takes_what_a_frame_has_shown() {
    for key in [KeyCode::Char('a'), KeyCode::Enter] {
        let mut harness = harness(waits(Some(RULE)));
        assert_eq!(harness.answers("a"), [plan()]);
        harness.waits(1_000);
        assert!(harness.key(key, NONE).is_empty(), "no frame has shown the rule");
        harness.frame(80, 24);
        harness.waits(300);
        assert!(harness.key(key, NONE).is_empty(), "it has just appeared");
        harness.waits(1_000);
        let mut held = KeyEvent::new(key, NONE);
        held.kind = KeyEventKind::Repeat;
        assert!(harness.reads(&[held]).is_empty());
        harness.frame(80, 24);
        harness.waits(1_000);
        assert!(always(&harness.key(key, NONE)), "{key:?}");
        assert!(harness.key(key, NONE).is_empty(), "it is answered");
    }
}

#[test]
fn esc_puts_the_rule_away_and_interrupts_nothing() {
    let mut harness = harness(waits(Some(RULE)));
    harness.answers("a");
    harness.frame(80, 24);
    harness.waits(1_000);
    assert!(harness.key(KeyCode::Esc, NONE).is_empty(), "no abort");
    let frame = harness.frame(80, 24);
    assert!(frame.contains("y once") && !frame.contains("take it"), "{frame}");
    let enter = harness.key(KeyCode::Enter, NONE);
    assert!(
        enter.is_empty() && matches!(harness.local.overlay, Some(Overlay::Output(..))),
        "enter means what it meant"
    );
}

/// The keys y and s allowed the call although the pane did not offer them, and any other letter closed it, so
/// that the Esc that was meant for it stopped the run.
#[test]
fn a_key_that_is_not_offered_beside_a_rule_signs_nothing_and_leaves_it_open() {
    let mut harness = harness(waits(Some(RULE)));
    harness.answers("a");
    for key in ["y", "s", "b", "n", "r", "e", "g", "x", "Y", "7"] {
        harness.frame(80, 24);
        harness.waits(1_000);
        assert!(harness.press(key).is_empty(), "{key}");
        assert!(harness.local.always.is_some() && harness.local.composer.is_empty(), "{key}");
        assert!(harness.local.reason.is_none() && !harness.local.is_editing(), "{key}");
        let frame = harness.frame(80, 24);
        assert!(frame.contains("not a key here · esc goes back"), "{key}\n{frame}");
        assert!(frame.contains("a enter as marked"), "{key}\n{frame}");
    }
    // The page of the call would decide by its own keys, and a list would put the rule away.
    let lists = ['p', 'o', 'b', 'r', 'f', 'g'].map(|key| (KeyCode::Char(key), KeyModifiers::CONTROL));
    for (key, held) in lists.into_iter().chain([(KeyCode::Char('o'), NONE), (KeyCode::F(1), NONE)]) {
        harness.frame(80, 24);
        harness.waits(1_000);
        assert!(harness.key(key, held).is_empty(), "{key}");
        assert!(harness.local.always.is_some() && harness.local.overlay.is_none(), "{key}");
        assert!(harness.local.search.is_none(), "{key}");
        let frame = harness.frame(80, 24);
        assert!(frame.contains("not a key here · esc goes back"), "{key}\n{frame}");
    }
    harness.ctrl('t');
    harness.ctrl('c');
    assert!(harness.local.always.is_some(), "these leave it as it is");
    assert!(harness.key(KeyCode::Esc, NONE).is_empty(), "esc closes the rule and stops nothing");
    assert_eq!(harness.local.always, None);
    let acts = harness.answers("n");
    assert!(
        matches!(&acts[..], [UiEffect::Send(Intent::Decide { answer: Answer::Deny(_), .. })]),
        "the keys count where they are offered: {acts:?}"
    );
    let mut low = self::harness(waits(Some(RULE)));
    low.frame(40, 10);
    low.answers("a");
    low.frame(40, 10);
    low.waits(1_000);
    assert!(low.press("y").is_empty());
    let frame = low.frame(40, 10);
    assert!(frame.contains("1 · not a key here · esc goes back"), "{frame}");
}

#[test]
fn where_there_is_no_rule_a_says_so_and_names_s() {
    let mut harness = harness(waits(None));
    assert!(!harness.frame(80, 24).contains("always"));
    assert!(harness.answers("a").is_empty());
    let frame = harness.frame(80, 24);
    assert!(frame.contains("no suitable rule to suggest · s allows"), "{frame}");
    assert!(harness.answers("a").is_empty(), "and again nothing is taken");
    let low = harness.frame(40, 10);
    assert!(low.contains("1 · no rule: s allows it all session\n"), "{low}");
    assert!(harness.local.composer.is_empty());
}

#[test]
fn the_page_lists_the_rules_tier_by_tier() {
    for (width, height) in SIZES {
        let mut builder = waits(Some(RULE));
        builder.take(CallId(4), RULE);
        let mut harness = harness(builder);
        harness.press("/permissions");
        assert!(harness.key(KeyCode::Enter, NONE).is_empty());
        snapshot(&format!("permissions_{width}x{height}"), &harness.frame(width, height));
        harness.key(KeyCode::Esc, NONE);
        assert_eq!(harness.local.overlay, None);
    }
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("/permissions");
    harness.key(KeyCode::Enter, NONE);
    let frame = harness.frame(80, 24);
    assert!(frame.contains("No rules: the mode decides."), "{frame}");
}

#[test]
fn in_lines_the_same_is_said() {
    let mut builder = waits(Some(RULE));
    builder.take(CallId(4), RULE);
    let mut talk = LinearSession::new(told(), |_| String::new());
    talk.begin(&[], None);
    builder.events.iter().for_each(|event| drop(talk.hear(event)));
    talk.settle();
    assert!(talk.words().contains("and for this session, what shell(cargo test *) covers"));
    talk.line(&crate::linear_harness::typed("/permissions", 0));
    let said = talk.words();
    for line in [
        "mode: ask: reads in the workspace without asking; asks for the rest\n",
        "rule: deny shell(rm *), from ~/.config/countersign/config.toml:14; last matched c2 $ rm -rf target\n",
        "rule: allow read(*), from .countersign/config.toml:3, which does not count; matched nothing yet\n",
        "rule: allow shell(cargo test *), from this session; last matched c4 $ cargo test all\n",
        "permissions: 5 rules in force\n",
    ] {
        assert!(said.contains(line), "{line}{said}");
    }
}

/// Four commands that were each asked about and decided, the last of them once for all of its kind; then one of them again.
pub fn granted() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Do it.");
    let long = "cargo test all --quiet -- --nocapture --test-threads 1 --include-ignored \u{1b}[31mred";
    let commands = ["make build\nmake check", long, "git status", "cargo test lexer", "git push"];
    let calls = commands.map(|command| builder.tool_use("shell", json!({ "command": command })));
    let open = builder.say(None, "", "", calls.to_vec());
    for (call, command) in open.iter().zip(commands) {
        builder.offer(call.id(), "shell", Preview::Command(command.into()), Some(RULE));
    }
    // Not in the order of the calls: the order in which they were allowed is what is listed.
    allow(&mut builder, CallId(2), Scope::Session);
    allow(&mut builder, CallId(1), Scope::Session);
    allow(&mut builder, CallId(3), Scope::Once);
    builder.take(CallId(4), RULE);
    builder.decide(CallId(5), false, Decider::User);
    for call in open {
        builder.settle(call, Outcome::Ok, "fine", 10);
    }
    for command in ["make build\nmake check", "make build\nmake install"] {
        let call = builder.tool_use("shell", json!({ "command": command }));
        let open = builder.say(None, "", "", vec![call]).remove(0);
        builder.decide(open.id(), true, Decider::Policy);
        builder.settle(open, Outcome::Ok, "fine", 10);
    }
    builder
}

pub fn allow(builder: &mut SessionBuilder, call: CallId, scope: Scope) {
    let denial = Decision::denial(call, Decider::User, "");
    builder.remark(Remark::ApprovalDecided(Decision { allow: true, scope, ..denial }));
}

#[test]
fn the_page_lists_the_exact_actions_that_were_allowed() {
    for (width, height) in [(80, 24), (40, 10)] {
        let mut harness = harness(granted());
        harness.view.settings.rules.truncate(1);
        harness.press("/permissions");
        harness.key(KeyCode::Enter, NONE);
        if height == 10 {
            harness.frame(width, height);
            harness.key(KeyCode::PageDown, NONE);
            harness.key(KeyCode::PageDown, NONE);
        }
        let frame = harness.frame(width, height);
        snapshot(&format!("permissions_exactly_{width}x{height}"), &frame);
    }
    let mut builder = granted();
    builder.events.retain(|event| !matches!(event, Event::Appended(entry) if matches!(&entry.body, Body::ApprovalDecided(decision) if decision.rule.is_some())));
    let mut harness = ScreenHarness::new(builder);
    harness.press("/permissions");
    harness.key(KeyCode::Enter, NONE);
    let frame = harness.frame(80, 24);
    assert!(frame.contains("No rules: the mode decides about the rest."), "{frame}");
}

#[test]
fn an_exact_action_is_what_was_asked_about_and_known_by_its_digest() {
    let mut builder = SessionBuilder::new();
    builder.user("Do it.");
    let made = ["make one", "make two", "make two"];
    let calls = made.map(|command| builder.tool_use("shell", json!({ "command": command })));
    let open = builder.say(None, "", "", calls.to_vec());
    // A hook has changed the first two calls before anybody was asked.
    let changed = Arguments::from_value(json!({ "command": "make safe" }));
    let request = ApprovalRequest {
        call: open[0].id(),
        name: "shell".into(),
        arguments: changed.to_value(),
        why: String::new(),
        risk: String::new(),
        effects: Vec::new(),
        preview: Preview::None,
        warning: None,
        rule: None,
        sandboxing: Default::default(),
        leads_to: None,
        is_partial: false,
        is_usual: false,
        replaces: false,
        gaps: Vec::new(),
    };
    builder.remark(Remark::ApprovalRequested(request));
    allow(&mut builder, open[0].id(), Scope::Session);
    let by = |call, arguments: &Arguments| Decision {
        allow: true,
        digest: digest("shell", arguments),
        ..Decision::denial(call, Decider::Policy, "allowed for this session")
    };
    builder.remark(Remark::ApprovalDecided(by(open[1].id(), &changed)));
    let other = Arguments::from_value(json!({ "command": "make two" }));
    builder.remark(Remark::ApprovalDecided(by(open[2].id(), &other)));
    // A policy's word for the session is not a person's, although the call was asked about.
    builder.ask(open[2].id(), "shell", Preview::Command("make two".into()));
    let forged = Decision { scope: Scope::Session, ..by(open[2].id(), &other) };
    builder.remark(Remark::ApprovalDecided(forged));
    let harness = harness(builder);
    let granted = harness.view.permissions().granted;
    let [only] = &granted[..] else { panic!("{granted:?}") };
    assert_eq!((only.call, only.last), (open[0].id(), Some(open[1].id())));
    assert_eq!((only.name.as_str(), only.about.as_str()), ("shell", "$ make safe"));
    std::mem::forget(open);
}

#[test]
fn exact_actions_are_said_in_lines_after_a_resume_too() {
    let builder = granted();
    let mut talk = LinearSession::new(told(), |_| String::new());
    talk.begin(&builder.events, None);
    talk.words();
    talk.line(&crate::linear_harness::typed("/permissions", 0));
    let said = talk.words();
    for line in [
        "allowed for this session by you with c2; no call since; exactly: shell $ cargo test all --quiet",
        " --include-ignored ^[[31mred\n",
        "allowed for this session by you with c1; last allowed c6; exactly: shell $ make build\n  make check\n",
        "permissions: 5 rules in force, and 2 actions allowed exactly\n",
    ] {
        assert!(said.contains(line), "{line}{said}");
    }
}

#[test]
fn the_wheel_scrolls_the_page() {
    let mut mouse = Mouse::at(SessionBuilder::new(), 40, 10);
    mouse.harness.view.settings = told();
    mouse.harness.press("/permissions");
    mouse.harness.key(KeyCode::Enter, NONE);
    mouse.look();
    let before = mouse.screen();
    mouse.does(MouseEventKind::ScrollDown, (5, 5));
    mouse.look();
    assert!(scrolled(mouse.harness.local.overlay.as_ref(), "permissions") > Some(0));
    assert_ne!(mouse.screen(), before);
    let copied = mouse.drags((2, 3), (39, 4));
    assert!(!copied.trim().is_empty(), "what a page says can be selected");
}
