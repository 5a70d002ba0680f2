//! Lines that decide about a call: an answering letter, and the words that some of them ask for.

use serde_json::Value;

use crate::agent::{Answer, Intent};
use crate::ledger::{CallId, EntryId};
use crate::ui::editing::changed;
use crate::ui::local::EditedPart;
use crate::ui::request::Request;

use super::approvals::{LineMeaning, Purpose};
use super::moment::Moment;
use super::session::LinearEffect;
use super::session::LinearSession;
use super::session_rule;
use super::word::Word;

impl LinearSession {
    pub(super) fn answer(&mut self, word: Word, now: Moment) -> Vec<LinearEffect> {
        match self.asking.answer(word, now) {
            LineMeaning::Decide(request, call, answer) => {
                self.asking.said_again(now.at);
                self.left();
                vec![LinearEffect::Send(Intent::Decide { request, call, answer })]
            }
            LineMeaning::Anyway(request, call) => {
                self.asking.said_again(now.at);
                self.left();
                let answer = Answer::AllowOnce;
                [Intent::AcceptGaps(Some(call)), Intent::Decide { request, call, answer }]
                    .map(LinearEffect::Send)
                    .to_vec()
            }
            LineMeaning::Words(request, call, purpose) => {
                self.words = Some((request, call, purpose));
                let what = match purpose {
                    Purpose::Denies => "reason",
                    Purpose::Answers => "answer, or the number of a choice",
                    Purpose::Changes if self.part(request) == EditedPart::Command => "the command instead",
                    Purpose::Changes => "the arguments instead, as JSON in one line",
                };
                self.output.prompt(&format!("{what}, or an empty line to cancel: "));
                Vec::new()
            }
            LineMeaning::Rule(request, number) => {
                let said = session_rule::said(&self.renderer.view, request, number, &mut self.output);
                self.asking.rule = said;
                let rule = self.asking.rule.as_ref().map(|rule| rule.text.clone());
                rule.map(|rule| LinearEffect::Ask(Request::PlanRule(rule))).into_iter().collect()
            }
            LineMeaning::Not(why) => {
                self.output.say(&format!("not an answer: {why}"));
                Vec::new()
            }
        }
    }

    /// A line, or Ctrl-C, that does not take the rule that was said; true when there was one.
    pub(super) fn leave_rule(&mut self) -> bool {
        self.asking.rule.take().is_some()
    }

    /// The line that was asked for.
    pub(super) fn worded(
        &mut self,
        request: EntryId,
        call: CallId,
        purpose: Purpose,
        words: &str,
    ) -> Vec<LinearEffect> {
        if words.is_empty() {
            let what = if purpose == Purpose::Denies { "denied" } else { "decided" };
            self.output.say(&format!("cancelled: nothing is {what}"));
            return Vec::new();
        }
        let Some(asked) = self.asked(request) else {
            self.output.say("not accepted: nothing waits for this answer any more");
            self.asking.answered(request);
            self.left();
            return Vec::new();
        };
        let answer = match purpose {
            Purpose::Denies => Answer::Deny(words.to_owned()),
            Purpose::Answers => Answer::Reply(chosen(&asked, words)),
            Purpose::Changes => match changed(&asked, words, self.part(request)) {
                Ok(arguments) => Answer::Edit(arguments),
                Err(why) => {
                    self.output.say(&format!("not accepted: {why}"));
                    return Vec::new();
                }
            },
        };
        self.asking.answered(request);
        self.left();
        vec![LinearEffect::Send(Intent::Decide { request, call, answer })]
    }

    /// The arguments of a call that waits.
    fn asked(&self, request: EntryId) -> Option<Value> {
        let waiting = self.renderer.view.waiting();
        waiting.into_iter().find(|(id, _)| *id == request).map(|(_, asked)| asked.arguments.clone())
    }

    /// What a line changes of this call; content of several lines has no place on one.
    fn part(&self, request: EntryId) -> EditedPart {
        let is_command =
            self.asked(request).is_some_and(|asked| asked.get("command").is_some_and(Value::is_string));
        if is_command { EditedPart::Command } else { EditedPart::Arguments }
    }
}

/// The choice of this number, or the words themselves.
fn chosen(asked: &Value, words: &str) -> String {
    let number = words.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let choice = number.and_then(|at| asked.get("choices")?.get(at)?.as_str());
    choice.unwrap_or(words).to_owned()
}
