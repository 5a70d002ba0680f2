//! The rules of sub-agents: what is set aside for one is written first and settled once, and the limits hold over the sum of all.

use std::collections::{BTreeMap, BTreeSet};

use countersign::agent::{
    Adoption, Answer, Effect, Input, Intent, Live, Race, SubagentNews, SubagentReport, SubagentSpec,
    SubagentStart, Subagents,
};
use countersign::budget::Limit;
use countersign::ledger::{
    Arguments, Body, CallId, Change, EntryId, Escrow, EscrowSettlement, MicroDollars, Outcome, Reach, Spent,
    TaskState, ToolResult, Usage,
};
use countersign::model::{ModelEvent, ModelNews};

use crate::bounds::{A_TASK, Bounds};
use crate::delegations::Delegations;
use crate::offers::started;
use crate::tasks::{Tasks, exceeds};
use crate::world::{Stream, World};

/// The tool that starts one, and what it is called with to have it go on in the background.
pub const SUBAGENT: &str = "delegate_to_helper";
pub const IN_BACKGROUND: &str = "{\"task\": \"write it\", \"background\": true}";

/// How many may be at work at once, and be started in a session.
const AT_ONCE: u64 = 2;
const IN_SESSION: u64 = 4;
/// The most that a session may spend: turns of a run, tool calls of a run, tokens of a run, micro-dollars.
pub const TURNS: u64 = 12;
const CALLS: u64 = 9;
const TOKENS: u64 = 600;
const COST: u64 = 5_000;

/// The limits of a world with sub-agents, beside its turns.
pub const LIMITS: [(Limit, u64); 3] =
    [(Limit::ToolCalls, CALLS), (Limit::OutputTokens, TOKENS), (Limit::Cost, COST)];

/// The sub-agents of the world.
pub fn known(bounds: Bounds) -> Subagents {
    if !bounds.subagents {
        return Subagents::default();
    }
    let spec = SubagentSpec {
        name: "helper".into(),
        asks: BTreeMap::from([(Limit::Turns, 3)]),
        mode: None,
        in_background: false,
    };
    let lane = |lane: &str| SubagentSpec { name: lane.into(), in_background: true, ..spec.clone() };
    let known = vec![spec.clone(), lane("lane_1"), lane("lane_2"), lane("lane_3"), lane("lane_4")];
    Subagents { known, most_at_once: AT_ONCE, most_in_session: IN_SESSION }
}

/// What the log says of sub-agents.
#[derive(Default, Clone)]
pub struct Escrows {
    pub tasks: Tasks,
    pub open: BTreeMap<CallId, Escrow>,
    settled: BTreeSet<CallId>,
    waits: BTreeSet<CallId>,
    turns: u64,
    calls: u64,
    /// Calls of the model that have no result, and how many ran.
    made: BTreeSet<CallId>,
    ran: u64,
    /// What sub-agents have spent in the run, and in the session.
    run: Spent,
    session: Spent,
}

impl Escrows {
    /// Takes in one more entry.
    pub fn read(&mut self, body: &Body, delegations: &Delegations, died: bool) -> Result<(), String> {
        if self.tasks.read(body, |call| delegations.is_sent(call), died)? {
            return Ok(());
        }
        match body {
            Body::User(_) => self.say(),
            Body::Transition { turn, .. } => self.ask(*turn, TURNS)?,
            Body::ToolCall(call) => {
                self.calls += 1;
                self.made.insert(call.id);
            }
            Body::ToolResult(result) => self.result(result)?,
            Body::Change(Change::EscrowReserved(escrow)) => {
                self.reserve(escrow, delegations.is_sent(escrow.call), TURNS)?;
            }
            Body::Change(Change::EscrowSettled(settled)) => self.settle(settled, died)?,
            Body::Change(Change::SubagentStarted { call }) => self.start(*call)?,
            Body::Change(Change::SubagentWaits { call, waits }) => self.wait(*call, *waits)?,
            _ => {}
        }
        Ok(())
    }

    /// Whether sub-agents have spent all that the session may.
    pub fn is_spent(&self) -> bool {
        self.session.usage.cost.is_some_and(|cost| cost.0 >= COST)
    }

    fn say(&mut self) {
        (self.turns, self.calls, self.ran, self.run) = (0, 0, 0, Spent::default());
    }

    fn ask(&mut self, turn: u32, most: u64) -> Result<(), String> {
        self.turns = u64::from(turn);
        self.holds(most)
    }

    fn held(&self, limit: Limit) -> u64 {
        self.open.values().filter_map(|escrow| escrow.limits.get(&limit)).sum()
    }

