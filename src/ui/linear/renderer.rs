//! Events, one after the other, become words: each entry is said once, whether its live events came before it or not.

use std::collections::BTreeSet;

use crate::agent::{Event, Live};
use crate::budget::Limit;
use crate::ledger::{
    AssistantMessage, Block, Body, Change, Checkpoint, Ending, Entry, EntryId, Injector, MicroDollars,
    Millis, TurnEnded, grouped,
};
use crate::view::{Offer, ShownPart, View, ViewSettings, change, ending_words, shown};

use super::below::{below, settled};
use super::calls::{finished, hosted, is_command, named};
use super::decisions::decided;
use super::output::LinearOutput;
use super::retry;
use super::said_message::{delivered, from_you, went_with};
use super::words::{self, amount, count, plain, used};

/// The fold over the events of a session.
#[derive(Debug)]
pub(super) struct LinearRenderer {
    pub(super) view: View,
    /// The answer that is being said.
    answer: Option<GrowingAnswer>,
    /// What the person has typed and the ledger has not repeated yet.
    typed: Vec<String>,
    /// The limits of this run that were said to be near.
    near: BTreeSet<&'static str>,
    /// Why nothing can be recorded, as it was said.
    shut: Option<String>,
    /// What the model said last, so that the end of a run does not say it again.
    said: String,
}

#[derive(Debug)]
struct GrowingAnswer {
    message: EntryId,
    /// What was said of it: always whole lines.
    told: String,
    /// Whether anything but blank lines was.
    begun: bool,
    thought: bool,
}

impl GrowingAnswer {
    /// What is told of this message; from its beginning, if nothing was.
    fn begun(told: &mut Option<Self>, message: EntryId) -> &mut Self {
        if told.as_ref().is_some_and(|answer| answer.message != message) {
            *told = None;
        }
        told.get_or_insert_with(|| Self { message, told: String::new(), begun: false, thought: false })
    }

    /// Reasoning is one line, said once: it is whole when other words follow.
    fn think(&mut self, thinking: &str, output: &mut LinearOutput) {
        if self.thought {
            return;
        }
        let words = thinking.split_whitespace().count() as u64;
        if words > 0 {
            self.thought = true;
            output.say(&format!("model thinks: {} (/show {})", count(words, "word"), self.message));
        }
    }

    /// Says the lines that are whole and were not said yet; all of them at its end. A delta that ends no line costs
    /// only the line.
    fn tell(&mut self, text: &str, ends: bool, output: &mut LinearOutput) {
        let waits = text.get(self.told.len()..).is_some_and(|rest| !rest.contains('\n'));
        if waits && !ends {
            return;
        }
        if !text.starts_with(&self.told) {
            output.say("model, starting again:");
            self.told.clear();
        }
        let rest = text.get(self.told.len()..).unwrap_or_default();
        let upto = if ends { rest.len() } else { rest.rfind('\n').map_or(0, |at| at + 1) };
        let lines = rest.get(..upto).unwrap_or_default();
        self.told.push_str(lines);
        if lines.trim().is_empty() {
            return;
        }
        if self.begun {
            output.more(lines);
        } else {
            self.begun = true;
            output.say(&format!("model: {}", lines.trim_start()));
        }
    }
}

impl LinearRenderer {
    pub(super) fn new(settings: ViewSettings) -> Self {
        Self::over(View::new(settings))
    }

    /// One that goes on where this view stands.
    pub(super) fn over(view: View) -> Self {
        Self { view, answer: None, typed: Vec::new(), near: BTreeSet::new(), shut: None, said: String::new() }
    }

    /// These words stand on the terminal already, because they were typed there.
    pub(super) fn was_typed(&mut self, words: &str) {
        self.typed.push(words.to_owned());
    }

    /// These words were not sent after all.
    pub(super) fn forget(&mut self, words: &str) {
        self.typed.retain(|typed| typed != words);
    }

