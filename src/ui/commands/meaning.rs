//! What a command means: something for the agent, for the session, a page, or an action of the front end.

use crate::agent::Intent;
use crate::ledger::{CallId, EntryId};
use crate::policy::Mode;
use crate::ui::branches::{BranchWish, Otherwise};
use crate::ui::chord::Chord;
use crate::ui::pages::PageEntry;
use crate::ui::picker::RewindWay;
use crate::ui::picker_source::Source;
use crate::ui::report::Subject;
use crate::ui::request::Request;

/// What a command means.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// The agent shall hear this.
    Intent(Intent),
    /// What the questions that wait name and the sandbox cannot hide is accepted.
    AcceptGaps,
    /// The session shall do this.
    Request(Request),
    /// The model is to propose an `AGENTS.md`.
    Init,
    /// The model is to review what git shows: since this commit, or of what is not committed.
    Review(Option<String>),
    /// This is asked about the session, and shown.
    Report(Subject),
    /// This page is shown.
    Page(PageEntry),
    /// The last answer goes into the clipboard.
    Copy,
    /// One of these is picked.
    Pick(Source),
    /// These words are looked for.
    Find(String),
    /// This theme is set.
    Theme(String),
    /// The inspector of the ledger is opened.
    Ledger,
    /// Reasoning is shown or folded.
    Thinking,
    /// A new session is begun.
    New,
    /// The program is left.
    Quit,
    /// What only lines need.
    Linear(LinearCommand),
}

impl Meaning {
    /// Whether calls may do more unasked by it than in this mode, a call is allowed that was not, or files of
    /// a race are taken.
    pub(in crate::ui) fn lets_more(&self, now: Mode) -> bool {
        if let Self::Intent(Intent::SetMode(to)) = self {
            return *to > now;
        }
        let is_allowed = |wish: &BranchWish| wish.otherwise == Otherwise::Allow;
        matches!(
            self,
            Self::AcceptGaps | Self::Intent(Intent::OpenHost(_)) | Self::Request(Request::Adopt(_))
        ) || matches!(self, Self::Request(Request::WhatIf(wish)) if is_allowed(wish))
    }
}

/// What only lines need: what keys do on the screen, and pages by their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinearCommand {
    /// All that a call wrote; without a name the last one's.
    Output(Option<CallId>),
    /// One entry whole.
    Show(EntryId),
    /// All entries of one call.
    ShowCall(CallId),
    /// The last entries.
    Ledger(usize),
    /// After a budget stop: raise the limit and go on.
    Raise,
    /// Send what was kept.
    Send,
    /// Say the session of the sub-agent that this call started.
    Into(CallId),
    /// Back to the session that started it.
    Back,
    /// What it is doing.
    Status,
    /// Go on with the session of this number.
    Session(usize),
    /// Have the model of this number answer.
    Model(usize),
    /// Go back to before the message of this number; without a way, say which there are.
    Rewind(usize, Option<RewindWay>),
    /// Do the undo that was said.
    Undo,
    /// Say why this command of the screen does nothing in lines.
    NotHere(&'static str),
    /// Type this line into the terminal of the running command.
    Type(String),
    /// Press these keys there.
    Keys(Vec<Chord>),
}
