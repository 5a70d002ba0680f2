//! What a front end is answered beside the events of the agent.

use crate::ledger::{EntryId, UserMessage};

use super::branches::{BranchRow, BranchStart, SideBySide};
use super::file_list::FileList;
use super::mention::PastedImage;
use super::report::{ReportPart, Subject};
use super::undo_preview::UndoPreview;
use super::usage_table::UsageTable;

/// What would be written for a rule to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulePlan {
    /// The rule.
    pub rule: String,
    /// In the project's configuration; or why it cannot be kept there.
    pub project: Result<RuleLines, String>,
    /// In the user's own.
    pub everywhere: Result<RuleLines, String>,
}

/// The lines of a file that change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleLines {
    /// The file, as people write it.
    pub file: String,
    /// The lines as they will be.
    pub lines: String,
}

/// The models, as they can be chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelList {
    /// Those that can be used now, each with its window and price.
    pub usable: Vec<(String, String)>,
    /// The one that answers now.
    pub answering: String,
    /// What cannot be used, and why.
    pub unusable: Vec<String>,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The files of a message begin to be read, or no longer are.
    Reading(bool),
    /// A message was not sent: it goes back to who wrote it.
    Returned {
        /// Its words, and what of them was pasted.
        said: UserMessage,
        /// What happened, and what to do next.
        why: String,
    },
    /// A command is not carried out: its line goes back to who typed it.
    LineReturned {
        /// As it was typed.
        line: String,
        /// What happened, and what to do next.
        why: String,
    },
    /// The model of this name does not answer.
    NoModel {
        /// The name.
        name: String,
        /// What happened, and what to do next.
        why: String,
    },
    /// What was asked for was not done, and why.
    Refused(String),
    /// What was asked for was done.
    Done(String),
    /// What an undo would do, or why that cannot be told.
    Undo(Result<UndoPreview, String>),
    /// No call of the agent changed a file.
    NothingToUndo,
    /// The session of this id goes on before this message.
    Branched {
        /// The message.
        message: EntryId,
        /// The id of the session.
        branch: String,
    },
    /// The session of this id has all that stands here.
    Forked(String),
    /// A branch was made, and goes on elsewhere.
    BranchStarts(Box<BranchStart>),
    /// The tree of branches in which this session stands.
    Branches(Vec<BranchRow>),
    /// This session beside another one.
    Beside(SideBySide),
    /// What was asked about the session.
    Report(Subject, Vec<ReportPart>),
    /// The other sessions of this folder, newest first.
    Sessions(Vec<EarlierSession>),
    /// What was said and done last in a session.
    Preview {
        /// Its id.
        id: String,
        /// That, oldest first.
        parts: Vec<PreviewPart>,
    },
    /// What keeping a rule would change.
    RulePlan(RulePlan),
    /// The models that can be chosen, and what cannot.
    Models(ModelList),
    /// The files and folders that a message can name.
    Files(FileList),
    /// What all sessions have spent.
    Usage(UsageTable),
    /// What the user's command wrote for the status line; or why there is nothing to show.
    StatusLine(Result<String, String>),
    /// The clipboard's image, in a file.
    Mention(PastedImage),
    /// Something worth knowing that was found out meanwhile, such as a model server on this machine.
    Notice(String),
}

impl Reply {
    /// The same, about a line that was typed: with a refusal the line goes back.
    #[must_use]
    pub fn about(self, line: Option<String>) -> Self {
        match (self, line) {
            (Self::Refused(why), Some(line)) => Self::LineReturned { line, why },
            (reply, _) => reply,
        }
    }
}

/// What a preview of a session has: not yet safe for a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreviewPart {
    /// What the user said.
    Said(String),
    /// What the model answered, in Markdown.
    Answered(String),
    /// What was done, or how it ended, in one line.
    Noted(String),
}

/// A session of this folder that one can go on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierSession {
    /// Its id.
    pub id: String,
    /// What was said first.
    pub words: String,
    /// When, and how it ended.
    pub aside: String,
}
