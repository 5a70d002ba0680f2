//! The outside of the loop, played from a story: models, looks, tools, timers, a person, and a clock that the story moves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use countersign::agent::{Agent, Answer, Effect, Input, Intent, Operation, Settings, Shutdown, TimerId};
use countersign::hooks::{HookAnswer, HookId};
use countersign::ledger::{BackgroundStatus, Body, CallId, Entry, EntryId, Millis, check, recover};
use countersign::model::{ModelEvent, ModelNews, Request};
use countersign::tool::{Preparation, Shown, ToolNews, ToolReport, Typed};

use crate::laws;
use crate::outside::Outside;
use crate::page::Page;
use crate::sendable::sendable;
use crate::settings::switched;
use crate::speech::speech;
use crate::story::{Act, Story};

/// What is in flight, and what was written.
pub struct StoryPlayer {
    settings: Settings,
    agent: Agent,
    now: u64,
    pub log: Vec<Arc<Entry>>,
    pub page: Page,
    /// The current model call, the calls that it has made, and the last one that was cancelled.
    model: Option<EntryId>,
    calls: u32,
    late_model: Option<EntryId>,
    request: Option<Request>,
    pub outside: Outside,
    names: BTreeMap<CallId, String>,
    looks: BTreeSet<CallId>,
    running: BTreeSet<CallId>,
    /// The run of the hooks that were asked last.
    hooks: Option<HookId>,
    cancelled: BTreeSet<CallId>,
    /// The request that waits for a decision about each call, and the one before it.
    requests: BTreeMap<CallId, EntryId>,
    old_requests: BTreeMap<CallId, EntryId>,
    timers: BTreeMap<TimerId, u64>,
    /// Inputs that were delivered.
    pub inputs: u64,
    /// The input in whose place Esc is pressed, and the length of the log before it, once it was.
    esc_at: Option<u64>,
    before_esc: Option<usize>,
}

impl StoryPlayer {
    /// Plays a whole story.
    pub fn play(story: &Story) -> Result<Self, String> {
        Self::play_until(story, None)
    }

    /// Plays a story up to an input, in whose place Esc is pressed.
    pub fn interrupted(story: &Story, at: u64) -> Result<Self, String> {
        let mut player = Self::play_until(story, Some(at))?;
        if player.before_esc.is_none() {
            player.want(Intent::Abort)?;
        }
        Ok(player)
    }

    fn play_until(story: &Story, esc_at: Option<u64>) -> Result<Self, String> {
        let mut player = Self {
            settings: story.settings.clone(),
            agent: Agent::new(story.settings.clone()),
            now: 1_000_000,
            log: Vec::new(),
            page: Page::default(),
            model: None,
            calls: 0,
            late_model: None,
            request: None,
            outside: Outside::default(),
            names: BTreeMap::new(),
            looks: BTreeSet::new(),
            running: BTreeSet::new(),
            hooks: None,
            cancelled: BTreeSet::new(),
            requests: BTreeMap::new(),
            old_requests: BTreeMap::new(),
            timers: BTreeMap::new(),
            inputs: 0,
            esc_at,
            before_esc: None,
        };
        for (at, (line, act)) in story.acts.iter().enumerate() {
            if player.before_esc.is_some() {
                break;
            }
            player.perform(act).map_err(|e| format!("at `{line}`: {e}"))?;
            if !story.looks_are_told {
                let told = |name: &str| {
                    let later = story.acts[at + 1..].iter();
                    later.filter(|(_, act)| matches!(act, Act::Look(n, ..) if n == name)).count() > 0
                };
                player.answer_looks(told).map_err(|e| format!("after `{line}`: {e}"))?;
            }
        }
        Ok(player)
    }

    /// Whether the log can be cut after any entry.
    pub fn survives_every_cut(&self) -> Result<(), String> {
        check(&self.log).map_err(|fault| fault.to_string())?;
        laws::runs_end_once(&self.log)?;
        laws::interruptions_are_told_truly(&self.log)?;
        laws::loads_from_cuts(&self.log, 0, &self.settings, Millis(self.now))
    }

