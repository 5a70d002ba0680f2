//! Sub-agents: each is a session of its own with a part of this one's limits, set aside before it starts and settled when it
//! is over, however it ends.

use crate::budget::Grantable;
use crate::ledger::{
    Abort, AbortPath, Arguments, CallId, Change, CutBy, Escrow, EscrowSettlement, Injected, Injector, Millis,
    Outcome, Reach, Remark, RemoteTask, Settlement, Spent, TaskState, aborted_having,
};
use crate::policy::Mode;
use crate::tool::delegate;

use super::phase::{CallState, Dispatching, Pending, Phase, Stopping};
use super::step::Step;
use super::subagent_terms::{
    IN_BACKGROUND, SubagentNews, SubagentReport, SubagentSpec, SubagentStart, Subagents,
};
use super::{Agent, Attendance, Effect, Event, Intent, Live, Operation};

/// How long sub-agents may take to settle after Esc, in milliseconds.
const SETTLING_MS: u64 = 3_000;

/// How a sub-agent shares what is left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    /// With how many that are about to start, itself included.
    pub(super) with: u64,
    /// Whether they get all of it, and the session keeps nothing for itself.
    pub(super) is_all: bool,
}

impl Agent {
    /// The sub-agent that a tool of this name starts.
    pub(super) fn subagent(&self, tool: &str) -> Option<&SubagentSpec> {
        let name = delegate(tool)?;
        self.settings.subagents.known.iter().find(|known| known.name == name)
    }

    /// Whether a sub-agent has to wait until another is over before it can start.
    pub(super) fn must_wait(&mut self, pending: &Pending, is_waited_for: bool) -> bool {
        let most = self.settings.subagents.most_at_once;
        let is_one = self.subagent(&pending.call.name).is_some();
        is_one && is_waited_for && self.history.subagents().at_work() >= most
    }

    /// Starts a sub-agent: its task and what is set aside for it are written first. Its decision is written already. Says whether it
    /// was started; one in the background leaves its call with a result.
    pub(super) fn start_subagent(
        &mut self,
        step: &mut Step,
        pending: &mut Pending,
        share: Share,
        running: u64,
    ) -> bool {
        let Some(spec) = self.subagent(&pending.call.name).cloned() else { return false };
        let granted = match self.grant(step.now, &spec, share, running) {
            Ok(granted) => granted,
            Err(why) => {
                pending.state = CallState::Over(Settlement::synthetic(Outcome::Failed, why));
                return false;
            }
        };
        let call = pending.call.id;
        // Where nobody is there to go on meanwhile, the run would end without its answer. A lane is waited for by who started the race.
        let goes_on = share.is_all || self.settings.attendance.answers();
        let wants_background = asks_for_background(&pending.call.arguments).unwrap_or(spec.in_background);
        let in_background = wants_background && goes_on;
        let waits = share.is_all && self.is_full();
        let session = format!("{}-{call}", self.settings.session);
        let task = pending.call.arguments.text("task").unwrap_or_default();
        self.history.ledger.delegate(step.now, &mut pending.token, &spec.name, task);
        let limits = self.history.meter().limits().clone().granted(&granted);
        let Grantable { limits: set_aside, parallel } = granted;
        let own = session.clone();
        let escrow = Escrow { call, session: own, limits: set_aside, parallel, in_background, waits };
        self.history.ledger.set_aside(step.now, escrow);
        let start = Box::new(SubagentStart {
            invocation: self.invocation(&pending.call),
            mode: self.mode_of(&spec),
            agent: spec.name.clone(),
            model: Box::new(self.spec().clone()),
            effort: self.models.effort,
            session,
            limits,
            in_background,
        });
        match waits {
            true => self.lanes.push_back(start),
            false => step.act(Effect::StartSubagent(start)),
        }
        if !in_background {
            return true;
        }
        let (state, does) = match waits {
            true => (TaskState::Submitted, "starts on it when another one has ended, in the background as"),
            false => (TaskState::Working, "works on it in the background as"),
        };
        let words = format!(
            "The sub-agent {} {does} {call}. You are told when it is done; go on with something else, or end your \
             turn.",
            spec.name
        );
        let remote = Some(RemoteTask { id: None, state });
        pending.state = CallState::Over(Settlement { remote, ..Settlement::synthetic(Outcome::Ok, words) });
        true
    }