    /// The limits hold over what was spent and what may still be.
    fn holds(&self, most: u64) -> Result<(), String> {
        let sums = [
            ("turns", self.turns + self.run.turns + self.held(Limit::Turns), most),
            ("calls", self.calls.min(CALLS) + self.run.tool_calls + self.held(Limit::ToolCalls), CALLS),
            ("tokens", self.run.usage.output + self.held(Limit::OutputTokens), TOKENS),
            ("cost", self.session.usage.cost.unwrap_or_default().0 + self.held(Limit::Cost), COST),
        ];
        match sums.iter().find(|(_, sum, most)| sum > most) {
            Some((what, sum, most)) if !self.open.is_empty() || !self.settled.is_empty() => {
                Err(format!("{sum} {what} are spent or set aside, of {most}"))
            }
            _ => Ok(()),
        }
    }

    fn reserve(&mut self, escrow: &Escrow, is_sent: bool, most: u64) -> Result<(), String> {
        let call = escrow.call;
        if !is_sent {
            return Err(format!("budget is set aside for {call}, whose task is not written"));
        }
        if self.settled.contains(&call) || self.open.insert(call, escrow.clone()).is_some() {
            return Err(format!("budget is set aside for {call} twice"));
        }
        let started = (self.open.len() + self.settled.len()) as u64;
        if self.at_work() > AT_ONCE || started > IN_SESSION {
            return Err("too many sub-agents are started".into());
        }
        if escrow.waits && self.at_work() < AT_ONCE {
            return Err(format!("the sub-agent of {call} waits, and need not"));
        }
        self.holds(most)
    }

    fn at_work(&self) -> u64 {
        self.open.values().filter(|escrow| !escrow.waits).count() as u64
    }

    /// One that waits starts, once, and only where there is a place.
    fn start(&mut self, call: CallId) -> Result<(), String> {
        match self.open.get_mut(&call) {
            Some(escrow) if escrow.waits => escrow.waits = false,
            _ => return Err(format!("the sub-agent of {call} starts, and none waits")),
        }
        match self.at_work() > AT_ONCE {
            true => Err("too many sub-agents are at work".into()),
            false => Ok(()),
        }
    }

    fn settle(&mut self, settled: &EscrowSettlement, died: bool) -> Result<(), String> {
        let call = settled.call;
        let Some(escrow) = self.open.remove(&call) else {
            return Err(format!("the budget of {call} is settled, and none is set aside"));
        };
        if settled.is_assumed && !died {
            return Err(format!("the budget of {call} is settled by nobody's word"));
        }
        if settled.is_assumed && settled.spent != Spent::all_of(&escrow) {
            return Err(format!("less is charged for {call} than it may have spent"));
        }
        if let Some(limit) = exceeds(&settled.spent, &escrow) {
            return Err(format!("more {} is charged for {call} than was set aside", limit.name()));
        }
        let is_right = settled.state == TaskState::Canceled || died && settled.state == TaskState::Rejected;
        if escrow.waits && !(is_right && settled.spent == Spent::default()) {
            return Err(format!("the sub-agent of {call} did not start, and settles {:?}", settled.state));
        }
        self.settled.insert(call);
        self.waits.remove(&call);
        (self.run, self.session) = (self.run.plus(settled.spent), self.session.plus(settled.spent));
        Ok(())
    }

    fn wait(&mut self, call: CallId, waits: bool) -> Result<(), String> {
        let is_news = if waits { self.waits.insert(call) } else { self.waits.remove(&call) };
        let is_waited_for = self.open.get(&call).is_some_and(|escrow| !escrow.in_background);
        if is_news && is_waited_for {
            Ok(())
        } else {
            Err(format!("{call} waits, or does not, out of place"))
        }
    }

    /// A call has its result when its sub-agent has settled, unless it works in the background or was cut off.
    fn result(&mut self, result: &ToolResult) -> Result<(), String> {
        let has_run = matches!(result.outcome, Outcome::Ok | Outcome::TimedOut);
        self.ran += u64::from(self.made.remove(&result.call) && has_run);
        let all = self.ran + self.run.tool_calls + self.held(Limit::ToolCalls);
        if all > CALLS {
            return Err(format!("{all} calls ran or are set aside, of {CALLS}"));
        }
        let is_cut = matches!(result.outcome, Outcome::Aborted(_) | Outcome::Lost { .. });
        match self.open.get(&result.call) {
            Some(escrow) if !escrow.in_background && !is_cut => {
                Err(format!("{} has a result before its sub-agent has settled", result.call))
            }
            _ => Ok(()),
        }
    }

