//! What the provider ran itself: kept as it came, shown, never ours to run.

use serde_json::Value;

/// One of the provider's own blocks: a hosted tool that it called, what that tool brought, or a summary that it made.
///
/// It opens no call, is never dispatched and never a reason to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Hosted {
    /// The provider's word for the block: `server_tool_use`, `web_search_tool_result`, `web_search_call`, ….
    pub kind: String,
    /// Name of the tool, as the provider calls it; empty when the block belongs to none.
    pub name: String,
    /// The provider's id of the use of the tool, the same for a call and its result; empty when it has none.
    pub id: String,
    /// The block verbatim: goes back unchanged to the same provider, protocol and model, and to nobody else.
    pub value: Value,
}

impl Hosted {
    /// The kind of a text that says where its words come from. The words stand before it as text; it holds the whole
    /// block, since they alone are not what was received.
    pub const CITATIONS: &str = "citations";

    /// Whether it only says where the text before it comes from, so that the text goes on after it.
    pub fn is_citation(&self) -> bool {
        self.kind == Self::CITATIONS
    }

    /// Whether it asks for something that another block answers. (Other kinds are a call and its result in one.)
    pub fn is_call(&self) -> bool {
        self.kind.ends_with("_tool_use")
    }

    /// Whether it answers a call.
    pub fn is_result(&self) -> bool {
        self.kind.ends_with("_tool_result")
    }

    /// Whether it is one use of a tool: what the meters count.
    pub fn is_use(&self) -> bool {
        self.is_call() || self.kind.ends_with("_call")
    }
}

/// The tools that some provider can run itself.
pub const HOSTED: [&str; 4] = [WEB_SEARCH, WEB_FETCH, CODE_EXECUTION, CODE_INTERPRETER];
/// Searches the web, run by the provider.
pub const WEB_SEARCH: &str = "web_search";
/// Fetches a page, run by the provider.
pub const WEB_FETCH: &str = "web_fetch";
/// Runs a program, on a machine of the provider's.
pub const CODE_EXECUTION: &str = "code_execution";
/// The same under another name.
pub const CODE_INTERPRETER: &str = "code_interpreter";

/// Which of the tools that providers run themselves this is; its name may end in a version: `web_search_20250305`.
pub fn hosted(name: &str) -> Option<&'static str> {
    let is_version = |rest: &str| rest.is_empty() || rest.starts_with('_');
    HOSTED.into_iter().find(|known| name.strip_prefix(known).is_some_and(is_version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_end_in_a_version() {
        assert_eq!(hosted("web_search_20250305"), Some(WEB_SEARCH));
        assert_eq!((hosted("web_fetch"), hosted("web_searches")), (Some(WEB_FETCH), None));
    }
}