    /// Whether as many are at work as may be.
    pub(super) fn is_full(&mut self) -> bool {
        self.history.subagents().at_work() >= self.settings.subagents.most_at_once
    }

    pub(super) fn mode_of(&self, spec: &SubagentSpec) -> Mode {
        spec.mode.map_or(self.policy.mode, |own| own.min(self.policy.mode))
    }

    /// What is granted to one of so many sub-agents that are about to start.
    fn grant(
        &mut self,
        now: Millis,
        spec: &SubagentSpec,
        share: Share,
        running: u64,
    ) -> Result<Grantable, String> {
        let Subagents { most_at_once, most_in_session, .. } = self.settings.subagents;
        let books = self.history.subagents();
        let (started, at_work) = (books.started, books.at_work());
        if started >= most_in_session {
            let next =
                if share.is_all { "This lane was not started" } else { "Do the rest of the work yourself" };
            return Err(format!(
                "The limit of sub-agents that a session can start ({started}) is reached. {next}."
            ));
        }
        // The lanes of a race wait for each other.
        if at_work >= most_at_once && !share.is_all {
            return Err(format!(
                "The limit of sub-agents at work in the background ({at_work}) is reached; one of them must end \
                 first. This one was not started."
            ));
        }
        let meter = self.history.meter();
        let parts = match share.is_all {
            true => share.with.max(1),
            false => share.with.clamp(1, most_at_once - at_work) + 1,
        };
        let mut granted = meter.grantable(now, &spec.asks, parts, most_at_once).map_err(|limit| {
            // A person starts a race, and a model everything else.
            let next = if share.is_all { "" } else { "; do the work yourself" };
            format!(
                "Too little is left of the budget {} to share it with a sub-agent. It was not started{next}.",
                limit.name()
            )
        })?;
        if share.is_all {
            return Ok(granted);
        }
        let others = running.saturating_sub(1);
        granted.parallel = granted.parallel.min(meter.parallel_left().saturating_sub(others)).max(1);
        Ok(granted)
    }

    /// News of a sub-agent. Of one that is settled nothing is news but what a person typed for it, and comes back.
    pub(super) fn on_subagent(
        &mut self,
        step: &mut Step,
        phase: Phase,
        call: CallId,
        news: SubagentNews,
    ) -> Phase {
        let Some(escrow) = self.history.subagents().open.get(&call) else {
            if let SubagentNews::Told(event) = news
                && event.gives_back()
            {
                step.emit(Live::Subagent { call, event });
            }
            return phase;
        };
        let in_background = escrow.in_background;
        match news {
            SubagentNews::Told(event) => step.emit(Live::Subagent { call, event }),
            SubagentNews::Waits(waits) => {
                let is_waited_for = matches!(&phase, Phase::Dispatching(d) if d.runs(call));
                if in_background {
                    step.emit(Live::SubagentWaits { call, waits });
                } else if is_waited_for {
                    let change = Change::SubagentWaits { call, waits };
                    self.history.ledger.remark(step.now, Remark::Change(change));
                }
            }
            SubagentNews::Over(report) => return self.subagent_is_over(step, phase, call, report),
        }
        phase
    }

