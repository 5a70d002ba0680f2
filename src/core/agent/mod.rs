//! The loop as a pure state machine: one input in, a list of effects out. No clock, no I/O, no await.
#![warn(clippy::wildcard_enum_match_arm)]

mod abort;
mod always;
mod answer;
mod asking;
mod awaiting;
mod books;
mod compacting;
mod discovering;
mod dispatching;
mod editing;
mod effect;
mod event;
mod gate;
mod goal;
mod guards;
mod hooked_tools;
mod hooking;
mod input;
mod learning;
mod phase;
mod receiving;
mod recovery;
mod resume;
mod revisiting;
mod revoking;
mod settings;
mod shells;
mod steering;
mod summing;
mod switching;
mod turn;
mod typing;
mod unclear;
mod undoing;

use std::collections::{BTreeSet, VecDeque};

pub use effect::{Effect, Operation};
pub use event::{Event, Live};
pub use input::{Answer, Input, Intent, Shutdown, TimerId};
pub use settings::{Attendance, FinalResponse, Settings};

use crate::budget::Meter;
use crate::hooks::{HookId, Start};
use crate::ledger::{BackgroundStatus, CallId, CutBy, EntryId, Ledger, Millis, UserMessage};
use crate::tool::{Absent, Registry, ToolNews};

use books::Books;
use effect::ordered;
use learning::Scale;
use phase::Phase;
use switching::Chosen;

/// One session's loop.
#[derive(Debug)]
pub struct Agent {
    books: Books,
    registry: Registry,
    /// Who is configured and brings no tools, and why.
    absent: Vec<Absent>,
    settings: Settings,
    phase: Phase,
    /// The timer that watches the wall-time limit, while the clock runs.
    wall_timer: Option<TimerId>,
    last_timer: u64,
    /// Calls that were cancelled while they ran: a result that still arrives becomes a note.
    cancelled: BTreeSet<CallId>,
    /// What the model must be told before the user's next message.
    news: Vec<String>,
    jitter: u64,
    /// What the user said meanwhile: delivered with the next tool results.
    steering: Vec<UserMessage>,
    /// What the user wants to say after the run.
    queued: VecDeque<UserMessage>,
    /// The model and the effort that the next turn will have.
    chosen: Chosen,
    /// Names of the hooks' runs.
    last_hook: u64,
    /// Runs of hooks that nobody waits for.
    fired: BTreeSet<HookId>,
    /// What hooks want the model to read with the next turn or message.
    asides: Vec<String>,
    /// Background commands that have ended, and the calls that began them: to be written.
    ended: Vec<(CallId, BackgroundStatus)>,
    /// Background commands that had ended when this process took the session up.
    of_before: BTreeSet<String>,
    /// Hooks are told once a process how the session began.
    starting: Option<Start>,
    /// Tools come from elsewhere too, and are not known yet: no model is called before.
    discovers: bool,
    /// Answers to calls that are not yet looked at again: the request, the call, what was said.
    early: Vec<(EntryId, CallId, Answer)>,
    /// Which of them are not there, while nobody was told.
    missing: Vec<String>,
    /// An automatic compaction of this run failed; it is not tried again before the next message.
    auto_compaction_failed: bool,
    /// Since the last answer a call was made again with less output, for the window had no room for more.
    asked_for_less: bool,
    /// What the provider counted last where we estimated.
    scale: Option<Scale>,
}

impl Agent {
    /// A new session. Nothing is written before the first message.
    pub fn new(settings: Settings) -> Self {
        Self::with_books(Books::new(Ledger::default(), settings.limits.clone(), 0), settings)
    }

    fn with_books(books: Books, settings: Settings) -> Self {
        let starting = Self::begins(!books.ledger.entries().is_empty());
        let news = Some(settings.environment.clone()).filter(|e| !e.is_empty()).into_iter().collect();
        Self {
            books,
            registry: Registry::new(settings.tools.clone()),
            absent: settings.absent.clone(),
            phase: Phase::Idle,
            wall_timer: None,
            last_timer: 0,
            cancelled: BTreeSet::new(),
            news,
            jitter: settings.seed | 1,
            steering: Vec::new(),
            queued: VecDeque::new(),
            chosen: Chosen::default(),
            discovers: settings.discovers,
            early: Vec::new(),
            missing: Vec::new(),
            auto_compaction_failed: false,
            asked_for_less: false,
            scale: None,
            last_hook: 0,
            fired: BTreeSet::new(),
            asides: Vec::new(),
            ended: Vec::new(),
            of_before: BTreeSet::new(),
            starting,
            settings,
        }
    }

    /// The books.
    pub fn ledger(&self) -> &Ledger {
        &self.books.ledger
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        &self.settings.session
    }

    /// What was spent.
    pub fn meter(&mut self) -> &Meter {
        self.books.meter()
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        matches!(self.phase, Phase::Idle)
    }

