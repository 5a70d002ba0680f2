//! Seeded faults: each turns the loop's effects, or the news it hears, into those of a loop with one bug.

use countersign::agent::{Effect, Input, Intent};
use countersign::ledger::{Abort, AbortPath, Body, Change, Entry, EntryId, Outcome};

use crate::bounds::Bounds;
use crate::gaps::all_found;

/// One bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutant {
    None,
    /// On path B nothing is settled.
    PathBSettlesNothing,
    /// On path C running calls get no result.
    PathCForgetsRunning,
    /// News of a cancelled stream is taken for news of the current one.
    StaleStreamIsHeard,
    /// A failed tool gets two results.
    DoubleResult,
    /// A failed attempt is not withdrawn.
    RetryKeepsPartial,
    /// Acts come before the entries that explain them.
    ActBeforeAppend,
    /// Esc leaves operations running.
    NothingIsCancelled,
    /// A run ends without saying so.
    EndIsNotWritten,
    /// A tool runs without a recorded decision.
    DecisionIsNotWritten,
    /// The results of a message are written in another order than its calls.
    ResultsOutOfOrder,
    /// A task goes to another agent, and the books do not say so.
    TaskIsNotWritten,
    /// What came of it is not written.
    TaskHasNoEnd,
    /// Nothing is set aside for a sub-agent.
    NothingIsSetAside,
    /// What a sub-agent has spent is not charged.
    NothingIsCharged,
    /// Who accepts what one question names accepts what all of them name.
    GapsOfOthersAreAccepted,
    /// Who accepts what they have read accepts whatever the questions name by now.
    UnreadGapsAreAccepted,
    /// A request that is stopped before anything of its answer came counts nothing.
    UnheardIsNotCounted,
    /// A decision about a call of a sub-agent is taken for one about the session's own.
    DecisionsStayAbove,
}

impl Mutant {
    pub const ALL: [Self; 18] = [
        Self::PathBSettlesNothing,
        Self::PathCForgetsRunning,
        Self::StaleStreamIsHeard,
        Self::DoubleResult,
        Self::RetryKeepsPartial,
        Self::ActBeforeAppend,
        Self::NothingIsCancelled,
        Self::EndIsNotWritten,
        Self::DecisionIsNotWritten,
        Self::ResultsOutOfOrder,
        Self::TaskIsNotWritten,
        Self::TaskHasNoEnd,
        Self::NothingIsSetAside,
        Self::NothingIsCharged,
        Self::GapsOfOthersAreAccepted,
        Self::UnreadGapsAreAccepted,
        Self::DecisionsStayAbove,
        Self::UnheardIsNotCounted,
    ];

    /// A world in which it shows.
    pub fn bounds(self) -> Bounds {
        match self {
            Self::TaskIsNotWritten | Self::TaskHasNoEnd => Bounds::DELEGATING,
            Self::NothingIsSetAside | Self::NothingIsCharged | Self::DecisionsStayAbove => Bounds::SUBAGENTS,
            Self::GapsOfOthersAreAccepted | Self::UnreadGapsAreAccepted => Bounds::GAPPED,
            _ => Bounds::SMALL,
        }
    }

    /// What a loop with this bug would have heard.
    pub fn hear(self, input: Input, current: Option<EntryId>) -> Input {
        match (self, input, current) {
            (Self::StaleStreamIsHeard, Input::Model(_, news), Some(current)) => Input::Model(current, news),
            (Self::GapsOfOthersAreAccepted, Input::Intent(Intent::AcceptGaps { .. }), _) => {
                Input::Intent(Intent::AcceptGaps { call: None, gaps: all_found() })
            }
            (Self::UnreadGapsAreAccepted, Input::Intent(Intent::AcceptGaps { call, .. }), _) => {
                Input::Intent(Intent::AcceptGaps { call, gaps: all_found() })
            }
            (Self::DecisionsStayAbove, Input::Intent(Intent::Subagent { intent, .. }), _) => {
                Input::Intent(*intent)
            }
            (_, input, _) => input,
        }
    }

    /// What a loop with this bug would have asked for.
    pub fn act(self, mut effects: Vec<Effect>) -> Vec<Effect> {
        match self {
            Self::None
            | Self::StaleStreamIsHeard
            | Self::GapsOfOthersAreAccepted
            | Self::UnreadGapsAreAccepted
            | Self::DecisionsStayAbove => effects,
            Self::PathBSettlesNothing => {
                without(effects, |b| aborted(b).is_some_and(|a| a.path == AbortPath::B))
            }
            Self::PathCForgetsRunning => without(effects, |b| aborted(b).is_some_and(|a| a.ran_ms.is_some())),
            Self::RetryKeepsPartial => without(effects, |b| matches!(b, Body::Tombstone(_))),
            Self::EndIsNotWritten => without(effects, |b| matches!(b, Body::TurnEnded(_))),
            Self::DecisionIsNotWritten => {
                without(effects, |b| matches!(b, Body::ApprovalDecided(d) if d.allow))
            }
            Self::TaskIsNotWritten => without(effects, |b| matches!(b, Body::DelegationRequested(_))),
            Self::TaskHasNoEnd => without(effects, |b| matches!(b, Body::DelegationAnswered(_))),
            Self::NothingIsSetAside => {
                without(effects, |b| matches!(b, Body::Change(Change::EscrowReserved(_))))
            }
            Self::NothingIsCharged => {
                without(effects, |b| matches!(b, Body::Change(Change::EscrowSettled(_))))
            }
            Self::UnheardIsNotCounted => {
                without(effects, |b| matches!(b, Body::Assistant(said) if said.is_unheard()))
            }
            Self::NothingIsCancelled => {
                effects.retain(|e| !matches!(e, Effect::Cancel(_)));
                effects
            }
            Self::ActBeforeAppend => {
                effects.sort_by_key(|e| matches!(e, Effect::Append(_)));
                effects
            }
            Self::DoubleResult => {
                let twice = effects.iter().find_map(|e| match e {
                    Effect::Append(entry) if failed(&entry.body) => Some(again(entry)),
                    _ => None,
                });
                let at = effects.iter().rposition(|e| matches!(e, Effect::Append(_))).map_or(0, |at| at + 1);
                effects.splice(at..at, twice);
                effects
            }
            Self::ResultsOutOfOrder => {
                let results: Vec<usize> = (0..effects.len()).filter(|at| is_result(&effects[*at])).collect();
                if let [first, .., last] = results[..] {
                    effects.swap(first, last);
                }
                effects
            }
        }
    }
}

fn again(entry: &Entry) -> Effect {
    Effect::Append(Entry { id: EntryId(entry.id.0 + 100_000), ..entry.clone() }.into())
}

fn is_result(effect: &Effect) -> bool {
    matches!(effect, Effect::Append(entry) if matches!(entry.body, Body::ToolResult(_)))
}

fn failed(body: &Body) -> bool {
    matches!(body, Body::ToolResult(r) if r.outcome == Outcome::Failed)
}

fn aborted(body: &Body) -> Option<Abort> {
    match body {
        Body::ToolResult(r) => match r.outcome {
            Outcome::Aborted(abort) => Some(abort),
            _ => None,
        },
        _ => None,
    }
}

fn without(effects: Vec<Effect>, lost: impl Fn(&Body) -> bool) -> Vec<Effect> {
    effects.into_iter().filter(|e| !matches!(e, Effect::Append(entry) if lost(&entry.body))).collect()
}