    fn subagent_is_over(
        &mut self,
        step: &mut Step,
        phase: Phase,
        call: CallId,
        report: SubagentReport,
    ) -> Phase {
        let SubagentReport { outcome, content, cut_chars, state, spent, reach } = report;
        let settled = EscrowSettlement { call, spent, is_assumed: false, state, answer: None };
        let is_waited_for = matches!(&phase, Phase::Dispatching(dispatching) if dispatching.runs(call));
        if !is_waited_for {
            self.cancelled.remove(&call);
            let answer = Some(told_alone(&outcome, content, spent, spent.wall_ms));
            let settled = EscrowSettlement { answer, ..settled };
            self.history.ledger.settle_escrow(step.now, settled);
            self.start_waiting_lanes(step);
            return phase;
        }
        let Phase::Dispatching(mut dispatching) = phase else { return phase };
        self.history.ledger.settle_escrow(step.now, settled);
        self.start_waiting_lanes(step);
        let stopping = dispatching.stopping;
        for pending in dispatching.calls.iter_mut().filter(|pending| pending.call.id == call) {
            let CallState::Running(since) = pending.state else { continue };
            let ran_ms = step.now.since(since);
            let remote = Some(RemoteTask { id: None, state });
            let how = if outcome == Outcome::Ok { Outcome::Ok } else { Outcome::Failed };
            let real =
                Settlement { remote, cut_chars, duration_ms: ran_ms, ..Settlement::synthetic(how, &content) };
            let ended = match stopping {
                Some(Stopping { by, .. }) => cut_off(real, spent, ran_ms, by, reach),
                None => {
                    let content = told_alone(&outcome, content.clone(), spent, ran_ms);
                    Settlement { content, ..real }
                }
            };
            step.emit(Live::ToolFinished { call, outcome: ended.outcome.clone() });
            pending.state = CallState::Over(ended);
        }
        // Nobody can decide what it needs, so the run stops as for a call of its own.
        let is_stuck = state == TaskState::InputRequired && self.settings.attendance == Attendance::Stop;
        if is_stuck && stopping.is_none() {
            return self.stop(step, Phase::Dispatching(dispatching), CutBy::Approval);
        }
        self.advance(step, dispatching)
    }

    /// Esc while sub-agents work: everything else is cut short at once, and they are told to stop. The run ends when they have
    /// settled; pressed again, or after a while, it ends without them. Returns the calls if there is nothing to wait for.
    pub(super) fn let_subagents_settle(
        &mut self,
        step: &mut Step,
        mut dispatching: Dispatching,
        by: CutBy,
    ) -> Result<Phase, Dispatching> {
        if let Some(stopping) = dispatching.stopping.take() {
            step.cancel(Operation::Timer(stopping.timer));
            return Err(dispatching);
        }
        let open = &self.history.subagents().open;
        let works = |pending: &Pending| {
            matches!(pending.state, CallState::Running(_)) && open.contains_key(&pending.call.id)
        };
        let at_work: Vec<CallId> =
            dispatching.calls.iter().filter(|pending| works(pending)).map(|p| p.call.id).collect();
        if at_work.is_empty() {
            return Err(dispatching);
        }
        step.extend(
            std::mem::take(&mut dispatching.told)
                .into_iter()
                .map(|hook| Effect::Cancel(Operation::Hooks(hook))),
        );
        for pending in &mut dispatching.calls {
            if at_work.contains(&pending.call.id) {
                step.cancel(Operation::Subagent(pending.call.id, self.cut_below(by)));
            } else {
                let state = std::mem::replace(&mut pending.state, CallState::Preparing);
                pending.state = CallState::Over(self.cut(step, pending.call.id, state, AbortPath::C, by));
            }
        }
        let timer = self.clock.mint();
        step.act(Effect::SetTimer(timer, SETTLING_MS));
        dispatching.stopping = Some(Stopping { by, since: step.now, timer });
        Ok(self.advance(step, dispatching))
    }

    /// A person wants something of a sub-agent.
    pub(super) fn tell_subagent(&mut self, step: &mut Step, call: CallId, intent: Box<Intent>) {
        if self.is_waiting_lane(call) {
            return self.tell_waiting_lane(step, call, *intent);
        }
        if let Some(why) = intent.wanted_mode().and_then(|mode| mode.refused_below(self.policy.mode)) {
            Self::give_back_below(step, call, *intent);
            return step.emit(Live::Subagent { call, event: Box::new(Event::Live(Live::Refused(why))) });
        }
        if self.history.subagents().open.contains_key(&call) {
            return step.act(Effect::TellSubagent(call, intent));
        }
        Self::give_back_below(step, call, *intent);
        let is_elsewhere = self.history.subagents().tasks.contains_key(&call);
        let call = self.address(call);
        step.emit(Live::Refused(if is_elsewhere {
            format!("another agent works on {call}; esc stops it with the turn")
        } else {
            // Whether it is still to come, only the whole ledger would tell.
            format!(
                "no sub-agent works for {call} now: it has ended, or it waits to start and ends with the turn"
            )
        }));
    }

