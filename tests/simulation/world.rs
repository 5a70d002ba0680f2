//! The outside of the loop: what is in flight, what may happen next, and what must be true after it did.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use countersign::agent::{
    Agent, Answer, Effect, Event, Input, Intent, Operation, Shutdown, SubagentNews, TimerId,
};
use countersign::context::words;
use countersign::hooks::{HookCall, HookId, HookPoint, Payload};
use countersign::ledger::{Body, CallId, CompactionTrigger, EntryId, Message, Millis};
use countersign::model::{ModelEvent, ModelNews, Request};
use countersign::tool::{ASK, Invocation, SideEffect, ToolNews};

use crate::books::Log;
use crate::bounds::{A_TASK, Bounds, FROM_ELSEWHERE, ON_TERMINAL, PARALLEL, is_waited_for, settings};
use crate::mutant::Mutant;
use crate::requests::Requests;
use crate::sendable::sendable;
use crate::subagents::IN_BACKGROUND;
use crate::timed::Works;
use crate::typed::{comes_back_if_refused, line_of};
use crate::{cuts::stops_at_once, pasted};

/// A model call in flight, as the world plays it.
#[derive(Default, Clone)]
pub(crate) struct Stream {
    pub(crate) texts: u32,
    pub(crate) calls: u32,
    pub(crate) unfinished: bool,
    /// Whether the unfinished call has the arguments that it needs: it asks for a terminal, or names a task.
    pub(crate) has_arguments: bool,
}

pub struct World {
    pub(crate) bounds: Bounds,
    mutant: Mutant,
    pub(crate) agent: Agent,
    pub(crate) now: u64,
    pub(crate) log: Log,
    pub(crate) submits: u32,
    pub(crate) escapes: u32,
    pub(crate) switches: u32,
    pub(crate) edits: u32,
    pub(crate) revokes: u32,
    pub(crate) prices: u32,
    pub(crate) typings: u32,
    pub(crate) stops: u32,
    pub(crate) commands: u32,
    pub(crate) models: BTreeMap<EntryId, Stream>,
    pub(crate) preparations: BTreeSet<CallId>,
    pub(crate) tools: BTreeMap<CallId, SideEffect>,
    /// Sub-agents at work, and whether they were told to stop.
    pub(crate) subagents: BTreeMap<CallId, bool>,
    /// When each is due.
    pub(crate) timers: BTreeMap<TimerId, u64>,
    /// The time that sub-agents have worked.
    pub(crate) works: Works,
    pub(crate) hooks: BTreeMap<HookId, HookPoint>,
    /// Tools that come from elsewhere are being looked for.
    pub(crate) discovers: bool,
    /// Cancelled operations may still talk once: their news was on its way.
    pub(crate) late_models: BTreeSet<EntryId>,
    pub(crate) late_tools: BTreeSet<CallId>,
    pub(crate) late_preparations: BTreeSet<CallId>,
    requests: Requests,
    pub(crate) over: bool,
    /// What the screen would hear, if somebody listens.
    pub(crate) heard: Option<Vec<Event>>,
}

impl World {
    pub fn new(bounds: Bounds, mutant: Mutant) -> Self {
        let agent = Agent::new(settings(bounds));
        let discovers = agent.first_effects() == [Effect::DiscoverTools];
        let mut world = Self {
            bounds,
            mutant,
            agent,
            now: 1_000,
            log: Log::default(),
            submits: 0,
            escapes: 0,
            switches: 0,
            edits: 0,
            revokes: 0,
            prices: 0,
            typings: 0,
            stops: 0,
            commands: 0,
            models: BTreeMap::new(),
            preparations: BTreeSet::new(),
            tools: BTreeMap::new(),
            subagents: BTreeMap::new(),
            timers: BTreeMap::new(),
            works: Works::default(),
            hooks: BTreeMap::new(),
            discovers,
            late_models: BTreeSet::new(),
            late_tools: BTreeSet::new(),
            late_preparations: BTreeSet::new(),
            requests: Requests::default(),
            over: false,
            heard: None,
        };
        if bounds.gaps > 0 {
            world.begin_with_gaps();
        }
        if let Some(scene) = bounds.scene {
            world.begin_in_time(scene);
        }
        world
    }