    /// Takes one input and says what is to be done, in the order of the third law: cancel < append < act < emit.
    ///
    /// Total: every input is legal in every phase. News of an operation that is no longer current changes
    /// nothing, but for the result of a cancelled call, which becomes a note.
    pub fn step(&mut self, now: Millis, input: Input) -> Vec<Effect> {
        let mut out = Vec::new();
        let phase = std::mem::replace(&mut self.phase, Phase::Idle);
        self.phase = match input {
            Input::Intent(intent) => self.on_intent(now, phase, intent, &mut out),
            Input::Model(message, news) => match phase {
                Phase::AwaitingModel(awaiting) if awaiting.message == message => {
                    self.on_model(now, awaiting, news, &mut out)
                }
                Phase::Compacting(compacting) if compacting.message == message => {
                    self.on_summary(now, compacting, news, &mut out)
                }
                phase @ (Phase::Idle
                | Phase::AwaitingModel(_)
                | Phase::Dispatching(_)
                | Phase::BackingOff(_)
                | Phase::Compacting(_)
                | Phase::Consulting(_)
                | Phase::Discovering(_)) => phase,
            },
            Input::Prepared(call, found) => self.on_prepared(now, phase, call, &found, &mut out),
            Input::Tool(call, ToolNews::Ended(standing)) => {
                self.ended.push((call, standing));
                phase
            }
            Input::Tool(call, news) => self.on_tool(now, phase, call, news, &mut out),
            Input::Hooks(hook, answers) => self.on_hooks(now, phase, hook, &answers, &mut out),
            Input::Discovered(found) => self.on_discovered(now, phase, found, &mut out),
            Input::Timer(timer) => self.on_timer(now, phase, timer, &mut out),
            Input::Shutdown(Shutdown::Signal) => self.stop(now, phase, CutBy::User, &mut out),
            Input::Shutdown(Shutdown::Quit) => self.quit(now, phase, &mut out),
        };
        if self.is_idle() {
            self.take_the_chosen(now, &mut out);
        }
        self.write_ended(now);
        self.watch_the_clock(now, &mut out);
        out.extend(self.books.untold());
        ordered(out)
    }

    fn on_intent(&mut self, now: Millis, phase: Phase, intent: Intent, out: &mut Vec<Effect>) -> Phase {
        match intent {
            Intent::Submit(said) => self.submit(now, phase, said, out),
            Intent::Queue(said) => self.queue(now, phase, said, out),
            Intent::Pursue(goal, added) => self.pursue(now, phase, *goal, added, out),
            Intent::ResumeGoal(added) => self.resume_goal(now, phase, added, out),
            Intent::Compact => self.compact_by_hand(now, phase, out),
            Intent::Abort => self.stop(now, phase, CutBy::User, out),
            Intent::Decide { request, call, answer } => self.decide(now, phase, request, call, answer, out),
            Intent::Raise { limit, to } => self.raise(now, phase, limit, to, out),
            Intent::SetModel(spec) => {
                self.set_model(now, &phase, spec, out);
                phase
            }
            Intent::SetEffort(effort) => {
                self.set_effort(now, &phase, effort, out);
                phase
            }
            Intent::Restored(done) => {
                self.files_restored(now, done);
                phase
            }
            Intent::Revoke(call) => self.revoke(now, phase, call, out),
            Intent::TypeInto { call, typed } => {
                self.type_into(now, &phase, call, typed, out);
                phase
            }
            Intent::SetMode(mode) => {
                if mode != self.settings.policy.mode {
                    self.settings.policy.mode = mode;
                    self.news.push(format!("The permission mode is now {mode}."));
                    out.push(Effect::Emit(Live::ModeChanged(mode)));
                }
                phase
            }
        }
    }

    fn on_timer(&mut self, now: Millis, phase: Phase, timer: TimerId, out: &mut Vec<Effect>) -> Phase {
        if self.wall_timer == Some(timer) {
            self.wall_timer = None;
            return match self.books.meter().wall_left_ms(now) {
                Some(0) => self.stop(now, phase, CutBy::WallTime, out),
                Some(_) | None => phase,
            };
        }
        match phase {
            Phase::BackingOff(waiting) if waiting.timer == timer => self.retry(now, &waiting, out),
            phase @ (Phase::Idle
            | Phase::AwaitingModel(_)
            | Phase::Dispatching(_)
            | Phase::BackingOff(_)
            | Phase::Compacting(_)
            | Phase::Consulting(_)
            | Phase::Discovering(_)) => phase,
        }
    }

    /// Keeps one timer on the wall-time limit while the clock runs; none while a person is waited for.
    fn watch_the_clock(&mut self, now: Millis, out: &mut Vec<Effect>) {
        let meter = self.books.meter();
        let left = meter.wall_left_ms(now).filter(|_| meter.is_ticking());
        let busy = !self.is_idle();
        match (self.wall_timer, left) {
            (None, Some(left)) if busy => {
                let timer = self.mint_timer();
                self.wall_timer = Some(timer);
                out.push(Effect::SetTimer(timer, left));
            }
            (Some(timer), None) => self.stop_watching(timer, out),
            (Some(timer), Some(_)) if !busy => self.stop_watching(timer, out),
            (None | Some(_), _) => {}
        }
    }

    fn stop_watching(&mut self, timer: TimerId, out: &mut Vec<Effect>) {
        self.wall_timer = None;
        out.push(Effect::Cancel(Operation::Timer(timer)));
    }

    fn mint_timer(&mut self) -> TimerId {
        self.last_timer += 1;
        TimerId(self.last_timer)
    }
}
