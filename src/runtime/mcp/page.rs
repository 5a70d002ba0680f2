//! One page of a server's list of tools: what is on it, and what that weighs.

use rmcp::RoleClient;
use rmcp::model::{ServerResult, Tool};
use rmcp::service::ServiceRole;
use serde_json::Value;

/// What a value takes beside its bytes.
const PER_VALUE: usize = 64;

/// A tool, or the name of something that is none.
pub(super) type Offered = Result<Tool, String>;

/// One page, and where the next one begins. One tool that cannot be read must not take the others with it: the SDK
/// hands over such a page as it came.
pub(super) fn read(page: <RoleClient as ServiceRole>::PeerResp) -> Option<(Vec<Offered>, Option<String>)> {
    match page {
        ServerResult::ListToolsResult(page) => {
            Some((page.tools.into_iter().map(Ok).collect(), page.next_cursor))
        }
        ServerResult::CustomResult(page) => {
            let tools = page.0.get("tools")?.as_array()?.iter().map(|tool| {
                let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
                serde_json::from_value(tool.clone()).map_err(|_why| name.to_owned())
            });
            let next = page.0.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
            Some((tools.collect(), next))
        }
        _ => None,
    }
}

/// The memory that tools take, about.
pub(super) fn weight(tools: &[Offered]) -> usize {
    let weigh = |tool: &Offered| match tool {
        Ok(tool) => {
            let text = serde_json::to_string(tool).unwrap_or_default();
            let values = text.bytes().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
            text.len().saturating_add(values.saturating_mul(PER_VALUE))
        }
        Err(name) => name.len(),
    };
    tools.iter().map(weigh).fold(0, |all, one| all.saturating_add(PER_VALUE).saturating_add(one))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn many_small_values_weigh_more_than_their_bytes() {
        let tool = |schema: Value| -> [Offered; 1] {
            let tool: Tool = serde_json::from_value(json!({ "name": "t", "inputSchema": schema })).unwrap();
            [Ok(tool)]
        };
        let words = tool(json!({ "x": "y".repeat(3_000) }));
        let values = tool(json!({ "x": vec![json!({}); 1_000] }));
        assert!((3_000..4_000).contains(&weight(&words)), "{}", weight(&words));
        assert!(weight(&values) > 100_000, "{}", weight(&values));
        assert!(weight(&[Err("z".repeat(5_000))]) > 5_000);
    }
}
