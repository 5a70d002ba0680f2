//! A model in string mode: any other model, asked without tools, and its text read for calls.

use std::collections::VecDeque;
use std::fmt;

use futures_util::stream::{self, BoxStream, StreamExt};

use crate::ledger::Stop;
use crate::model::{ModelEvent, ModelNews, Request};
use crate::runtime::ModelPort;
use crate::wire::string_mode::{Parser, rewrite};

/// Most bytes of text that are read for calls: they are kept back until the answer ends. More than the loop takes by default.
const MOST_TEXT: usize = 16 << 20;

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
/// the calls that were not made. An answer of more than [`MOST_TEXT`] ends there, cut off.
pub(super) fn read(answer: BoxStream<'static, ModelNews>) -> BoxStream<'static, ModelNews> {
    let state = (Some(answer), Parser::new(), VecDeque::new(), 0);
    stream::unfold(state, |(mut answer, mut parser, mut ready, mut bytes)| async move {
        loop {
            if let Some(news) = ready.pop_front() {
                return Some((news, (answer, parser, ready, bytes)));
            }
            let news = answer.as_mut()?.next().await?;
            match news {
                ModelNews::Event(event) => {
                    bytes += if let ModelEvent::Text(text) = &event { text.len() } else { 0 };
                    ready.extend(parser.push(event).into_iter().map(ModelNews::Event));
                    if bytes > MOST_TEXT {
                        parser.push(ModelEvent::Stop(Stop::Length));
                        ready.extend(parser.finish().into_iter().map(ModelNews::Event));
                        ready.push_back(ModelNews::Finished);
                        answer = None;
                    }
                }
                ModelNews::ToolsRefused => ready.push_back(ModelNews::ToolsRefused),
                end @ (ModelNews::Finished | ModelNews::Failed(_)) => {
                    ready.extend(parser.finish().into_iter().map(ModelNews::Event));
                    ready.push_back(end);
                }
            }
        }
    })
    .boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_text_without_an_end_is_ended() {
        let call = "<tool_call>{\"name\": \"x\", \"arguments\": {\"a\": \"";
        let endless = stream::iter([call.to_owned()]).chain(stream::repeat("y".repeat(1 << 20)));
        let endless = endless.map(|text| ModelNews::Event(ModelEvent::Text(text))).boxed();
        let heard: Vec<ModelNews> = read(endless).collect().await;
        let [.., ModelNews::Event(ModelEvent::Stop(Stop::Length)), ModelNews::Finished] = &heard[..] else {
            panic!("{} news", heard.len());
        };
    }
}
