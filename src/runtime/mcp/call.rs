//! One call of a tool of a server, from its arguments to its report.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, RequestMetaObject, ServerResult};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::link::{Link, Trouble};
use super::managed_server::ManagedServer;
use super::notification_filter::Listener;
use super::report;
use super::server::McpWay;
use crate::ledger::{Arguments, Outcome, seconds};
use crate::runtime::tools::live::Live;
use crate::runtime::untrusted::report_apart;
use crate::tool::{Invocation, Shown, ToolReport};

/// Where the request says which action this is: the same over retries and restarts.
const ACTION: &str = "countersign/idempotency-key";
/// Messages of progress that wait for a screen; what comes then is left out.
const WAITING: usize = 64;

/// Runs a call to its end or its timeout. Dropping the future takes it back at the server.
pub(super) async fn run(
    kept: &ManagedServer,
    invocation: Invocation,
    output: mpsc::Sender<Shown>,
) -> ToolReport {
    let name = &kept.server.name;
    let Arguments::Object(arguments) = invocation.arguments else {
        return ToolReport::failed("the arguments are not a JSON object");
    };
    let (link, found) = match kept.ready().await {
        Ok(ready) => ready,
        Err(why) => return ToolReport::failed(format!("the MCP server `{name}` {why}; nothing was done")),
    };
    let Some(own_name) = found.own_names.get(&invocation.name) else {
        return ToolReport::failed(format!("the MCP server `{name}` has no such tool; nothing was done"));
    };
    let params = CallToolRequestParams::new(own_name.clone()).with_arguments(arguments);
    let limit = Duration::from_millis(invocation.timeout_ms);
    let answer = match timeout(limit, ask(&link, params, &invocation.key, output)).await {
        Ok(answer) => answer,
        Err(_elapsed) => return timed_out(invocation.timeout_ms),
    };
    match answer {
        Ok(answer) => {
            kept.answered();
            let (tool, max_chars) = (invocation.name, invocation.max_chars);
            report_apart(move || report::of(&tool, answer, max_chars)).await
        }
        Err(Trouble::Refused(refusal)) => {
            kept.answered();
            report::refused(&refusal, invocation.max_chars)
        }
        Err(Trouble::Ended(how)) => {
            let what = match kept.server.way {
                McpWay::Command { .. } => "ended during the call",
                McpWay::Http { .. } => "could not be read until the end of the call",
            };
            let how = kept.hide(&how);
            let words = format!(
                "the MCP server `{name}` {what}: {how}; effects may be partial; check before repeating"
            );
            ToolReport::failed(words).unclear()
        }
    }
}

fn timed_out(limit_ms: u64) -> ToolReport {
    let words =
        format!("timed out after {}; ask for less at once, or check what was done", seconds(limit_ms));
    // Which reads may be tried again is the loop's decision.
    ToolReport { outcome: Outcome::TimedOut, transient: true, ..ToolReport::failed(words) }
}

/// Sends the call, and shows its progress until it is answered.
async fn ask(
    link: &Link,
    params: CallToolRequestParams,
    key: &str,
    output: mpsc::Sender<Shown>,
) -> Result<ServerResult, Trouble> {
    let (speaker, mut progress) = mpsc::channel(WAITING);
    let mut request = CallToolRequest::new(params);
    request.extensions.insert(Listener(speaker));
    let mut meta = RequestMetaObject::new();
    meta.insert(ACTION.to_owned(), Value::String(key.to_owned()));
    let mut live = Live::new(output);
    let answer = {
        let asking = pin!(link.ask(ClientRequest::CallToolRequest(request), meta));
        match select(asking, pin!(show(&mut progress, &mut live))).await {
            Either::Left((answer, _)) => answer,
            Either::Right((never, _)) => match never {},
        }
    };
    while let Ok(line) = progress.try_recv() {
        live.push(line.as_bytes());
    }
    live.send(true);
    answer
}

/// Shows progress for as long as it is waited for.
async fn show(progress: &mut mpsc::Receiver<String>, live: &mut Live) -> std::convert::Infallible {
    loop {
        let line = match live.due_in() {
            None => progress.recv().await,
            Some(wait) => match timeout(wait, progress.recv()).await {
                Ok(line) => line,
                Err(_elapsed) => {
                    live.send(false);
                    continue;
                }
            },
        };
        match line {
            Some(line) => live.push(line.as_bytes()),
            // Nobody speaks any more; the answer is on its way.
            None => std::future::pending().await,
        }
        if live.due_in() == Some(Duration::ZERO) {
            live.send(false);
        }
    }
}
