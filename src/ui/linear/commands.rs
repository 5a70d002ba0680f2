//! Commands are obeyed: some ask the agent for something, the others are a page in words.

use crate::agent::{Intent, OwnCommand};
use crate::model::Effort;
use crate::tool::{KeyModes, Typed};
use crate::ui::Request;
use crate::ui::commands::{
    FORK_LATER, LinearCommand, Meaning, REVIEW_LATER, Review, STILL_BUSY, init, review,
};
use crate::ui::pages::fleet::FLEET;
use crate::ui::picker_source::Source;
use crate::ui::report::Question;
use crate::ui::xterm;

use super::pages;
use super::session::{LinearEffect, LinearSession};

impl LinearSession {
    /// Does what a command means.
    pub(super) fn obey(&mut self, meaning: Meaning) -> Vec<LinearEffect> {
        let (view, output, now) = (&self.renderer.view, &mut self.output, self.now);
        match meaning {
            Meaning::Intent(Intent::SetMode(mode)) if mode == view.session.mode => {
                output.say(&format!("mode: {mode} already"));
            }
            Meaning::Intent(intent) => {
                if let (Intent::Queue(message), true) = (&intent, view.status.is_busy()) {
                    self.renderer.was_typed(&message.content);
                }
                return vec![LinearEffect::Send(intent)];
            }
            Meaning::AcceptGaps => {
                let gaps = view.gaps_asked_about();
                return vec![LinearEffect::Send(Intent::AcceptGaps { call: None, gaps })];
            }
            Meaning::Report(subject) => {
                let question = Question::of(subject, view);
                return vec![LinearEffect::Ask(Request::Report(Box::new(question)))];
            }
            Meaning::Init => return self.submit(&init()),
            Meaning::Review(_) if view.status.is_busy() => self.not_obeyed(REVIEW_LATER),
            Meaning::Review(base) => {
                let Review { command, message } = review(base.as_deref());
                let then = Some(Box::new(message.as_str().into()));
                let own = OwnCommand { command, is_shared: true, typed: None, then, must_succeed: true };
                // Two messages are recorded for the line that was typed.
                self.renderer.was_typed(&own.typed());
                self.renderer.was_typed(&message);
                return vec![LinearEffect::Send(Intent::Command(own))];
            }
            Meaning::Request(Request::Fork) if view.status.is_busy() => self.not_obeyed(FORK_LATER),
            Meaning::Request(request) => return vec![LinearEffect::Ask(request)],
            Meaning::Page(page) => {
                page.open(view).page.spoken(view, now).iter().for_each(|said| output.speak(said))
            }
            Meaning::Pick(Source::Sessions) => return vec![LinearEffect::Ask(Request::ListSessions)],
            Meaning::Pick(Source::Models) => {
                return vec![LinearEffect::Ask(Request::ListModels(view.session.model.clone()))];
            }
            Meaning::Pick(Source::Rewind) => self.rewind(),
            Meaning::Pick(Source::Grants) => pages::grants(view, output),
            Meaning::Pick(Source::Modes) => output.say(&pages::modes(view)),
            Meaning::Pick(Source::Efforts) => {
                let now = view.session.effort.map_or("default", Effort::as_str);
                output.say(&pages::values("/effort", now));
            }
            Meaning::Pick(Source::FleetStop) => {
                FLEET.open(view).page.spoken(view, now).iter().for_each(|said| output.speak(said));
            }
            Meaning::Pick(Source::Shells) => pages::running(view, output),
            Meaning::Find(words) if words.is_empty() => output.say("not understood: /find takes words"),
            Meaning::Find(words) => pages::find(view, &words, self.entry_json, output),
            Meaning::New if view.status.is_busy() => self.not_obeyed(STILL_BUSY),
            Meaning::New => return vec![LinearEffect::New],
            Meaning::Quit => return vec![LinearEffect::Quit],
            Meaning::Linear(command) => return self.obey_linear(command),
            // The table has these for the screen only.
            Meaning::Pick(_) | Meaning::Theme(_) | Meaning::Ledger | Meaning::Copy | Meaning::Thinking => {}
        }
        Vec::new()
    }

    /// Does what a command means that only lines need.
    fn obey_linear(&mut self, command: LinearCommand) -> Vec<LinearEffect> {
        let (view, output) = (&self.renderer.view, &mut self.output);
        match command {
            LinearCommand::Output(call) => pages::output(view, call, output),
            LinearCommand::Show(entry) => pages::show(view, entry, self.entry_json, output),
            LinearCommand::ShowCall(call) => pages::show_call(view, call, self.entry_json, output),
            LinearCommand::Ledger(entries) => pages::ledger(view, entries, output),
            LinearCommand::Into(call) => self.go_into(call),
            LinearCommand::Back => self.go_back(),
            LinearCommand::Status => self.say_status(),
            LinearCommand::NotHere(why) => output.say(why),
            LinearCommand::Raise => match view.offer() {
                Some(offer) => return vec![LinearEffect::Send(offer.taken())],
                None => output.say("nothing to raise: no budget and no price stopped a run"),
            },
            LinearCommand::Send if self.asking.is_open() => {
                output.say("not sent: a call waits for you; answer it first");
            }
            LinearCommand::Send if self.kept.is_empty() => output.say("nothing is kept"),
            LinearCommand::Send => {
                let kept = std::mem::take(&mut self.kept);
                return self.send(&kept);
            }
            LinearCommand::Session(number) => {
                match number.checked_sub(1).and_then(|at| self.sessions.get(at)) {
                    Some(id) => return vec![LinearEffect::Resume(id.clone())],
                    None => output.say("there is no session with that number: /sessions lists them"),
                }
            }
            LinearCommand::Rewind(number, way) => return self.rewind_to(number, way),
            LinearCommand::Undo => return self.do_it(),
            LinearCommand::Type(line) => return self.type_into(|_| format!("{line}\r").into_bytes()),
            LinearCommand::Keys(keys) => {
                return self
                    .type_into(|modes| keys.iter().flat_map(|key| xterm::key(key.press(), modes)).collect());
            }
            LinearCommand::Model(number) => match number.checked_sub(1).and_then(|at| self.models.get(at)) {
                Some(name) => return vec![LinearEffect::Ask(Request::ChooseModel(name.clone()))],
                None => output.say("there is no model with that number: /model lists them"),
            },
        }
        Vec::new()
    }

    /// Types into the terminal of the command that runs now.
    fn type_into(&mut self, written: impl FnOnce(KeyModes) -> Vec<u8>) -> Vec<LinearEffect> {
        let Some(call) = self.renderer.view.typable() else {
            self.output.say("not typed: no running command has a terminal that accepts keys");
            return Vec::new();
        };
        let screen = self.renderer.view.panel(call).and_then(|panel| panel.screen.as_ref());
        let typed = Typed(written(screen.map(|screen| screen.keys).unwrap_or_default()));
        self.output.say(&format!("typed: /output {call} shows its terminal"));
        vec![LinearEffect::Send(Intent::TypeInto { call, typed })]
    }
}
