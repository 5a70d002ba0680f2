//! Calls that wait: each is said whole with a number that it keeps, and answered by a line that was typed after that.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::agent::{Answer, CallAddress, SubagentPath};
use crate::ledger::{CallId, EntryId, Sandboxing, Scope};
use crate::tool::ASK;
use crate::ui::effect_words;
use crate::ui::local::RuleToKeep;
use crate::view::{Panel, View};

use super::call_numbers::CallNumbers;
use super::moment::Moment;
use super::output::LinearOutput;
use super::said_call::{said_whole, whose};
use super::session_rule::Said;
use super::word::{Word, read};
use super::words::{count, plain};

/// The questions that were asked and not answered yet.
#[derive(Debug, Default)]
pub(super) struct Approvals {
    asked: BTreeMap<EntryId, AskedCall>,
    /// The calls that lead to the session of these questions, from the first one.
    session: SubagentPath,
    /// The numbers of calls; they begin anew where none waits and none is missed. Those of all sessions are where the
    /// session is that is said.
    numbers: CallNumbers,
    /// The sub-agents of which it was said how one gets into their sessions.
    named: BTreeSet<String>,
    /// A call has gone that was not answered here, and no line was typed since.
    has_lost: bool,
    /// A call had gone so when the line was typed that is read now.
    is_missed: bool,
    /// The rule that the next line can take.
    pub(super) rule: Option<Said>,
    /// The rule that is written down when the decision is recorded.
    pub(super) to_keep: Option<RuleToKeep>,
}

#[derive(Debug, Clone)]
struct AskedCall {
    call: CallId,
    /// Where it is made, from the first session on.
    address: CallAddress,
    /// What the person calls it; it stays while any call waits.
    number: usize,
    /// When the question stood on the terminal; `None` until it is written.
    since: Option<Moment>,
    /// An answer was given, and its decision has not come back.
    answered: bool,
    /// The model asks something: there is nothing to allow.
    is_question: bool,
    /// A rule is offered for it.
    has_rule: bool,
    /// It can run in the sandbox, if the person says so.
    has_sandbox: bool,
    /// Its question names what the sandbox cannot hide from it.
    has_gap: bool,
    /// It is the check of a goal: what was agreed on, which nobody changes.
    is_check: bool,
    /// A sub-agent makes it: what holds for longer holds for the rest of its session.
    is_below: bool,
}

/// What the next line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It is the reason of a denial.
    Denies,
    /// It answers a question.
    Answers,
    /// It is what the call shall be instead.
    Changes,
}

/// What an answering line comes to.
#[derive(Debug, PartialEq)]
pub(super) enum LineMeaning {
    /// Decide so.
    Decide(EntryId, CallId, Answer),
    /// Accept for the session what the sandbox cannot hide from it, and allow it.
    Anyway(EntryId, CallId),
    /// One more line is asked for.
    Words(EntryId, CallId, Purpose),
    /// Say the rule that is offered for it; the person calls it by this number.
    Rule(EntryId, usize),
    /// Nothing, and why.
    Not(String),
}

impl Approvals {
    /// Those of the session of a sub-agent that this call of this session started: its calls have their numbers there, too.
    pub(super) fn below(&mut self, call: CallId) -> Self {
        let session = self.session.iter().copied().chain([call]).collect();
        Self { session, numbers: std::mem::take(&mut self.numbers), ..Self::default() }
    }

    /// Back from that session: what was answered there waits for no answer here.
    pub(super) fn back_from(&mut self, below: Self) {
        self.numbers = below.numbers;
        for asked in self.asked.values_mut() {
            let is_it = |one: &AskedCall| one.answered && one.address == asked.address;
            asked.answered |= below.asked.values().any(is_it);
        }
    }

