//! Approvals: what is asked about, and what was decided.

use strum::IntoStaticStr;

use serde_json::Value;

use super::{Arguments, CallId, Decider};

/// The argument that names a file or a folder.
pub const PATH: &str = "path";

/// A call waits for a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRequest {
    /// Which.
    pub call: CallId,
    /// Name of the tool.
    pub name: String,
    /// Exactly what would be run.
    pub arguments: Value,
    /// Why it asks: "no rule covers it", "leaves the workspace: /etc".
    pub why: String,
    /// What it may do: the effect class in words ("runs a command").
    pub risk: String,
    /// All that its parts do, in the same words and the worst first; empty in sessions of earlier versions.
    pub effects: Vec<String>,
    /// What the pane shows: the true bytes.
    pub preview: Preview,
    /// What to know before: the same action once ended, and nobody knows how far it had come.
    pub warning: Option<String>,
    /// The rule that "always" would take, as it is written; `None`: no rule would be narrow enough and of use.
    pub rule: Option<String>,
    /// Where it runs when it is allowed.
    pub sandboxing: Sandboxing,
    /// Where its path leads, links followed: what is used, however it is written. From the session's folder within it, else
    /// absolute; `None`: the call names no path, or the session is of an earlier version.
    pub leads_to: Option<String>,
    /// Whether the preview leaves a part of the call unsaid: then the arguments are to be read, too.
    pub is_partial: bool,
    /// Whether it asks for no other reason than that no rule covers it: the usual case, which needs no words.
    pub is_usual: bool,
    /// Whether all that a file holds goes for what it would hold: an overwrite.
    pub replaces: bool,
    /// What the sandbox cannot hide from it, as far as the question names it and nobody accepted it yet; empty in sessions of
    /// earlier versions.
    pub gaps: Vec<String>,
}

impl ApprovalRequest {
    /// What it may do, all of it: "sends, deletes".
    pub fn does(&self) -> String {
        if self.effects.is_empty() { self.risk.clone() } else { self.effects.join(", ") }
    }

    /// What it is called with, as it is used: the path is where it leads.
    pub fn used(&self) -> Arguments {
        let mut arguments = self.arguments.clone();
        if let (Some(to), Some(path)) = (&self.leads_to, arguments.get_mut(PATH)) {
            *path = Value::String(to.clone());
        }
        Arguments::from_value(arguments)
    }

    /// The path as it is written, where that is not how the one that is used is written.
    pub fn written(&self) -> Option<&str> {
        let used = self.leads_to.as_deref()?;
        let written = self.arguments.get(PATH)?.as_str()?;
        let plain = written.trim_start_matches("./").trim_end_matches('/');
        (plain != used && written != used).then_some(written)
    }

    /// The arguments of a command beside itself: how long it may take, that it stays, that it gets a terminal.
    pub fn beside_command(&self) -> Vec<(&str, &Value)> {
        let members = self.arguments.as_object().into_iter().flatten();
        members.filter(|(name, _)| *name != "command").map(|(name, value)| (name.as_str(), value)).collect()
    }
}

/// Where a call runs when a person allows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Sandboxing {
    /// Without a sandbox.
    #[default]
    Without,
    /// Without one, or within it if the person says so.
    OnWish,
    /// Within the sandbox.
    Within,
}

impl Sandboxing {
    /// In one word: "without", "on_wish", "within".
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What an approval shows of the action.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Preview {
    /// The arguments say it all.
    #[default]
    None,
    /// A command line, byte for byte.
    Command(String),
    /// A unified diff of the change.
    Diff(String),
    /// Whom the arguments are sent to: an address, without its query.
    Recipient(String),
}

/// A decision about one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Which.
    pub call: CallId,
    /// May it run?
    pub allow: bool,
    /// For how long the decision holds.
    pub scope: Scope,
    /// Who decided.
    pub by: Decider,
    /// Why: the rule, the mode, the user's words.
    pub reason: String,
    /// What the user answered, if the call was a question.
    pub answer: Option<String>,
    /// A rule, as it is written. Where a person decided, the one that they took with it ([`Decision::taken`]); where the
    /// policy did, the one that decided, if one did: it allows, sandboxes or denies as the decision does.
    pub rule: Option<String>,
    /// Whether it may run in the sandbox alone.
    pub sandboxed: bool,
    /// SHA-256 of the exact action that was decided about, and the folder: with the rest, the receipt. Empty in sessions
    /// that are older.
    pub digest: String,
    /// The session's folder.
    pub cwd: String,
    /// Names the action, the same over retries and restarts, to whoever runs it; empty in sessions that are older.
    pub key: String,
}

impl Decision {
    /// The call may run, this once.
    pub fn permission(call: CallId, by: Decider, reason: impl Into<String>) -> Self {
        Self { allow: true, ..Self::denial(call, by, reason) }
    }

    /// The call may not run.
    pub fn denial(call: CallId, by: Decider, reason: impl Into<String>) -> Self {
        let (digest, cwd) = (String::new(), String::new());
        let (scope, reason) = (Scope::Once, reason.into());
        Self {
            call,
            allow: false,
            scope,
            by,
            reason,
            answer: None,
            rule: None,
            sandboxed: false,
            digest,
            cwd,
            key: String::new(),
        }
    }

    /// The rule that a person took for the rest of the session. One by which the policy decided is nobody's word: it holds
    /// as long as it stands where it came from.
    pub fn taken(&self) -> Option<&str> {
        let holds = self.allow && self.scope.lasts() && self.by == Decider::User;
        self.rule.as_deref().filter(|_| holds)
    }
}

/// For how long a decision holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Scope {
    /// This call.
    Once,
    /// The exact same action for the rest of the session.
    Session,
    /// The same, and the rule is to be added to the project's configuration.
    Project,
    /// The same, and the rule is to be added to the user's own configuration.
    Everywhere,
}

impl Scope {
    /// Whether it holds for the rest of the session at least.
    pub fn lasts(self) -> bool {
        self != Self::Once
    }

    /// Whether a file keeps it for other sessions.
    pub fn is_kept(self) -> bool {
        matches!(self, Self::Project | Self::Everywhere)
    }

    /// As recorded.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