    /// What starts may spend what was set aside, and nothing else.
    pub fn may_start(&self, start: &SubagentStart) -> Result<(), String> {
        let call = start.invocation.call;
        let Some(escrow) = self.open.get(&call) else {
            return Err(format!("a sub-agent starts for {call}, and nothing is set aside"));
        };
        let differs = |limit: &Limit| start.limits.get(*limit) != escrow.limits.get(limit).copied();
        match Limit::ALL.iter().find(|limit| differs(limit)) {
            Some(limit) => Err(format!("the sub-agent of {call} has another limit of {}", limit.name())),
            None if escrow.waits => Err(format!("the sub-agent of {call} starts before that is written")),
            None if start.session != escrow.session => {
                Err(format!("the sub-agent of {call} has another session"))
            }
            None => Ok(()),
        }
    }
}

/// All that may come of one that is at work: it has spent all that it may, or nothing; it waits, or goes on.
pub fn news(escrow: &Escrow, waits: bool) -> Vec<Input> {
    let report = |outcome, state, spent: Spent| {
        let reach = if spent.tool_calls > 0 { Reach::CutShort } else { Reach::NothingStarted };
        let report =
            SubagentReport { outcome, content: "reported".into(), cut_chars: 0, state, spent, reach };
        Input::Subagent(escrow.call, SubagentNews::Over(report))
    };
    let all = Spent::all_of(escrow);
    let some = Usage { input: 7, output: 1, cost: Some(MicroDollars(1)), ..Usage::default() };
    let little = Spent { turns: 1, tool_calls: 0, wall_ms: 10, usage: some };
    vec![
        report(Outcome::Ok, TaskState::Completed, all),
        report(Outcome::Failed, TaskState::Canceled, little),
        Input::Subagent(escrow.call, SubagentNews::Waits(!waits)),
    ]
}

impl Escrows {
    /// Whether one waits for a person.
    pub fn is_waiting(&self, call: CallId) -> bool {
        self.waits.contains(&call)
    }
}

/// A decision about a call of a sub-agent, made in the session above.
pub(crate) struct WishBelow {
    call: CallId,
    intent: Intent,
    /// Whether that sub-agent is at work.
    is_there: bool,
    /// Whether it waits for its turn.
    waits: bool,
}

impl WishBelow {
    /// It reaches the sub-agent that it names, as it is, or nobody: then that is said. It is no entry of this session.
    pub(crate) fn is_passed_on(&self, effects: &[Effect]) -> Result<(), String> {
        let Self { call, intent, is_there, waits } = self;
        let is_right = match effects {
            // Stopped before it began: nothing of it is at work.
            [Effect::Append(entry), Effect::Emit(Live::Next(_))] | [Effect::Append(entry)] => {
                let settles =
                    matches!(&entry.body, Body::Change(Change::EscrowSettled(it)) if it.call == *call);
                *waits && settles && *intent == Intent::Abort
            }
            [Effect::TellSubagent(told, what)] => *is_there && told == call && **what == *intent,
            [Effect::Emit(Live::Refused(_))] => !is_there,
            _ => false,
        };
        let there = if *is_there { "works" } else { "does not work" };
        let wrong = || format!("a decision for the sub-agent of {call}, which {there}, comes to {effects:?}");
        is_right.then_some(()).ok_or_else(wrong)
    }
}

/// A decision about the first call of a sub-agent.
fn decision_below(call: CallId) -> Input {
    let intent = Intent::Decide { request: EntryId(7), call: CallId(1), answer: Answer::AllowOnce };
    Input::Intent(Intent::Subagent { call, intent: Box::new(intent) })
}

impl World {
    /// Races of four lanes, which share all and of which two wait for their turn, of one, which is none, and the adoption of what one made: at any moment.
    pub(crate) fn offer_races(&self, options: &mut Vec<Input>) {
        if self.commands >= self.bounds.commands {
            return;
        }
        let lane = |lane: &str| (lane.to_owned(), Arguments::parse(A_TASK));
        let race = |lanes: &[&str]| {
            let lanes = lanes.iter().map(|name| lane(name)).collect();
            Input::Intent(Intent::Race(Box::new(Race {
                typed: "race".to_owned(),
                line: "/race it".to_owned(),
                lanes,
            })))
        };
        options.extend([race(&["lane_1", "lane_2", "lane_3", "lane_4"]), race(&["lane_1"])]);
        let adoption = Adoption {
            typed: "adopt".to_owned(),
            line: "/adopt 1".to_owned(),
            arguments: Arguments::parse("{\"lane\": 1}"),
        };
        options.push(Input::Intent(Intent::Adopt(Box::new(adoption))));
    }

