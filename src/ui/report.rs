//! What is asked about a session and its surroundings, and the answer: a page of headings, lines and diffs.

use super::status_line::StatusFacts;
use crate::tool::BroughtTools;
use crate::view::View;

/// What a page is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The session: who answers, where it is kept, what it was started with.
    Status,
    /// The MCP servers.
    Servers,
    /// The agents.
    Agents,
    /// The skills.
    Skills,
    /// What the project's files may do.
    Trust,
    /// The files that the session has changed.
    Changes,
    /// The sessions that it was made from, and those that were made from it.
    Tree,
    /// The lanes of the last race.
    Race,
}

impl Subject {
    /// What stands above the page; also its name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Servers => "MCP servers",
            Self::Agents => "agents",
            Self::Skills => "skills",
            Self::Trust => "trust",
            Self::Changes => "changes of this session",
            Self::Tree => "branches of this session",
            Self::Race => "lanes of the last race",
        }
    }
}

/// A question, with what only the front end knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What it is about.
    pub subject: Subject,
    /// How the session stands.
    pub facts: StatusFacts,
    /// The tools of servers and agents, once they have been asked for them.
    pub brought: Option<BroughtTools>,
}

impl Question {
    /// About this, as the view has it.
    pub fn of(subject: Subject, view: &View) -> Self {
        Self { subject, facts: StatusFacts::of(view), brought: view.session.brought.clone() }
    }
}

/// A part of the answer; not yet safe for a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportPart {
    /// What the next lines are about.
    Heading(String),
    /// One line.
    Line(String),
    /// One line in our own words, which has what is typed or named between backquotes.
    Note(String),
    /// A name, and what is said of it.
    Fact(String, String),
    /// How a file changed.
    Diff {
        /// The file.
        path: String,
        /// Unified.
        unified: String,
    },
}

impl ReportPart {
    /// A line in our own words.
    pub fn note(words: &str) -> Self {
        Self::Note(words.to_owned())
    }

    /// A name, and what is said of it.
    pub fn fact(name: &str, value: impl std::fmt::Display) -> Self {
        Self::Fact(name.to_owned(), value.to_string())
    }
}
