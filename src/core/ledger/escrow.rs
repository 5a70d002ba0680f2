//! What a session sets aside for a sub-agent before it starts, or for a task of an agent elsewhere before it is sent, and what was spent
//! of it in the end.

use std::collections::BTreeMap;

use super::{CallId, Limit, MicroDollars, TaskState, Usage};

/// A reservation: nobody else of the session may spend it until it is settled. Written with the task, before the
/// sub-agent starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escrow {
    /// The call that hands the task over.
    pub call: CallId,
    /// The sub-agent's session; empty: an agent elsewhere is given the task, and has no session here.
    pub session: String,
    /// The most that it may spend of each limit, in the limit's own unit. A limit that is not there is none.
    pub limits: BTreeMap<Limit, u64>,
    /// How many tool calls it may run at once.
    pub parallel: u64,
    /// Whether the session goes on meanwhile, and is told later what came of it.
    pub in_background: bool,
    /// Whether it waits until another sub-agent is over, and has not started.
    pub waits: bool,
}

impl Escrow {
    /// Whether it is for a task of an agent elsewhere.
    pub fn is_elsewhere(&self) -> bool {
        self.session.is_empty()
    }

    /// Whether its session is the one that a session of this id starts for this call: `ID-c7`. A ledger that was written
    /// elsewhere can name any.
    pub fn is_of(&self, session: &str) -> bool {
        self.of_session() == Some(session)
    }

    /// The id of the session that started it, as its own id says; `None`: no session starts one of this id for this call.
    pub fn of_session(&self) -> Option<&str> {
        let above = self.session.strip_suffix(&self.call.to_string())?.strip_suffix('-')?;
        (!above.is_empty()).then_some(above)
    }

    /// Whether it is for a sub-agent that works while the run waits for it.
    pub fn takes_time(&self) -> bool {
        !self.in_background && !self.waits && !self.is_elsewhere()
    }
}

/// What a sub-agent has spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Model turns.
    pub turns: u64,
    /// Tool calls, without those that were refused because the reservation was used up.
    pub tool_calls: u64,
    /// Milliseconds, without the time spent waiting for people.
    pub wall_ms: u64,
    /// Tokens and cost.
    pub usage: Usage,
}

impl Spent {
    /// What was spent by both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            turns: self.turns.saturating_add(other.turns),
            tool_calls: self.tool_calls.saturating_add(other.tool_calls),
            wall_ms: self.wall_ms.max(other.wall_ms),
            usage: self.usage.plus(other.usage),
        }
    }

    /// All that was set aside: what is charged when nobody can say what was spent.
    pub fn all_of(escrow: &Escrow) -> Self {
        let most = |limit: Limit| escrow.limits.get(&limit).copied().unwrap_or(0);
        let cost = escrow.limits.get(&Limit::Cost).map(|micros| MicroDollars(*micros));
        let usage = Usage {
            input: most(Limit::InputTokens),
            output: most(Limit::OutputTokens),
            cost,
            ..Usage::default()
        };
        let wall_ms = most(Limit::WallTime).saturating_mul(1000);
        Self { turns: most(Limit::Turns), tool_calls: most(Limit::ToolCalls), wall_ms, usage }
    }
}

/// The end of a reservation: what was spent is charged, the rest is free again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EscrowSettlement {
    /// The call that handed the task over.
    pub call: CallId,
    /// What was spent.
    pub spent: Spent,
    /// Whether nobody knows what was spent, so that all that was set aside is charged.
    pub is_assumed: bool,
    /// How the task ended.
    pub state: TaskState,
    /// What the sub-agent answered, where no result of the call says it: it worked in the background, or was cut short.
    pub answer: Option<String>,
}

impl EscrowSettlement {
    /// Of a sub-agent that did not start: nothing was spent.
    pub fn not_started(call: CallId, state: TaskState, why: &str) -> Self {
        let answer = Some(format!("It was not started: {why}."));
        Self { call, spent: Spent::default(), is_assumed: false, state, answer }
    }

    /// Of a task of an agent elsewhere, which ended so. What such an agent spends is not known here, so all that was set aside is
    /// charged; of a task that was not sent, nothing.
    pub fn of_task(escrow: &Escrow, is_unsent: bool, state: TaskState) -> Self {
        match is_unsent {
            true => Self {
                spent: Spent::default(),
                is_assumed: false,
                state: TaskState::Rejected,
                ..Self::assumed(escrow)
            },
            false => Self { state, ..Self::assumed(escrow) },
        }
    }

    /// Of one whose process is gone, where its own ledger says nothing.
    pub fn of_the_dead(escrow: &Escrow) -> Self {
        if escrow.waits {
            let why = "the process ended while it waited for its turn";
            return Self::not_started(escrow.call, TaskState::Rejected, why);
        }
        Self::assumed(escrow)
    }

    /// Of a task for which another session is charged: nothing is known of it here, and nothing counts here.
    pub fn charged_elsewhere(escrow: &Escrow) -> Self {
        Self { spent: Spent::default(), is_assumed: false, ..Self::assumed(escrow) }
    }

    /// Of a sub-agent of which nothing is known.
    pub fn assumed(escrow: &Escrow) -> Self {
        let spent = Spent::all_of(escrow);
        Self { call: escrow.call, spent, is_assumed: true, state: TaskState::Unknown, answer: None }
    }
}
