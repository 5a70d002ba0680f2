//! Arguments checked by the schema of a server's tool: off the loop's thread, and not for long.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::ledger::Arguments;
use crate::tool::{Registry, ToolSpec};

/// How long a call waits for it. Dropping the wait (Esc, a limit) ends nothing but the wait: the work itself ends because
/// its steps are counted before.
const PATIENCE: Duration = Duration::from_secs(10);

/// Schemas are gone through in depth, as far as their measure allows.
const STACK: usize = 64 << 20;

/// Works with schemas of others on a thread of its own, with a large stack.
///
/// # Errors
/// There is no thread for it, or it broke down.
pub(super) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let (done, result) = oneshot::channel();
    let thread = std::thread::Builder::new().name("schemas".to_owned()).stack_size(STACK);
    // Nobody may wait for the result any more.
    let started = thread.spawn(move || drop(done.send(work())));
    started.map_err(|why| format!("no thread could be started for it ({why})"))?;
    result.await.map_err(|_broke| "it broke down".to_owned())
}

/// The tools of a server, with their schemas as far as they are compiled.
#[derive(Debug, Clone)]
pub(super) struct Checks(Arc<Mutex<Registry>>);

impl Checks {
    pub(super) fn new(tools: Vec<ToolSpec>) -> Self {
        Self(Arc::new(Mutex::new(Registry::new(tools))))
    }

    /// Why the arguments are not valid, if they are not.
    pub(super) async fn fault(self, tool: String, arguments: Arguments) -> Option<String> {
        let work = aside(move || {
            let mut registry = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            registry.validate(&tool, &arguments)
        });
        match timeout(PATIENCE, work).await {
            Ok(Ok(checked)) => checked.err().map(|bad| bad.0),
            Ok(Err(why)) => Some(format!("they cannot be checked against the tool's schema: {why}")),
            Err(_elapsed) => Some(format!(
                "checking them against the tool's schema takes more than {} s; call it with less at once",
                PATIENCE.as_secs()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    #[tokio::test]
    async fn a_long_chain_of_references_is_followed_on_a_large_stack() {
        let chain: Map<String, Value> = (0..900)
            .map(|n| (format!("a{n}"), json!({ "items": { "$ref": format!("#/$defs/a{}", n + 1) } })))
            .chain([("a900".to_owned(), json!({ "type": "string" }))])
            .collect();
        let schema = json!({ "$defs": chain, "properties": { "x": { "$ref": "#/$defs/a0" } } });
        let checks = Checks::new(vec![ToolSpec { schema, ..ToolSpec::from_elsewhere("mcp__s__t") }]);
        let value = (0..100).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(
            checks.fault("mcp__s__t".into(), Arguments::from_value(json!({ "x": value }))).await,
            None
        );
    }

    #[tokio::test]
    async fn faults_are_found_off_the_thread_and_a_schema_that_expands_is_not_followed() {
        let tool = |name: &str, schema| ToolSpec { schema, ..ToolSpec::from_elsewhere(name) };
        let checks = Checks::new(vec![
            tool("mcp__s__a", json!({ "properties": { "x": { "type": "integer" } } })),
            tool(
                "mcp__s__b",
                json!({ "properties": { "x": { "allOf": [{ "$ref": "#" }, { "$ref": "#" }] } } }),
            ),
        ]);
        let fault = |name: &str, value| checks.clone().fault(name.to_owned(), Arguments::from_value(value));
        assert_eq!(fault("mcp__s__a", json!({ "x": 1 })).await, None);
        assert!(fault("mcp__s__a", json!({ "x": "1" })).await.unwrap().starts_with("/x: "));
        let nested = (0..60).fold(json!({}), |inner, _| json!({ "x": inner }));
        assert!(fault("mcp__s__b", nested).await.unwrap().contains("more than 1000000 steps"));
        assert!(fault("mcp__s__c", json!({})).await.unwrap().contains("there is no tool mcp__s__c"));
    }
}
