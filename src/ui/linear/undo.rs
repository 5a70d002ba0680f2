//! Files are put back by lines: first it is said what would be done, then a line of its own does it.

use crate::ui::Request;
use crate::ui::undo_preview::{UndoPreview, said_by_user};

use super::session::{LinearEffect, LinearSession};
use super::words::{one_line, plain};

impl LinearSession {
    /// What an undo would do, file by file; or why there is none.
    pub fn undo(&mut self, offered: Result<UndoPreview, String>) {
        self.offer = None;
        let offer = match offered {
            Ok(offer) => offer,
            Err(why) => return self.output.say(&format!("undo: {}", plain(&why))),
        };
        self.output.say(&format!("undo: {}", offer.words()));
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
                self.offer = Some(offer);
            }
        }
    }

    /// Does what was said.
    pub(super) fn do_it(&mut self) -> Vec<LinearEffect> {
        let Some(UndoPreview { since, files, .. }) = self.offer.take() else {
            self.output.say("undo: first use /undo, or /rewind with a number, to see what it would do");
            return Vec::new();
        };
        vec![LinearEffect::Ask(Request::Restore { since, shown: files })]
    }

    /// The messages that one can go back to, each with a number.
    pub(super) fn rewind(&mut self) {
        let said = said_by_user(&self.renderer.view);
        let words =
            said.iter().enumerate().map(|(at, (_, text))| format!("message {}: {}", at + 1, one_line(text)));
        let (lines, messages): (Vec<String>, Vec<_>) =
            (words.collect(), said.iter().map(|(id, _)| *id).collect());
        lines.iter().for_each(|line| self.output.say(line));
        let how = "/rewind NUMBER shows what restoring files to before that message would do";
        self.output.say(if lines.is_empty() { "rewind: there are no messages yet" } else { how });
        self.messages = messages;
    }

    /// What taking back all since a message would do is asked for.
    pub(super) fn rewind_to(&mut self, number: usize) -> Vec<LinearEffect> {
        match number.checked_sub(1).and_then(|at| self.messages.get(at)) {
            Some(message) => vec![LinearEffect::Ask(Request::PlanUndo(Some(*message)))],
            None => {
                self.output.say("there is no message with that number: /rewind lists them");
                Vec::new()
            }
        }
    }
}