    /// Takes an event in without a word.
    pub(super) fn skip(&mut self, event: &Event) {
        self.view.fold(event);
    }

    /// Takes an event in and says it.
    pub(super) fn hear(&mut self, event: &Event, now: Millis, output: &mut LinearOutput) {
        self.view.fold(event);
        match event {
            Event::Appended(entry) => self.durable(entry, output),
            Event::Live(Live::Subagent { .. }) => below(&self.view, event, output),
            Event::Live(live) => self.live(live, output),
        }
        self.warn(now, output);
    }

    fn durable(&mut self, entry: &Entry, output: &mut LinearOutput) {
        match &entry.body {
            Body::User(message) => {
                self.near.clear();
                self.said.clear();
                match self.typed.iter().position(|typed| *typed == message.content) {
                    Some(at) => {
                        self.typed.remove(at);
                        went_with(message, output);
                    }
                    None => output.say(&from_you(message, entry.id, &self.view.settings)),
                }
            }
            Body::Assistant(message) => self.answered(message, output),
            Body::ApprovalDecided(decision) => decided(&self.view, decision, output),
            Body::ToolResult(result) => {
                if let Some(panel) = self.view.panel(result.call) {
                    finished(panel, output);
                }
                if self.view.is_untold(result.call) {
                    output.more("not shown to the model");
                }
            }
            Body::Injected(said) if said.by == Injector::Steering => {
                self.forget(&said.text);
                output.say(&delivered(said, entry.id, &self.view.settings));
            }
            Body::Injected(said) if self.is_said_elsewhere(said.by) => {}
            Body::Injected(said) => {
                output.say(&format!("{}: {}", said.by.as_str().replace('_', " "), said.text));
            }
            Body::Tombstone(tombstone) => {
                if self.answer.take_if(|answer| answer.message == tombstone.target && answer.begun).is_some()
                {
                    output.say(&format!(
                        "withdrawn: the model's last answer does not count, {}",
                        tombstone.reason
                    ));
                }
            }
            Body::Compaction(made) => {
                let replaced = match self.view.replaced_by(entry.id) {
                    1 => "1 entry".to_owned(),
                    n => format!("{n} entries"),
                };
                let (before, after) = (grouped(made.tokens_before), grouped(made.tokens_after));
                output.say(&format!(
                    "compacted: {replaced} replaced by a summary, {before} to {after} tokens; /show {} \
                    prints it",
                    entry.id
                ));
            }
            Body::TurnEnded(ended) => self.ended(entry, ended, output),
            Body::Change(Change::EscrowSettled(ended)) => settled(&self.view, ended, output),
            body => {
                if let Some(words) = remark(body) {
                    output.say(&words);
                }
            }
        }
    }

    fn answered(&mut self, message: &AssistantMessage, output: &mut LinearOutput) {
        if message.is_unheard() {
            return;
        }
        let answer = GrowingAnswer::begun(&mut self.answer, message.id);
        answer.think(&message.thinking(), output);
        let has_hosted = message.hosted().next().is_some();
        if has_hosted && !answer.begun {
            self.in_parts(&message.blocks, output);
        } else {
            answer.tell(&message.text(), true, output);
            if has_hosted {
                let lines = shown(&message.blocks).into_iter();
                lines
                    .filter_map(|part| if let ShownPart::Hosted(line) = part { Some(line) } else { None })
                    .for_each(|line| output.say(&hosted(&line)));
            }
        }
        if message.interrupted {
            output.say("model: interrupted here");
        }
        self.said = message.text();
    }

    /// Words, and between them what the provider ran itself.
    fn in_parts(&mut self, blocks: &[Block], output: &mut LinearOutput) {
        for part in shown(blocks) {
            match part {
                ShownPart::Words(words) => output.say(&format!("model: {}", words.trim_start())),
                ShownPart::Hosted(line) => output.say(&hosted(&line)),
            }
        }
        if let Some(answer) = &mut self.answer {
            answer.begun = true;
        }
    }