    /// Forgets the calls that wait no more.
    pub(super) fn keep_waiting(&mut self, view: &View) {
        let waiting: BTreeMap<EntryId, CallAddress> =
            view.waiting().iter().map(|(id, request)| (*id, self.address(view, request.call))).collect();
        self.asked.retain(|request, asked| {
            // A call that is asked about anew is said anew.
            let goes_on = waiting.values().any(|address| *address == asked.address);
            if !goes_on && asked.answered {
                self.numbers.note_answered(&asked.address);
            }
            self.has_lost |= !goes_on && !self.numbers.was_answered(&asked.address);
            waiting.contains_key(request)
        });
    }

    /// Where a call of this view is made, from the first session on.
    fn address(&self, view: &View, call: CallId) -> CallAddress {
        let CallAddress { path, call } = view.address_of(call);
        CallAddress { path: self.session.iter().copied().chain(path).collect(), call }
    }

    /// Why a line that is written like an answer is none while nothing waits: it names a call, or one went away unanswered
    /// since the last line.
    pub(super) fn answers_nothing(&mut self, line: &str) -> bool {
        self.is_missed = std::mem::take(&mut self.has_lost);
        !self.is_open() && read(line).is_some_and(|word| self.is_missed || word.names_a_call())
    }

    /// Says the calls that have come to wait, and forgets those that wait no more. True when there is a new question: a
    /// call, or a rule that was said.
    pub(super) fn ask(&mut self, view: &View, output: &mut LinearOutput) -> bool {
        self.keep_waiting(view);
        // Behind the session of a sub-agent, calls can wait.
        if self.session.is_empty() && self.asked.is_empty() && !self.has_lost {
            self.numbers = CallNumbers::default();
        }
        self.rule = self.rule.take().filter(|rule| self.asked.contains_key(&rule.request));
        let mut new = view.waiting();
        new.retain(|(id, asked)| !self.asked.contains_key(id) && !view.waits_behind_another(asked.call));
        for (id, request) in &new {
            let address = self.address(view, request.call);
            let number = self.numbers.of(&address);
            let asked = AskedCall {
                call: request.call,
                address,
                number,
                since: None,
                answered: false,
                is_question: request.name == ASK,
                has_rule: request.rule.is_some(),
                has_sandbox: request.sandboxing == Sandboxing::OnWish,
                has_gap: !request.gaps.is_empty(),
                is_check: view.panel(request.call).is_some_and(Panel::is_goal_check),
                is_below: view.panel(request.call).is_some_and(|panel| panel.asked_by.is_some()),
            };
            self.asked.insert(*id, asked);
            let panel = view.panel(request.call);
            let name = if request.replaces { "overwrite" } else { &request.name };
            let whose = whose(view, request.call);
            output.say(&format!("waits for you {number}: {name}{whose}, {}", effect_words::does(request)));
            let by = panel.and_then(|panel| panel.asked_by.as_ref());
            if let Some(first) = by.and_then(|by| by.calls.split('/').next())
                && self.named.insert(first.to_owned())
            {
                output.more(&format!("/into {first} shows its session"));
            }
            if let Some(folder) = by.map_or(&view.worktree, |by| &by.worktree) {
                output.more(&format!("it acts in the worktree {}", plain(folder)));
            }
            said_whole(request, panel, output);
        }
        !new.is_empty() || self.rule.as_ref().is_some_and(|rule| rule.since.is_none())
    }

    /// The calls, and the rule, stand on the terminal: lines of this moment or later are typed after them. Now one is
    /// asked for.
    pub(super) fn written(&mut self, moment: Moment, output: &mut LinearOutput) {
        let are_new = self.asked.values().any(|asked| asked.since.is_none());
        self.asked.values_mut().for_each(|asked| {
            asked.since.get_or_insert(moment);
        });
        if are_new {
            output.say(&self.letters());
        }
        if let Some(rule) = &mut self.rule {
            rule.since.get_or_insert(moment);
            output.say(&rule.how());
        }
    }

