//! What a front end asks of the session that it shows; `reply.rs` has what it is answered.

use crate::agent::Intent;
use crate::ledger::{CallId, EntryId, Scope};

use super::branches::BranchWish;
use super::race_wish::RaceWish;
use super::report::Question;
use super::status_line::StatusFacts;
use super::usage_table::UsageBy;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Pass this on to the agent: at once, except a message whose attachments are read first.
    Intent(Intent),
    /// Do this, for which a person typed a line: if it is refused, the line goes back to them.
    Typed {
        /// The line.
        line: String,
        /// What it asks for.
        request: Box<Self>,
    },
    /// Have the model of this name answer. It is looked up, which may take seconds, and then chosen.
    ChooseModel(String),
    /// Say what an undo would do: of the last turn that changed files, or of all turns since this message.
    PlanUndo(Option<EntryId>),
    /// Put files back to what they were before this call: what was shown, and nothing else.
    Restore {
        /// The first call that is taken back.
        since: CallId,
        /// What would be done, as it was shown, file by file.
        shown: Vec<(String, String)>,
    },
    /// Go back to before this message: the agent writes down which session goes on.
    Rewind(EntryId),
    /// Make the session that goes on before this message, once that is recorded.
    Branch {
        /// The message.
        message: EntryId,
        /// The id of the session.
        branch: String,
    },
    /// Make a session that has all that stands here, to go on there.
    Fork,
    /// Make a branch in which something goes otherwise, to go on there.
    WhatIf(BranchWish),
    /// Start a race of sub-agents.
    Race(RaceWish),
    /// Take what this lane of the last race made into the folder.
    Adopt(u64),
    /// List the tree of branches in which this session stands.
    ListBranches,
    /// Put this session beside the one of this id.
    Beside(String),
    /// Write the transcript into this file; by default into one named after the session.
    Export(Option<String>),
    /// Answer this about the session.
    Report(Box<Question>),
    /// List the other sessions of this folder.
    ListSessions,
    /// Show the last lines of the session of this id.
    Preview(String),
    /// Give up the messages whose files are being read, and the image on the clipboard.
    StopReading,
    /// List the models that can be chosen, where this one answers now.
    ListModels(String),
    /// List the files that a message can name.
    ListFiles,
    /// Put the clipboard's image into a file that a message can name.
    PasteImage,
    /// Say what would be written for this rule to be kept.
    PlanRule(String),
    /// Add up what all sessions have spent.
    AddUp(UsageBy),
    /// Have the user's command write the status line.
    StatusLine(StatusFacts),
    /// Keep a rule whose decision is recorded.
    KeepRule {
        /// The rule.
        rule: String,
        /// Where: in the project's configuration, or in the user's.
        scope: Scope,
        /// What was shown of the file.
        lines: String,
    },
}

impl Request {
    /// Whether another session takes the place of this one: what works for it in the background would be stopped.
    pub fn leaves(&self) -> bool {
        match self {
            Self::Typed { request, .. } => request.leaves(),
            request => matches!(request, Self::Rewind(_) | Self::Fork | Self::WhatIf(_)),
        }
    }

    /// The same, with the line that was typed for it in a session to which so many calls lead. A message is no such line: it
    /// goes back with what of it was pasted.
    #[must_use]
    pub fn typed(self, line: String, depth: usize) -> Self {
        match self {
            Self::Intent(Intent::Submit(said)) => Self::Intent(Intent::Submit(said)),
            Self::Intent(Intent::Queue(said)) if !said.pastes.is_empty() => Self::Intent(Intent::Queue(said)),
            Self::Intent(intent) => Self::Intent(intent.typed(line, depth)),
            request => Self::Typed { line, request: Box::new(request) },
        }
    }

    /// The line that was typed for it.
    pub fn line(&self) -> Option<&str> {
        match self {
            Self::Typed { line, .. } => Some(line),
            Self::Intent(intent) => intent.line(),
            _ => None,
        }
    }

    /// What is asked for, and the line that was typed for it.
    pub fn untyped(self) -> (Option<String>, Self) {
        match self {
            Self::Typed { line, request } => (Some(line), *request),
            request => (None, request),
        }
    }
}
