//! Into the session of a sub-agent and back: it is shown by the same screen, with a composer, a scroll and a focus of its own.

use crate::agent::{Event, Intent, Live};
use crate::ledger::CallId;
use crate::tool::delegate;
use crate::ui::effect::UiEffect;
use crate::ui::host_services::PastSession;
use crate::ui::local::{Focus, Inspector, Local, Overlay};
use crate::ui::panes::Layouts;
use crate::ui::request::Request;
use crate::ui::update::hear;
use crate::view::View;

use super::behind::Behind;
use super::screen_loop::ScreenLoop;

/// The state of the screen for the session of a sub-agent: as the user has set it, and nothing typed. What was deleted
/// last is the user's, and no session's.
fn of_subagent(before: &mut Local, name: &str, call: CallId) -> Local {
    let mut local = Local::new();
    local.composer.share_killed(before.message_composer());
    local.keymap = before.keymap.clone();
    (local.motion, local.now, local.thinking_open) = (before.motion, before.now, before.thinking_open);
    local.lineage.clone_from(&before.lineage);
    // Several may have one name.
    local.lineage.push(format!("{} {call}", delegate(name).unwrap_or(name)));
    local.read_only = before.read_only;
    local.reading_files = before.reading_files;
    if matches!(before.overlay, Some(Overlay::Ledger(_))) {
        local.overlay = Some(Overlay::Ledger(Inspector::walked_in()));
    }
    local
}

/// Says that the file of a session may not say what was recorded: above the composer, and in the ledger until the next key.
fn warn(local: &mut Local, damage: String) {
    local.found(&damage);
    if let Some(Overlay::Ledger(inspector)) = &mut local.overlay {
        inspector.said = Some(damage);
    }
}

/// The state of the session above for who comes back to it. Whatever had the keys there when it was left, nobody has given them
/// to it now.
fn of_session_above(above: Local, below: &mut Local) -> Local {
    let reading_files = below.reading_files;
    let mut local = Local { reading_files, focus: Focus::Composer, always: None, ..above };
    local.message_composer().share_killed(below.message_composer());
    // The other session has stood in its place.
    local.out_of_sight();
    local
}

/// Why a sub-agent takes nothing.
const DONE: &str = "this sub-agent is done: ← goes back to your session";

/// Refuses what is wanted of a sub-agent which is done, and gives back what was typed for it. Says whether it did.
pub(super) fn refused_below(local: &mut Local, view: &View, act: &UiEffect) -> bool {
    if !view.is_over_below() || !matches!(act, UiEffect::Send(_) | UiEffect::Abort | UiEffect::Type(..)) {
        return false;
    }
    let words = match act {
        UiEffect::Send(intent) if local.obeyed.is_none() => intent.clone().given_back(),
        _ => None,
    };
    local.give_back_obeyed();
    words.iter().for_each(|words| hear(local, view, words));
    hear(local, view, &Live::Refused(DONE.to_owned()));
    true
}

/// The session above the one that is shown heard this. What was said of its waiting is over when its turn
/// comes.
fn hear_above(local: &mut Local, view: &mut View, call: CallId, event: &Event) {
    // Ctrl-C was pressed once: that is still so.
    if view.hear_above(call, event) && !local.quit_armed {
        local.hint = None;
    }
}

impl ScreenLoop {
    /// Shows the session of the sub-agent that this call started; of one that worked in an earlier process, what its ledger says.
    pub(super) fn enter(&mut self, call: CallId) {
        let taken = self.view.take_subagent(call);
        let is_past = taken.is_none();
        let (child, damage) = match taken.map_or_else(|| self.read_past(call), |child| Ok((child, None))) {
            Ok(child) => child,
            Err(why) => {
                match &mut self.local.overlay {
                    Some(Overlay::Ledger(inspector)) => inspector.said = Some(why),
                    _ => self.local.hint = Some(why),
                }
                self.dirty = true;
                return;
            }
        };
        let name = self.view.panel(call).map_or("", |panel| panel.name()).to_owned();
        let mut local = of_subagent(&mut self.local, &name, call);
        damage.into_iter().for_each(|damage| warn(&mut local, damage));
        let layouts = Layouts::default();
        self.behind.push(Behind {
            call,
            is_past,
            view: std::mem::replace(&mut self.view, child),
            local: std::mem::replace(&mut self.local, local),
            layouts: std::mem::replace(&mut self.layouts, layouts),
        });
        self.know_mode_above();
        self.dirty = true;
    }

    /// What the session above has is the loosest that the one takes which is shown.
    fn know_mode_above(&mut self) {
        self.view.session.mode_above = self.behind.last().map(|behind| behind.view.session.mode);
    }