    /// The letters that answer what waits. What only some of several calls take has their numbers.
    pub(super) fn letters(&self) -> String {
        let count = self.open().count();
        // How many there are is known only now: they come one after another.
        let which = match self.open().map(|(_, asked)| asked.number).max() {
            Some(last) if count > 1 => format!("; {count} calls wait, so add the number, as in y {last}"),
            Some(last) if self.has_lost => {
                format!("; another call has ended, so add the number, as in y {last}")
            }
            _ => String::new(),
        };
        let always = self.offered(|asked| asked.has_rule, "a", "always");
        let sandbox = self.offered(|asked| asked.has_sandbox, "b", "once in the sandbox");
        let anyway = self.offered(|asked| asked.has_gap, "g", "anyway, this session");
        let change = self.offered(|asked| !asked.is_check, "e", "change it first");
        let first = format!("y once,{anyway} s {},{always} n deny,{sandbox}", self.session());
        let calls = format!("{first} r deny with a reason,{change}").trim_end_matches(',').to_owned();
        let questions = "r answer, n no answer";
        let (asks, calls_wait) =
            (self.open().any(|(_, a)| a.is_question), self.open().any(|(_, a)| !a.is_question));
        let keys = match (asks, calls_wait) {
            (true, true) => format!("{calls}; to a question {questions}"),
            (true, false) => questions.to_owned(),
            (false, _) => calls,
        };
        format!("answer: {keys}{which}")
    }

    /// Whose session an answer can hold for: that of the calls, or for those of sub-agents theirs.
    fn session(&self) -> String {
        let calls = || self.open().map(|(_, asked)| asked).filter(|asked| !asked.is_question);
        let below: Vec<String> = calls().filter(|a| a.is_below).map(|a| a.number.to_string()).collect();
        match below.len() {
            0 => "this session".to_owned(),
            some if some == calls().count() => "its session".to_owned(),
            _ => format!("this session ({} its session)", below.join(" or ")),
        }
    }

