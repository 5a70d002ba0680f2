//! The loop, played with a tape: every effect is answered from it, and nothing waits.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::agent::{Agent, Effect, Input, Intent, Operation, Settings, Shutdown, SubagentNews};
use crate::ledger::{Body, CallId, EntryId, Millis, recover};
use crate::model::ModelNews;
use crate::tool::{Discovered, Invocation, Shown, ToolNews, ToolReport};

use super::next::{Next, begins_run};
use super::played::{Deviation, Played, PlayedRequest};
use super::stage::Player;
use super::subagent;
use super::{Answered, Cue, News, Outside, Tape};

/// Inputs after which a play ends, whatever else there is: an agent that loops is not followed for ever.
const MOST_INPUTS: usize = 1_000_000;

impl<'o> Player<'o> {
    /// Ready to play. The settings are of today; session, folder, environment, mode and attendance are the tape's.
    pub fn new(settings: Settings, tape: Tape, outside: &'o mut dyn Outside) -> Self {
        let settings = Settings {
            session: tape.started.session.clone(),
            cwd: tape.started.cwd.clone(),
            environment: tape.environment.clone(),
            attendance: tape.attendance,
            overruled: tape.overruled.clone(),
            ruled: tape.ruled.clone(),
            model_seed: tape.seed,
            discovers: !tape.brought.is_empty(),
            ..settings
        };
        let model = match settings.model.model == tape.started.model {
            true => settings.model.clone(),
            false => outside.model(&tape.started.model),
        };
        let mut settings = Settings { model, ..settings };
        settings.policy.mode = tape.started.mode.unwrap_or(settings.policy.mode);
        let agent = Agent::new(settings.clone());
        Self {
            discovers: settings.discovers,
            outside,
            settings,
            agent,
            cues: tape.cues.iter().cloned().collect(),
            now: Millis(0),
            tape,
            model: None,
            model_has_spoken: false,
            looks: VecDeque::new(),
            tools: BTreeMap::new(),
            hooks: VecDeque::new(),
            timers: BTreeMap::new(),
            waiting: BTreeMap::new(),
            subagents: BTreeSet::new(),
            live: None,
            played: Played::default(),
        }
    }

    /// Plays to the end of the tape.
    pub fn play(mut self) -> Played {
        for _ in 0..MOST_INPUTS {
            match self.next() {
                Next::Over => return self.over(),
                next => self.give(next),
            }
        }
        self.played.deviations.push(Deviation::Endless);
        self.over()
    }

    fn over(mut self) -> Played {
        self.played.entries = self.agent.ledger().entries().to_vec();
        self.played
    }

    fn give(&mut self, next: Next) {
        match next {
            Next::Over => {}
            Next::Cue(at) => {
                let stale = at.min(self.cues.len());
                let is_run = matches!(self.cues.get(at), Some(cue) if !self.takes(cue) || begins_run(cue));
                if is_run {
                    // What answered nothing in the run that is over answers nothing in the next.
                    self.cues.drain(..stale);
                }
                if let Some(cue) = self.cues.remove(if is_run { 0 } else { at }) {
                    self.now = self.now.max(self.time_of(&cue));
                    self.take(cue);
                }
            }
            Next::Look(call) => {
                let found = self.look(&call);
                self.step(Input::Prepared(call.call, found));
            }
            Next::Hooks(call) => {
                let answers = self.outside.hooks(&call);
                self.step(Input::Hooks(call.id, answers));
            }
            Next::Live(answered) => {
                // The one on the tape was the answer to this request.
                let recorded = |cue: &Cue| matches!(cue.news, News::Answered(_));
                if let Some(at) = self.cues.iter().position(recorded) {
                    self.cues.remove(at);
                }
                self.speak(answered);
            }
            Next::Discovered => {
                self.discovers = false;
                let tools = self.tape.brought.clone();
                self.step(Input::Discovered(Discovered { tools, ..Discovered::default() }));
            }
            Next::Timer(timer) => {
                let due = self.timers.remove(&timer).unwrap_or(self.now);
                self.now = Millis(self.now.0.max(due.0));
                self.step(Input::Timer(timer));
            }
            Next::NoResult(call) => {
                self.played.deviations.push(Deviation::NoResult(call));
                let report = ToolReport::failed("The recorded session has no result of this call.");
                self.returned(call, report);
            }
            Next::NoDecision(call, request) => {
                self.played.deviations.push(Deviation::NoDecision(call));
                let why = "the recorded session has no decision about this call".to_owned();
                let answer = crate::agent::Answer::Nobody(why);
                self.step(Input::Intent(Intent::Decide { request, call, answer }));
            }
            Next::NoAnswer(message) => {
                self.played.deviations.push(Deviation::NoAnswer(message));
                self.step(Input::Intent(Intent::Abort));
            }
        }
    }