    /// What was typed for a sub-agent that does not take it goes back to where it was typed.
    pub(super) fn give_back_below(step: &mut Step, call: CallId, intent: Intent) {
        if let Some(words) = intent.given_back() {
            step.emit(Live::Subagent { call, event: Box::new(Event::Live(words)) });
        }
    }

    /// Another mode holds for all that work for this session, as far as it is not looser than their own.
    pub(super) fn tell_mode(&mut self, step: &mut Step) {
        let books = self.history.subagents();
        let named: Vec<(CallId, String)> = books
            .open
            .values()
            .filter(|escrow| !escrow.waits)
            .filter_map(|escrow| {
                let call = escrow.call;
                Some((call, books.names.get(&call)?.clone()))
            })
            .collect();
        for (call, name) in named {
            let spec = self.settings.subagents.known.iter().find(|known| known.name == name);
            let mode = spec.map_or(self.policy.mode, |spec| self.mode_of(spec));
            step.act(Effect::TellSubagent(call, Box::new(Intent::SetMode(mode))));
        }
    }

    /// Tells the model what came of sub-agents of which no result has told it.
    pub(super) fn tell_subagents(&mut self, now: Millis) {
        let books = self.history.subagents().clone();
        for EscrowSettlement { call, answer, state, .. } in books.untold {
            let name = books.names.get(&call).map_or("", String::as_str);
            let answer = answer.unwrap_or_default();
            let how = match state {
                TaskState::Completed => "is done. It reported",
                TaskState::Canceled => "was stopped before it was done. What is known of it",
                TaskState::Unknown if books.of_another.contains(&call) => {
                    "belongs to the session that this one was forked from. What is known of it"
                }
                TaskState::Unknown => "ended with its process. What is known of it",
                TaskState::Submitted
                | TaskState::Working
                | TaskState::Failed
                | TaskState::Rejected
                | TaskState::InputRequired
                | TaskState::AuthRequired => "did not finish its task. What is known of it",
            };
            let text = format!("The sub-agent {name} that worked as {call} {how}:\n{answer}");
            // No call is open when a turn begins; should one be, the words wait for the next.
            if self.history.ledger.inject(now, Injected::text(Injector::Subagent, text)).is_err() {
                return;
            }
        }
    }
}

/// Whether the model wants it in the background, if it says.
fn asks_for_background(arguments: &Arguments) -> Option<bool> {
    match arguments {
        Arguments::Object(members) => members.get(IN_BACKGROUND)?.as_bool(),
        Arguments::Unusable(_) => None,
    }
}

/// What is told of one that ended while its run goes on: the same words as when both are cut short.
fn told_alone(outcome: &Outcome, content: String, spent: Spent, ran_ms: u64) -> String {
    let Outcome::Aborted(abort) = outcome else { return content };
    if spent == Spent::default() {
        return content;
    }
    aborted_having(Abort { ran_ms: Some(ran_ms), ..*abort }, &content)
}

/// The result of a sub-agent that was told to stop and has settled: what it had come to is kept.
fn cut_off(real: Settlement, spent: Spent, ran_ms: u64, by: CutBy, reach: Reach) -> Settlement {
    if real.outcome == Outcome::Ok {
        return real;
    }
    let abort = Abort { path: AbortPath::C, ran_ms: Some(ran_ms), by, within: Some(reach) };
    // One that had not begun was not in the middle of anything: its own words say that.
    let had_begun = spent != Spent::default();
    let content = if had_begun { aborted_having(abort, &real.content) } else { real.content };
    Settlement { outcome: Outcome::Aborted(abort), content, ..real }
}