    /// Delivers one input, performs the effects in their order, and checks every law.
    pub fn deliver(&mut self, input: Input) -> Result<(), String> {
        self.let_time_pass(&input);
        self.note_delivery(&input);
        let (is_escape, is_quit) = (stops_at_once(&input), matches!(input, Input::Shutdown(Shutdown::Quit)));
        let stopped = self.stopped_by(&input);
        self.over = matches!(input, Input::Shutdown(_));
        if is_quit {
            // What waits for a decision stays open, and what is behind it is settled.
            self.log.died();
        }
        self.log.gaps.hear(&input);
        let wish = self.wish_for_a_subagent(&input);
        let line = line_of(&input);
        let input = self.mutant.hear(input, self.models.keys().next_back().copied());
        let effects = self.mutant.act(self.agent.step(Millis(self.now), input));
        wish.map_or(Ok(()), |wish| wish.is_passed_on(&effects))?;
        line.map_or(Ok(()), |line| comes_back_if_refused(&line, &effects))?;
        for effect in effects {
            self.perform(effect)?;
        }
        stopped.map_or(Ok(()), |stopped| stopped.is_recorded(&self.log.entries))?;
        self.log.gaps.end_step()?;
        self.requests.are_counted(&self.log)?;
        self.check_clock()?;
        let settles = self.agent.is_stopping() && self.subagents.values().any(|stopped| *stopped);
        if is_escape && !self.agent.is_idle() && !settles {
            return Err("Esc did not leave the loop idle within its step".into());
        }
        if is_quit && !settles { self.check_quit() } else { self.check_idle() }
    }

    fn note_delivery(&mut self, input: &Input) {
        match input {
            Input::Intent(
                Intent::Submit(_)
                | Intent::Queue(_)
                | Intent::Compact
                | Intent::Pursue(..)
                | Intent::ResumeGoal(_),
            ) => self.submits += 1,
            Input::Intent(Intent::Typed { intent, .. }) => {
                self.note_delivery(&Input::Intent(Intent::clone(intent)));
            }
            Input::Intent(Intent::Abort) | Input::Cut(_) => self.escapes += 1,
            Input::Intent(Intent::Decide { answer: Answer::Edit(_), .. }) => self.edits += 1,
            Input::Intent(Intent::Revoke(_)) => self.revokes += 1,
            Input::Intent(Intent::AcceptPrice { .. }) => self.prices += 1,
            Input::Intent(Intent::TypeInto { .. }) => self.typings += 1,
            Input::Intent(Intent::StopBackground(_)) => self.stops += 1,
            Input::Intent(
                Intent::Command(_)
                | Intent::Race(_)
                | Intent::Adopt(_)
                | Intent::Rewind { .. }
                | Intent::Rename(_)
                | Intent::OpenHost(_)
                | Intent::CloseHost(_)
                | Intent::AcceptGaps { .. }
                | Intent::RefuseGaps,
            ) => self.commands += 1,
            Input::Intent(Intent::SetModel(_) | Intent::SetEffort(_)) => self.switches += 1,
            Input::Intent(_) | Input::Shutdown(_) => {}
            Input::Model(message, news) => {
                self.late_models.remove(message);
                self.note_stream(*message, news);
            }
            Input::Prepared(call, _) => {
                self.preparations.remove(call);
                self.late_preparations.remove(call);
            }
            Input::Tool(call, ToolNews::Done(report)) => {
                self.log.escrows.tasks.hear(*call, report);
                self.tools.remove(call);
                self.late_tools.remove(call);
            }
            Input::Tool(_, ToolNews::Output(_) | ToolNews::Ended(_)) => {}
            Input::Subagent(call, SubagentNews::Over(_)) => {
                self.subagents.remove(call);
            }
            Input::Subagent(..) => {}
            Input::Hooks(hook, _) => {
                self.hooks.remove(hook);
            }
            Input::Discovered(_) => self.discovers = false,
            Input::Timer(timer) => {
                self.timers.remove(timer);
            }
        }
    }

