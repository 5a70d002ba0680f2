//! Lines that decide about a call: an answering letter, and the words that some of them ask for.

use serde_json::Value;

use crate::agent::{Answer, Intent};
use crate::ledger::{CallId, EntryId};
use crate::ui::editing::changed;
use crate::ui::local::EditedPart;
use crate::ui::request::Request;
use crate::view::Panel;

use super::approvals::{LineMeaning, Purpose};
use super::asked_words::AskedWords;
use super::moment::Moment;
use super::session::LinearEffect;
use super::session::LinearSession;
use super::session_rule;
use super::word::Word;

impl LinearSession {
    pub(super) fn answer(&mut self, word: Word, now: Moment) -> Vec<LinearEffect> {
        // Whoever was told that anything else cancels means the rule by it, and not the call: the call is asked about anew.
        if word.letter != 'a' && self.leave_rule() {
            self.asking.said_again(now.at);
            self.output.say(&self.asking.letters());
            return Vec::new();
        }
        match self.asking.answer(word, now) {
            LineMeaning::Decide(request, call, answer) => {
                self.asking.said_again(now.at);
                self.left();
                vec![LinearEffect::Send(Intent::Decide { request, call, answer })]
            }
            LineMeaning::Anyway(request, call) => {
                self.asking.said_again(now.at);
                self.left();
                let gaps = self.gaps_of(request);
                let accepts = (!gaps.is_empty()).then_some(Intent::AcceptGaps { call: Some(call), gaps });
                let decides = Intent::Decide { request, call, answer: Answer::AllowOnce };
                accepts.into_iter().chain([decides]).map(LinearEffect::Send).collect()
            }
            LineMeaning::Words(_, call, Purpose::Changes) if self.checks_a_goal(call) => {
                self.output.say("not an answer: the check of a goal cannot be changed; n denies it");
                Vec::new()
            }
            LineMeaning::Words(request, call, purpose) => {
                self.words = Some(AskedWords::new(request, call, purpose));
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

    /// A line, or Ctrl-C, that does not take the rule that was said: that is said. True when there was one.
    pub(super) fn leave_rule(&mut self) -> bool {
        let had_one = self.asking.rule.take().is_some();
        if had_one {
            self.output.say("cancelled: no rule was added");
        }
        had_one
    }

    /// All that was said stands on the terminal: words that are asked for now are typed behind their prompt, which is said here.
    pub(super) fn prompt_for_words(&mut self, moment: Moment) {
        let Some(asked) = self.words.as_mut().filter(|asked| asked.is_new()) else { return };
        asked.written(moment);
        let AskedWords { request, purpose, .. } = *asked;
        let what = match purpose {
            Purpose::Denies => "reason",
            Purpose::Answers => "answer, or the number of a choice",
            Purpose::Changes if self.part(request) == EditedPart::Command => "the command instead",
            Purpose::Changes => "the arguments instead, as JSON in one line",
        };
        self.output.prompt(&format!("{what}, or an empty line to cancel: "));
    }

    /// A line while words are asked for. What was typed before their prompt was meant for something else: they are asked for again.
    pub(super) fn words_typed(&mut self, asked: AskedWords, words: &str, now: Moment) -> Vec<LinearEffect> {
        if let Some(why) = asked.not_yet(now) {
            self.words = Some(asked.again());
            self.output.say(why);
            return Vec::new();
        }
        self.words = None;
        let AskedWords { request, call, purpose, .. } = asked;
        self.worded(request, call, purpose, words)
    }

    /// The line that was asked for.
    fn worded(&mut self, request: EntryId, call: CallId, purpose: Purpose, words: &str) -> Vec<LinearEffect> {
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

    /// What the question of this request names that the sandbox cannot hide; nothing once another one is asked.
    fn gaps_of(&self, request: EntryId) -> Vec<String> {
        let waiting = self.renderer.view.waiting();
        let asked = waiting.into_iter().find(|(id, _)| *id == request);
        asked.map(|(_, asked)| asked.gaps.clone()).unwrap_or_default()
    }

    /// Whether a call checks a goal: it is what was agreed on, and another one would prove something else.
    fn checks_a_goal(&self, call: CallId) -> bool {
        self.renderer.view.panel(call).is_some_and(Panel::is_goal_check)
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