    /// After Esc: idle, every run ended, every cut of what was written loads, and the next message is taken. Returns
    /// how many cuts there were.
    pub fn check_after_esc(mut self) -> Result<usize, String> {
        if !self.agent.is_idle() {
            return Err("not idle".into());
        }
        check(&self.log).map_err(|fault| fault.to_string())?;
        laws::runs_end_once(&self.log)?;
        laws::interruptions_are_told_truly(&self.log)?;
        let before = self.before_esc.unwrap_or_default();
        laws::loads_from_cuts(&self.log, before, &self.settings, Millis(self.now))?;
        laws::takes_a_message(&mut self.agent, Millis(self.now))?;
        Ok(self.log.len() - before)
    }

    fn perform(&mut self, act: &Act) -> Result<(), String> {
        match act {
            Act::Submit(text) => self.want(Intent::Submit(text.clone().into())),
            Act::Queue(text) => self.want(Intent::Queue(text.clone().into())),
            Act::Pursue(goal) => self.want(Intent::Pursue(goal.clone(), "".into())),
            Act::ResumeGoal(words) => self.want(Intent::ResumeGoal(words.clone().into())),
            Act::Compact => self.want(Intent::Compact),
            Act::GoOn(intent) => self.want(intent.clone()),
            Act::Mode(mode) => {
                self.settings.policy.mode = *mode;
                self.want(Intent::SetMode(*mode))
            }
            Act::Switch(words) => {
                self.settings.model = switched(&self.settings.model, words)?;
                self.want(Intent::SetModel(Box::new(self.settings.model.clone())))
            }
            Act::Effort(effort) => {
                self.settings.effort = *effort;
                self.want(Intent::SetEffort(*effort))
            }
            Act::Model(line) => self.speak(self.model.ok_or("no model was called")?, line),
            Act::LateModel(line) => self.speak(self.late_model.ok_or("no model was cancelled")?, line),
            Act::Look(name, found) => {
                let call = self.called(name, &self.looks)?;
                self.look(call, (**found).clone())
            }
            Act::About(name, wish) => {
                let call = self.called(name, &self.names.keys().copied().collect())?;
                self.want(wish(call))
            }
            Act::Decide(name, answer) => {
                let request = self.request_of(name, &self.requests)?;
                self.decide(request, answer)
            }
            Act::DecideOld(name, answer) => {
                let request = self.request_of(name, &self.old_requests)?;
                self.decide(request, answer)
            }
            Act::Tool(name, report) => self.end_tool(name, report),
            Act::Hooks(said) => self.answer_hooks(said),
            Act::Esc => self.escape(),
            Act::Timer => {
                let due = self.timers.values().min().ok_or("no timer is set")?;
                self.wait(due.saturating_sub(self.now))
            }
            Act::Wait(ms) => self.wait(*ms),
            Act::Kill(mode) => {
                self.settings.policy.mode = mode.unwrap_or(self.settings.policy.mode);
                self.reopen("the process dies")
            }
            Act::Quit => {
                self.deliver(Input::Shutdown(Shutdown::Quit))?;
                self.reopen("closed, and opened again")
            }
            Act::Type(name, words) => self.type_into(name, words),
            Act::Output(name, shown) => self.output(name, shown),
            Act::Ended(name, number, how) => self.end_background(name, *number, how),
            Act::Sees | Act::Tools => self.write_request(matches!(act, Act::Tools)),
        }
    }

    fn end_background(&mut self, name: &str, number: u64, how: &str) -> Result<(), String> {
        let call = self.called(name, &self.names.keys().copied().collect())?;
        self.deliver(Input::Tool(call, ToolNews::Ended(BackgroundStatus::ended(number, how, 3))))
    }

