//! The background loop task: inputs in, [`Agent::step`], effects out. One of the program's two `select!`s.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use crate::agent::{Agent, Effect, Event, Input, Intent, Shutdown};
use crate::ledger::Millis;

use super::clock::Clock;
use super::operations::Operations;
use super::outbox::Outbox;
use super::ports::{HookPort, ModelPort, StorePort, ToolPort};
use super::spans::Spans;

/// What the driver is plugged into.
pub struct Ports {
    /// Speaks to models.
    pub model: Box<dyn ModelPort>,
    /// Runs tools.
    pub tools: Box<dyn ToolPort>,
    /// Runs hooks.
    pub hooks: Box<dyn HookPort>,
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
    /// How the process is about to end.
    pub shutdown: mpsc::Sender<Shutdown>,
    /// What happens, durable entries in ledger order.
    pub events: mpsc::Receiver<Event>,
    /// The clock of the entries; what is shown beside them goes by it too.
    pub clock: Clock,
}

/// How the loop ended, if not well.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// The books cannot be written: nothing may act any more.
    #[error("{0}")]
    Store(String),
}

/// Events that may wait for a slow watcher before deltas are joined.
const EVENTS_WAITING: usize = 256;
/// Inputs of operations that may wait.
const INPUTS_WAITING: usize = 256;

/// How long entries that are written may wait to be synced together with what a look at their calls leads to. A look
/// takes much less, unless it waits for something itself.
const LOOK: Duration = Duration::from_millis(5);

/// The loop, ready to run.
pub struct Driver {
    agent: Agent,
    store: Box<dyn StorePort>,
    operations: Operations,
    outbox: Outbox,
    /// Entries are written that are not known to be durable; when they must be at the latest. Nobody is told of them yet.
    owed: Option<Instant>,
    clock: Clock,
    spans: Spans,
    intents: mpsc::Receiver<Intent>,
    abort: mpsc::Receiver<()>,
    shutdown: mpsc::Receiver<Shutdown>,
    inputs: mpsc::Receiver<Input>,
}

impl Driver {
    /// Connects an agent to its ports and makes the channels of its front end.
    pub fn new(agent: Agent, ports: Ports) -> (Self, Handles) {
        let (intents_to, intents) = mpsc::channel(16);
        let (abort_to, abort) = mpsc::channel(4);
        let (shutdown_to, shutdown) = mpsc::channel(4);
        let (events_to, events) = mpsc::channel(EVENTS_WAITING);
        let (inputs_to, inputs) = mpsc::channel(INPUTS_WAITING);
        let clock = Clock::start(agent.ledger().entries().last().map_or(Millis(0), |entry| entry.at));
        let spans = Spans::of(&agent);
        let driver = Self {
            agent,
            store: ports.store,
            operations: Operations::new(ports.model, ports.tools, ports.hooks, inputs_to),
            outbox: Outbox::new(events_to),
            owed: None,
            clock,
            spans,
            intents,
            abort,
            shutdown,
            inputs,
        };
        (driver, Handles { intents: intents_to, abort: abort_to, shutdown: shutdown_to, events, clock })
    }

    /// Runs until the front end is gone or a shutdown is asked for. `first` are the effects of a resumed session.
    ///
    /// # Errors
    /// [`DriverError::Store`] when entries cannot be made durable: everything under way is cancelled at once.
    pub async fn run(mut self, first: Vec<Effect>) -> Result<(), DriverError> {
        self.perform(first)?;
        loop {
            // Esc has the right of way: no queue of deltas stands before it.
            let input = tokio::select! {
                biased;
                Some(how) = self.shutdown.recv() => Input::Shutdown(how),
                Some(()) = self.abort.recv() => Input::Intent(Intent::Abort),
                intent = self.intents.recv() => intent.map_or(Input::Shutdown(Shutdown::Signal), Input::Intent),
                delivered = self.outbox.deliver(), if self.owed.is_none() && !self.outbox.is_empty() => match delivered {
                    Ok(()) => continue,
                    Err(_watcher_is_gone) => Input::Shutdown(Shutdown::Signal),
                },
                () = sleep_until(self.owed.unwrap_or_else(Instant::now)), if self.owed.is_some() => {
                    self.sync()?;
                    continue;
                }
                Some(input) = self.inputs.recv() => input,
            };
            let is_last = matches!(input, Input::Shutdown(_));
            let effects = self.agent.step(self.clock.now(), input);
            self.perform(effects)?;
            if is_last {
                self.sync()?;
                self.operations.end().await;
                self.outbox.flush().await;
                return Ok(());
            }
        }
    }

    /// Performs the effects of one step in their order: cancel, append (one write, one sync), act, emit. A look changes
    /// nothing, so entries that only looks follow are synced with what comes of them.
    fn perform(&mut self, effects: Vec<Effect>) -> Result<(), DriverError> {
        let mut entries = Vec::new();
        let mut rest = Vec::new();
        for effect in effects {
            match effect {
                Effect::Cancel(operation) => self.operations.cancel(operation),
                Effect::Append(entry) => entries.push(entry),
                later => rest.push(later),
            }
        }
        let wrote = !entries.is_empty();
        if wrote {
            self.owed.get_or_insert_with(|| Instant::now() + LOOK);
            let written = self.store.append(&entries);
            self.kept(written)?;
            for entry in entries {
                self.spans.entry(&entry);
                self.outbox.push(Event::Appended(entry));
            }
        }
        let looks = rest.iter().any(|effect| matches!(effect, Effect::Prepare(_)));
        let is_harmless = rest.iter().all(|e| matches!(e, Effect::Prepare(_) | Effect::Emit(_)));
        if !is_harmless || (wrote && !looks) {
            self.sync()?;
        }
        for effect in rest {
            match effect {
                Effect::Emit(live) => self.outbox.push(Event::Live(live)),
                act => {
                    let span = self.spans.operation(&act);
                    self.operations.start(act, span);
                }
            }
        }
        Ok(())
    }

    /// Makes durable what was written, if anything is owed.
    fn sync(&mut self) -> Result<(), DriverError> {
        if self.owed.take().is_none() {
            return Ok(());
        }
        let synced = self.store.sync();
        self.kept(synced)
    }

    /// Without books nothing may act: everything under way ends.
    fn kept(&mut self, done: Result<(), String>) -> Result<(), DriverError> {
        done.map_err(|why| {
            self.operations.cancel_all();
            DriverError::Store(why)
        })
    }
}
