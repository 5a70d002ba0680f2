//! Into the session of a sub-agent and back: it is shown by the same screen, with a composer, a scroll and a focus of its own.

use crate::agent::{Event, Intent, Live};
use crate::ledger::{CallId, UserMessage};
use crate::tool::delegate;
use crate::ui::commands::as_typed;
use crate::ui::effect::UiEffect;
use crate::ui::local::{Inspector, Local, Overlay};
use crate::ui::panes::Layouts;
use crate::ui::request::Request;
use crate::view::View;

use super::behind::Behind;
use super::screen_loop::ScreenLoop;

/// The state of the screen for the session of a sub-agent: as the user has set it, and nothing typed.
fn of_subagent(before: &Local, name: &str, call: CallId) -> Local {
    let mut local = Local::new();
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

impl ScreenLoop {
    /// Shows the session of the sub-agent that this call started; of one that worked in an earlier process, what its ledger says.
    pub(super) fn enter(&mut self, call: CallId) {
        let taken = self.view.take_subagent(call);
        let is_past = taken.is_none();
        let child = match taken.map_or_else(|| self.read_past(call), Ok) {
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
        let local = of_subagent(&self.local, &name, call);
        let layouts = Layouts::default();
        self.behind.push(Behind {
            call,
            is_past,
            view: std::mem::replace(&mut self.view, child),
            local: std::mem::replace(&mut self.local, local),
            layouts: std::mem::replace(&mut self.layouts, layouts),
        });
        self.dirty = true;
    }

    fn read_past(&self, call: CallId) -> Result<View, String> {
        let session =
            self.view.subagent_session(call).ok_or_else(|| format!("{call} started no sub-agent"))?;
        let entries = (self.errands.past)(session)
            .map_err(|why| format!("the session of this sub-agent cannot be read: {why}"))?;
        self.view.past_subagent(call, entries).ok_or_else(|| format!("{call} started no sub-agent"))
    }

    /// Back to the session that started the one that is shown.
    pub(super) fn leave(&mut self) {
        let Some(Behind { call, is_past, view, local, layouts }) = self.behind.pop() else { return };
        let child = std::mem::replace(&mut self.view, view);
        if !is_past {
            self.view.put_subagent(call, child);
        }
        let reading_files = self.local.reading_files;
        self.local = Local { reading_files, ..local };
        self.layouts = layouts;
        self.dirty = true;
    }

    /// News of a session that stands behind are taken in there. Returns those of the one that is shown.
    pub(super) fn route(&mut self, event: Event) -> Option<Event> {
        let now = self.now();
        let mut event = event;
        for behind in &mut self.behind {
            behind.view.tick(now);
            match event {
                Event::Live(Live::Subagent { call, event: inner }) if call == behind.call => event = *inner,
                event => {
                    if let Event::Live(live) = &event {
                        crate::ui::update::hear(&mut behind.local, &behind.view, live);
                    }
                    behind.view.fold(&event);
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

    /// The words that are sent to a sub-agent which is done.
    pub(super) fn said_to_nobody(&self, act: &UiEffect) -> Option<UserMessage> {
        let behind = self.behind.last()?;
        let is_done = behind.is_past || (!self.view.is_at_work() && self.view.last_end().is_some());
        match act {
            UiEffect::Send(Intent::Submit(said) | Intent::Queue(said)) if is_done => {
                Some(as_typed(said, &self.view))
            }
            _ => None,
        }
    }

    /// Whether an effect is for the first session only, while that of a sub-agent is shown.
    pub(super) fn is_for_the_first(&self, act: &UiEffect) -> bool {
        let is_own = matches!(
            act,
            UiEffect::Send(_)
                | UiEffect::Ask(Request::StopReading)
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
        );
        !self.behind.is_empty() && !is_own
    }
}