    /// The block of a `!command` has its output, cut to what tells most; that of an adoption, for example, has none.
    fn is_said_elsewhere(&self, by: Injector) -> bool {
        if by != Injector::Command {
            return matches!(by, Injector::Environment | Injector::GoalCheck | Injector::Choice);
        }
        let last = self.view.calls().next_back().and_then(|call| self.view.panel(call));
        last.is_some_and(|panel| panel.is_own_command() && is_command(panel))
    }

    /// Whether a run did nothing but start the lanes of a race, which go on. One that stops, for example at a limit, has not started them.
    fn starts_a_race(&self, ended: &TurnEnded) -> bool {
        let last = self.view.calls().next_back().and_then(|call| self.view.panel(call));
        let is_whole = ended.reason == Ending::Completed && ended.turns == 0;
        is_whole && last.is_some_and(|panel| panel.is_own_command() && panel.works_in_background())
    }

    fn ended(&mut self, entry: &Entry, ended: &TurnEnded, output: &mut LinearOutput) {
        if self.starts_a_race(ended) {
            self.said.clear();
            return output.say("started: the lanes work in the background; /race says how they stand");
        }
        // Words that the model did not say: that a budget is used up, and what to do.
        let repeats = !self.said.is_empty() && ended.text.ends_with(&self.said);
        if !repeats && !ended.text.trim().is_empty() {
            output.say(&format!("result: {}", ended.text));
        }
        let how = match ended.reason {
            Ending::Completed => "done".to_owned(),
            Ending::GoalReached => "goal reached".to_owned(),
            Ending::AbortedTools | Ending::AbortedStreaming => words::interrupted(&self.view, entry.id),
            reason => format!("stopped, {}", ending_words(reason)),
        };
        let hosted = match ended.hosted_tools {
            0 => String::new(),
            uses => format!(", {}", count(uses.into(), "hosted tool")),
        };
        let (turns, calls) = (count(ended.turns.into(), "turn"), count(ended.tool_calls.into(), "tool call"));
        let (took, paid) = (words::took(&self.view, entry.id, ended), words::paid(ended));
        let spent = ended.is_counted().then(|| format!("; {turns}, {calls}{hosted}, {took}{paid}"));
        output.say(&format!("end: {how}{}", spent.unwrap_or_default()));
        output.say(&format!("next: {}", words::next(&self.view, entry.id, ended)));
        match self.view.offer() {
            Some(Offer::Limit { limit, to }) => {
                let to = amount(Some(limit), to);
                output.say(&format!("budget {}: /raise raises it to {to} and continues", limit.name()));
            }
            Some(Offer::Price { estimate, up_to }) => output.say(&format!(
                "price: the next request would cost about {}; /raise accepts up to {} a request in this run and continues",
                MicroDollars(estimate.most()),
                MicroDollars(up_to)
            )),
            None => {}
        }
        self.said.clear();
    }

