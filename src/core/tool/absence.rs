//! Somebody elsewhere (an MCP server, an A2A agent) who is configured and brings no tools, and what keeps them away.

use super::name::{delegate, mcp};

/// Who is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Absentee {
    /// The MCP server of this name: all tools called `mcp__NAME__…` are its.
    Server(String),
    /// The agent of this name, to which `delegate_to_NAME` would hand a task.
    Agent(String),
}

/// What keeps it away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// It could not be started or reached, or what it says cannot be used.
    Unreached,
    /// What is written of it cannot be used as things are: a variable is not set, for one.
    Unusable,
    /// A person has switched it off.
    SwitchedOff,
    /// It stands in a file of a project that nobody has trusted.
    Untrusted,
}

impl Absence {
    /// Whether a session tells of it unasked: something is missing that a person wanted to be there.
    pub fn is_told(self) -> bool {
        matches!(self, Self::Unreached | Self::Unusable)
    }
}

/// Somebody who is configured and not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// Who.
    pub who: Absentee,
    /// What keeps it away.
    pub why: Absence,
    /// The same for people and models, with what can be done: a sentence that is safe to be shown.
    pub sentence: String,
}

impl Absentee {
    /// Whose tool has this name, if it is somebody's elsewhere.
    pub fn of_tool(name: &str) -> Option<Self> {
        let server = || mcp(name).map(|(server, _)| Self::Server(server.to_owned()));
        delegate(name).map(|agent| Self::Agent(agent.to_owned())).or_else(server)
    }
}

/// What is said to a model that calls a tool which is not there.
pub fn not_there(name: &str, absent: &[Absent]) -> String {
    let who = Absentee::of_tool(name);
    if let Some(one) = absent.iter().find(|one| Some(&one.who) == who.as_ref()) {
        return format!("{name} is not available: {}", one.sentence);
    }
    match who {
        Some(Absentee::Agent(agent)) => format!(
            "There is no agent {agent}: [agents.{agent}] is not configured, so nothing was delegated."
        ),
        // A server may well be there and have no such tool.
        Some(Absentee::Server(_)) | None => format!("There is no tool {name}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_configured_and_not_there_is_named_with_the_reason() {
        let one = |who, sentence: &str| Absent { who, why: Absence::SwitchedOff, sentence: sentence.into() };
        let absent = [
            one(Absentee::Server("files".into()), "It is off."),
            one(Absentee::Agent("off".into()), "So is this."),
        ];
        for (name, said) in [
            ("mcp__files__read", "mcp__files__read is not available: It is off."),
            ("delegate_to_off", "delegate_to_off is not available: So is this."),
            ("mcp__other__read", "There is no tool mcp__other__read."),
            ("off", "There is no tool off."),
        ] {
            assert_eq!(not_there(name, &absent), said);
        }
        assert!(not_there("delegate_to_files", &absent).contains("[agents.files] is not configured"));
    }
}
