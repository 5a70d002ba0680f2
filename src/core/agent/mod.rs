//! The loop as a pure state machine: one input in, a list of effects out. No clock, no I/O, no await.
#![warn(clippy::wildcard_enum_match_arm)]

mod abort;
mod accepting_gaps;
mod address;
mod answer;
mod approval;
mod ask_reason;
mod asking;
mod background_ends;
mod background_shells;
mod bugs;
mod clock;
mod compacting;
mod discovering;
mod dispatch;
mod editing;
mod edits;
mod effect;
mod event;
mod given_back;
mod goal;
mod guards;
mod history;
mod hook_runs;
mod hooked_tools;
mod hooking;
mod inbox;
mod input;
mod lanes;
mod learning;
mod model_choice;
mod model_stream;
mod naming;
mod opening_hosts;
mod overruling;
mod own_command;
mod phase;
mod pricing;
mod printed;
mod racing;
mod receipts;
mod recovery;
mod renaming;
mod reserving;
mod restoring;
mod resume;
mod revisiting;
mod revoking;
mod rewinding;
mod ruling;
mod scale;
mod session_rules;
mod settings;
mod steering;
mod step;
mod subagent_books;
mod subagent_terms;
mod subagents;
mod summing;
mod switching;
mod timers;
mod toolbox;
mod turn;
mod typing;
mod unanswered;
mod uncertain;
mod undone;

use std::collections::{BTreeSet, VecDeque};

pub use address::{CallAddress, SubagentPath};
pub use effect::{Effect, Operation};
pub use event::{Event, Live};
pub use input::{Adoption, Answer, Input, Intent, OwnCommand, Race, Shutdown, TimerId};
pub use racing::ADOPTED;
pub use ruling::Ruling;
pub use settings::{Attendance, FinalResponse, Settings};
pub use subagent_terms::{
    IN_BACKGROUND, MODEL, SEED, SubagentNews, SubagentReport, SubagentSpec, SubagentStart, Subagents,
};

use crate::budget::Meter;
use crate::ledger::{CallId, CutBy, EntryId, Ledger, Millis, ModelRef};
use crate::policy::Policy;
use crate::tool::{NamedHost, ToolNews};

use background_shells::BackgroundEnds;
use history::History;
use hook_runs::HookRuns;
use inbox::Inbox;
use model_choice::ModelChoice;
use phase::Phase;
use printed::Printed;
use step::Step;
use timers::Timers;
use toolbox::Toolbox;

/// One session's loop.
#[derive(Debug)]
pub struct Agent {
    phase: Phase,
    history: History,
    /// As the process began. What can change afterwards is not read here: the policy, the models and the tools.
    settings: Settings,
    policy: Policy,
    /// What the sandbox cannot hide here and a person accepted.
    gaps: BTreeSet<String>,
    /// Hosts that a person opened to commands in the sandbox.
    hosts: Vec<NamedHost>,
    models: ModelChoice,
    tools: Toolbox,
    inbox: Inbox,
    hooks: HookRuns,
    clock: Timers,
    background: BackgroundEnds,
    /// Lanes of a race that start when another sub-agent is over, in their order.
    lanes: VecDeque<Box<SubagentStart>>,
    /// What running calls have printed.
    printed: Printed,
    /// Calls that were cancelled while they ran: a result that still arrives becomes a note.
    cancelled: BTreeSet<CallId>,
    /// Answers to calls that are not yet looked at again: the request, the call, what was said.
    early: Vec<(EntryId, CallId, Answer)>,
    /// How many entries there were, and who answered, when it was last told what the next request would be.
    foretold: Option<(usize, ModelRef)>,
    /// The model call that was not made yet, as whoever makes it says.
    unsent: Option<EntryId>,
    /// The process was told to end.
    is_leaving: bool,
    /// Whoever started this session stops it, and it settles.
    is_cut_from_above: bool,
}

impl Agent {
    /// A new session. Nothing is written before the first message.
    pub fn new(settings: Settings) -> Self {
        Self::with_history(History::new(Ledger::default(), settings.limits.clone(), 0), settings)
    }

    fn with_history(history: History, settings: Settings) -> Self {
        Self {
            phase: Phase::Idle,
            policy: settings.policy.clone(),
            hosts: Vec::new(),
            gaps: BTreeSet::new(),
            models: ModelChoice::new(&settings),
            tools: Toolbox::new(&settings),
            inbox: Inbox::new(&settings),
            hooks: HookRuns::new(!history.ledger.entries().is_empty()),
            clock: Timers::new(settings.seed),
            background: BackgroundEnds::default(),
            lanes: VecDeque::new(),
            printed: Printed::default(),
            cancelled: BTreeSet::new(),
            early: Vec::new(),
            foretold: None,
            unsent: None,
            is_leaving: false,
            is_cut_from_above: false,
            history,
            settings,
        }
    }

    /// The ledger.
    pub fn ledger(&self) -> &Ledger {
        &self.history.ledger
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        &self.settings.session
    }

    /// A call of this session, as a person's session names it.
    fn address(&self, call: CallId) -> CallAddress {
        CallAddress { path: self.settings.path.clone(), call }
    }

    /// What was spent.
    pub fn meter(&mut self) -> &Meter {
        self.history.meter()
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        matches!(self.phase, Phase::Idle)
    }

    /// Whether the run ends as soon as its sub-agents have settled.
    pub fn is_stopping(&self) -> bool {
        self.phase.is_stopping()
    }

