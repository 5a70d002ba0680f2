//! What watchers hear. Durable events are enough: live ones only make waiting pleasant.

use std::sync::Arc;

use crate::budget::Forecast;
use crate::hooks::HookPoint;
use crate::ledger::{CallId, CompactionTrigger, Entry, EntryId, Hosted, ModelRef, Outcome, UserMessage};
use crate::model::{Effort, ToolCalls};
use crate::tool::{BroughtTools, Screen, SideEffect};

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// An entry is durable.
    Appended(Arc<Entry>),
    /// Something that will be forgotten.
    Live(Live),
}

/// News that no file keeps.
#[derive(Debug, Clone, PartialEq)]
pub enum Live {
    /// More text of the answer that will be entry `message`.
    Text {
        /// The coming entry.
        message: EntryId,
        /// The piece.
        text: String,
    },
    /// More reasoning.
    Thinking {
        /// The coming entry.
        message: EntryId,
        /// The piece.
        text: String,
    },
    /// Something that the provider ran itself is whole.
    Hosted {
        /// The coming entry.
        message: EntryId,
        /// The block.
        block: Hosted,
    },
    /// A call is being written by the model: its name, and how much argument text there is by now.
    CallForming {
        /// The coming entry.
        message: EntryId,
        /// Which call of the answer.
        index: u32,
        /// Name of the tool.
        name: String,
        /// Bytes of argument text so far.
        bytes: u64,
        /// Line breaks in the texts so far.
        breaks: u64,
        /// The path that it names, once that is whole.
        path: Option<String>,
    },
    /// The rules have allowed a call that starts when its turn comes; no entry says so before that.
    Allowed {
        /// Which call.
        call: CallId,
    },
    /// A tool or delegate starts; sent after the entry it speaks of is durable.
    Progress {
        /// Model turn, from 1.
        step: u32,
        /// Which call.
        call: CallId,
        /// Bare name of the tool.
        target: String,
        /// What this call does to the world.
        effect: SideEffect,
    },
    /// A piece of a running tool's output.
    ToolOutput {
        /// Which call.
        call: CallId,
        /// The piece; not yet made safe for a screen.
        chunk: String,
    },
    /// What stands on the terminal of a running command, in the place of what stood there before.
    Screen {
        /// Which call.
        call: CallId,
        /// The screen; not yet made safe for another.
        screen: Screen,
    },
    /// A tool is done; its result is written when those before it are.
    ToolFinished {
        /// Which call.
        call: CallId,
        /// How.
        outcome: Outcome,
    },
    /// Something happened in the session of a sub-agent.
    Subagent {
        /// The call that started it.
        call: CallId,
        /// What.
        event: Box<Event>,
    },
    /// A sub-agent in the background waits for a person, or does not any more.
    SubagentWaits {
        /// The call that started it.
        call: CallId,
        /// Whether it waits.
        waits: bool,
    },
    /// A model was asked; its answer will be entry `message`.
    Asked {
        /// The coming entry.
        message: EntryId,
        /// Estimated tokens of the prompt.
        tokens: u64,
    },
    /// Hooks are asked, and nothing else is under way.
    AskingHooks(HookPoint),
    /// A model call waits for the tools that come from elsewhere.
    Discovering,
    /// Servers and agents were asked for their tools.
    Discovered(BroughtTools),
    /// Tools that were to come from elsewhere do not, and why; a sentence.
    Unreached(String),
    /// The same call will be made again.
    Retrying {
        /// Which retry, from 1.
        attempt: u64,
        /// At most this many.
        most: u64,
        /// Wait, in milliseconds.
        wait_ms: u64,
        /// What failed.
        reason: String,
        /// The same without the facts of the answer behind it (status, code, request), if it has some.
        brief: Option<Box<str>>,
    },
    /// A summary is being written.
    Compacting(CompactionTrigger),
    /// What the user said meanwhile, and has not been delivered yet.
    Waiting {
        /// With the next tool results.
        steering: Vec<UserMessage>,
        /// After the run.
        queued: Vec<UserMessage>,
    },
    /// Undelivered messages of a run that did not end with an answer: they go back into the composer.
    Returned(Vec<UserMessage>),
    /// A line that asks for something else than an answer, and is not obeyed: it goes back as it was typed, and is still a command.
    ReturnedLine(UserMessage),
    /// The mode is now this one.
    ModeChanged(crate::policy::Mode),
    /// Which model answers, and how hard it thinks.
    Answering {
        /// The model.
        model: ModelRef,
        /// Most tokens that it reads.
        window: u64,
        /// The effort that it is asked for, if any.
        effort: Option<Effort>,
        /// How it calls tools.
        tool_calls: ToolCalls,
        /// Not yet: from the next turn of the run on.
        waits: bool,
        /// What to tell whoever has just chosen it.
        said: Option<String>,
    },
    /// Nothing runs: this is the next request, without the message that will begin it.
    Next(Forecast),
    /// Entries cannot be written: nothing acts and no entry is told until they can. Comes again when more of them wait.
    LedgerUnwritable {
        /// What fails; a sentence.
        why: String,
        /// How many entries wait.
        entries: usize,
        /// The messages of the user among them.
        said: Vec<UserMessage>,
    },
    /// Entries are written again, those that waited too.
    LedgerWritable,
    /// The refusal that comes next is of a decision about this request, which waits on if it waited.
    Undecided(EntryId),
    /// A wish was refused, and why: a stale answer, a message while a run is under way.
    Refused(String),
}