    /// What is wished of a sub-agent, if something is.
    pub(crate) fn wish_for_a_subagent(&self, input: &Input) -> Option<WishBelow> {
        let Input::Intent(Intent::Subagent { call, intent }) = input else { return None };
        let escrow = self.log.escrows.open.get(call);
        let (is_there, waits) = (escrow.is_some_and(|it| !it.waits), escrow.is_some_and(|it| it.waits));
        Some(WishBelow { call: *call, intent: (**intent).clone(), is_there, waits })
    }

    /// Only one that is at work can be told anything.
    pub(crate) fn may_be_told(&self, call: CallId) -> Result<(), String> {
        let is_there = self.log.escrows.open.contains_key(&call) && self.subagents.contains_key(&call);
        is_there
            .then_some(())
            .ok_or_else(|| format!("the sub-agent of {call} is told something, and is over"))
    }

    /// Calls that start sub-agents, and nothing else: what comes before they work is walked elsewhere.
    pub(crate) fn offer_subagents(&self, message: EntryId, stream: &Stream, options: &mut Vec<Input>) {
        let news = |event| Input::Model(message, ModelNews::Event(event));
        match (stream.unfinished, stream.has_arguments) {
            (true, false) => options.extend([A_TASK, IN_BACKGROUND].map(|text| {
                news(ModelEvent::CallArguments { index: stream.calls - 1, text: text.to_owned() })
            })),
            (true, true) => options.push(news(ModelEvent::CallDone { index: stream.calls - 1 })),
            (false, _) => {
                let more = stream.calls < self.bounds.calls;
                options.extend(more.then(|| news(started(stream.calls, SUBAGENT))));
                let has_spoken = stream.calls > 0 || stream.texts > 0;
                options.extend((!has_spoken).then(|| news(ModelEvent::Text("It is done.".into()))));
                options.extend(has_spoken.then_some(Input::Model(message, ModelNews::Finished)));
            }
        }
    }

    /// What may come of those that are at work, and of those that are settled already.
    pub(crate) fn offer_news_of_subagents(&self, options: &mut Vec<Input>) {
        for (call, stopped) in &self.subagents {
            if let Some(escrow) = self.log.escrows.open.get(call) {
                options.extend(news(escrow, self.log.escrows.is_waiting(*call)));
            } else if *stopped {
                // It is settled already: nothing is news.
                options.push(Input::Subagent(*call, SubagentNews::Waits(true)));
            }
        }
        // Decided above: about calls of those that work, of one that is over, and of one that never was.
        let over = self.log.escrows.settled.last().copied();
        let at_work = self.log.escrows.open.keys().copied();
        options.extend(at_work.chain(over).chain(over.map(|_| CallId(1_000))).map(decision_below));
        let waiting = self.log.escrows.open.values().filter(|escrow| escrow.waits).map(|escrow| escrow.call);
        options.extend(
            waiting.map(|call| Input::Intent(Intent::Subagent { call, intent: Box::new(Intent::Abort) })),
        );
    }

    /// One starts: its decision, its task and what is set aside for it are durable.
    pub(crate) fn start_subagent(&mut self, start: &SubagentStart) -> Result<(), String> {
        let call = start.invocation.call;
        if !self.log.allowed.contains(&call) {
            return Err(format!("a sub-agent starts for {call} without a durable decision"));
        }
        self.log.may_run(&start.invocation)?;
        self.log.escrows.may_start(start)?;
        self.subagents.insert(call, false);
        self.works.start(call, self.now, start.limits.get(Limit::WallTime));
        Ok(())
    }

    /// Between runs nothing is set aside for one that does not work, or cannot yet.
    pub(crate) fn no_escrow_is_forgotten(&self) -> Result<(), String> {
        let escrows = &self.log.escrows;
        let is_full = escrows.at_work() == AT_ONCE;
        let waits = |call: &CallId| is_full && escrows.open.get(call).is_some_and(|escrow| escrow.waits);
        let forgotten = |call: &CallId| !self.subagents.contains_key(call) && !waits(call);
        // What a task has spent that was cut short is known when its end is.
        let is_over = |call: &&CallId| !self.late_tools.contains(*call);
        match escrows.open.keys().find(|call| forgotten(call)).or(escrows.tasks.open.keys().find(is_over)) {
            Some(call) => Err(format!("idle, and the budget of {call} is not settled")),
            None => Ok(()),
        }
    }
}
