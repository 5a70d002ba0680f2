//! The choice between native calls and string mode, which a server's refusal of tools can still change.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use futures_util::stream::{self, BoxStream, StreamExt};

use crate::model::{ModelNews, Request, ToolCalls};
use crate::runtime::ModelPort;
use crate::wire::string_mode::{refuses_tools, rewrite};

use super::string_mode::read;

/// Calls natively until the server refuses tools; from then on in string mode.
pub struct AutoToolMode {
    inner: Arc<dyn ModelPort>,
    in_text: Arc<AtomicBool>,
}

impl fmt::Debug for AutoToolMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AutoToolMode").field("in_text", &self.in_text).finish_non_exhaustive()
    }
}

impl AutoToolMode {
    /// `inner`, which calls tools in this way at first.
    pub fn new(inner: Box<dyn ModelPort>, first: ToolCalls) -> Self {
        Self { inner: Arc::from(inner), in_text: Arc::new(AtomicBool::new(first == ToolCalls::InText)) }
    }
}

impl ModelPort for AutoToolMode {
    fn stream(&self, request: Request) -> BoxStream<'static, ModelNews> {
        if self.in_text.load(Relaxed) {
            return read(self.inner.stream(rewrite(request)));
        }
        if request.tools.is_empty() {
            return self.inner.stream(request);
        }
        let (inner, in_text) = (Arc::clone(&self.inner), Arc::clone(&self.in_text));
        let mut native = self.inner.stream(request.clone());
        // The first news decides: once anything was said the call stays what it is.
        let answer = async move {
            match native.next().await {
                Some(ModelNews::Failed(failure)) if refuses_tools(&failure) => {
                    tracing::info!(
                        "the server does not support tools ({failure}): using string mode from \
                        here on"
                    );
                    in_text.store(true, Relaxed);
                    let again = read(inner.stream(rewrite(request)));
                    stream::iter([ModelNews::ToolsRefused]).chain(again).boxed()
                }
                first => stream::iter(first).chain(native).boxed(),
            }
        };
        stream::once(answer).flatten().boxed()
    }
}
