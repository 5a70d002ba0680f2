//! The timeline: why the model was called, what each call took and cost, and how the runs ended.

use crate::ledger::{Body, EntryId, Millis, Transition, Usage};

use super::Row;

/// One step of the loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// The entry that tells of it.
    pub entry: EntryId,
    /// When.
    pub at: Millis,
    /// What.
    pub kind: MomentKind,
}

/// What a step is.
#[derive(Debug, Clone, PartialEq)]
pub enum MomentKind {
    /// The model was called.
    Called(Call),
    /// A summary took the place of what was before: trigger, tokens before and after.
    Compacted(&'static str, u64, u64),
    /// The run ended: the reason, its turns, its time without waiting for people, in milliseconds.
    Ended(&'static str, u32, u64),
}

/// A call of the model and what followed until the next step.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Number in its run, from 1.
    pub turn: u32,
    /// Why it was made.
    pub reason: Transition,
    /// Who answered; empty while nobody has.
    pub model: String,
    /// What the answer cost.
    pub usage: Usage,
    /// Milliseconds until the answer stood.
    pub model_ms: u64,
    /// Tool calls of the answer.
    pub tools: u32,
    /// Milliseconds from the answer to the last result.
    pub tools_ms: u64,
}

/// The steps so far; reads each row once.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    moments: Vec<Moment>,
    read: usize,
    slowest: u64,
    answered: Option<Millis>,
}

impl Timeline {
    /// Takes in the rows that are new.
    pub fn read(&mut self, rows: &[Row]) {
        for row in rows.iter().skip(self.read) {
            self.take(row);
        }
        self.read = rows.len();
    }

    /// The steps, oldest first.
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// The longest that a step took, in milliseconds.
    pub fn slowest(&self) -> u64 {
        self.slowest
    }

    fn take(&mut self, row: &Row) {
        let (entry, at) = (row.entry.id, row.entry.at);
        match &row.entry.body {
            Body::Transition { turn, reason } => {
                self.answered = None;
                let call = Call {
                    turn: *turn,
                    reason: *reason,
                    model: String::new(),
                    usage: Usage::default(),
                    model_ms: 0,
                    tools: 0,
                    tools_ms: 0,
                };
                self.moments.push(Moment { entry, at, kind: MomentKind::Called(call) });
            }
            Body::Assistant(said) => {
                self.answered = Some(at);
                self.last(|call, began| {
                    call.model = said.model.to_string();
                    call.usage = said.usage;
                    call.model_ms = at.since(began);
                });
            }
            Body::ToolCall(_) => self.last(|call, _| call.tools += 1),
            Body::ToolResult(_) => {
                let answered = self.answered;
                self.last(|call, _| call.tools_ms = answered.map_or(0, |since| at.since(since)));
            }
            Body::Compaction(made) => {
                let kind =
                    MomentKind::Compacted(made.trigger.as_str(), made.tokens_before, made.tokens_after);
                self.moments.push(Moment { entry, at, kind });
            }
            Body::TurnEnded(ended) => {
                self.answered = None;
                let kind = MomentKind::Ended(ended.reason.as_str(), ended.turns, ended.wall_ms);
                self.moments.push(Moment { entry, at, kind });
            }
            _ => {}
        }
    }

    /// Changes the call that was made last, if no end or summary came after it.
    fn last(&mut self, change: impl FnOnce(&mut Call, Millis)) {
        if let Some(Moment { at, kind: MomentKind::Called(call), .. }) = self.moments.last_mut() {
            change(call, *at);
            self.slowest = self.slowest.max(call.model_ms + call.tools_ms);
        }
    }
}
