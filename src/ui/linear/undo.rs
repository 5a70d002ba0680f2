//! Files are put back by lines: first it is said what would be done, then a line of its own does it.

use crate::ui::Request;
use crate::ui::commands::typed;
use crate::ui::picker::RewindWay;
use crate::ui::undo_preview::{NOTHING_TO_UNDO, UndoPreview, ago, said_by_user};

use super::budget_stop;
use super::moment::Moment;
use super::offered_undo::OfferedUndo;
use super::session::{LinearEffect, LinearSession};
use super::words::{one_line, plain};

/// What is said of a line that puts nothing back.
const EARLY: &str = "not undone: /undo yes came right after the plan; type it again";

impl LinearSession {
    /// Why a line of this moment raises or puts back nothing, if its writer cannot have read what it would
    /// decide about.
    pub(super) fn too_early(&self, text: &str, now: Moment) -> Option<&'static str> {
        if self.stop.is_raised_early(&self.renderer.view, text, now) {
            return Some(budget_stop::EARLY);
        }
        let is_early =
            budget_stop::undoes(text) && self.offer.as_ref().is_some_and(|offer| !offer.was_said(now));
        is_early.then_some(EARLY)
    }

    /// What an undo would do, file by file; or why there is none.
    pub fn undo(&mut self, offered: Result<UndoPreview, String>) {
        self.offer = None;
        let offer = match offered {
            Ok(offer) => offer,
            Err(why) => return self.output.say(&format!("undo: {}", plain(&why))),
        };
        self.output.say(&format!("undo: {}", offer.words(&self.renderer.view)));
        for (file, what) in &offer.files {
            self.output.more(&format!("{}: {}", one_line(file), plain(what)));
        }
        for command in &offer.commands {
            self.output.more(&format!("{}: {}", one_line(command), UndoPreview::STAYS));
        }
        match offer.refused() {
            Some(why) => self.output.say(&why),
            None => {
                self.output.say("nothing is done yet: /undo yes does it");
                self.offer = Some(OfferedUndo::new(offer));
            }
        }
    }

    /// Does what was said.
    pub(super) fn do_it(&mut self) -> Vec<LinearEffect> {
        let Some(UndoPreview { since, files, .. }) = self.offer.take().map(|offer| offer.plan) else {
            self.output.say("undo: first use /undo, or /rewind with a number, to see what it would do");
            return Vec::new();
        };
        self.rewind.due = self.rewind.wanted.take().map(|message| (since, message));
        vec![LinearEffect::Ask(Request::Restore { since, shown: files })]
    }

    /// The messages that one can go back to, each with a number.
    pub(super) fn rewind(&mut self) {
        let view = &self.renderer.view;
        let said = said_by_user(view);
        let words = said.iter().enumerate().map(|(at, said)| {
            let words = typed(said.message, &view.settings);
            format!("message {}, {}: {}", at + 1, ago(self.now.since(said.at)), one_line(&words))
        });
        let (lines, messages): (Vec<String>, Vec<_>) =
            (words.collect(), said.iter().map(|said| said.id).collect());
        lines.iter().for_each(|line| self.output.say(line));
        let how = "/rewind NUMBER goes back to before that message, with the conversation, the files or both";
        self.output.say(if lines.is_empty() { "rewind: there are no messages yet" } else { how });
        self.messages = messages;
    }

    /// Goes back to before a message, or says in which ways that can be done.
    pub(super) fn rewind_to(&mut self, number: usize, way: Option<RewindWay>) -> Vec<LinearEffect> {
        let Some(message) = number.checked_sub(1).and_then(|at| self.messages.get(at)).copied() else {
            self.output.say("there is no message with that number: /rewind lists them");
            return Vec::new();
        };
        (self.rewind.wanted, self.offer) = (None, None);
        match way {
            None => {
                for way in RewindWay::ALL {
                    let (what, note) = way.words();
                    self.output.say(&format!("/rewind {number} {}: {what}; {note}", way.as_str()));
                }
                Vec::new()
            }
            Some(RewindWay::Conversation) => vec![LinearEffect::Ask(Request::Rewind(message))],
            Some(RewindWay::Files) => vec![LinearEffect::Ask(Request::PlanUndo(Some(message)))],
            Some(RewindWay::Both) => {
                self.rewind.wanted = Some(message);
                vec![LinearEffect::Ask(Request::PlanUndo(Some(message)))]
            }
        }
    }

    /// No file was changed since then: the conversation alone can still go back.
    pub(super) fn nothing_to_undo(&mut self) {
        self.undo(Err(NOTHING_TO_UNDO.to_owned()));
        let at = self.rewind.wanted.take().and_then(|id| self.messages.iter().position(|said| *said == id));
        if let Some(at) = at {
            self.output.say(&format!("/rewind {} conversation takes back the conversation", at + 1));
        }
    }
}