    /// The session as its file tells it, and what is wrong with that.
    fn read_past(&self, call: CallId) -> Result<(View, Option<String>), String> {
        let session =
            self.view.subagent_session(call).ok_or_else(|| format!("{call} started no sub-agent"))?;
        let PastSession { entries, damage } = (self.errands.past)(session)
            .map_err(|why| format!("the session of this sub-agent cannot be read: {why}"))?;
        let child = self.view.past_subagent(call, entries);
        child.map(|child| (child, damage)).ok_or_else(|| format!("{call} started no sub-agent"))
    }

    /// Back to the session that started the one that is shown.
    pub(super) fn leave(&mut self) {
        let Some(Behind { call, is_past, view, local, layouts }) = self.behind.pop() else { return };
        let child = std::mem::replace(&mut self.view, view);
        self.know_mode_above();
        if !is_past {
            self.view.put_subagent(call, child);
        }
        let unwritten = self.local.to_keep.take();
        self.local = of_session_above(local, &mut self.local);
        if unwritten.is_some() {
            let why = "the rule was not written to a file: you left before the decision with it was recorded";
            self.local.hint = Some(why.to_owned());
        }
        self.layouts = layouts;
        self.dirty = true;
    }

    /// News of a session that stands behind are taken in there. Returns those of the one that is shown.
    pub(super) fn route(&mut self, event: Event) -> Option<Event> {
        let own = self.route_behind(event);
        self.know_mode_above();
        own
    }

    fn route_behind(&mut self, event: Event) -> Option<Event> {
        let now = self.now();
        let mut event = event;
        for behind in &mut self.behind {
            behind.view.tick(now);
            match event {
                Event::Live(Live::Subagent { call, event: inner }) if call == behind.call => event = *inner,
                event => {
                    if let Event::Live(live) = &event {
                        hear(&mut behind.local, &behind.view, live);
                        if matches!(live, Live::Refused(_)) {
                            // It was wanted where the keys are, which is the session that is shown.
                            behind.local.hint = None;
                            hear(&mut self.local, &self.view, live);
                        }
                    }
                    behind.view.fold(&event);
                    hear_above(&mut self.local, &mut self.view, behind.call, &event);
                    return None;
                }
            }
        }
        Some(event)
    }

    /// What is wished in the session that is shown, as the first one is told it.
    pub(super) fn addressed(&self, intent: Intent) -> Intent {
        intent.within(&self.behind.iter().map(|behind| behind.call).collect::<Vec<_>>())
    }

    /// Whether an effect is for the first session only, while that of a sub-agent is shown.
    pub(super) fn is_for_the_first(&self, act: &UiEffect) -> bool {
        !self.behind.is_empty() && !serves_any(act)
    }
}

