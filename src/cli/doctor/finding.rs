//! What doctor finds: about what, how bad it is, one sentence, and how it is mended.

use strum::IntoStaticStr;

use crate::config::fault::Fault;

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Subject {
    Configuration,
    Keys,
    Servers,
    Terminal,
    Sandbox,
    Peers,
    Sessions,
}

impl Subject {
    /// As people and programs read it.
    pub(super) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Severity {
    /// As it should be.
    Ok,
    /// It works, and not as one would think or wish.
    Warning,
    /// Something will not work.
    Problem,
    /// It was not looked at.
    Skipped,
}

impl Severity {
    /// As people and programs read it.
    pub(super) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) subject: Subject,
    pub(super) status: Severity,
    /// What is the case, in one sentence.
    pub(super) message: String,
    /// What to do, a sentence or a command; empty when nothing is to be done.
    pub(super) mend: String,
}

impl Finding {
    pub(super) fn ok(subject: Subject, message: impl Into<String>) -> Self {
        Self { subject, status: Severity::Ok, message: message.into(), mend: String::new() }
    }

    pub(super) fn warning(subject: Subject, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { subject, status: Severity::Warning, message: message.into(), mend: mend.into() }
    }

    pub(super) fn problem(subject: Subject, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { subject, status: Severity::Problem, message: message.into(), mend: mend.into() }
    }

    pub(super) fn skipped(subject: Subject, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { subject, status: Severity::Skipped, message: message.into(), mend: mend.into() }
    }

    /// What would have stopped a run.
    pub(super) fn of_fault(subject: Subject, fault: Fault) -> Self {
        // Whoever reads this need not be sent here.
        let mend = fault.next.split("; `countersign doctor`").next().unwrap_or_default().to_owned();
        Self::problem(subject, fault.message, mend)
    }
}