    /// Writes down what the last request held: its messages, or its tools.
    fn write_request(&mut self, is_about_tools: bool) -> Result<(), String> {
        let request = self.request.as_ref().ok_or("nothing was asked yet")?;
        if is_about_tools {
            self.page.tools(request);
        } else {
            self.page.sees(request);
        }
        Ok(())
    }

    fn request_of(
        &self,
        name: &str,
        requests: &BTreeMap<CallId, EntryId>,
    ) -> Result<(CallId, EntryId), String> {
        let call = self.called(name, &requests.keys().copied().collect())?;
        Ok((call, requests[&call]))
    }

    fn decide(&mut self, (call, request): (CallId, EntryId), answer: &Answer) -> Result<(), String> {
        self.want(Intent::Decide { request, call, answer: answer.clone() })
    }

    fn answer_hooks(&mut self, said: &[HookAnswer]) -> Result<(), String> {
        let hook = self.hooks.take().ok_or("no hook was asked")?;
        self.outside.said.push(said.to_vec());
        self.deliver(Input::Hooks(hook, said.to_vec()))
    }

    fn end_tool(&mut self, name: &str, report: &ToolReport) -> Result<(), String> {
        let call = self.called(name, &self.running).or_else(|_| self.called(name, &self.cancelled))?;
        self.running.remove(&call);
        self.cancelled.remove(&call);
        self.deliver(Input::Tool(call, ToolNews::Done(Box::new(report.clone()))))
    }

    fn output(&mut self, name: &str, shown: &Shown) -> Result<(), String> {
        let call = self.called(name, &self.names.keys().copied().collect())?;
        self.deliver(Input::Tool(call, ToolNews::Output(shown.clone())))
    }

    fn type_into(&mut self, name: &str, words: &str) -> Result<(), String> {
        let call = self.called(name, &self.names.keys().copied().collect())?;
        self.want(Intent::TypeInto { call, typed: Typed(words.as_bytes().to_vec()) })
    }

    fn escape(&mut self) -> Result<(), String> {
        self.want(Intent::Abort)?;
        if self.agent.is_idle() { Ok(()) } else { Err("Esc did not leave the loop idle".into()) }
    }

    fn want(&mut self, intent: Intent) -> Result<(), String> {
        self.deliver(Input::Intent(intent))
    }

    fn speak(&mut self, message: EntryId, line: &str) -> Result<(), String> {
        for news in speech(line, self.calls)? {
            if self.model == Some(message) {
                self.calls += u32::from(matches!(news, ModelNews::Event(ModelEvent::CallStarted { .. })));
                if !matches!(news, ModelNews::Event(_)) {
                    self.model = None;
                }
            }
            self.deliver(Input::Model(message, news))?;
        }
        Ok(())
    }

    fn answer_looks(&mut self, told: impl Fn(&str) -> bool) -> Result<(), String> {
        let due: Vec<CallId> = self.looks.iter().copied().filter(|c| !told(&self.names[c])).collect();
        due.into_iter().try_for_each(|call| self.look(call, Preparation::default()))
    }

    fn look(&mut self, call: CallId, found: Preparation) -> Result<(), String> {
        // The look before it may have ended the run, and with it this one.
        if !self.looks.remove(&call) {
            return Ok(());
        }
        self.outside.found.push((call, found.clone()));
        self.deliver(Input::Prepared(call, found))
    }

    /// Time passes; what is due on the way fires.
    fn wait(&mut self, ms: u64) -> Result<(), String> {
        let until = self.now + ms;
        while let Some((due, timer)) = self.timers.iter().map(|(t, due)| (*due, *t)).min() {
            if due > until {
                break;
            }
            self.now = due;
            self.timers.remove(&timer);
            self.deliver(Input::Timer(timer))?;
        }
        self.now = until;
        Ok(())
    }

    /// What was in memory is gone; the log is loaded.
    fn reopen(&mut self, why: &str) -> Result<(), String> {
        self.page.remark(why);
        (self.model, self.hooks) = (None, None);
        self.looks.clear();
        self.running.clear();
        self.timers.clear();
        let recovered = recover(self.log.clone(), Millis(self.now)).map_err(|fault| fault.to_string())?;
        let (agent, effects) = Agent::resume(self.settings.clone(), recovered, Millis(self.now));
        self.agent = agent;
        self.carry_out(effects)
    }

