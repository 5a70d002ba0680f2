//! The key a: the rule that "always" would take is shown, with the calls that it would have covered, before it can be taken.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use crate::agent::Answer;
use crate::ledger::{ApprovalRequest, Sandboxing, Scope};
use crate::policy::NoRule;
use crate::view::{View, summary};

use super::deciding::{decide, is_allowed};
use super::effect::UiEffect;
use super::focus;
use super::key_timing::Press;
use super::keymap::{KeyAction, KeyContext};
use super::local::{Focus, Local, OfferedRule, RuleToKeep};
use super::panes::words::one_row;
use super::reply::{RuleLines, RulePlan};
use super::request::Request;
use super::short_hint::told;
use super::text::fit;

/// Why no rule is shown for a call of a sub-agent, and what there is instead.
const NO_RULE_BELOW: &str =
    "no rule is offered here · s allows exactly this call for the sub-agent's session";

/// The same on a line that has no room for why.
const NO_RULE_IN_SHORT: &str = "no rule: s allows it all session";

/// Cells of the name of a program, or of a rule, that are said of it.
const MOST_OF_NAME: usize = 40;
/// What is said of a time to hold that is refused, where the pane says why.
const REFUSED: &str = "not possible: why stands above";
/// What is said of a key that the pane of a rule does not offer.
const NOT_HERE: &str = "not a key here · esc goes back";

/// How long a rule may hold, in the order in which the arrows go through them.
const SCOPES: [Scope; 3] = [Scope::Session, Scope::Project, Scope::Everywhere];

/// Why no rule is shown for a call, and what there is instead. The reason comes first: a narrow screen has no room for more.
pub(super) fn no_rule(view: &View, asked: &ApprovalRequest) -> String {
    if view.panel(asked.call).is_some_and(|panel| panel.asked_by.is_some()) {
        return NO_RULE_BELOW.to_owned();
    }
    let why = match view.why_no_rule(asked) {
        NoRule::Decided(rule) => format!("no rule: {} asks each time", fit(&one_row(&rule), MOST_OF_NAME)),
        NoRule::Unreadable => "no rule: the line cannot be read for sure".to_owned(),
        NoRule::Variables => "no rule: the line sets variables".to_owned(),
        NoRule::Unknown(name) => {
            format!("no rule for {}: none is narrow enough", fit(&one_row(&name), MOST_OF_NAME))
        }
        NoRule::Several => "no rule: it would take several".to_owned(),
        NoRule::Guarded => "no rule: programs obey this file".to_owned(),
        NoRule::Other => "no suitable rule to suggest".to_owned(),
    };
    format!("{why} · s allows exactly this call for the session")
}

/// Shows the rule that is offered for the call that has the focus, if the person has seen the call.
pub(super) fn show(local: &mut Local, view: &View, press: Press) -> Vec<UiEffect> {
    let Some((request, asked, shown)) = local.subject(view) else { return Vec::new() };
    // Showing it decides nothing: what is out of sight must be read before it is taken.
    if !is_allowed(local, &shown, press) {
        return Vec::new();
    }
    let Some(rule) = asked.rule.clone() else {
        (local.hint, local.short_hint) = told(no_rule(view, asked), NO_RULE_IN_SHORT);
        return Vec::new();
    };
    let words = |call| {
        let arguments = view.panel(call).and_then(|panel| panel.arguments());
        format!("{call} {}", arguments.map(summary).unwrap_or_default())
    };
    let covers = view.covered(&rule, asked.call).into_iter().rev().map(words).collect();
    let plan = Request::PlanRule(rule.clone());
    let scope = Scope::Session;
    local.always = Some(OfferedRule {
        request,
        rule,
        leaves_sandbox: asked.sandboxing == Sandboxing::Within,
        gaps: Vec::new(),
        covers,
        scope,
        plan: None,
        names_files: false,
        reading: None,
    });
    if let Some(reading) = local.reading.as_mut().filter(|reading| reading.request == request) {
        reading.leaves_page();
    }
    // A search that lay below is over: its line would say what keys mean.
    (local.overlay, local.search) = (None, None);
    local.focus = Focus::Approval(asked.call);
    // The next key counts only when a frame has shown the rule for long enough.
    local.stand.clear();
    vec![UiEffect::Ask(plan)]
}

