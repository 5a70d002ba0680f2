//! Events on their way to a watcher: never drops an entry, joins deltas that wait, never blocks the loop.

use std::collections::VecDeque;

use tokio::sync::mpsc;

use crate::agent::{Event, Live};

/// A queue before a bounded channel.
pub(super) struct Outbox {
    waiting: VecDeque<Event>,
    to: mpsc::Sender<Event>,
}

/// The watcher is gone.
pub(super) struct Gone;

impl Outbox {
    pub(super) fn new(to: mpsc::Sender<Event>) -> Self {
        Self { waiting: VecDeque::new(), to }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Queues an event; a delta that follows its like is joined to it, a screen takes the place of the one before.
    pub(super) fn push(&mut self, event: Event) {
        let left = match self.waiting.back_mut() {
            Some(last) => join(last, event),
            None => Some(event),
        };
        self.waiting.extend(left);
    }

    /// Queues live news, if there is any.
    pub(super) fn push_live(&mut self, live: Option<Live>) {
        if let Some(live) = live {
            self.push(Event::Live(live));
        }
    }

    /// Hands over what the watcher has room for; waits for room first.
    pub(super) async fn deliver(&mut self) -> Result<(), Gone> {
        let Ok(first) = self.to.reserve().await else { return Err(Gone) };
        if let Some(event) = self.waiting.pop_front() {
            first.send(event);
        }
        while let Ok(room) = self.to.try_reserve() {
            let Some(event) = self.waiting.pop_front() else { break };
            room.send(event);
        }
        Ok(())
    }

    /// Hands over everything, or gives up when the watcher is gone.
    pub(super) async fn flush(&mut self) {
        while !self.is_empty() && self.deliver().await.is_ok() {}
    }
}

/// Joins `event` to `last` if it continues it; gives it back otherwise.
pub(super) fn join(last: &mut Event, event: Event) -> Option<Event> {
    match (last, event) {
        (
            Event::Live(Live::Text { message, text }),
            Event::Live(Live::Text { message: same, text: more }),
        )
        | (
            Event::Live(Live::Thinking { message, text }),
            Event::Live(Live::Thinking { message: same, text: more }),
        ) if *message == same => {
            text.push_str(&more);
            None
        }
        (
            Event::Live(Live::ToolOutput { call, chunk }),
            Event::Live(Live::ToolOutput { call: same, chunk: more }),
        ) if *call == same => {
            chunk.push_str(&more);
            None
        }
        (
            Event::Live(Live::Screen { call, screen }),
            Event::Live(Live::Screen { call: same, screen: newer }),
        ) if *call == same => {
            *screen = newer;
            None
        }
        (
            Event::Live(last @ Live::LedgerUnwritable { .. }),
            Event::Live(newer @ Live::LedgerUnwritable { .. }),
        ) => {
            *last = newer;
            None
        }
        (_, event) => Some(event),
    }
}