    fn live(&mut self, live: &Live, output: &mut LinearOutput) {
        match live {
            Live::Text { message, .. } => {
                let Some(growing) = self.view.live().filter(|growing| growing.id == *message) else { return };
                let answer = GrowingAnswer::begun(&mut self.answer, *message);
                answer.think(&growing.thinking, output);
                answer.tell(&growing.text, false, output);
            }
            Live::Retrying { attempt, most, wait_ms, reason, .. } => {
                output.say(&retry::said(&self.view, (*attempt, *most), *wait_ms, reason));
            }
            // /mcp and /agents list them.
            Live::Discovered(_) | Live::Next(_) | Live::SubagentWaits { .. } | Live::Undecided(_) => {}
            Live::Discovering => output.say("waiting for MCP servers and agents"),
            Live::Unreached(why) => output.say(&format!("note: {}", plain(why))),
            Live::Compacting(trigger) => {
                output.say(&format!("compacting: writing a summary ({})", trigger.as_str()));
            }
            Live::ModeChanged(mode) => output.say(&format!("mode: {mode}")),
            Live::Answering { said, .. } => {
                if let Some(said) = said {
                    output.say(&format!("note: {}", plain(said)));
                }
            }
            Live::Progress { call, .. } => {
                if let Some(panel) = self.view.panel(*call).filter(|panel| panel.takes_keys()) {
                    output.say(&format!(
                        "tool {}: runs on a terminal; /type WORDS types a line into it, /keys ctrl-c \
                        presses keys, /output {call} shows it",
                        named(panel)
                    ));
                }
            }
            Live::Refused(why) => output.say(&format!("refused: {}", plain(why))),
            Live::LedgerUnwritable { why, .. } => {
                if self.shut.as_ref() != Some(why) {
                    output.say(&format!("paused: {}; it continues when that can be recorded", plain(why)));
                    self.shut = Some(why.clone());
                }
            }
            Live::LedgerWritable => {
                self.shut = None;
                output.say("recording again; it continues");
            }
            Live::Subagent { .. }
            | Live::Thinking { .. }
            | Live::Hosted { .. }
            | Live::CallForming { .. }
            | Live::Allowed { .. }
            | Live::ToolOutput { .. }
            | Live::Screen { .. }
            | Live::ToolFinished { .. }
            | Live::Waiting { .. }
            | Live::Asked { .. }
            | Live::AskingHooks(_)
            | Live::Returned(_)
            | Live::ReturnedLine(_) => {}
        }
    }

    /// Says once a run that four fifths of a limit are used; that it is used up says the end.
    fn warn(&mut self, now: Millis, output: &mut LinearOutput) {
        for gauge in self.view.gauges(now).into_iter().filter(|gauge| Limit::parse(gauge.name).is_some()) {
            let near = gauge
                .limit
                .is_some_and(|limit| (limit - limit / 5..limit).contains(&gauge.used) && gauge.used > 0);
            if near && self.near.insert(gauge.name) {
                output.say(&format!("budget {}: near its limit, {}", gauge.name, used(gauge)));
            }
        }
    }
}

/// The entries that are one remark; `None` for those that are said elsewhere or say nothing.
fn remark(body: &Body) -> Option<String> {
    Some(match body {
        Body::Note(note) if note.asks_for_a_summary() => return None,
        Body::Note(note) => {
            let first = note.for_people().trim().lines().next().unwrap_or_default().trim_end_matches(':');
            format!("note on {}: {first}", note.about)
        }
        Body::ProviderLimit(learned) => format!("note on {}: {}", learned.about, learned.lesson.sentence()),
        Body::Error { message, next } => format!("error: {message}\nnext: {next}"),
        Body::Change(Change::Budget { limit, to }) => {
            format!("budget {}: raised to {}", limit.name(), amount(Some(*limit), *to))
        }
        // What is in force now is said when it changes. A call that waits is said itself, and so is the decision about it.
        Body::Change(Change::Mode { .. } | Change::SubagentWaits { .. }) => return None,
        Body::Change(change) => format!("{}: {}", change::heading(change), change::words(change)),
        Body::Goal(goal) => format!(
            "goal: done when {}; checkpoint every {}",
            goal.done_condition,
            count(goal.checkpoints.into(), "turn")
        ),
        Body::Checkpoint(made) => checkpoint(made),
        Body::Handoff { text } => format!("handoff: {text}"),
        _ => return None,
    })
}

fn checkpoint(made: &Checkpoint) -> String {
    let done = made.done();
    let answer = done.and_then(|done| done.answer.as_deref()).unwrap_or("asked");
    let by = done.map(|done| done.by.as_str().replace('_', " ")).unwrap_or_default();
    let evidence = made.evidence().and_then(|asked| asked.answer.as_deref()).unwrap_or_default();
    let first = words::one_line(evidence.lines().next().unwrap_or_default());
    format!("goal checkpoint {}: done {answer}, according to the {by}; {first}", made.number)
}