/// What would be written for the rule is known.
pub(super) fn planned(local: &mut Local, plan: RulePlan) {
    if let Some(always) = local.always.as_mut().filter(|always| always.rule == plan.rule) {
        let is_ripe = local.stand.is_ripe(&always.shown(), local.now);
        always.plan = Some(plan);
        // The pane shows something else then.
        always.turn(is_ripe);
        local.stand.clear();
    }
}

/// One key while a rule is shown: the arrows choose how long it holds, a or Enter takes it, Esc puts it away.
/// A key that its pane does not offer decides nothing and puts nothing away: the Esc that follows would
/// interrupt the run. `None`: the key means what it means without it.
pub(super) fn press(local: &mut Local, view: &View, press: Press) -> Option<Vec<UiEffect>> {
    let key = press.key;
    let always = local.always.clone()?;
    let is_here = matches!(local.focused(view), Focus::Approval(_))
        && local.subject(view).is_some_and(|(request, ..)| request == always.request);
    if !is_here {
        local.always = None;
        return None;
    }
    let command = meant(local, key);
    // What the sandbox cannot hide is read like a rule, and its own key takes it.
    let is_rule = always.is_rule();
    if is_rule && (key.code == KeyCode::Enter || command == Some(KeyAction::Always)) {
        return Some(take(local, view, press, always));
    }
    if is_rule && let Some(scope) = numbered(key.code) {
        return Some(choose(local, view, press, always, scope));
    }
    if is_rule && let Some(step) = step(key.code) {
        go(local, press, step);
        return Some(Vec::new());
    }
    let ends = match key.code {
        KeyCode::Home => Some(KeyAction::Home),
        KeyCode::End => Some(KeyAction::End),
        _ => None,
    };
    // The first and the last line are places in what is read, also where all of it is in sight.
    if ends.or(command).is_some_and(|command| scrolls(local, command)) || ends.is_some() {
        return Some(Vec::new());
    }
    if !is_rule && command == Some(KeyAction::Raise) {
        return None;
    }
    // Up and down choose where they have nothing to scroll, for the times to hold stand below each other.
    let up_or_down = match command {
        Some(KeyAction::Up) => Some(-1),
        Some(KeyAction::Down) => Some(1),
        _ => None,
    };
    if is_rule && let Some(step) = up_or_down {
        go(local, press, step);
        return Some(Vec::new());
    }
    if key.code == KeyCode::Esc {
        local.always = None;
        return Some(Vec::new());
    }
    if let Some(pages) = pages(command) {
        // The rule is whole in sight: the call above it goes by a page of the rows that it has.
        focus::turn(local, view, pages);
        return Some(Vec::new());
    }
    if up_or_down.is_some() {
        return Some(Vec::new());
    }
    if command.is_some_and(passes) {
        return None;
    }
    local.hint = Some(NOT_HERE.to_owned());
    Some(Vec::new())
}

/// Whether a command means what it means without the rule: it leaves the rule as it is, or goes away from it on purpose. All others would
/// sign something that its pane does not offer, or open what takes the place of a rule that somebody is reading.
const fn passes(command: KeyAction) -> bool {
    matches!(
        command,
        KeyAction::ClearOrQuit
            | KeyAction::Leave
            | KeyAction::Suspend
            | KeyAction::Thinking
            | KeyAction::Focus
    )
}

/// What a key means here: what it means for a call, and a space goes on by a page, as in a pager.
fn meant(local: &Local, key: KeyEvent) -> Option<KeyAction> {
    let is_space = key.code == KeyCode::Char(' ') && key.modifiers.is_empty();
    local.keymap.lookup(KeyContext::Approval, key).or(is_space.then_some(KeyAction::PageDown))
}

/// How many pages a key goes on through what is read; here it goes through nothing else.
fn pages(command: Option<KeyAction>) -> Option<i32> {
    match command {
        Some(KeyAction::PageUp) => Some(-1),
        Some(KeyAction::PageDown) => Some(1),
        _ => None,
    }
}

/// The scope that a digit names.
fn numbered(code: KeyCode) -> Option<Scope> {
    let KeyCode::Char(c) = code else { return None };
    let at = usize::try_from(c.to_digit(10)?).ok()?.checked_sub(1)?;
    SCOPES.get(at).copied()
}

