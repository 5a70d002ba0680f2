//! Worlds in which time matters: each kind of input takes as long as it would, timers fire when they are due, and sub-agents end when
//! their own time is over.

use std::collections::BTreeMap;

use countersign::agent::{Answer, Input, Intent, SubagentNews, SubagentReport};
use countersign::budget::Limit;
use countersign::ledger::{
    Body, CallId, Ending, EntryId, MicroDollars, Outcome, Reach, Spent, TaskState, Usage,
};
use countersign::model::{ModelEvent, ModelNews};
use countersign::tool::Preparation;

use crate::books::LATE;
use crate::bounds::A_TASK;
use crate::clocks::SECONDS;
use crate::offers::{done, started};
use crate::pasted::numbered;
use crate::subagents::{IN_BACKGROUND, SUBAGENT};
use crate::world::{Stream, World};

/// How such a world begins: a message was said, and the model has called these.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    pub calls: &'static [Called],
    /// Then Esc came twice, so that nobody waited for the sub-agents, and in the next run a call waits for a person.
    pub is_given_up: bool,
}

/// What the model calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Called {
    Read,
    Write,
    Subagent,
    InBackground,
}

/// All of them.
pub const SCENES: [Scene; 6] = [
    Scene { calls: &[Called::Subagent, Called::Subagent], is_given_up: false },
    Scene { calls: &[Called::Subagent, Called::Write], is_given_up: false },
    Scene { calls: &[Called::InBackground, Called::Subagent, Called::Write], is_given_up: false },
    Scene { calls: &[Called::Read, Called::Subagent], is_given_up: false },
    Scene { calls: &[Called::Write, Called::Read], is_given_up: false },
    Scene { calls: &[Called::Subagent], is_given_up: true },
];

/// How long a sub-agent whose time is over may take to say so.
const LATE_MS: u64 = 1_000;

/// How long a sub-agent has worked.
#[derive(Default, Clone, Copy)]
struct Work {
    worked: u64,
    /// Since when it works on; `None`: it waits for a person.
    since: Option<u64>,
    /// The most that it may.
    most: u64,
}

impl Work {
    fn at(&self, now: u64) -> u64 {
        self.worked + self.since.map_or(0, |since| now - since)
    }

    /// When its time is over, if it works on.
    fn due(&self) -> Option<u64> {
        self.since.map(|since| since + self.most - self.worked)
    }
}

/// The time that sub-agents have worked.
#[derive(Default)]
pub(crate) struct Works(BTreeMap<CallId, Work>);

impl Works {
    pub(crate) fn start(&mut self, call: CallId, now: u64, seconds: Option<u64>) {
        // Without a limit of its own it never ends by one.
        let most = seconds.unwrap_or(1_000_000) * 1000;
        self.0.insert(call, Work { since: Some(now), most, worked: 0 });
    }

    fn hear(&mut self, call: CallId, now: u64, news: &SubagentNews) {
        let Some(work) = self.0.get_mut(&call) else { return };
        match news {
            SubagentNews::Waits(true) => (work.worked, work.since) = (work.at(now), None),
            SubagentNews::Waits(false) => work.since = Some(now),
            SubagentNews::Over(_) => drop(self.0.remove(&call)),
            SubagentNews::Told(_) => {}
        }
    }
}

impl World {
    /// The clock goes on to when this input comes.
    pub(crate) fn let_time_pass(&mut self, input: &Input) {
        if self.bounds.scene.is_none() {
            self.now += 700;
            return;
        }
        self.now = self.comes_at(input);
        match input {
            Input::Subagent(call, news) => self.works.hear(*call, self.now, news),
            Input::Timer(timer) if self.agent.is_wall_time(*timer) => self.log.clock.tell(true),
            Input::Intent(Intent::Abort) => self.log.clock.tell(false),
            _ => {}
        }
    }

    /// When an input comes, if it is the next: pieces of an answer at once, people after a while.
    fn comes_at(&self, input: &Input) -> u64 {
        let takes = match input {
            Input::Timer(timer) => return self.timers.get(timer).map_or(self.now, |due| self.now.max(*due)),
            Input::Subagent(call, SubagentNews::Over(_)) => return self.is_over_at(*call),
            Input::Subagent(_, SubagentNews::Waits(true)) => 5_000,
            // One person is quick, and another thinks for longer than the run may take.
            Input::Subagent(call, _) => {
                if call.0.is_multiple_of(2) {
                    4_000
                } else {
                    40_000
                }
            }
            Input::Intent(Intent::Decide { answer: Answer::AllowOnce, .. }) => 3_000,
            Input::Intent(Intent::Abort) | Input::Cut(_) => 600,
            Input::Intent(_) => 40_000,
            Input::Tool(..) => 6_000,
            Input::Model(..) => 400,
            Input::Prepared(..) => 100,
            Input::Hooks(..) | Input::Discovered(_) | Input::Shutdown(_) => 50,
        };
        self.now + takes
    }

    fn is_over_at(&self, call: CallId) -> u64 {
        let is_stopped = self.subagents.get(&call).copied().unwrap_or(false);
        let soon = self.now + if is_stopped { 1_000 } else { 7_000 };
        self.works.0.get(&call).and_then(Work::due).map_or(soon, |due| soon.min(due.max(self.now)))
    }

