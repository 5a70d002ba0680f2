//! A model in string mode: any other model, asked without tools, and its text read for calls.

use std::collections::VecDeque;
use std::fmt;

use futures_util::stream::{self, BoxStream, StreamExt};

use crate::model::{ModelNews, Request};
use crate::runtime::ModelPort;
use crate::wire::string_mode::{Parser, rewrite};

/// Puts string mode around a model.
pub struct StringModel {
    inner: Box<dyn ModelPort>,
}

impl fmt::Debug for StringModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StringModel").finish_non_exhaustive()
    }
}

impl StringModel {
    /// `inner` in string mode.
    pub fn new(inner: Box<dyn ModelPort>) -> Self {
        Self { inner }
    }
}

impl ModelPort for StringModel {
    fn stream(&self, request: Request) -> BoxStream<'static, ModelNews> {
        read(self.inner.stream(rewrite(request)))
    }
}

/// The answer as it streams, its text read for calls. They come before its end, also when it fails: then they are
/// the calls that were not made.
pub(super) fn read(answer: BoxStream<'static, ModelNews>) -> BoxStream<'static, ModelNews> {
    let state = (answer, Parser::new(), VecDeque::new());
    stream::unfold(state, |(mut answer, mut parser, mut ready)| async move {
        loop {
            if let Some(news) = ready.pop_front() {
                return Some((news, (answer, parser, ready)));
            }
            match answer.next().await? {
                ModelNews::Event(event) => ready.extend(parser.push(event).into_iter().map(ModelNews::Event)),
                end @ (ModelNews::Finished | ModelNews::Failed(_)) => {
                    ready.extend(parser.finish().into_iter().map(ModelNews::Event));
                    ready.push_back(end);
                }
            }
        }
    })
    .boxed()
}
