//! Names of tools, for whoever has nothing but a name: books, rules and files of sessions. Whoever has a [`ToolSpec`] asks its
//! [`ToolKind`].
//!
//! [`ToolSpec`]: super::ToolSpec
//! [`ToolKind`]: super::ToolKind

/// Reads a file.
pub const READ: &str = "read";
/// Lists a folder.
pub const LIST: &str = "list";
/// Finds files by their names.
pub const GLOB: &str = "glob";
/// Searches the contents of files.
pub const SEARCH: &str = "search";
/// Replaces texts in a file.
pub const EDIT: &str = "edit";
/// Writes a whole file.
pub const WRITE: &str = "write";
/// Runs a command.
pub const SHELL: &str = "shell";
/// Asks what a background command has printed.
pub const SHELL_OUTPUT: &str = "shell_output";
/// Ends a background command.
pub const SHELL_KILL: &str = "shell_kill";
/// Fetches a page.
pub const FETCH: &str = "fetch";
/// Sets the to-do list.
pub const PLAN: &str = "plan";
/// The tool by which a model asks the user.
pub const ASK: &str = "ask";

/// Takes what a lane of a race made into the folder. No model is offered it: only a person can call it.
pub const ADOPT: &str = "adopt";

/// How the sub-agents of a race are called: `lane_1`.
pub const LANE: &str = "lane_";

/// How the tools begin that hand a task to another agent.
pub const DELEGATE_TO: &str = "delegate_to_";

/// How the tools of MCP servers begin.
pub const MCP: &str = "mcp__";

/// The agent that a call of this name hands its task to.
pub fn delegate(name: &str) -> Option<&str> {
    name.strip_prefix(DELEGATE_TO)
}

/// The MCP server that a call of this name goes to, and what the server calls the tool.
pub fn mcp(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(MCP)?.split_once("__")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{ToolKind, ToolSpec};

    #[test]
    fn names_say_where_a_call_goes() {
        assert_eq!(delegate("delegate_to_reviewer"), Some("reviewer"));
        assert_eq!(mcp("mcp__github__create_issue"), Some(("github", "create_issue")));
        assert_eq!(mcp("mcp__odd__a__b"), Some(("odd", "a__b")));
        assert_eq!((mcp("mcp__alone"), mcp("read"), delegate("read")), (None, None, None));
    }

    #[test]
    fn of_a_tool_that_is_only_a_name_the_kind_is_whose_it_is() {
        let kind = |name: &str| ToolSpec::from_elsewhere(name).kind;
        assert_eq!(kind("delegate_to_reviewer"), ToolKind::Delegate);
        assert_eq!(kind("mcp__github__create_issue"), ToolKind::Mcp);
        // Whoever knows nothing else of it must not take it for one of ours.
        assert_eq!(
            (kind(SHELL), kind(FETCH), kind(ASK)),
            (ToolKind::Plain, ToolKind::Plain, ToolKind::Plain)
        );
    }
}
