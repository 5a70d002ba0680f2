//! The background loop task: inputs in, [`Agent::step`], effects out. One of the program's two `select!`s.

use std::future::ready;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::select;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use crate::agent::{Agent, Effect, Event, Input, Intent, Live, Shutdown};
use crate::ledger::{Body, CutBy, Entry, Millis, Outcome};

use super::clock::Clock;
use super::operations::Operations;
use super::outbox::Outbox;
use super::pending_writes::{Held, Keeping};
use super::ports::{HookPort, ModelPort, StorePort, SubagentPort, ToolPort};
use super::spans::Spans;

/// What the driver is plugged into.
pub struct Ports {
    /// Speaks to models.
    pub model: Box<dyn ModelPort>,
    /// Runs tools.
    pub tools: Box<dyn ToolPort>,
    /// Runs hooks.
    pub hooks: Box<dyn HookPort>,
    /// Runs sub-agents.
    pub subagents: Box<dyn SubagentPort>,
    /// Keeps the books.
    pub store: Box<dyn StorePort>,
}

/// The ends of the channels that a front end holds. Dropping `intents` or `events` shuts the loop down: whatever
/// runs is aborted and settled first.
pub struct Handles {
    /// What the person wants.
    pub intents: mpsc::Sender<Intent>,
    /// Esc: a channel of its own, read before everything else.
    pub abort: mpsc::Sender<()>,
    /// How whoever started this session stops it, if that is no person: it goes by the same right of way.
    pub cut: mpsc::Sender<CutBy>,
    /// How the process is about to end.
    pub shutdown: mpsc::Sender<Shutdown>,
    /// What happens, durable entries in ledger order.
    pub events: mpsc::Receiver<Event>,
    /// The clock of the entries; what is shown beside them goes by it too.
    pub clock: Clock,
}

/// How the loop ended, if not well.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DriverError {
    /// The loop ended while the books could not be written: what it had still to record is lost.
    #[error("{why}")]
    Store {
        /// A sentence.
        why: String,
        /// The entries that no file keeps, oldest first.
        unwritten: Vec<Arc<Entry>>,
    },
}

/// How long hooks that nobody waits for may still run when a run has come to its end, and when a person leaves.
const WITH_HOOKS_AT_THE_END: Duration = Duration::from_secs(5);
const WITH_HOOKS_AT_QUIT: Duration = Duration::from_secs(2);
/// Events that may wait for a slow watcher before deltas are joined.
const EVENTS_WAITING: usize = 256;
/// Inputs of operations that may wait.
const INPUTS_WAITING: usize = 256;

/// The loop, ready to run.
pub struct Driver {
    agent: Agent,
    books: Keeping,
    operations: Operations,
    outbox: Outbox,
    clock: Clock,
    spans: Spans,
    intents: mpsc::Receiver<Intent>,
    abort: mpsc::Receiver<()>,
    cut: mpsc::Receiver<CutBy>,
    shutdown: mpsc::Receiver<Shutdown>,
    inputs: mpsc::Receiver<Input>,
}

impl Driver {
    /// Connects an agent to its ports and makes the channels of its front end.
    pub fn new(agent: Agent, ports: Ports) -> (Self, Handles) {
        let (intents_to, intents) = mpsc::channel(16);
        let (abort_to, abort) = mpsc::channel(4);
        let (cut_to, cut) = mpsc::channel(4);
        let (shutdown_to, shutdown) = mpsc::channel(4);
        let (events_to, events) = mpsc::channel(EVENTS_WAITING);
        let (inputs_to, inputs) = mpsc::channel(INPUTS_WAITING);
        let clock = Clock::start(agent.ledger().entries().last().map_or(Millis(0), |entry| entry.at));
        let spans = Spans::of(&agent);
        let driver = Self {
            agent,
            books: Keeping::new(ports.store),
            operations: Operations::new(ports.model, ports.tools, ports.hooks, ports.subagents, inputs_to),
            outbox: Outbox::new(events_to),
            clock: clock.clone(),
            spans,
            intents,
            abort,
            cut,
            shutdown,
            inputs,
        };
        let (intents, abort, cut, shutdown) = (intents_to, abort_to, cut_to, shutdown_to);
        (driver, Handles { intents, abort, cut, shutdown, events, clock })
    }