    fn note_stream(&mut self, message: EntryId, news: &ModelNews) {
        let Some(stream) = self.models.get_mut(&message) else { return };
        match news {
            ModelNews::Event(ModelEvent::Text(_)) => stream.texts += 1,
            ModelNews::Event(ModelEvent::CallStarted { .. }) => {
                stream.calls += 1;
                stream.unfinished = true;
                stream.has_arguments = false;
            }
            ModelNews::Event(ModelEvent::CallArguments { text, .. }) => {
                stream.has_arguments |= [ON_TERMINAL, A_TASK, IN_BACKGROUND].contains(&text.as_str());
            }
            ModelNews::Event(ModelEvent::CallDone { .. }) => stream.unfinished = false,
            ModelNews::Event(_) | ModelNews::ToolsRefused => {}
            ModelNews::Finished => {
                self.models.remove(&message);
            }
            ModelNews::Failed(failure) => {
                self.requests.fail(message, stream, failure);
                self.models.remove(&message);
            }
        }
    }

    fn perform(&mut self, effect: Effect) -> Result<(), String> {
        if let Some(heard) = &mut self.heard {
            match &effect {
                Effect::Append(entry) => heard.push(Event::Appended(Arc::clone(entry))),
                Effect::Emit(live) => heard.push(Event::Live(live.clone())),
                _ => {}
            }
        }
        match effect {
            Effect::Append(entry) => pasted::are_kept(&entry.body).and_then(|()| self.log.append(entry)),
            Effect::Cancel(operation) => {
                self.cancel(operation);
                Ok(())
            }
            Effect::CallModel(message, request) => self.called(message, &request),
            Effect::Prepare(invocation) => {
                if !self.log.is_announced(invocation.call) {
                    return Err(format!("{} is looked at before its tool_call is durable", invocation.call));
                }
                self.preparations.insert(invocation.call);
                Ok(())
            }
            Effect::RunTool(invocation) => self.ran(&invocation),
            Effect::StartSubagent(start) => self.start_subagent(&start),
            Effect::TellSubagent(call, _) => self.may_be_told(call),
            Effect::TypeInto(call, _) => self.log.may_be_typed_into(call, self.tools.contains_key(&call)),
            Effect::StopBackground(_, id) => self.log.backgrounds.is_stopped_now(&id),
            Effect::RunHooks(call) => self.hooked(&call),
            Effect::SetTimer(timer, ms) => {
                self.timers.insert(timer, self.now + ms);
                Ok(())
            }
            Effect::DiscoverTools => Err("tools are looked for twice in a process".into()),
            Effect::Emit(_) => Ok(()),
        }
    }

    fn cancel(&mut self, operation: Operation) {
        match operation {
            Operation::Model(message) => {
                if self.models.remove(&message).is_some() {
                    self.late_models.insert(message);
                    self.requests.stop(message);
                }
            }
            Operation::Preparation(call) => {
                if self.preparations.remove(&call) {
                    self.late_preparations.insert(call);
                }
            }
            Operation::Tool(call) => {
                if self.tools.remove(&call).is_some() {
                    self.late_tools.insert(call);
                }
            }
            Operation::Subagent(call, _) => {
                if let Some(stopped) = self.subagents.get_mut(&call) {
                    *stopped = true;
                }
            }
            Operation::Discovery => {}
            Operation::Hooks(hook) => {
                self.hooks.remove(&hook);
            }
            Operation::Timer(timer) => {
                self.timers.remove(&timer);
            }
        }
    }

