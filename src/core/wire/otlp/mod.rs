//! A session as traces of OpenTelemetry: what its entries tell, in the bodies that OTLP over HTTP takes as JSON.
//!
//! The names are those of the conventions for generative AI: `invoke_agent` for each run, below it `chat` for each call of a
//! model and `execute_tool` for each call of a tool. Ids are hashes of what the ledger numbers, so the same session always
//! gives the same bytes.

mod call;
mod contents;
mod fold;
mod names;
mod reply;
mod span;

use serde_json::{Value, json};

pub use contents::Contents;
pub use fold::Traces;
pub use reply::{Refused, refused};
pub use span::Span;

use span::{text, trace_id};

/// Most spans in a request.
pub const MOST_SPANS: usize = 512;
/// No more spans are added to a request that has so many bytes: collectors have limits of their own.
const ENOUGH_BYTES: usize = 1024 * 1024;

/// The traces of a whole session, of which so much came with an import. What is open at its end is told as
/// far as it came.
pub fn traces(
    entries: &[std::sync::Arc<crate::ledger::Entry>],
    imported_to: Option<crate::ledger::EntryId>,
    contents: Option<Contents>,
) -> Traces {
    let mut traces = Traces::new(contents).imported_to(imported_to);
    for entry in entries {
        traces.take(entry);
    }
    traces.end();
    traces
}

/// The bodies of the requests that send these spans, in their order.
pub fn requests(session: &str, spans: &[Span]) -> Vec<Value> {
    let trace = trace_id(session);
    let (mut requests, mut batch, mut bytes) = (Vec::new(), Vec::new(), 0);
    for span in spans {
        let span = span.encode(&trace);
        let size = span.to_string().len();
        if batch.len() == MOST_SPANS || (!batch.is_empty() && bytes + size > ENOUGH_BYTES) {
            requests.push(request(std::mem::take(&mut batch)));
            bytes = 0;
        }
        bytes += size;
        batch.push(span);
    }
    if !batch.is_empty() {
        requests.push(request(batch));
    }
    requests
}

fn request(spans: Vec<Value>) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let resource = [text("service.name", "countersign"), text("service.version", version)];
    json!({
        "resourceSpans": [{
            "resource": { "attributes": resource },
            "scopeSpans": [{ "scope": { "name": "countersign", "version": version }, "spans": spans }],
        }],
    })
}
