//! What the loop owes to the store, and what waits until it is paid: entries that are not durable yet, in order, with the
//! effects and events that come after them.
//!
//! While the store fails nothing is lost and nothing acts: entries and effects wait here, and writing is tried again.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::agent::{Effect, Event, Live, Operation};
use crate::ledger::{Body, Entry, EntryId, UserMessage};

use super::outbox::join;
use super::ports::{StoreError, StorePort};

/// How long entries that are written may wait to be synced together with what a look at their calls leads to. A look
/// takes much less, unless it waits for something itself.
const LOOK: Duration = Duration::from_millis(5);
/// How long after a failure writing is tried again; doubled with each failure.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest such wait.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// Something that may not happen before the entries that were made earlier are durable.
pub(super) enum Held {
    /// Tell whoever watches.
    Tell(Event),
    /// Do this.
    Act(Effect),
}

/// The store, and everything that waits for it.
pub(super) struct Keeping {
    store: Box<dyn StorePort>,
    /// Entries that are not known to be durable, oldest first.
    owed: Vec<Arc<Entry>>,
    /// How many of them the store has taken.
    taken: usize,
    /// When they must be durable at the latest. `None` while nothing is owed, and while the store fails.
    due: Option<Instant>,
    trouble: Option<WriteTrouble>,
    held: VecDeque<Held>,
}

struct WriteTrouble {
    why: String,
    /// Whether it is worth trying again.
    may_pass: bool,
    wait: Duration,
    again: Instant,
    /// What the watcher was last told: how many entries wait.
    told: usize,
}

impl Keeping {
    pub(super) fn new(store: Box<dyn StorePort>) -> Self {
        Self { store, owed: Vec::new(), taken: 0, due: None, trouble: None, held: VecDeque::new() }
    }

    /// Whether something must wait for entries to be durable.
    pub(super) fn owes(&self) -> bool {
        !self.owed.is_empty()
    }

    /// Why nothing can be written at the moment; `None` when nothing is known to be wrong.
    pub(super) fn trouble(&self) -> Option<&str> {
        self.trouble.as_ref().map(|trouble| trouble.why.as_str())
    }

    /// Whether no waiting helps: what is owed will never be durable.
    pub(super) fn is_lost(&self) -> bool {
        self.trouble.as_ref().is_some_and(|trouble| !trouble.may_pass)
    }

    /// When [`Keeping::sync`] must be called at the latest, if it must.
    pub(super) fn next(&self) -> Option<Instant> {
        self.trouble.as_ref().map_or(self.due, |trouble| Some(trouble.again))
    }

    /// Writes entries without making them durable. While the store fails they only wait.
    pub(super) fn append(&mut self, entries: Vec<Arc<Entry>>) {
        if entries.is_empty() {
            return;
        }
        self.held.extend(entries.iter().map(|entry| Held::Tell(Event::Appended(Arc::clone(entry)))));
        self.owed.extend(entries);
        if self.trouble.is_none() {
            self.due.get_or_insert_with(|| Instant::now() + LOOK);
            let written = self.write();
            self.judge(written);
        }
    }

    /// Has something wait for the entries before it.
    pub(super) fn hold(&mut self, held: Held) {
        let left = match (self.held.back_mut(), held) {
            (Some(Held::Tell(last)), Held::Tell(event)) => join(last, event).map(Held::Tell),
            (_, held) => Some(held),
        };
        self.held.extend(left);
    }

    /// An operation was cancelled: if it had not begun it never will.
    pub(super) fn forget(&mut self, operation: Operation) {
        self.held.retain(|held| match held {
            Held::Act(effect) => operation_of(effect) != Some(operation),
            Held::Tell(_) => true,
        });
    }

    /// The model call that waits here, if one does.
    pub(super) fn held_model_call(&self) -> Option<EntryId> {
        self.held.iter().find_map(|held| match held {
            Held::Act(Effect::CallModel(message, _)) => Some(*message),
            Held::Act(_) | Held::Tell(_) => None,
        })
    }

    /// Makes durable what is owed, what was never taken included, and hands out what waited for it: nothing when the
    /// store fails.
    pub(super) fn sync(&mut self) -> VecDeque<Held> {
        if self.owes() {
            let kept = self.write().and_then(|()| self.store.sync());
            self.judge(kept);
            if self.trouble.is_some() {
                return VecDeque::new();
            }
            self.owed.clear();
            (self.taken, self.due) = (0, None);
        }
        std::mem::take(&mut self.held)
    }

    /// What the watcher must hear of the store's trouble, if that is news.
    pub(super) fn news(&mut self) -> Option<Live> {
        let entries = self.owed.len();
        let trouble = self.trouble.as_mut().filter(|trouble| trouble.told != entries)?;
        trouble.told = entries;
        let said = self.owed.iter().filter_map(|entry| match &entry.body {
            Body::User(message) => Some(UserMessage::clone(message)),
            _ => None,
        });
        Some(Live::LedgerUnwritable { why: trouble.why.clone(), entries, said: said.collect() })
    }

    /// The entries that were never made durable, for the last words.
    pub(super) fn unwritten(self) -> Vec<Arc<Entry>> {
        self.owed
    }

    fn write(&mut self) -> Result<(), StoreError> {
        let new = self.owed.get(self.taken..).unwrap_or_default();
        if !new.is_empty() {
            self.store.append(new)?;
            self.taken = self.owed.len();
        }
        Ok(())
    }

    /// After a failure the store holds nothing that was not durable before: all of it is to be written again.
    fn judge(&mut self, done: Result<(), StoreError>) {
        match done {
            Ok(()) => self.trouble = None,
            Err(fault) => {
                let (why, may_pass) = (fault.to_string(), fault.may_pass());
                (self.taken, self.due) = (0, None);
                let earlier = self.trouble.take();
                let wait = earlier.as_ref().map_or(FIRST_WAIT, |t| (t.wait * 2).min(LONGEST_WAIT));
                let told = earlier.filter(|t| t.why == why).map_or(0, |t| t.told);
                self.trouble = Some(WriteTrouble { why, may_pass, wait, again: Instant::now() + wait, told });
            }
        }
    }
}

/// What cancelling would end.
fn operation_of(effect: &Effect) -> Option<Operation> {
    Some(match effect {
        Effect::CallModel(message, _) => Operation::Model(*message),
        Effect::Prepare(invocation) => Operation::Preparation(invocation.call),
        Effect::RunTool(invocation) => Operation::Tool(invocation.call),
        Effect::TypeInto(call, _) => Operation::Tool(*call),
        // Nothing of it was begun: its report would never come, so it starts and is stopped.
        Effect::StartSubagent(_) | Effect::TellSubagent(..) => return None,
        // Nothing cancels it: it goes on without its call.
        Effect::StopBackground(..) => return None,
        Effect::DiscoverTools => Operation::Discovery,
        Effect::RunHooks(call) => Operation::Hooks(call.id),
        Effect::SetTimer(timer, _) => Operation::Timer(*timer),
        Effect::Cancel(_) | Effect::Append(_) | Effect::Emit(_) => return None,
    })
}