    /// Takes one input and says what is to be done, in this order: cancel < append < act < emit.
    ///
    /// Total: every input is legal in every phase. News of an operation that is no longer current changes
    /// nothing, except for the result of a cancelled call, which becomes a note.
    pub fn step(&mut self, now: Millis, input: Input) -> Vec<Effect> {
        let mut step = Step::at(now);
        let phase = std::mem::replace(&mut self.phase, Phase::Idle);
        self.phase = self.on_input(&mut step, phase, input);
        if self.is_idle() {
            self.take_the_chosen(&mut step);
        }
        self.write_ended(now);
        self.watch_the_clock(&mut step);
        self.foretell(&mut step);
        step.extend(self.history.untold());
        step.finish()
    }

    fn on_input(&mut self, step: &mut Step, phase: Phase, input: Input) -> Phase {
        match (input, phase) {
            (Input::Intent(intent), phase) => self.on_intent(step, phase, intent),
            (Input::Model(message, news), Phase::AwaitingModel(awaiting)) if awaiting.message == message => {
                self.on_model(step, awaiting, news)
            }
            (Input::Model(message, news), Phase::Compacting(compacting)) if compacting.message == message => {
                self.on_summary(step, compacting, news)
            }
            (Input::Model(..), phase) => phase,
            (Input::Prepared(call, found), Phase::Dispatching(dispatching)) => {
                self.on_prepared(step, dispatching, call, &found)
            }
            (Input::Prepared(..), phase) => phase,
            (Input::Tool(call, ToolNews::Ended(status)), phase) => {
                self.background.ended.push((call, status));
                phase
            }
            (Input::Tool(call, news), phase) => self.on_tool(step, phase, call, news),
            (Input::Subagent(call, news), phase) => self.on_subagent(step, phase, call, news),
            (Input::Hooks(hook, answers), phase) => self.on_hooks(step, phase, hook, &answers),
            (Input::Discovered(found), phase) => self.on_discovered(step, phase, found),
            (Input::Timer(timer), phase) => self.on_timer(step, phase, timer),
            (Input::Cut(_), phase) if phase.was_just_stopped(step.now) => phase,
            (Input::Cut(by), Phase::Idle) => {
                self.cut_those_in_background(step, by);
                Phase::Idle
            }
            (Input::Cut(by), phase) => self.cut_from_above(step, phase, by),
            (Input::Shutdown(how), phase) => {
                // Nothing starts any more; what waits is settled when the session is resumed.
                self.lanes.clear();
                self.settle_tasks(step.now);
                let is_first = !std::mem::replace(&mut self.is_leaving, true);
                if is_first && phase.is_stopping() {
                    // It is no second Esc: sub-agents that were told to stop still settle what they spent.
                    return phase;
                }
                match how {
                    Shutdown::Signal => self.stop(step, phase, CutBy::User),
                    Shutdown::Quit => self.quit(step, phase),
                }
            }
        }
    }

    fn on_intent(&mut self, step: &mut Step, phase: Phase, intent: Intent) -> Phase {
        match intent {
            Intent::Submit(said) => return self.submit(step, phase, said),
            Intent::Queue(said) => return self.queue(step, phase, said),
            Intent::Pursue(goal, added) => return self.pursue(step, phase, *goal, added),
            Intent::ResumeGoal(added) => return self.resume_goal(step, phase, added),
            Intent::Compact => return self.compact_by_hand(step, phase),
            Intent::Abort if phase.was_just_stopped(step.now) => {}
            Intent::Abort => return self.stop(step, phase, CutBy::User),
            Intent::Decide { request, call, answer } => {
                let phase = self.decide(step, phase, request, call, answer);
                step.name_refusal(request);
                return phase;
            }
            Intent::Raise { limit, to } => return self.raise(step, phase, limit, to),
            Intent::AcceptPrice { up_to } => return self.accept_price(step, phase, up_to),
            Intent::Revoke(call) => return self.revoke(step, phase, call),
            Intent::Command(own) => return self.run_own_command(step, phase, own),
            Intent::Race(race) => return self.race(step, phase, *race),
            Intent::Adopt(adoption) => return self.adopt(step, phase, *adoption),
            Intent::Rewind { message, branch } => self.rewind(step, &phase, message, branch),
            Intent::Rename(name) => self.rename(step, name),
            Intent::OpenHost(host) => self.open_host(step, &host),
            Intent::CloseHost(host) => self.close_host(step, &host),
            Intent::AcceptGaps { call, gaps } => return self.accept_gaps(step, phase, call, &gaps),
            Intent::RefuseGaps => return self.refuse_gaps(step, phase),
            Intent::StopBackground(id) => self.stop_background(step, id),
            Intent::SetModel(spec) => self.set_model(step, &phase, spec),
            Intent::SetEffort(effort) => self.set_effort(step, &phase, effort),
            Intent::SetMode(mode) => return self.set_mode(step, phase, mode),
            Intent::Restored(done) => self.files_restored(step.now, done),
            Intent::Typed { line, intent } => {
                let phase = self.on_intent(step, phase, *intent);
                step.give_back(line);
                return phase;
            }
            Intent::Subagent { call, intent } => self.tell_subagent(step, call, intent),
            Intent::TypeInto { call, typed } => self.type_into(step, &phase, call, typed),
        }
        phase
    }
}