    fn take(&mut self, cue: Cue) {
        match cue.news {
            News::Wished(wish) => {
                let intent = match wish.intent {
                    Intent::SetModel(spec) => Intent::SetModel(Box::new(self.outside.model(&spec.model))),
                    intent => intent,
                };
                self.keep(&intent);
                // What was stopped before its answer and has no trace was not counted.
                self.agent.has_not_sent(self.model.filter(|_| !self.model_has_spoken));
                self.step(Input::Intent(intent));
            }
            News::Cut(by) => {
                self.agent.has_not_sent(self.model.filter(|_| !self.model_has_spoken));
                self.step(Input::Cut(by));
            }
            News::Answered(answered) => self.speak(answered),
            News::Decided(call, answer) => {
                if let Some(request) = self.waiting.get(&call).copied() {
                    self.step(Input::Intent(Intent::Decide { request, call, answer }));
                }
            }
            News::Returned { call, name, arguments, report, .. } => {
                let is_it = |(ran, _): &(Invocation, Millis)| ran.name == name && ran.arguments == arguments;
                match (self.tools.get(&call).is_some_and(is_it), report) {
                    (true, Some(report)) => self.returned(call, *report),
                    _ => self.give(Next::NoResult(call)),
                }
            }
            News::Ended(call, status) => self.step(Input::Tool(call, ToolNews::Ended(status))),
            News::Accepted(call, id) => self.step(Input::Tool(call, ToolNews::Output(Shown::Task(id)))),
            News::Restarted { environment, was_closed, mode } => {
                if was_closed {
                    self.step(Input::Shutdown(Shutdown::Quit));
                }
                self.settings.policy.mode = mode.unwrap_or(self.settings.policy.mode);
                self.restart(environment);
            }
        }
    }

    /// Another process goes on with what was chosen.
    fn keep(&mut self, intent: &Intent) {
        match intent {
            Intent::SetModel(spec) => self.settings.model = spec.as_ref().clone(),
            Intent::SetEffort(effort) => self.settings.effort = *effort,
            Intent::SetMode(mode) => self.settings.policy.mode = *mode,
            _ => {}
        }
    }

    fn speak(&mut self, answered: Answered) {
        let Some(message) = self.model else { return };
        self.model_has_spoken = true;
        for event in answered.events {
            self.step(Input::Model(message, ModelNews::Event(event)));
        }
        match answered.end {
            Some(Ok(())) => self.end_model(message, ModelNews::Finished),
            Some(Err(failure)) => self.end_model(message, ModelNews::Failed(failure)),
            None => {}
        }
    }

    fn end_model(&mut self, message: EntryId, news: ModelNews) {
        if self.model == Some(message) {
            (self.model, self.model_has_spoken) = (None, false);
        }
        self.step(Input::Model(message, news));
    }

    fn returned(&mut self, call: CallId, report: ToolReport) {
        self.tools.remove(&call);
        let input = match self.subagents.remove(&call) {
            true => Input::Subagent(
                call,
                SubagentNews::Over(subagent::report(self.tape.settled.get(&call), report)),
            ),
            false => {
                let settled = self.tape.settled.get(&call);
                let is_unsent = settled.is_some_and(|settled| !settled.is_assumed);
                Input::Tool(call, ToolNews::Done(Box::new(ToolReport { is_unsent, ..report })))
            }
        };
        self.step(input);
    }

