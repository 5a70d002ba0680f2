//! Files are put back by lines: first it is said what would be done, then a line of its own does it.

use crate::ui::Request;
use crate::ui::offer::{Offer, said_by_user};

use super::talk::{Act, Talk};
use super::words::{one_line, plain};

impl Talk {
    /// What an undo would do, file by file; or why there is none.
    pub fn undo(&mut self, offered: Result<Offer, String>) {
        self.offer = None;
        let offer = match offered {
            Ok(offer) => offer,
            Err(why) => return self.voice.say(&format!("undo: {}", plain(&why))),
        };
        self.voice.say(&format!("undo: {}", offer.words()));
        for (file, what) in &offer.files {
            self.voice.more(&format!("{}: {}", one_line(file), plain(what)));
        }
        for command in &offer.commands {
            self.voice.more(&format!("{}: {}", one_line(command), Offer::STAYS));
        }
        match offer.refused() {
            Some(why) => self.voice.say(&why),
            None => {
                self.voice.say("nothing is done yet: /undo yes does it");
                self.offer = Some(offer);
            }
        }
    }

    /// Does what was said.
    pub(super) fn do_it(&mut self) -> Vec<Act> {
        let Some(Offer { since, files, .. }) = self.offer.take() else {
            self.voice.say("undo: say /undo first, or /rewind and a number, and hear what it would do");
            return Vec::new();
        };
        vec![Act::Ask(Request::Restore { since, shown: files })]
    }

    /// The messages that one can go back to, each with a number.
    pub(super) fn rewind(&mut self) {
        let said = said_by_user(&self.teller.view);
        let words =
            said.iter().enumerate().map(|(at, (_, text))| format!("message {}: {}", at + 1, one_line(text)));
        let (lines, messages): (Vec<String>, Vec<_>) =
            (words.collect(), said.iter().map(|(id, _)| *id).collect());
        lines.iter().for_each(|line| self.voice.say(line));
        let how = "/rewind and a number says what taking back all since that message would do";
        self.voice.say(if lines.is_empty() { "rewind: nothing was said yet" } else { how });
        self.messages = messages;
    }

    /// What taking back all since a message would do is asked for.
    pub(super) fn rewind_to(&mut self, number: usize) -> Vec<Act> {
        match number.checked_sub(1).and_then(|at| self.messages.get(at)) {
            Some(message) => vec![Act::Ask(Request::PlanUndo(Some(*message)))],
            None => {
                self.voice.say("there is no message with that number: /rewind says which there are");
                Vec::new()
            }
        }
    }
}