    fn called(&mut self, message: EntryId, request: &Request) -> Result<(), String> {
        self.log.nothing_open("a model call")?;
        if self.discovers {
            return Err("a model call before all tools are known".into());
        }
        let asks_for_summary =
            matches!(request.messages.last(), Some(Message::User(t)) if t.content == words::SUMMARIZE);
        // A part of a summary is asked for without tools.
        let is_part = asks_for_summary && request.tools.is_empty();
        let has_all = request.tools.iter().any(|tool| tool.name == FROM_ELSEWHERE);
        if has_all != self.bounds.discovers && !is_part {
            return Err("a model call with other tools than there are".into());
        }
        let by_hand = asks_for_summary && !self.log.run_is_open;
        let explained = match self.log.entries.last().map(|e| &e.body) {
            Some(Body::Transition { .. }) => true,
            // The one transition of a reactive compaction explains the summary and the call after it.
            Some(Body::Compaction(made)) => made.trigger == CompactionTrigger::Reactive,
            Some(Body::Note(note)) => by_hand && note.asks_for_a_summary(),
            _ => false,
        };
        if !explained {
            return Err("a model call before the entry that explains it is durable".into());
        }
        sendable(request)?;
        if !asks_for_summary {
            self.log.edits_are_told()?;
            self.log.undo_is_told()?;
            if matches!(self.log.entries.last().map(|e| &e.body), Some(Body::Transition { reason, .. }) if reason.is_a_turn())
            {
                self.log.backgrounds.are_told()?;
            }
        }
        self.log.may_be_asked(&request.model)?;
        if self.log.turns as u64 > self.bounds.turns && !self.bounds.rare {
            return Err("more model turns than the budget allows".into());
        }
        self.requests.may_ask(&self.log, request)?;
        for message in &request.messages {
            if matches!(message, Message::Results(all) if all.iter().any(|r| self.log.ours.contains(&r.call)))
            {
                return Err("a model is given the result of a call that no model made".into());
            }
        }
        self.models.insert(message, Stream::default());
        Ok(())
    }

    fn ran(&mut self, invocation: &Invocation) -> Result<(), String> {
        let call = invocation.call;
        if invocation.name == ASK {
            return Err(format!("{call} is a question, and runs"));
        }
        if !self.log.allowed.contains(&call) {
            return Err(format!("{call} runs without a durable decision"));
        }
        self.log.may_run(invocation)?;
        let effect = if invocation.name == "read" { SideEffect::Reads } else { SideEffect::Writes };
        let earlier: Vec<&CallId> = self.log.open.iter().take_while(|c| **c != call).collect();
        let overtakes =
            |c: &&CallId| effect != SideEffect::Reads || self.tools.get(c) != Some(&SideEffect::Reads);
        // A read whose result waits for an earlier one to be written is over, not overtaken.
        let still_busy = |c: &&CallId| {
            self.tools.contains_key(c) || !self.log.allowed.contains(c) && self.log.asked.contains_key(c)
        };
        if earlier.into_iter().filter(|c| still_busy(c)).any(|c| overtakes(&c)) {
            return Err(format!("{call} overtakes an earlier call"));
        }
        self.tools.insert(call, effect);
        if self.tools.len() as u64 > PARALLEL { Err("too many tools run at once".into()) } else { Ok(()) }
    }

    fn hooked(&mut self, call: &HookCall) -> Result<(), String> {
        match &call.payload {
            Payload::PreTool { call: Some(call), .. } if !self.log.is_announced(*call) => {
                return Err(format!("hooks hear of {call} before its tool_call is durable"));
            }
            Payload::PostTool { call, .. } if !self.log.is_settled(*call) => {
                return Err(format!("hooks hear of the result of {call} before it is durable"));
            }
            _ => {}
        }
        self.hooks.insert(call.id, call.point());
        Ok(())
    }

    fn check_idle(&self) -> Result<(), String> {
        if !self.agent.is_idle() {
            return Ok(());
        }
        self.log.nothing_open("idle")?;
        if self.log.run_is_open {
            return Err("idle, but the run was not ended in the ledger".into());
        }
        self.no_escrow_is_forgotten()?;
        let waited_for = self.hooks.values().filter(|point| is_waited_for(**point)).count();
        let alive =
            waited_for + self.models.len() + self.preparations.len() + self.tools.len() + self.timers.len();
        if alive > 0 { Err(format!("idle with {alive} live operations")) } else { Ok(()) }
    }
}
