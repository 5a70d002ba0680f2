//! Calls that wait: each is said whole with a number that it keeps, and answered by a line that was typed after that.

use std::collections::BTreeMap;

use crate::agent::Answer;
use crate::ledger::{ApprovalRequest, CallId, EntryId, Preview};
use crate::ui::text::diff;
use crate::view::{Panel, View};

use super::voice::Voice;
use super::words::count;

/// The questions that were asked and not answered yet.
#[derive(Debug, Default)]
pub(super) struct Asking {
    asked: BTreeMap<EntryId, Asked>,
}

#[derive(Debug, Clone, Copy)]
struct Asked {
    call: CallId,
    /// What the person calls it; it stays while any call waits.
    number: usize,
    /// The lines typed after the question carry this moment or a later one; `None` until it is written.
    since: Option<u64>,
    /// An answer was given, and its decision has not come back.
    answered: bool,
}

/// A line that answers, as it was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    letter: char,
    number: Option<usize>,
}

/// What an answering line comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Decide so.
    Decide(EntryId, CallId, Answer),
    /// Its reason is asked for.
    Reason(EntryId, CallId),
    /// Nothing, and why.
    Not(String),
}

/// Reads a line that is exactly an answer: a letter, and at most a number.
pub(super) fn read(line: &str) -> Option<Word> {
    let mut words = line.split_whitespace();
    let mut letters = words.next()?.chars();
    let letter = letters.next().filter(|letter| "ysnre".contains(*letter))?;
    let number = words.next().map(|number| number.parse().ok());
    let is_all = letters.next().is_none() && words.next().is_none() && number != Some(None);
    is_all.then_some(Word { letter, number: number.flatten() })
}

impl Asking {
    /// Says the calls that have come to wait, and forgets those that wait no more. True when there is a new question.
    pub(super) fn ask(&mut self, view: &View, voice: &mut Voice) -> bool {
        let waiting = view.waiting();
        self.asked.retain(|request, _| waiting.iter().any(|(id, _)| id == request));
        let new: Vec<_> = waiting.iter().filter(|(id, _)| !self.asked.contains_key(id)).collect();
        let all = self.open().count() + new.len();
        for (id, request) in &new {
            let number = self.asked.values().map(|asked| asked.number).max().unwrap_or(0) + 1;
            let asked = Asked { call: request.call, number, since: None, answered: false };
            self.asked.insert(*id, asked);
            let of = if number > all { String::new() } else { format!(" of {all}") };
            voice.say(&format!("waits for you {number}{of}: {}, {}", request.name, request.risk));
            said_whole(request, view.panel(request.call), voice);
        }
        !new.is_empty()
    }

    /// The calls stand on the terminal: lines of this moment or later are typed after them. Now one is asked for.
    pub(super) fn written(&mut self, moment: u64, voice: &mut Voice) {
        self.asked.values_mut().for_each(|asked| {
            asked.since.get_or_insert(moment);
        });
        let which = if self.open().count() > 1 { "; with a number for another one, as in y 2" } else { "" };
        voice.say(&format!(
            "answer: y once, s this session, n deny, r deny with a reason, e edit is in the full screen{which}"
        ));
    }

    /// Whether a question waits that the person can have seen when the line was typed.
    pub(super) fn was_asked(&self, typed: u64) -> bool {
        self.open().any(|(_, asked)| asked.was_asked(typed))
    }

    /// Whether a question waits at all.
    pub(super) fn is_open(&self) -> bool {
        self.open().next().is_some()
    }

    /// Whether this request still waits for an answer.
    pub(super) fn waits(&self, request: EntryId) -> bool {
        self.asked.get(&request).is_some_and(|asked| !asked.answered)
    }

    /// What an answer that was typed at this moment comes to.
    pub(super) fn answer(&mut self, word: Word, typed: u64) -> Verdict {
        let oldest = || self.open().min_by_key(|(_, asked)| asked.number);
        let named = word.number.map_or_else(oldest, |n| self.open().find(|(_, asked)| asked.number == n));
        let Some((request, asked)) = named else {
            let open: Vec<String> = self.open().map(|(_, asked)| asked.number.to_string()).collect();
            return Verdict::Not(format!("no call with that number waits; there is: {}", open.join(", ")));
        };
        if !asked.was_asked(typed) {
            let Word { letter, .. } = word;
            return Verdict::Not(format!("{letter} was typed before the question; type it again to answer"));
        }
        let (call, number) = (asked.call, asked.number);
        let answer = match word.letter {
            'y' => Answer::AllowOnce,
            's' => Answer::AllowSession,
            'n' => Answer::Deny(String::new()),
            'r' => return Verdict::Reason(request, call),
            _ => {
                return Verdict::Not(format!(
                    "call {number} cannot be edited here; leave with /quit, and countersign resume --last in a terminal \
                     that can move its cursor offers it again"
                ));
            }
        };
        self.answered(request);
        Verdict::Decide(request, call, answer)
    }

    /// An answer to this request is on its way.
    pub(super) fn answered(&mut self, request: EntryId) {
        if let Some(asked) = self.asked.get_mut(&request) {
            asked.answered = true;
        }
    }

    /// An answer was refused: its question is open again.
    pub(super) fn reopen(&mut self) {
        self.asked.values_mut().for_each(|asked| asked.answered = false);
    }

    /// The calls that still wait, in a few words; nothing when there are none.
    pub(super) fn left(&self) -> Option<String> {
        let mut numbers: Vec<usize> = self.open().map(|(_, asked)| asked.number).collect();
        numbers.sort_unstable();
        let names: Vec<String> = numbers.iter().map(usize::to_string).collect();
        let waits = if names.len() == 1 { "waits" } else { "wait" };
        (!names.is_empty()).then(|| {
            format!("{} still {waits} for you: {}", count(names.len() as u64, "call"), names.join(", "))
        })
    }

    fn open(&self) -> impl Iterator<Item = (EntryId, Asked)> {
        self.asked.iter().filter(|(_, asked)| !asked.answered).map(|(id, asked)| (*id, *asked))
    }
}

impl Asked {
    fn was_asked(&self, typed: u64) -> bool {
        self.since.is_some_and(|since| since <= typed)
    }
}

/// What it would do, whole, and why it asks.
fn said_whole(request: &ApprovalRequest, panel: Option<&Panel>, voice: &mut Voice) {
    match &request.preview {
        Preview::Command(command) => voice.say(&format!("command: {command}")),
        Preview::Diff(unified) => {
            let path = panel.and_then(Panel::arguments).and_then(|a| a.text("path")).unwrap_or_default();
            voice.say(format!("change: {path}").trim_end());
            diff::spoken(unified).iter().for_each(|line| voice.more(line));
        }
        Preview::None => voice.say(&format!("arguments: {:#}", request.arguments)),
    }
    voice.say(&format!("why it asks: {}", request.why));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_letter_and_a_number_answer() {
        for (line, is) in [
            ("y", true),
            (" n ", true),
            ("y 2", true),
            ("e", true),
            ("", false),
            ("yes", false),
            ("Y", false),
            ("y two", false),
            ("y 2 3", false),
            ("y, please", false),
            ("x", false),
        ] {
            assert_eq!(read(line).is_some(), is, "{line:?}");
        }
    }
}