    /// Runs until the front end is gone or a shutdown is asked for. `first` are the effects of a resumed session.
    ///
    /// Books that cannot be written end nothing: no effect is performed and no entry is told until they can be again.
    /// Esc and the shutdown work meanwhile, and whoever wishes anything else is told why not. Only where waiting cannot help (something
    /// else has the name of their file), the loop ends at once.
    ///
    /// # Errors
    /// [`DriverError::Store`] when the loop ended before its last entries could be made durable.
    pub async fn run(mut self, first: Vec<Effect>) -> Result<(), DriverError> {
        self.perform(first);
        let mut is_watched = true;
        loop {
            let next = self.books.next();
            // Esc has the right of way: no queue of deltas stands before it.
            let input = tokio::select! {
                biased;
                Some(how) = self.shutdown.recv() => Input::Shutdown(how),
                Some(()) = self.abort.recv() => Input::Intent(Intent::Abort),
                Some(by) = self.cut.recv() => Input::Cut(by),
                // Nothing would ever be done any more: it ends as by a signal, and says why.
                () = ready(()), if self.books.is_lost() => Input::Shutdown(Shutdown::Signal),
                intent = self.intents.recv() => intent.map_or(Input::Shutdown(Shutdown::Signal), Input::Intent),
                delivered = self.outbox.deliver(), if !self.outbox.is_empty() => match delivered {
                    Ok(()) => continue,
                    Err(_watcher_is_gone) => {
                        is_watched = false;
                        Input::Shutdown(Shutdown::Signal)
                    }
                },
                () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => {
                    self.sync();
                    continue;
                }
                Some(input) = self.inputs.recv() => input,
            };
            let Some(input) = self.admitted(input) else { continue };
            let is_last = matches!(input, Input::Shutdown(_));
            let patience = match &input {
                Input::Shutdown(Shutdown::Quit) => WITH_HOOKS_AT_QUIT,
                // Nobody watches or wishes anything any more: the run has come to its end. Which of both is noticed first is chance.
                Input::Shutdown(Shutdown::Signal) if !is_watched || self.intents.is_closed() => {
                    WITH_HOOKS_AT_THE_END
                }
                _ => Duration::ZERO,
            };
            self.step(input);
            if is_last {
                self.return_unread();
                self.let_subagents_settle().await;
                self.sync();
                self.part_with_hooks(patience).await;
                self.operations.end().await;
                self.outbox.flush().await;
                return match self.books.trouble().map(str::to_owned) {
                    Some(why) => Err(DriverError::Store { why, unwritten: self.books.unwritten() }),
                    None => Ok(()),
                };
            }
        }
    }

    /// Words that nobody has read when the end comes go back to who wrote them.
    fn return_unread(&mut self) {
        while let Ok(intent) = self.intents.try_recv() {
            self.outbox.push_live(intent.given_back());
        }
    }

    /// A run whose sub-agents still settle is not over yet. The loop bounds how long that takes; another signal ends it at once.
    async fn let_subagents_settle(&mut self) {
        while !self.agent.is_idle() && self.agent.is_stopping() {
            let input = tokio::select! {
                biased;
                Some(how) = self.shutdown.recv() => Input::Shutdown(how),
                Some(input) = self.inputs.recv() => input,
                else => return,
            };
            self.step(input);
        }
    }

    fn step(&mut self, input: Input) {
        // While a run works, its time is counted, and a machine that sleeps must not use it up.
        if !self.agent.meter().is_ticking() {
            self.clock.catch_up();
        }
        self.agent.has_not_sent(self.books.held_model_call());
        let effects = self.agent.step(self.clock.now(), input);
        self.perform(effects);
    }

    /// Hooks that were told and not waited for may end, for a bounded time, or until a signal comes.
    async fn part_with_hooks(&mut self, patience: Duration) {
        let Self { operations, shutdown, .. } = self;
        let ended = pin!(timeout(patience, operations.let_hooks_end()));
        select(ended, pin!(shutdown.recv())).await;
    }

    /// What may be taken in at the moment. While the books cannot be written, somebody's wish is a reason to try at
    /// once; if that fails, what would need a record is refused, and words go back to who wrote them.
    fn admitted(&mut self, input: Input) -> Option<Input> {
        let Input::Intent(intent) = input else { return Some(input) };
        if self.books.trouble().is_none() || !needs_a_record(&intent) {
            return Some(Input::Intent(intent));
        }
        self.sync();
        let Some(why) = self.books.trouble() else { return Some(Input::Intent(intent)) };
        let refusal = Live::Refused(format!("paused until it can be recorded: {why}"));
        self.outbox.push_live(intent.undecided());
        self.outbox.push_live(intent.given_back());
        self.outbox.push_live(Some(refusal));
        None
    }

