//! A finished answer in pieces: its reasoning, its words, what the provider ran between them.

use crate::ledger::AssistantMessage;
use crate::ui::text::markdown::Stream;
use crate::view::{HostedLine, Shown, shown};

/// A piece of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bit {
    /// All of a card that is no answer; of an answer what stands before its words.
    Head,
    /// The empty line between words and what the provider ran.
    Gap,
    /// What the provider ran.
    Hosted(usize),
    /// A piece of its words: which text, which piece of that.
    Words(usize, usize),
}

/// An answer, taken apart once: whatever the width, each piece can be laid out without those above.
pub(super) struct Answer {
    /// The card's revision.
    pub revision: u64,
    pub bits: Vec<Bit>,
    pub hosted: Vec<HostedLine>,
    pub texts: Vec<Stream>,
}

impl Answer {
    pub(super) fn of(message: &AssistantMessage, revision: u64) -> Self {
        let mut answer = Self { revision, bits: vec![Bit::Head], hosted: Vec::new(), texts: Vec::new() };
        let parts = shown(&message.blocks);
        let last = parts.len().saturating_sub(1);
        for (at, part) in parts.into_iter().enumerate() {
            match part {
                Shown::Words(words) => {
                    let text = Stream::whole(words.trim());
                    let pieces = (0..text.pieces()).map(|piece| Bit::Words(answer.texts.len(), piece));
                    answer.bits.extend((at > 0).then_some(Bit::Gap));
                    answer.bits.extend(pieces);
                    answer.bits.extend((at < last).then_some(Bit::Gap));
                    answer.texts.push(text);
                }
                Shown::Hosted(line) => {
                    answer.bits.push(Bit::Hosted(answer.hosted.len()));
                    answer.hosted.push(line);
                }
            }
        }
        answer
    }
}
