//! Tools that stand behind those of servers and agents: they say what was asked of them.

use std::sync::{Arc, Mutex};

use countersign::ledger::CallId;
use countersign::runtime::ToolPort;
use countersign::tool::{Discovered, Invocation, Preparation, Shown, ToolReport, Typed};
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

/// What this machine's own tools would be.
#[derive(Default)]
pub(crate) struct Inner {
    /// The calls that keys were meant for.
    pub(crate) typed: Arc<Mutex<Vec<CallId>>>,
}

impl ToolPort for Inner {
    fn discover(&self) -> BoxFuture<'static, Discovered> {
        Box::pin(std::future::ready(Discovered { missing: vec!["inner".into()], ..Discovered::default() }))
    }

    fn prepare(&self, invocation: Invocation) -> BoxFuture<'static, Preparation> {
        let outside = vec![format!("inner {}", invocation.name)];
        Box::pin(std::future::ready(Preparation { outside, ..Preparation::default() }))
    }

    fn run(&self, invocation: Invocation, _output: mpsc::Sender<Shown>) -> BoxFuture<'static, ToolReport> {
        Box::pin(std::future::ready(ToolReport::failed(format!("inner {}", invocation.name))))
    }

    fn type_into(&self, call: CallId, _typed: Typed) {
        self.typed.lock().unwrap().push(call);
    }

    fn stop_background(&self, _: &str) {}
}
