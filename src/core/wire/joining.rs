//! Characters whose halves came in two pieces of one block, put together again.

use crate::ledger::halves::{join, join_in, split_open};
use crate::model::{ModelEvent, ModelNews};

/// What a half at the end of a piece belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HalfOwner {
    Text,
    Thinking,
    Arguments(u32),
}

/// Joins the halves of an answer. Costs nothing while there are none.
#[derive(Debug, Default)]
pub(super) struct Joining {
    /// Whether a half was marked in this answer.
    is_needed: bool,
    /// First halves whose other half may still come.
    open: Vec<(HalfOwner, char)>,
}

impl Joining {
    /// A half was marked: from here on texts are looked into.
    pub(super) fn begin(&mut self) {
        self.is_needed = true;
    }

    /// The same news without marks.
    pub(super) fn join(&mut self, news: Vec<ModelNews>) -> Vec<ModelNews> {
        if !self.is_needed {
            return news;
        }
        let mut joined = Vec::with_capacity(news.len());
        for news in news {
            match news {
                ModelNews::Event(event) => self.event(event, &mut joined),
                ModelNews::ToolsRefused => joined.push(ModelNews::ToolsRefused),
                end @ (ModelNews::Finished | ModelNews::Failed(_)) => {
                    self.give_up(|_| true, &mut joined);
                    joined.push(end);
                }
            }
        }
        joined
    }

    fn event(&mut self, event: ModelEvent, joined: &mut Vec<ModelNews>) {
        let words = |block: &HalfOwner| matches!(block, HalfOwner::Text | HalfOwner::Thinking);
        let event = match event {
            ModelEvent::Text(text) => {
                self.give_up(|block| *block == HalfOwner::Thinking, joined);
                self.piece(HalfOwner::Text, text, joined);
                return;
            }
            ModelEvent::Thinking(text) => {
                self.give_up(|block| *block == HalfOwner::Text, joined);
                self.piece(HalfOwner::Thinking, text, joined);
                return;
            }
            ModelEvent::CallArguments { index, text } => {
                self.piece(HalfOwner::Arguments(index), text, joined);
                return;
            }
            ModelEvent::ThinkingDone { mut replay } => {
                self.give_up(words, joined);
                replay.iter_mut().for_each(join_in);
                ModelEvent::ThinkingDone { replay }
            }
            ModelEvent::Hosted(mut block) => {
                self.give_up(words, joined);
                join_in(&mut block.value);
                ModelEvent::Hosted(block)
            }
            ModelEvent::CallStarted { index, wire_id, name } => {
                self.give_up(words, joined);
                let (wire_id, name) = (join(&wire_id).into_owned(), join(&name).into_owned());
                ModelEvent::CallStarted { index, wire_id, name }
            }
            ModelEvent::CallDone { index } => {
                self.give_up(|block| *block == HalfOwner::Arguments(index), joined);
                ModelEvent::CallDone { index }
            }
            event @ (ModelEvent::Usage(_) | ModelEvent::Stop(_)) => event,
        };
        joined.push(ModelNews::Event(event));
    }

    /// A piece of a block, with the half that the one before it ended with, and without its own.
    fn piece(&mut self, block: HalfOwner, text: String, joined: &mut Vec<ModelNews>) {
        let open = self.open.iter().position(|(of, _)| *of == block);
        let mut text = match open.map(|at| self.open.remove(at)) {
            Some((_, half)) => format!("{half}{text}"),
            None => text,
        };
        if let Some(half) = split_open(&mut text) {
            self.open.push((block, half));
        }
        if !text.is_empty() {
            joined.push(ModelNews::Event(said(block, join(&text).into_owned())));
        }
    }

    /// The other halves of these blocks do not come any more.
    fn give_up(&mut self, of: impl Fn(&HalfOwner) -> bool, joined: &mut Vec<ModelNews>) {
        let (lost, open) = std::mem::take(&mut self.open).into_iter().partition(|(block, _)| of(block));
        self.open = open;
        let lost: Vec<(HalfOwner, char)> = lost;
        let half = char::REPLACEMENT_CHARACTER.to_string();
        joined.extend(lost.into_iter().map(|(block, _)| ModelNews::Event(said(block, half.clone()))));
    }
}

fn said(block: HalfOwner, text: String) -> ModelEvent {
    match block {
        HalfOwner::Text => ModelEvent::Text(text),
        HalfOwner::Thinking => ModelEvent::Thinking(text),
        HalfOwner::Arguments(index) => ModelEvent::CallArguments { index, text },
    }
}