/// Takes the rule for so long, where what would be written for that is in sight; else shows it.
fn choose(local: &mut Local, view: &View, press: Press, always: OfferedRule, scope: Scope) -> Vec<UiEffect> {
    if always.scope == scope {
        return take(local, view, press, always);
    }
    if always.names_files {
        let wanted = OfferedRule { scope, ..always };
        let counts = wanted.can_be_taken() && local.stand.allows(&wanted.shown(), press).is_ok();
        let acts = take(local, view, press, wanted);
        // The rest of the call had to be shown first: the key that is pressed again, Enter too, takes what this one asked for.
        if counts && acts.is_empty() {
            turn_to(local, press, scope);
        }
        return acts;
    }
    turn_to(local, press, scope);
    Vec::new()
}

/// What is decided about is another thing then, which has to be seen.
fn turn_to(local: &mut Local, press: Press, scope: Scope) {
    let Some(always) = &mut local.always else { return };
    always.turn(local.stand.allows(&always.shown(), press).is_ok());
    always.scope = scope;
    local.stand.clear();
}

/// Whether this key scrolls the rule.
fn scrolls(local: &mut Local, command: KeyAction) -> bool {
    let page =
        local.always.as_ref().and_then(|always| always.reading).map_or(1, |reading| reading.rows.max(1));
    match command {
        KeyAction::Up => scroll(local, -1),
        KeyAction::Down => scroll(local, 1),
        KeyAction::PageUp => scroll(local, page.cast_signed().saturating_neg()),
        KeyAction::PageDown => scroll(local, page.cast_signed()),
        KeyAction::Home => scroll(local, -isize::MAX),
        KeyAction::End => scroll(local, isize::MAX),
        _ => false,
    }
}

/// Scrolls a rule by so many lines; false when there is none, or its pane has room for all of it.
pub(super) fn scroll(local: &mut Local, by: isize) -> bool {
    let reading = local.always.as_mut().and_then(|always| always.reading.as_mut());
    let Some(reading) = reading.filter(|reading| reading.scrolls()) else { return false };
    reading.go(by);
    true
}

fn step(code: KeyCode) -> Option<isize> {
    match code {
        KeyCode::Left => Some(-1),
        KeyCode::Right => Some(1),
        _ => None,
    }
}

/// To the next scope.
fn go(local: &mut Local, press: Press, step: isize) {
    let Some(always) = &local.always else { return };
    let at = SCOPES.iter().position(|scope| *scope == always.scope).unwrap_or_default();
    if let Some(scope) = at.checked_add_signed(step).and_then(|at| SCOPES.get(at)) {
        turn_to(local, press, *scope);
    }
}

/// Brings the next part of the rule there, before it can be taken.
pub(super) fn read_on(local: &mut Local) {
    let Some(reading) = local.always.as_mut().and_then(|always| always.reading.as_mut()) else { return };
    let words = if reading.go_on() { "now shown: press again" } else { "more below: press again" };
    local.hint = Some(words.to_owned());
    local.stand.clear();
}

/// Takes the rule; one that is to be kept only when it is known what would be written.
fn take(local: &mut Local, view: &View, press: Press, always: OfferedRule) -> Vec<UiEffect> {
    let kept = match (always.scope, always.lines()) {
        (Scope::Session, _) => None,
        (_, Some(Ok(RuleLines { lines, .. }))) => Some(lines.clone()),
        (_, Some(Err(why))) => {
            let is_told = says_why(local, press, always.scope);
            local.hint = Some(if is_told { REFUSED.to_owned() } else { why.clone() });
            return Vec::new();
        }
        (_, None) => {
            let words = "the configuration is still being read";
            (local.hint, local.short_hint) = told(words, "still being read: press again");
            return Vec::new();
        }
    };
    let Some((_, asked, shown)) = local.subject(view) else { return Vec::new() };
    if always.is_unread() {
        if is_allowed(local, &shown, press) {
            read_on(local);
        }
        return Vec::new();
    }
    let OfferedRule { rule, scope, .. } = always;
    let acts = decide(local, view, press, Answer::Always { rule: rule.clone(), scope });
    if !acts.is_empty() {
        local.to_keep = kept.map(|lines| RuleToKeep { call: asked.call, rule, scope, lines });
    }
    acts
}

/// Whether the pane has shown for long enough what would be written for this time to hold, or why nothing:
/// all of it.
fn says_why(local: &Local, press: Press, scope: Scope) -> bool {
    local.always.as_ref().is_some_and(|always| {
        let is_read = always.scope == scope && !always.is_unread();
        (always.names_files || is_read) && local.stand.allows(&always.shown(), press).is_ok()
    })
}
