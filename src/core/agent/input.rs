//! What can happen to the loop. Everything names the operation that it is news of.

use super::SubagentNews;
use crate::budget::Limit;
use crate::hooks::{HookAnswer, HookId};
use crate::ledger::{
    Arguments, Body, CallId, CutBy, EntryId, FilesRestored, Goal, Scope, ToolUse, UserMessage,
};
use crate::model::{Effort, ModelNews, ModelSpec};
use crate::policy::Mode;
use crate::tool::{Discovered, Preparation, ToolNews, Typed};

/// One input of [`super::Agent::step`].
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A person wants something.
    Intent(Intent),
    /// News of the model call that this entry will be the answer of.
    Model(EntryId, ModelNews),
    /// A call was looked at.
    Prepared(CallId, Preparation),
    /// News of a running tool.
    Tool(CallId, ToolNews),
    /// News of the sub-agent that this call started.
    Subagent(CallId, SubagentNews),
    /// Hooks have spoken, in the order of the configuration.
    Hooks(HookId, Vec<HookAnswer>),
    /// The tools that come from elsewhere are known.
    Discovered(Discovered),
    /// A timer fired.
    Timer(TimerId),
    /// Whoever started this session stops it, and says why: a limit above it, or the end of the session there.
    Cut(CutBy),
    /// The process must end now.
    Shutdown(Shutdown),
}

/// How a process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shutdown {
    /// The user closes the app. Calls that only wait for an approval are left undecided: they are offered again
    /// on resume. Whatever runs is aborted.
    Quit,
    /// A signal, a panic, a closed pipe: abort, settle, be idle.
    Signal,
}

/// A command that the user runs themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnCommand {
    /// The command.
    pub command: String,
    /// Whether the model is told of it with the next message.
    pub is_shared: bool,
    /// What the user typed instead of it, if a custom command runs it: then it passes the gate as a call of the model does.
    pub typed: Option<UserMessage>,
    /// What is said when it has ended. It is taken or refused with the command: neither goes out alone.
    pub then: Option<Box<UserMessage>>,
    /// Whether what was queued behind it is said only if it succeeds: the message speaks of its output.
    pub must_succeed: bool,
}

impl OwnCommand {
    /// What a text runs: `!command`, or `!!command`, which no model is told of. `None`: it is another text.
    pub fn read(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('!')?;
        let (command, is_shared) = rest.strip_prefix('!').map_or((rest, true), |hidden| (hidden, false));
        let command = command.trim().to_owned();
        Some(Self { command, is_shared, typed: None, then: None, must_succeed: false })
    }

    /// Whether a message of the user is a command that was run, as what is recorded behind it says. Words
    /// that only look like one are a message: a program sent them, or a person who could run none there.
    pub fn was_run<'e>(said: &str, behind: impl IntoIterator<Item = &'e Body>) -> bool {
        let Some(own) = Self::read(said) else { return false };
        let next = behind.into_iter().find(|body| !matches!(body, Body::Tombstone(_)));
        let is_it = |made: &ToolUse| made.arguments.text("command") == Some(own.command.as_str());
        matches!(next, Some(Body::Command(made)) if is_it(made))
    }

    /// Whether a message of the user is the call of a custom command that ran something first, as what is
    /// recorded behind it says: nothing else stands between them.
    pub fn ran_first<'e>(said: &str, behind: impl IntoIterator<Item = &'e Body>) -> bool {
        let next = behind.into_iter().find(|body| !matches!(body, Body::Tombstone(_)));
        said.starts_with('/') && matches!(next, Some(Body::Command(_)))
    }

    /// As it is typed.
    pub fn typed(&self) -> String {
        let itself = || format!("{}{}", if self.is_shared { "!" } else { "!!" }, self.command);
        self.typed.as_ref().map_or_else(itself, |said| said.content.clone())
    }

    /// The same with what of it was pasted.
    pub(super) fn said(&self) -> UserMessage {
        self.typed.clone().unwrap_or_else(|| UserMessage::text(self.typed()))
    }
}

/// A race: the user has several sub-agents do one task at the same time, each with an equal part of what is left.
#[derive(Debug, Clone, PartialEq)]
pub struct Race {
    /// What the conversation says of it.
    pub typed: String,
    /// The line that asks for it: it goes back to who wrote it where there is no race.
    pub line: String,
    /// The sub-agent of each lane, and what it is given.
    pub lanes: Vec<(String, Arguments)>,
}

