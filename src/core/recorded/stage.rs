//! What a play holds while it goes on: the agent, and what it waits for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::agent::{Agent, Settings, TimerId};
use crate::hooks::HookCall;
use crate::ledger::{CallId, EntryId, Millis};
use crate::tool::Invocation;

use super::played::Played;
use super::{Answered, Cue, Outside, Tape};

/// Plays a tape.
pub struct Player<'o> {
    pub(super) outside: &'o mut dyn Outside,
    pub(super) settings: Settings,
    pub(super) agent: Agent,
    pub(super) tape: Tape,
    pub(super) cues: VecDeque<Cue>,
    pub(super) now: Millis,
    pub(super) model: Option<EntryId>,
    pub(super) model_has_spoken: bool,
    pub(super) looks: VecDeque<Invocation>,
    pub(super) tools: BTreeMap<CallId, (Invocation, Millis)>,
    /// The calls among them that are sub-agents.
    pub(super) subagents: BTreeSet<CallId>,
    pub(super) hooks: VecDeque<HookCall>,
    pub(super) timers: BTreeMap<TimerId, Millis>,
    pub(super) waiting: BTreeMap<CallId, EntryId>,
    pub(super) discovers: bool,
    /// What a model of today has answered.
    pub(super) live: Option<Answered>,
    pub(super) played: Played,
}
