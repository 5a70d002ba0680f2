//! Commands are obeyed: some ask the agent for something, the others are a page in words.

use crate::agent::Intent;
use crate::ledger::UserMessage;
use crate::tool::{KeyModes, Typed};
use crate::ui::Request;
use crate::ui::slash::Slash;
use crate::ui::source::Source;
use crate::ui::xterm;

use super::commands::Own;
use super::pages;
use super::talk::{Act, Talk};

impl Talk {
    /// A command that the screen knows too.
    pub(super) fn command(&mut self, command: Slash) -> Vec<Act> {
        let send = |intent| vec![Act::Send(intent)];
        let (view, voice, now) = (&self.teller.view, &mut self.voice, self.now);
        match command {
            Slash::Compact => return send(Intent::Compact),
            Slash::Goal(goal) => return send(Intent::Pursue(goal, UserMessage::default())),
            Slash::ResumeGoal(words) => return send(Intent::ResumeGoal(words.into())),
            Slash::Effort(level) => return send(Intent::SetEffort(level)),
            Slash::Model(name) => return vec![Act::Ask(Request::ChooseModel(name))],
            Slash::Mode(mode) if mode == view.session.mode => voice.say(&format!("mode: {mode} already")),
            Slash::Mode(mode) => return send(Intent::SetMode(mode)),
            Slash::Quit => return vec![Act::Quit],
            Slash::Pick(Source::Sessions) => return vec![Act::Ask(Request::ListSessions)],
            Slash::Pick(Source::Models) => return vec![Act::Ask(Request::ListModels)],
            Slash::Pick(Source::Rewind) => self.rewind(),
            Slash::Pick(Source::Grants) => pages::grants(view, voice),
            Slash::Revoke(call) => return send(Intent::Revoke(call)),
            Slash::Undo => return vec![Act::Ask(Request::PlanUndo(None))],
            Slash::Help => pages::help(voice),
            Slash::Plan => pages::plan(view, voice),
            Slash::Budgets => pages::budgets(view, now, voice),
            Slash::Permissions => pages::permissions(view, voice),
            Slash::Shells => pages::shells(view, now, voice),
            Slash::Find(words) if words.is_empty() => voice.say("not understood: /find takes words"),
            Slash::Find(words) => pages::find(view, &words, self.entry_json, voice),
            Slash::Pick(_) | Slash::Theme(_) => voice.say("themes: there are none here, nothing is coloured"),
            // With its number it is one of ours.
            Slash::Ledger => {}
        }
        Vec::new()
    }

    /// A command that only lines need.
    pub(super) fn own(&mut self, own: Own) -> Vec<Act> {
        let (view, voice) = (&self.teller.view, &mut self.voice);
        match own {
            Own::Output(call) => pages::output(view, call, voice),
            Own::Show(entry) => pages::show(view, entry, self.entry_json, voice),
            Own::ShowCall(call) => pages::show_call(view, call, self.entry_json, voice),
            Own::Ledger(entries) => pages::ledger(view, entries, voice),
            Own::Status => pages::status(view, self.now, voice),
            Own::Later(words) => {
                if view.status.is_busy() {
                    self.teller.was_typed(&words);
                }
                return vec![Act::Send(Intent::Queue(words.into()))];
            }
            Own::Raise => match view.offer() {
                Some(offer) => {
                    return vec![Act::Send(Intent::Raise { limit: offer.limit, to: offer.to })];
                }
                None => voice.say("nothing to raise: no budget has stopped it"),
            },
            Own::Send if self.asking.is_open() => {
                voice.say("not sent: a call waits for you; answer it first");
            }
            Own::Send if self.kept.is_empty() => voice.say("nothing is kept"),
            Own::Send => {
                let text = std::mem::take(&mut self.kept).join("\n\n");
                return self.submit(&text);
            }
            Own::Session(number) => match number.checked_sub(1).and_then(|at| self.sessions.get(at)) {
                Some(id) => return vec![Act::Resume(id.clone())],
                None => voice.say("there is no session with that number: /sessions says which there are"),
            },
            Own::Rewind(number) => return self.rewind_to(number),
            Own::Undo => return self.do_it(),
            Own::Type(line) => return self.type_into(|_| format!("{line}\r").into_bytes()),
            Own::Keys(keys) => {
                return self
                    .type_into(|modes| keys.iter().flat_map(|key| xterm::key(key.press(), modes)).collect());
            }
            Own::Model(number) => match number.checked_sub(1).and_then(|at| self.models.get(at)) {
                Some(name) => return vec![Act::Ask(Request::ChooseModel(name.clone()))],
                None => voice.say("there is no model with that number: /model says which there are"),
            },
        }
        Vec::new()
    }

    /// Types into the terminal of the command that runs now.
    fn type_into(&mut self, written: impl FnOnce(KeyModes) -> Vec<u8>) -> Vec<Act> {
        let Some(call) = self.teller.view.typable() else {
            self.voice.say("not typed: no command runs on a terminal that takes keys");
            return Vec::new();
        };
        let screen = self.teller.view.panel(call).and_then(|panel| panel.screen.as_ref());
        let typed = Typed(written(screen.map(|screen| screen.keys).unwrap_or_default()));
        self.voice.say(&format!("typed: /output {call} says what is on its terminal"));
        vec![Act::Send(Intent::TypeInto { call, typed })]
    }
}