/// Whether an effect means the session that is shown, whichever that is. What would be written for a rule is the same in all of them.
fn serves_any(act: &UiEffect) -> bool {
    matches!(
        act,
        UiEffect::Send(_)
            | UiEffect::Ask(Request::StopReading | Request::PlanRule(_))
            | UiEffect::Abort
            | UiEffect::Type(..)
            | UiEffect::Quit
            | UiEffect::Suspend
            | UiEffect::SetTheme(_)
            | UiEffect::Edit
            | UiEffect::Copy(_)
            | UiEffect::CopyRecord(_)
            | UiEffect::CopySelected
            | UiEffect::Enter(_)
            | UiEffect::Back
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::agent::OwnCommand;
    use crate::ledger::{Body, Change, Entry, EntryId, Escrow, Millis};
    use crate::policy::Mode;
    use crate::view::{CardId, ViewSettings};

    /// The session of a sub-agent whose process is gone.
    fn over() -> View {
        let (call, session, limits) = (CallId(1), "0192-c1".to_owned(), BTreeMap::new());
        let escrow = Escrow { call, session, limits, parallel: 1, in_background: false, waits: false };
        let body = Body::Change(Change::EscrowReserved(escrow));
        let mut above = View::new(ViewSettings::unknown());
        above.fold(&Event::Appended(Arc::new(Entry { id: EntryId(1), at: Millis(1), body })));
        above.past_subagent(call, Vec::new()).unwrap()
    }

    #[test]
    fn what_is_wanted_of_a_sub_agent_that_is_done_comes_back_and_it_is_said_why() {
        let ls = OwnCommand::read("!ls").unwrap();
        let then = Some(Box::new("what the command says".into()));
        let review = OwnCommand { then, must_succeed: true, ..ls.clone() };
        for (intent, obeyed, left) in [
            (Intent::Submit("look there, too".into()), None, "look there, too"),
            (Intent::Compact, Some("/compact"), "/compact"),
            (Intent::SetMode(Mode::Plan), Some("/mode plan"), "/mode plan"),
            (Intent::SetMode(Mode::Plan), None, ""),
            (Intent::Command(ls), None, "!ls"),
            (Intent::Command(review.clone()), None, "what the command says"),
            (Intent::Command(review), Some("/review"), "/review"),
            (Intent::Queue("later".into()), None, "later"),
        ] {
            let (mut local, view) = (Local::new(), over());
            local.obeyed = obeyed.map(str::to_owned);
            assert!(refused_below(&mut local, &view, &UiEffect::Send(intent.clone())), "{intent:?}");
            assert_eq!(local.composer.text(), left, "{intent:?}");
            assert_eq!((local.hint.as_deref(), local.obeyed.is_none()), (Some(DONE), true), "{intent:?}");
        }
        assert!(refused_below(&mut Local::new(), &over(), &UiEffect::Abort));
        assert!(!refused_below(&mut Local::new(), &over(), &UiEffect::Back));
        // A session of a person's takes what it is told.
        let own = View::new(ViewSettings::unknown());
        assert!(!refused_below(&mut Local::new(), &own, &UiEffect::Send(Intent::Compact)));
    }

    fn appended(body: Body) -> Event {
        Event::Appended(Arc::new(Entry { id: EntryId(1), at: Millis(1), body }))
    }

    #[test]
    fn what_is_said_of_a_lane_that_waits_is_gone_when_its_turn_comes_and_what_was_typed_is_not() {
        let (call, session, limits) = (CallId(1), "0192-c1".to_owned(), BTreeMap::new());
        let escrow = Escrow { call, session, limits, parallel: 1, in_background: true, waits: true };
        let mut above = View::new(ViewSettings::unknown());
        above.fold(&appended(Body::Change(Change::EscrowReserved(escrow))));
        let back = Live::Returned(vec!["look there, too".into()]);
        // Whoever has left the session meanwhile has it where the keys are.
        let mut local = Local::new();
        let below = Live::Subagent { call, event: Box::new(Event::Live(back.clone())) };
        hear(&mut local, &above, &below);
        assert_eq!(local.composer.text(), "look there, too");
        let (mut local, mut lane) = (Local::new(), above.take_subagent(call).unwrap());
        hear(&mut local, &lane, &back);
        hear(&mut local, &lane, &Live::Refused("it has not started yet".to_owned()));
        let starts = |call| appended(Body::Change(Change::SubagentStarted { call }));
        hear_above(&mut local, &mut lane, call, &starts(CallId(2)));
        assert!(lane.waits_for_turn() && local.hint.is_some(), "that is another one");
        hear_above(&mut local, &mut lane, call, &starts(call));
        assert_eq!((lane.waits_for_turn(), local.hint.as_deref()), (false, None));
        assert_eq!(local.composer.text(), "look there, too");
        // What is said in it afterwards stays until the next key.
        local.hint = Some("said".to_owned());
        hear_above(&mut local, &mut lane, call, &starts(call));
        assert!(local.hint.is_some());
    }

    #[test]
    fn that_a_file_may_not_say_what_was_recorded_is_said_where_its_session_opens() {
        for overlay in [None, Some(Overlay::Ledger(Inspector::walked_in()))] {
            let mut local = Local { overlay, ..Local::new() };
            warn(&mut local, "it was changed".to_owned());
            assert_eq!(local.notice.as_deref(), Some("it was changed"));
            if let Some(Overlay::Ledger(inspector)) = &local.overlay {
                assert_eq!(inspector.said.as_deref(), Some("it was changed"));
            }
        }
    }

    #[test]
    fn the_keys_of_who_comes_back_go_to_the_composer() {
        let call = CallId(1);
        for focus in [Focus::Approval(call), Focus::Stop, Focus::Card(CardId::Call(call))] {
            let mut above = Local::new();
            above.focus = focus;
            assert_eq!(of_session_above(above, &mut Local::new()).focus, Focus::Composer);
        }
    }

    #[test]
    fn what_was_deleted_last_goes_along_into_a_sub_agent_and_back() {
        let mut above = Local::new();
        above.composer.hold("look here");
        above.composer.kill();
        let mut below = of_subagent(&mut above, "explore", CallId(1));
        assert!(below.composer.is_empty());
        below.composer.yank_text();
        assert_eq!(below.composer.text(), "look here");
        below.composer.hold("and there");
        below.composer.kill();
        let mut above = of_session_above(above, &mut below);
        above.composer.yank_text();
        assert_eq!(above.composer.text(), "and there");
    }

    #[test]
    fn what_would_be_written_for_a_rule_is_told_in_any_session() {
        assert!(serves_any(&UiEffect::Ask(Request::PlanRule("shell(ls)".to_owned()))));
        assert!(!serves_any(&UiEffect::Ask(Request::ListSessions)));
    }
}
