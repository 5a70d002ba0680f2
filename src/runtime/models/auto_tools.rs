//! The choice between native calls and string mode, which a server's refusal of tools can still change.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use futures_util::stream::{self, BoxStream, StreamExt};

use crate::model::{ModelNews, Request};
use crate::runtime::ModelPort;
use crate::wire::string_mode::{refuses_tools, rewrite};

use super::string_mode::read;

/// Which mode runs; every clone knows.
#[derive(Debug, Clone, Default)]
pub struct RunningMode(Arc<AtomicBool>);

impl RunningMode {
    /// One that stays as it is, unless a server refuses tools.
    pub fn new(is_string: bool) -> Self {
        Self(Arc::new(AtomicBool::new(is_string)))
    }

    /// Whether calls are read from text now.
    pub fn is_string(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// `native` or `string`.
    pub fn word(&self) -> &'static str {
        if self.is_string() { "string" } else { "native" }
    }
}

/// Calls natively until the server refuses tools; from then on in string mode.
pub struct AutoToolMode {
    inner: Arc<dyn ModelPort>,
    mode: RunningMode,
}

impl fmt::Debug for AutoToolMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AutoToolMode").field("mode", &self.mode).finish_non_exhaustive()
    }
}

impl AutoToolMode {
    /// `inner`, in string mode from the start if what is known about the model says that it takes no tools.
    pub fn new(inner: Box<dyn ModelPort>, is_string: bool) -> Self {
        Self { inner: Arc::from(inner), mode: RunningMode::new(is_string) }
    }

    /// Which mode runs, now and later.
    pub fn mode(&self) -> RunningMode {
        self.mode.clone()
    }
}

impl ModelPort for AutoToolMode {
    fn stream(&self, request: Request) -> BoxStream<'static, ModelNews> {
        if self.mode.is_string() {
            return read(self.inner.stream(rewrite(request)));
        }
        if request.tools.is_empty() {
            return self.inner.stream(request);
        }
        let (inner, mode) = (Arc::clone(&self.inner), self.mode.clone());
        let mut native = self.inner.stream(request.clone());
        // The first news decides: once anything was said the call stays what it is.
        let answer = async move {
            match native.next().await {
                Some(ModelNews::Failed(failure)) if refuses_tools(&failure) => {
                    tracing::info!("the server takes no tools ({failure}): string mode from here on");
                    mode.0.store(true, Relaxed);
                    read(inner.stream(rewrite(request)))
                }
                first => stream::iter(first).chain(native).boxed(),
            }
        };
        stream::once(answer).flatten().boxed()
    }
}