/// What a lane of a race made is taken into the folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Adoption {
    /// What the conversation says of it.
    pub typed: String,
    /// The line that asks for it: it goes back to who wrote it where nothing is taken.
    pub line: String,
    /// What is taken: the arguments of the call.
    pub arguments: Arguments,
}

/// Names a timer; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimerId(pub u64);

/// What a person can want.
#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    /// Say this; while a run is under way it steers: it is delivered with the next tool results.
    Submit(UserMessage),
    /// Say this when the run is over.
    Queue(UserMessage),
    /// Pursue this until its done condition holds. The words, if any, are added to the first message.
    Pursue(Box<Goal>, UserMessage),
    /// Take up the last goal again, with these words, if any.
    ResumeGoal(UserMessage),
    /// Replace what was said by a summary.
    Compact,
    /// Esc.
    Abort,
    /// Decide about a call. `request` is the approval request that was on the screen: a stale answer is refused.
    Decide {
        /// The request that is answered.
        request: EntryId,
        /// Which call.
        call: CallId,
        /// The answer.
        answer: Answer,
    },
    /// After a budget stop: set the limit (in its own unit) and go on where the run stopped.
    Raise {
        /// Which.
        limit: Limit,
        /// To what.
        to: u64,
    },
    /// After a stop by `ask_above`: requests of this run may cost so much each, in micro-dollars; go on where it stopped.
    AcceptPrice {
        /// The most that one may cost.
        up_to: u64,
    },
    /// Have this model answer: from now on, or from the next turn on while a run is under way.
    SetModel(Box<ModelSpec>),
    /// Have the models think this hard; `None`: as each vendor thinks best. In force when a model would be.
    SetEffort(Option<Effort>),
    /// Files were put back.
    Restored(FilesRestored),
    /// Take back what was granted for the session with this call: a rule, or an exact action.
    Revoke(CallId),
    /// Let commands in the sandbox reach this host from now on.
    OpenHost(String),
    /// Do not let them any more.
    CloseHost(String),
    /// Do not ask any more because of this, which the sandbox cannot hide. What the person has not read is not accepted with it: a
    /// question may be another one by the time that this arrives.
    AcceptGaps {
        /// The call that waits and whose question named it; `None`: any that waits.
        call: Option<CallId>,
        /// What the person has read, as the questions name it.
        gaps: Vec<String>,
    },
    /// Ask about that again.
    RefuseGaps,
    /// Run this command as the user's own, between two runs: `!command`.
    Command(OwnCommand),
    /// Have sub-agents do one task side by side, between two runs.
    Race(Box<Race>),
    /// Take what one of them made into the folder.
    Adopt(Box<Adoption>),
    /// Go back to before a message of the user: the conversation goes on in the session of this id, which is made then.
    Rewind {
        /// The message.
        message: EntryId,
        /// The other session.
        branch: String,
    },
    /// Have this done in the session of the sub-agent that this call started.
    Subagent {
        /// The call.
        call: CallId,
        /// What.
        intent: Box<Self>,
    },
    /// Have this done, for which a person typed a line: if it is refused at once, the line goes back to them.
    Typed {
        /// The line.
        line: String,
        /// What it asks for.
        intent: Box<Self>,
    },
    /// Give the session this name.
    Rename(String),
    /// End the background command of this id.
    StopBackground(String),
    /// Change the mode from now on.
    SetMode(Mode),
    /// Type into the terminal of a running command.
    TypeInto {
        /// Which call.
        call: CallId,
        /// The keys, as a terminal sends them.
        typed: Typed,
    },
}

/// An answer to an approval request.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// This call.
    AllowOnce,
    /// This call, for a reason that is recorded.
    AllowBecause(String),
    /// This exact action for the rest of the session.
    AllowSession,
    /// Once, within the sandbox alone.
    AllowSandboxed,
    /// This call, and for the rest of the session whatever this rule covers, as it was shown: `shell(cargo test *)`.
    /// The loop takes it only if it is the rule that it would offer for this very call.
    Always {
        /// The rule as it was shown.
        rule: String,
        /// How long it holds: for the session at least. Who asked for more writes it down once the decision is recorded.
        scope: Scope,
    },
    /// Not this: the same tool with these arguments, which is another action, examined and asked about anew.
    Edit(Arguments),
    /// The answer to a question of the model.
    Reply(String),
    /// No; the reason, if any, is told to the model.
    Deny(String),
    /// Nobody decided: the front end could ask nobody, or was answered with nothing that it knows; why.
    Nobody(String),
}