    fn deliver(&mut self, mut input: Input) -> Result<(), String> {
        if self.before_esc.is_some() {
            return Ok(());
        }
        if self.esc_at == Some(self.inputs) {
            self.before_esc = Some(self.log.len());
            input = Input::Intent(Intent::Abort);
        }
        self.inputs += 1;
        let effects = self.agent.step(Millis(self.now), input);
        self.carry_out(effects)
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> Result<(), String> {
        laws::in_order(&effects)?;
        self.page.step(&effects, &self.log, &self.names);
        for effect in effects {
            self.carry_out_one(effect)?;
        }
        if self.log != self.agent.ledger().entries() {
            return Err("the books and what was handed out differ".into());
        }
        let alive = self.model.iter().count()
            + self.hooks.iter().count()
            + self.looks.len()
            + self.running.len()
            + self.timers.len();
        if self.agent.is_idle() && alive > 0 {
            return Err(format!("idle with {alive} live operations"));
        }
        Ok(())
    }

    fn carry_out_one(&mut self, effect: Effect) -> Result<(), String> {
        match effect {
            Effect::Cancel(operation) => self.cancel(operation),
            Effect::Append(entry) => {
                match &entry.body {
                    Body::ToolCall(call) | Body::Validation(call) | Body::Command(call) => {
                        drop(self.names.insert(call.id, call.name.clone()))
                    }
                    Body::ApprovalRequested(asked) => {
                        let before = self.requests.insert(asked.call, entry.id);
                        self.old_requests.extend(before.map(|before| (asked.call, before)));
                    }
                    _ => {}
                }
                self.log.push(entry);
            }
            Effect::CallModel(message, request) => {
                laws::nothing_open(&self.log)?;
                sendable(&request)?;
                self.outside.requested.push((*request).clone());
                (self.model, self.calls, self.request) = (Some(message), 0, Some(*request));
            }
            Effect::Prepare(invocation) => drop(self.looks.insert(invocation.call)),
            Effect::RunTool(invocation) => {
                laws::may_run(&self.log, invocation.call)?;
                self.running.insert(invocation.call);
            }
            Effect::TypeInto(call, _) => laws::may_be_typed_into(&self.log, &self.running, call)?,
            Effect::SetTimer(timer, after) => drop(self.timers.insert(timer, self.now.saturating_add(after))),
            Effect::RunHooks(call) => self.hooks = Some(call.id),
            // No story has tools from elsewhere, a command that is stopped or a sub-agent; the simulation does.
            _ => {}
        }
        Ok(())
    }

    fn cancel(&mut self, operation: Operation) {
        match operation {
            Operation::Model(message) => {
                self.model = None;
                self.late_model = Some(message);
            }
            Operation::Preparation(call) => drop(self.looks.remove(&call)),
            Operation::Tool(call) | Operation::Subagent(call, _) => {
                self.running.remove(&call);
                self.cancelled.insert(call);
            }
            Operation::Timer(timer) => drop(self.timers.remove(&timer)),
            Operation::Hooks(_) => self.hooks = None,
            Operation::Discovery => {}
        }
    }

    /// The call of this name (`read`, or `read#2` when several have it) among those it can be.
    fn called(&self, name: &str, among: &BTreeSet<CallId>) -> Result<CallId, String> {
        let (bare, number) = name.split_once('#').map_or((name, None), |(bare, n)| (bare, Some(n)));
        let fits = |call: &&CallId| {
            self.names.get(*call).is_some_and(|n| n == bare) && number.is_none_or(|n| call.0.to_string() == n)
        };
        let found = among.iter().find(fits).copied();
        found.ok_or_else(|| format!("no call `{name}` is there to be told of"))
    }
}