    /// All that could happen next, before something else is due.
    pub(crate) fn options_in_time(&self) -> Vec<Input> {
        let mut options = Vec::new();
        if self.agent.is_idle() && self.submits < self.bounds.submits {
            options.push(Input::Intent(Intent::Submit(numbered("message", self.submits))));
        }
        if self.agent.is_idle() && self.has_run_out() {
            let to = 2 * SECONDS;
            options.push(Input::Intent(Intent::Raise { limit: Limit::WallTime, to }));
        }
        if self.escapes < self.bounds.escapes && !self.agent.is_idle() {
            options.push(Input::Intent(Intent::Abort));
        }
        for (message, stream) in &self.models {
            self.offer_an_answer(*message, stream, &mut options);
        }
        options.extend(self.preparations.iter().map(|call| Input::Prepared(*call, Preparation::default())));
        for (call, request) in &self.log.asked {
            let decide = |answer| Input::Intent(Intent::Decide { request: *request, call: *call, answer });
            options.extend([Answer::AllowOnce, Answer::Deny(String::new())].map(decide));
        }
        options.extend(self.tools.keys().map(|call| done(*call, Outcome::Ok, "fine")));
        options.extend(self.late_tools.iter().map(|call| done(*call, Outcome::Ok, LATE)));
        self.offer_works(&mut options);
        options.extend(self.timers.keys().map(|timer| Input::Timer(*timer)));
        let due = self.timers.values().min().copied().unwrap_or(u64::MAX);
        let over = self.works.0.values().filter_map(Work::due).min().map_or(u64::MAX, |due| due + LATE_MS);
        options.retain(|input| match input {
            Input::Timer(_) => self.comes_at(input) == due.max(self.now) && due <= over,
            Input::Subagent(_, SubagentNews::Over(_)) => self.comes_at(input) < due,
            _ => self.comes_at(input) < due.min(over),
        });
        options
    }

    /// Whether the last run has ended since its time was over, and no more was given.
    fn has_run_out(&self) -> bool {
        let is_by_time = |body: &Body| matches!(body, Body::TurnEnded(it) if it.reason == Ending::WallTime);
        self.log.entries.last().is_some_and(|last| is_by_time(&last.body))
            && self.log.clock.most == Some(SECONDS * 1000)
    }

    /// One more call that waits for a person, or the end.
    fn offer_an_answer(&self, message: EntryId, stream: &Stream, options: &mut Vec<Input>) {
        let news = |event| Input::Model(message, ModelNews::Event(event));
        if stream.unfinished {
            options.push(news(ModelEvent::CallDone { index: stream.calls - 1 }));
        } else if stream.calls > 0 || stream.texts > 0 {
            options.push(Input::Model(message, ModelNews::Finished));
        } else {
            options.push(news(started(0, "write")));
            options.push(news(ModelEvent::Text("It is done.".into())));
        }
    }

    /// What may come of sub-agents that are at work, or wait for a person.
    fn offer_works(&self, options: &mut Vec<Input>) {
        for (call, stopped) in &self.subagents {
            if !self.log.escrows.open.contains_key(call) {
                continue;
            }
            let Some(work) = self.works.0.get(call) else { continue };
            let waits = work.since.is_none();
            if !stopped {
                options.push(Input::Subagent(*call, SubagentNews::Waits(!waits)));
            }
            options.push(self.reports(*call, work, *stopped));
        }
    }

    /// It has used the time that it has worked.
    fn reports(&self, call: CallId, work: &Work, is_stopped: bool) -> Input {
        let usage = Usage { input: 7, output: 1, cost: Some(MicroDollars(1)), ..Usage::default() };
        let wall_ms = work.at(self.is_over_at(call)).min(work.most);
        let spent = Spent { turns: 1, tool_calls: 0, wall_ms, usage };
        let is_cut = is_stopped || work.since.is_none() || wall_ms == work.most;
        let (outcome, state) = match is_cut {
            true => (Outcome::Failed, TaskState::Canceled),
            false => (Outcome::Ok, TaskState::Completed),
        };
        let reach = Reach::NothingStarted;
        let report =
            SubagentReport { outcome, content: "reported".into(), cut_chars: 0, state, spent, reach };
        Input::Subagent(call, SubagentNews::Over(report))
    }

    /// The beginning, up to where its calls are looked at.
    pub(crate) fn begin_in_time(&mut self, scene: Scene) {
        self.log.clock.most = Some(SECONDS * 1000);
        self.call_in_time(scene.calls);
        if scene.is_given_up {
            self.deliver(Input::Intent(Intent::Abort)).unwrap();
            self.deliver(Input::Intent(Intent::Abort)).unwrap();
            self.call_in_time(&[Called::Write]);
        }
    }

    fn call_in_time(&mut self, calls: &[Called]) {
        self.deliver(Input::Intent(Intent::Submit("go".into()))).unwrap();
        let message = *self.models.keys().next_back().unwrap();
        let mut events = Vec::new();
        for (index, called) in (0..).zip(calls) {
            let (name, text) = match called {
                Called::Read => ("read", "{}"),
                Called::Write => ("write", "{}"),
                Called::Subagent => (SUBAGENT, A_TASK),
                Called::InBackground => (SUBAGENT, IN_BACKGROUND),
            };
            let text = text.to_owned();
            events.push(started(index, name));
            events.push(ModelEvent::CallArguments { index, text });
            events.push(ModelEvent::CallDone { index });
        }
        let events = events.into_iter().map(ModelNews::Event).chain([ModelNews::Finished]);
        events.for_each(|news| self.deliver(Input::Model(message, news)).unwrap());
        for call in self.preparations.clone() {
            self.deliver(Input::Prepared(call, Preparation::default())).unwrap();
        }
    }
}
