//! The scripted model: one prepared reply for each call, in order.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use futures_util::stream::BoxStream;

use crate::model::{FailureClass, ModelFailure, ModelNews, Request};
use crate::runtime::ModelPort;
use crate::wire::script::Reply;

use super::play::{Step, estimate, play, steps};
use super::tool_mode::ToolMode;

/// Plays a script. A reply is used up when the call is made, however the call ends.
#[derive(Debug)]
pub struct ScriptedModel {
    replies: Vec<Reply>,
    tools: ToolMode,
    next: AtomicUsize,
}

impl ScriptedModel {
    /// A model that will give these replies.
    pub fn new(replies: Vec<Reply>, tools: ToolMode) -> Self {
        Self { replies, tools, next: AtomicUsize::new(0) }
    }
}

impl ModelPort for ScriptedModel {
    fn stream(&self, request: Request) -> BoxStream<'static, ModelNews> {
        let next = self.next.fetch_add(1, Relaxed);
        match self.replies.get(next) {
            Some(reply) => play(steps(reply, self.tools, estimate(&request))),
            None => play(vec![Step::News(ModelNews::Failed(self.exhausted()))]),
        }
    }
}

impl ScriptedModel {
    fn exhausted(&self) -> ModelFailure {
        let mut failure = ModelFailure::new(FailureClass::Exhausted, "the script has no more replies");
        failure.next = format!(
            "All {} were used: add a reply to the script, or choose a model with -m PROVIDER/MODEL.",
            self.replies.len()
        );
        failure
    }
}