    /// Performs the effects of one step in their order: cancel, append (one write, one sync), act, emit. A look changes
    /// nothing, so entries that only looks follow are synced with what comes of them.
    fn perform(&mut self, effects: Vec<Effect>) {
        let mut entries = Vec::new();
        let mut rest = Vec::new();
        for effect in effects {
            match effect {
                Effect::Cancel(operation) => {
                    self.operations.cancel(operation);
                    self.books.forget(operation);
                }
                Effect::Append(entry) => entries.push(entry),
                later => rest.push(later),
            }
        }
        let wrote = !entries.is_empty();
        self.books.append(entries);
        let looks = rest.iter().any(|effect| matches!(effect, Effect::Prepare(_)));
        let is_harmless = rest.iter().all(|e| matches!(e, Effect::Prepare(_) | Effect::Emit(_)));
        let is_shut = self.books.trouble().is_some();
        for effect in rest {
            let may_go = !self.books.owes()
                || match &effect {
                    Effect::Prepare(_) => is_harmless && !is_shut,
                    // Time passes whatever the books do, and nothing is done by it.
                    Effect::SetTimer(..) => is_shut,
                    Effect::Emit(live) => is_shut && needs_no_entry(live),
                    _ => false,
                };
            match (effect, may_go) {
                (Effect::Emit(live), true) => self.outbox.push(Event::Live(live)),
                (act, true) => self.start(act),
                (Effect::Emit(live), false) => self.books.hold(Held::Tell(Event::Live(live))),
                (act, false) => {
                    if !is_shut {
                        self.operations.foresee(&act);
                    }
                    self.books.hold(Held::Act(act));
                }
            }
        }
        if !is_shut && (!is_harmless || (wrote && !looks)) {
            self.sync();
        }
        self.outbox.push_live(self.books.news());
    }

    fn start(&mut self, effect: Effect) {
        let span = self.spans.operation(&effect);
        self.operations.start(effect, span);
    }

    fn tell(&mut self, event: Event) {
        if let Event::Appended(entry) = &event {
            self.spans.entry(entry);
            if let Body::ToolResult(result) = &entry.body {
                self.operations.over(result.call);
            }
            if loses_context(&entry.body) {
                self.operations.context_lost();
            }
        }
        self.outbox.push(event);
    }

    /// Makes durable what was written, if anything is owed; then what waited for it happens.
    fn sync(&mut self) {
        let was_shut = self.books.trouble().is_some();
        for held in self.books.sync() {
            match held {
                Held::Tell(event) => self.tell(event),
                Held::Act(effect) => self.start(effect),
            }
        }
        let is_open = self.books.trouble().is_none();
        self.outbox.push_live((was_shut && is_open).then_some(Live::LedgerWritable));
        self.outbox.push_live(self.books.news());
    }
}

/// Whether this would make entries, or have consequences. Esc does make some, and must always work.
fn needs_a_record(intent: &Intent) -> bool {
    match intent {
        Intent::Submit(_)
        | Intent::Queue(_)
        | Intent::Pursue(..)
        | Intent::ResumeGoal(_)
        | Intent::Compact
        | Intent::Decide { .. }
        | Intent::Raise { .. }
        | Intent::AcceptPrice { .. }
        | Intent::SetModel(_)
        | Intent::SetEffort(_)
        | Intent::Revoke(_)
        | Intent::Command(_)
        | Intent::Race(_)
        | Intent::Adopt(_)
        | Intent::Rewind { .. }
        | Intent::Rename(_)
        | Intent::OpenHost(_)
        | Intent::CloseHost(_)
        | Intent::AcceptGaps { .. }
        | Intent::RefuseGaps
        | Intent::StopBackground(_)
        | Intent::Subagent { .. }
        | Intent::TypeInto { .. } => true,
        Intent::Typed { intent, .. } => needs_a_record(intent),
        // What was restored has happened already.
        Intent::Abort | Intent::Restored(_) | Intent::SetMode(_) => false,
    }
}

/// Whether a model may not see all that it saw before this entry.
fn loses_context(body: &Body) -> bool {
    match body {
        Body::Compaction(_) | Body::Tombstone(_) => true,
        Body::ToolResult(result) => matches!(result.outcome, Outcome::Aborted(_)),
        _ => false,
    }
}

/// Whether this says nothing of any entry, so that it can be told while entries wait.
fn needs_no_entry(live: &Live) -> bool {
    matches!(
        live,
        Live::Refused(_)
            | Live::Undecided(_)
            | Live::Returned(_)
            | Live::ReturnedLine(_)
            | Live::ModeChanged(_)
            | Live::Waiting { .. }
    )
}