    /// What a look says today, with what was recorded of it.
    fn look(&mut self, call: &Invocation) -> crate::tool::Preparation {
        let mut found = self.outside.look(call);
        if let Some(asked) = self.tape.asked.get(&call.call).filter(|asked| asked.name == call.name) {
            found.preview = asked.preview.clone();
            (found.is_partial, found.replaces) = (asked.is_partial, asked.replaces);
            found.warning.clone_from(&asked.warning);
            if let Some(to) = &asked.leads_to {
                found.leads_to = vec![to.clone()];
            }
        }
        found
    }

    /// The process ends, and another one takes up what is written.
    fn restart(&mut self, environment: String) {
        (self.model, self.model_has_spoken) = (None, false);
        self.looks.clear();
        self.tools.clear();
        self.hooks.clear();
        self.timers.clear();
        self.settings.environment = environment;
        let entries = self.agent.ledger().entries().to_vec();
        if let Ok(recovered) = recover(entries, self.now) {
            let (agent, effects) = Agent::resume(self.settings.clone(), recovered, self.now);
            self.agent = agent;
            self.discovers = self.settings.discovers;
            self.perform(effects);
        }
    }

    fn step(&mut self, input: Input) {
        let effects = self.agent.step(self.now, input);
        self.perform(effects);
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        let is_told_to_stop = |effect: &Effect| match effect {
            Effect::Cancel(Operation::Subagent(call, _)) => Some(*call),
            _ => None,
        };
        let stopped: Vec<CallId> = effects.iter().filter_map(is_told_to_stop).collect();
        for effect in effects {
            match effect {
                Effect::Cancel(operation) => self.cancel(operation),
                Effect::Append(entry) => match &entry.body {
                    Body::ApprovalRequested(request) => {
                        self.waiting.insert(request.call, entry.id);
                    }
                    Body::ApprovalDecided(decision) => {
                        self.waiting.remove(&decision.call);
                    }
                    Body::CallEdited(call) => {
                        self.waiting.remove(&call.id);
                    }
                    Body::ToolResult(result) => {
                        self.waiting.remove(&result.call);
                    }
                    _ => {}
                },
                Effect::CallModel(message, request) => {
                    (self.model, self.model_has_spoken) = (Some(message), false);
                    let after = self.agent.ledger().entries().len();
                    self.live = self.outside.answer(&request);
                    self.played.requests.push(PlayedRequest { message, after, request: *request });
                }
                Effect::Prepare(call) => self.looks.push_back(call),
                Effect::RunTool(call) => {
                    let id = call.call;
                    self.tools.insert(id, (call, self.now));
                    if let Some(printed) = self.tape.printed.get(&id).cloned() {
                        self.step(Input::Tool(id, ToolNews::Output(Shown::Text(printed))));
                    }
                }
                Effect::StartSubagent(start) => {
                    let call = start.invocation.call;
                    self.subagents.insert(call);
                    self.tools.insert(call, (start.invocation, self.now));
                }
                Effect::RunHooks(call) => self.hooks.push_back(call),
                Effect::SetTimer(timer, ms) => {
                    self.timers.insert(timer, Millis(self.now.0.saturating_add(ms)));
                }
                Effect::DiscoverTools => self.discovers = true,
                Effect::TypeInto(..)
                | Effect::TellSubagent(..)
                | Effect::StopBackground(..)
                | Effect::Emit(_) => {}
            }
        }
        for call in stopped {
            if let Some(report) = self.tape.cut_off.remove(&call) {
                self.subagents.remove(&call);
                self.step(Input::Subagent(call, SubagentNews::Over(report)));
            }
        }
    }

    fn cancel(&mut self, operation: Operation) {
        match operation {
            Operation::Model(message) => {
                if self.model == Some(message) {
                    (self.model, self.model_has_spoken) = (None, false);
                }
            }
            Operation::Preparation(call) => self.looks.retain(|look| look.call != call),
            Operation::Tool(call) | Operation::Subagent(call, _) => {
                self.tools.remove(&call);
            }
            Operation::Timer(timer) => {
                self.timers.remove(&timer);
            }
            Operation::Hooks(hook) => self.hooks.retain(|call| call.id != hook),
            Operation::Discovery => {}
        }
    }
}