    /// A letter that not every call takes.
    fn offered(&self, takes: fn(&AskedCall) -> bool, letter: &str, does: &str) -> String {
        let calls = || self.open().map(|(_, asked)| asked).filter(|asked| !asked.is_question);
        let taking: Vec<String> = calls().filter(takes).map(|asked| asked.number.to_string()).collect();
        match taking.len() {
            0 => String::new(),
            some if some == calls().count() => format!(" {letter} {does},"),
            _ => format!(" {letter} {} {does},", taking.join(" or ")),
        }
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
    pub(super) fn answer(&mut self, word: Word, now: Moment) -> LineMeaning {
        // Whatever it is, the rule that was said can be taken by this line or not at all.
        let rule = self.rule.take();
        let of_rule = rule.as_ref().filter(|_| word.letter == 'a').map(|rule| rule.number);
        let number = word.number.or(of_rule);
        let (request, asked) = match self.meant(number, word.letter) {
            Ok(meant) => meant,
            Err(why) => return LineMeaning::Not(why),
        };
        if let Some(why) = asked.not_yet(word.letter, now) {
            return LineMeaning::Not(why);
        }
        let (call, number) = (asked.call, asked.number);
        let answer = match (word.letter, asked.is_question) {
            ('n', _) => Answer::Deny(String::new()),
            ('r', true) => return LineMeaning::Words(request, call, Purpose::Answers),
            (_, true) => {
                return LineMeaning::Not(format!("call {number} is a question: r answers it, n declines"));
            }
            ('a', false) => match rule.filter(|rule| rule.request == request) {
                None => return LineMeaning::Rule(request, number),
                Some(rule) if rule.was_said(now) => match self.taken(rule, call, word.scope) {
                    Ok(answer) => answer,
                    Err(why) => return LineMeaning::Not(why),
                },
                Some(rule) => {
                    self.rule = Some(rule);
                    let why = "a was typed before the rule was shown; type it again to add the rule";
                    return LineMeaning::Not(why.to_owned());
                }
            },
            ('y', false) => Answer::AllowOnce,
            ('s', false) => Answer::AllowSession,
            ('b', false) if !asked.has_sandbox => {
                return LineMeaning::Not(format!("call {number} cannot run in the sandbox"));
            }
            ('b', false) => Answer::AllowSandboxed,
            ('g', false) if !asked.has_gap => {
                return LineMeaning::Not(format!("call {number} does not wait because of the sandbox"));
            }
            ('g', false) => {
                self.answered(request);
                return LineMeaning::Anyway(request, call);
            }
            ('r', false) => return LineMeaning::Words(request, call, Purpose::Denies),
            (_, false) => return LineMeaning::Words(request, call, Purpose::Changes),
        };
        self.answered(request);
        LineMeaning::Decide(request, call, answer)
    }

    /// The call that an answer is for, which names it by its number or not at all.
    fn meant(&self, number: Option<usize>, letter: char) -> Result<(EntryId, AskedCall), String> {
        if number.is_none() && self.open().count() > 1 {
            let first = self.open().next().map_or(1, |(_, asked)| asked.number);
            return Err(format!("{} calls wait: say which one, as in {letter} {first}", self.open().count()));
        }
        if let Some((_, asked)) = self.open().next().filter(|_| number.is_none() && self.is_missed) {
            let number = asked.number;
            return Err(format!(
                "a call has ended without your answer: say which one, as in {letter} {number}"
            ));
        }
        self.open().find(|(_, asked)| number.is_none_or(|n| asked.number == n)).ok_or_else(|| {
            let open: Vec<String> = self.open().map(|(_, asked)| asked.number.to_string()).collect();
            format!("no call with that number is waiting; waiting: {}", open.join(", "))
        })
    }

    /// The calls that still wait are said anew, with an answer to another one: a line that comes with that is for none.
    pub(super) fn said_again(&mut self, at: Duration) {
        for since in self.asked.values_mut().filter_map(|asked| asked.since.as_mut()) {
            since.at = at;
        }
    }

    /// An answer to this request is on its way.
    pub(super) fn answered(&mut self, request: EntryId) {
        if let Some(asked) = self.asked.get_mut(&request) {
            asked.answered = true;
        }
    }

    /// An answer may have been refused: its question is open again. A rule that was taken with it goes on
    /// waiting for the decision.
    pub(super) fn reopen(&mut self) {
        self.asked.values_mut().for_each(|asked| asked.answered = false);
    }

    /// Takes the rule that was said; for longer than the session only if that can be written down. Else it stays said.
    fn taken(&mut self, rule: Said, call: CallId, scope: Option<Scope>) -> Result<Answer, String> {
        let scope = scope.unwrap_or(Scope::Session);
        match rule.to_keep(call, scope) {
            Ok(kept) => {
                self.to_keep = kept;
                Ok(Answer::Always { rule: rule.text, scope })
            }
            Err(why) => {
                self.rule = Some(rule);
                Err(why)
            }
        }
    }

    /// The calls that still wait, in a few words; nothing when there are none.
    pub(super) fn left(&self) -> Option<String> {
        let names: Vec<String> = self.open().map(|(_, asked)| asked.number.to_string()).collect();
        let waits = if names.len() == 1 { "waits" } else { "wait" };
        (!names.is_empty()).then(|| {
            format!("{} still {waits} for you: {}", count(names.len() as u64, "call"), names.join(", "))
        })
    }

    /// The calls that still wait, in the order of their numbers.
    fn open(&self) -> impl Iterator<Item = (EntryId, AskedCall)> {
        let open = self.asked.iter().filter(|(_, asked)| !asked.answered);
        let mut open: Vec<_> = open.map(|(id, asked)| (*id, asked.clone())).collect();
        open.sort_by_key(|(_, asked)| asked.number);
        open.into_iter()
    }
}

impl AskedCall {
    /// Why a line of this moment cannot answer it, if it cannot.
    fn not_yet(&self, letter: char, now: Moment) -> Option<String> {
        if !self.was_asked(now.typed) {
            return Some(format!("{letter} was typed before the question; type it again to answer"));
        }
        let is_late = self.since.is_some_and(|since| now.answers(since));
        (!is_late).then(|| format!("{letter} came right after the question; type it again to answer"))
    }

    fn was_asked(&self, typed: u64) -> bool {
        self.since.is_some_and(|since| since.typed <= typed)
    }
}
