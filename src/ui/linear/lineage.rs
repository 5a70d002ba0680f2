//! Into the session of a sub-agent and back, in lines: what is typed there is said and decided there.

use crate::agent::{Event, Intent, Live};
use crate::ledger::CallId;
use crate::policy::shell::shell_word;
use crate::tool::delegate;
use crate::ui::Request;
use crate::view::WAITS_FOR_TURN;

use super::behind::Behind;
use super::pages;
use super::renderer::LinearRenderer;
use super::session::{LinearEffect, LinearSession};
use super::words::plain;

/// Entries of a sub-agent that are said when its session is shown.
const LAST: usize = 12;

impl LinearSession {
    /// Says the session of the sub-agent that this call started, from here on.
    pub(super) fn go_into(&mut self, call: CallId) {
        let name = self.renderer.view.panel(call).map(|panel| panel.name().to_owned()).unwrap_or_default();
        let Some(child) = self.renderer.view.take_subagent(call) else {
            return self.output.say(&match self.renderer.view.subagent_session(call) {
                None if self.renderer.view.starts_later(call) => {
                    format!("the sub-agent of {call} {WAITS_FOR_TURN} and has no session yet; /fleet shows when it works")
                }
                Some(session) => format!(
                    "the sub-agent of {call} worked in an earlier process; `countersign inspect {}` reads its session",
                    shell_word(session)
                ),
                None => format!("no sub-agent of {call} is known here; /fleet names them"),
            });
        };
        let name = plain(delegate(&name).unwrap_or(&name));
        self.output.say(&format!("sub-agent {name} ({call}): its session; /back goes back to yours"));
        if child.waits_for_turn() {
            self.output.more(&format!("it {WAITS_FOR_TURN}: nothing has happened in it yet"));
        }
        pages::ledger(&child, LAST, &mut self.output);
        self.words = None;
        let below = self.asking.below(call);
        self.behind.push(Behind {
            call,
            renderer: std::mem::replace(&mut self.renderer, LinearRenderer::over(child)),
            asking: std::mem::replace(&mut self.asking, below),
            stop: std::mem::take(&mut self.stop),
        });
        self.know_mode_above();
    }

    /// What the session above has is the loosest that the one takes which is said.
    fn know_mode_above(&mut self) {
        let above = self.behind.last().map(|behind| behind.renderer.view.session.mode);
        self.renderer.view.session.mode_above = above;
    }

    /// Back to the session that started the one that is said.
    pub(super) fn go_back(&mut self) {
        let Some(Behind { call, renderer, asking, stop }) = self.behind.pop() else {
            return self.output.say("this is the first session");
        };
        let child = std::mem::replace(&mut self.renderer, renderer);
        self.know_mode_above();
        self.renderer.view.put_subagent(call, child.view);
        let below = std::mem::replace(&mut self.asking, asking);
        self.asking.back_from(below);
        (self.stop, self.words) = (stop, None);
        self.output.say("back in the session");
        // Whatever was decided in there waits no more.
        self.asking.keep_waiting(&self.renderer.view);
        self.left();
    }

    /// News of sessions that stand behind are said as theirs. Returns those of the one that is said.
    pub(super) fn route<'e>(&mut self, event: &'e Event) -> Option<&'e Event> {
        let own = self.route_behind(event);
        self.know_mode_above();
        own
    }

    fn route_behind<'e>(&mut self, mut event: &'e Event) -> Option<&'e Event> {
        let Self { behind, renderer, output, now, .. } = self;
        for behind in behind {
            match event {
                Event::Live(Live::Subagent { call, event: inner }) if *call == behind.call => event = inner,
                event => {
                    behind.hear(event, *now, output);
                    renderer.view.hear_above(behind.call, event);
                    return None;
                }
            }
        }
        Some(event)
    }

    /// What is wished in the session that is said, as the first one is told it.
    pub(super) fn addressed(&mut self, effects: Vec<LinearEffect>) -> Vec<LinearEffect> {
        let path: Vec<CallId> = self.behind.iter().map(|behind| behind.call).collect();
        let to_child = |intent: Intent| LinearEffect::Send(intent.within(&path));
        let (mut addressed, mut is_refused) = (Vec::new(), false);
        for effect in effects {
            match effect {
                LinearEffect::Send(intent) => match self.renderer.view.at_home(intent) {
                    Some(intent) => addressed.push(to_child(intent)),
                    None => {
                        self.output.say("not accepted: that call is no longer waiting; nothing was decided")
                    }
                },
                other if path.is_empty() => addressed.push(other),
                LinearEffect::Abort => addressed.push(to_child(Intent::Abort)),
                LinearEffect::Quit => addressed.push(LinearEffect::Quit),
                stop @ LinearEffect::Ask(Request::StopReading) => addressed.push(stop),
                LinearEffect::Ask(_) | LinearEffect::New | LinearEffect::Resume(_) => is_refused = true,
            }
        }
        if is_refused {
            self.not_obeyed("this is a sub-agent's session; /back goes back to yours");
        }
        addressed
    }
}
