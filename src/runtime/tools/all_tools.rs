//! The table of the built-in tools.

use std::sync::LazyLock;

use super::tool::Tool;
use super::{
    adopt, ask, echo, edit, fetch, glob, list, plan, read, search, shell, shell_kill, shell_output, write,
};
use crate::tool::ToolSpec;

/// The built-in tools, in the order in which a model sees them.
static TOOLS: &[&dyn Tool] = &[
    &read::ReadTool,
    &list::ListTool,
    &glob::GlobTool,
    &search::SearchTool,
    &edit::EditTool,
    &write::WriteTool,
    &shell::ShellTool,
    &shell_output::ShellOutputTool,
    &shell_kill::ShellKillTool,
    &fetch::FetchTool,
    &plan::PlanTool,
    &ask::AskTool,
];

/// The tool of tests and demonstrations, which is no part of the built-in ones.
static ECHO: &dyn Tool = &echo::EchoTool;
/// The tool that only a person can call.
static ADOPT: &dyn Tool = &adopt::AdoptTool;

/// All of them: those that models are told of first.
fn all() -> impl Iterator<Item = &'static dyn Tool> {
    TOOLS.iter().copied().chain([ECHO, ADOPT])
}

/// What is told of each: made once.
static SPECS: LazyLock<Vec<ToolSpec>> = LazyLock::new(|| all().map(Tool::spec).collect());

/// The tool of this name, and what is told of it.
pub(super) fn tool_named(name: &str) -> Option<(&'static dyn Tool, &'static ToolSpec)> {
    all().zip(SPECS.iter()).find(|(_, spec)| spec.name == name)
}

/// What is told of the built-in tools, in the order in which a model sees them.
pub fn tool_specs() -> Vec<ToolSpec> {
    SPECS.iter().take(TOOLS.len()).cloned().collect()
}

/// The same of the tool of tests and demonstrations.
pub fn echo_spec() -> ToolSpec {
    ECHO.spec()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::tool::ToolKind;

    #[test]
    fn each_tool_has_its_own_name_and_few_are_more_than_a_name_and_an_effect() {
        let names: BTreeSet<&str> = SPECS.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(
            names.len(),
            TOOLS.len() + 2,
            "with the one for tests, and the one that only a person calls"
        );
        let kinds: Vec<(&str, ToolKind)> = SPECS
            .iter()
            .filter(|spec| spec.kind != ToolKind::Plain)
            .map(|spec| (spec.name.as_str(), spec.kind))
            .collect();
        let expected = [("shell", ToolKind::Shell), ("fetch", ToolKind::Fetch), ("ask", ToolKind::Question)];
        assert_eq!(kinds, expected);
        assert!(!tool_specs().contains(&echo_spec()));
    }
}
