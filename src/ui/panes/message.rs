//! A message in pieces: its reasoning, its words, what the provider ran between them, its pictures.

use std::collections::BTreeSet;

use crate::ledger::{AssistantMessage, Image, MessagePiece, UserMessage};
use crate::ui::composer;
use crate::ui::text::grouped;
use crate::ui::text::markdown::Stream;
use crate::ui::text::plain::Plain;
use crate::view::{Card, CardId, HostedLine, LiveMessage, ShownPart, shown};

/// A piece of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bit {
    /// All of a card that is not a message; of an answer the line over its reasoning.
    Head,
    /// A piece of its reasoning, or of a user's words.
    Plain(usize),
    /// What sets the reasoning apart from what follows, if both are there.
    AfterReasoning,
    /// The empty line between words and what the provider ran.
    Gap,
    /// What the provider ran.
    Hosted(usize),
    /// A piece of an answer's words: which text, which piece of that.
    Words(usize, usize),
    /// The pictures under a user's words.
    Pictures,
}

/// A message, taken apart once: whatever the width, each piece can be laid out without those above.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// The card's revision.
    pub revision: u64,
    pub bits: Vec<Bit>,
    /// Reasoning, or a user's words.
    pub plain: Plain,
    /// Where a user's words end in that: what follows is ours.
    pub words_end: usize,
    pub hosted: Vec<HostedLine>,
    pub texts: Vec<Stream>,
}

impl Message {
    pub(super) fn answer(message: &AssistantMessage, revision: u64) -> Self {
        let plain = Plain::whole(message.thinking().trim());
        let mut answer = Self { revision, plain, bits: vec![Bit::Head], ..Self::default() };
        answer.bits.extend((0..answer.plain.pieces()).map(Bit::Plain));
        answer.bits.push(Bit::AfterReasoning);
        let parts = shown(&message.blocks);
        let last = parts.len().saturating_sub(1);
        for (at, part) in parts.into_iter().enumerate() {
            match part {
                ShownPart::Words(words) => {
                    let text = Stream::whole(words.trim());
                    let pieces = (0..text.pieces()).map(|piece| Bit::Words(answer.texts.len(), piece));
                    answer.bits.extend((at > 0).then_some(Bit::Gap));
                    answer.bits.extend(pieces);
                    answer.bits.extend((at < last).then_some(Bit::Gap));
                    answer.texts.push(text);
                }
                ShownPart::Hosted(line) => {
                    answer.bits.push(Bit::Hosted(answer.hosted.len()));
                    answer.hosted.push(line);
                }
            }
        }
        answer
    }

    /// Whether something follows its reasoning.
    pub(super) fn speaks(&self) -> bool {
        self.bits.last() != Some(&Bit::AfterReasoning)
    }

    /// A user's message; of a long one what the composer showed of it, else its beginning and how much follows.
    pub(super) fn user(message: &UserMessage, is_long: bool, revision: u64) -> Self {
        let (text, words_end) =
            if is_long { abridged(message) } else { (message.shown(), message.content.len()) };
        let plain = Plain::whole(&text);
        // An empty message, too, has its sign in the margin.
        let mut bits: Vec<Bit> = (0..plain.pieces().max(1)).map(Bit::Plain).collect();
        bits.extend((!message.images.is_empty()).then_some(Bit::Pictures));
        Self { revision, bits, plain, words_end, ..Self::default() }
    }
}

/// Lines of a long message that are shown.
const FIRST_LINES: usize = 8;
/// Most characters of them.
const FIRST_CHARS: usize = 800;

/// What stands for a long message: what the composer showed of it, else its beginning and how much follows; and where in that the words
/// of the user end.
pub(super) fn abridged(message: &UserMessage) -> (String, usize) {
    let parts = message.pastes.parts(&message.content);
    let measures = |mention: &str| composer::measures_in(message, mention);
    let chip = (!message.pastes.is_empty()).then(|| composer::plain(&composer::named(&parts, measures).0));
    let mentions =
        parts.iter().filter_map(|part| if let MessagePiece::Image(it) = part { Some(*it) } else { None });
    let images = mentions.collect::<BTreeSet<&str>>().len();
    // Words around images are as long as any that are shown whole.
    let (lines, bytes, opens) = if message.pastes.has_text() {
        (FIRST_LINES, FIRST_CHARS, "show all of it")
    } else {
        (Card::LONG_LINES, Card::LONG_BYTES, if images > 1 { "show the paths" } else { "show the path" })
    };
    let fits = |chip: &String| chip.lines().count() <= lines && chip.len() <= bytes;
    match chip.filter(fits) {
        Some(chip) => {
            let is_chip = |image: &Image| {
                parts.iter().any(|part| matches!(part, MessagePiece::Image(it) if image.is_named_by(it)))
            };
            let rest = message.images.iter().filter(|image| !is_chip(image)).cloned().collect();
            let attached = attached(&UserMessage { images: rest, ..message.clone() });
            (format!("{chip}\n[tab, then o: {opens}]{attached}"), chip.len())
        }
        None => folded(message),
    }
}

/// The beginning of a long message, how much there is of it, and a line for each image and file.
fn folded(message: &UserMessage) -> (String, usize) {
    let lines: Vec<&str> = message.content.lines().take(FIRST_LINES).collect();
    let first: String = lines.join("\n").chars().take(FIRST_CHARS).collect();
    let lines = grouped(message.content.lines().count() as u64);
    let attached = attached(message);
    (format!("{first}\n[… {lines} lines in all · tab, then o: show them]{attached}"), first.len())
}

/// A line for each image and file.
fn attached(message: &UserMessage) -> String {
    UserMessage { content: String::new(), ..message.clone() }.shown()
}

/// The answer that grows: only its last pieces are laid out again.
pub(super) struct Growing {
    pub id: CardId,
    /// Bytes of its text that the stream has taken.
    pub taken: usize,
    pub stream: Stream,
    /// Bytes of its reasoning that were taken.
    pub thought: usize,
    pub reasoning: Plain,
}

impl Growing {
    pub(super) fn new(id: CardId) -> Self {
        Self { id, taken: 0, stream: Stream::growing(), thought: 0, reasoning: Plain::default() }
    }

    /// Whether this is what has grown so far, and not an earlier attempt.
    pub(super) fn is_of(&self, live: &LiveMessage) -> bool {
        self.taken <= live.text.len() && self.thought <= live.thinking.len()
    }

    /// Takes the reasoning that came since the last frame.
    pub(super) fn think(&mut self, all: &str) {
        let new = all.get(self.thought..).unwrap_or_default();
        // Blanks before the first word are not shown.
        let new = if self.reasoning.pieces() == 0 { new.trim_start() } else { new };
        self.reasoning.push(new);
        self.thought = all.len();
    }

    /// How many pieces there are.
    pub(super) fn pieces(&self) -> usize {
        2 + self.reasoning.pieces() + self.stream.pieces()
    }

    /// What a piece is. The words have the same places as when the answer is finished.
    pub(super) fn bit(&self, piece: usize) -> Bit {
        let thoughts = self.reasoning.pieces();
        match piece {
            0 => Bit::Head,
            piece if piece <= thoughts => Bit::Plain(piece - 1),
            piece if piece == thoughts + 1 => Bit::AfterReasoning,
            piece => Bit::Words(0, piece - thoughts - 2),
        }
    }
}
