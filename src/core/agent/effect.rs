//! What the loop wants done. The driver does it and reports back as an [`super::Input`].

use std::sync::Arc;

use crate::hooks::{HookCall, HookId};
use crate::ledger::{CallId, CutBy, Entry, EntryId};
use crate::model::Request;
use crate::tool::{Invocation, Typed};

use super::{Intent, Live, SubagentStart, TimerId};

/// One effect. A step hands them out in this order: cancel < append < act < emit.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Stop this operation; its late news will be ignored.
    Cancel(Operation),
    /// Write this entry. All entries of one step are written and synced together, before anything acts.
    Append(Arc<Entry>),
    /// Call a model; the answer will be the entry of this id.
    CallModel(EntryId, Box<Request>),
    /// Look at what a call would do: resolve its paths, show its diff. Changes nothing.
    Prepare(Invocation),
    /// Run a tool.
    RunTool(Invocation),
    /// Start a sub-agent.
    StartSubagent(Box<SubagentStart>),
    /// Pass on what a person wants of the sub-agent that this call started.
    TellSubagent(CallId, Box<Intent>),
    /// Pass on what a person has typed into the terminal of a running call.
    TypeInto(CallId, Typed),
    /// End a command that goes on in the background, by its id; this call began it.
    StopBackground(CallId, String),
    /// Ask for the tools that come from elsewhere. Asked once a process, and never cancelled: it serves all runs.
    DiscoverTools,
    /// Run the hooks that listen to this.
    RunHooks(HookCall),
    /// Fire after this many milliseconds.
    SetTimer(TimerId, u64),
    /// Tell whoever watches.
    Emit(Live),
}

/// Names an operation that can be cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// A model call.
    Model(EntryId),
    /// A look at a call.
    Preparation(CallId),
    /// A running tool: its process group gets TERM, then KILL.
    Tool(CallId),
    /// A sub-agent: it stops what it does, settles and reports. It is told who stops it.
    Subagent(CallId, CutBy),
    /// A timer.
    Timer(TimerId),
    /// Hooks.
    Hooks(HookId),
    /// The search for the tools that come from elsewhere.
    Discovery,
}

/// Puts effects into the order of the third law; within a rank the order of making is kept.
pub(super) fn ordered(mut effects: Vec<Effect>) -> Vec<Effect> {
    effects.sort_by_key(|effect| match effect {
        Effect::Cancel(_) => 0,
        Effect::Append(_) => 1,
        Effect::CallModel(..)
        | Effect::Prepare(_)
        | Effect::RunTool(_)
        | Effect::StartSubagent(_)
        | Effect::TellSubagent(..)
        | Effect::TypeInto(..)
        | Effect::StopBackground(..)
        | Effect::RunHooks(_)
        | Effect::DiscoverTools
        | Effect::SetTimer(..) => 2,
        Effect::Emit(_) => 3,
    });
    effects
}
