//! What the name of a tool says about who runs it.

/// How the tools begin that hand a task to another agent.
pub const DELEGATE_TO: &str = "delegate_to_";

/// The tool by which a model asks the user.
pub const ASK: &str = "ask";

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

    #[test]
    fn names_say_where_a_call_goes() {
        assert_eq!(delegate("delegate_to_reviewer"), Some("reviewer"));
        assert_eq!(mcp("mcp__github__create_issue"), Some(("github", "create_issue")));
        assert_eq!(mcp("mcp__odd__a__b"), Some(("odd", "a__b")));
        assert_eq!((mcp("mcp__alone"), mcp("read"), delegate("read")), (None, None, None));
    }
}
