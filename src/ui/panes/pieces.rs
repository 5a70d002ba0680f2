//! The pieces of cards, in order: how many a card has, how high each is, its rows. Most cards are one piece; a message has
//! many. Its text decides where they end, so that each is laid out without those above and a row keeps its name at any width.

use std::borrow::Cow;

use ratatui::text::Line;

use crate::ledger::{Body, UserMessage};
use crate::ui::commands::built_in_run;
use crate::ui::local::Position;
use crate::ui::text::markdown::Stream;
use crate::ui::theme::Theme;
use crate::view::{Card, CardBody, View};

use super::card_context::{CardContext, INDENT};
use super::cards;
use super::layouts::{Layouts, TranscriptRow, Version};
use super::message::{Bit, Growing, Message};
use super::selecting::Sheet;
use super::tools;

/// One walk over the pieces of a frame.
pub(super) struct PieceWalk<'a> {
    pub layouts: &'a mut Layouts,
    pub view: &'a View,
    pub theme: &'a Theme,
    pub around: CardContext<'a>,
    pub height: usize,
}

/// A piece of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PieceIndex {
    pub card: usize,
    pub piece: usize,
}

impl PieceIndex {
    pub(super) const fn of(position: Position) -> Self {
        Self { card: position.card, piece: position.piece }
    }

    pub(super) const fn row(self, row: usize) -> Position {
        Position { card: self.card, piece: self.piece, row }
    }
}

impl Sheet for PieceWalk<'_> {
    fn pieces(&mut self, card: usize) -> usize {
        PieceWalk::pieces(self, card)
    }

    fn rows(&mut self, card: usize, piece: usize) -> Vec<TranscriptRow> {
        let at = PieceIndex { card, piece };
        let (gap, all) = (usize::from(self.gap(at)), self.rows_of(at));
        let mut rows = vec![TranscriptRow::new(0, Line::default()); gap];
        rows.extend(self.slice(at, 0, all));
        rows
    }
}

impl PieceWalk<'_> {
    /// How many pieces a card has: one at least.
    pub(super) fn pieces(&mut self, card: usize) -> usize {
        match self.view.card(card) {
            Some(card) if card.body == CardBody::Growing => self.growing(card).map_or(1, |it| it.pieces()),
            Some(card) => self.message(card).map_or(1, |message| message.bits.len()),
            None => 0,
        }
    }

    /// What a piece is.
    fn bit(&mut self, card: &Card, piece: usize) -> Bit {
        if card.body == CardBody::Growing {
            return self.growing(card).map_or(Bit::Head, |growing| growing.bit(piece));
        }
        self.message(card).and_then(|message| message.bits.get(piece).copied()).unwrap_or(Bit::Head)
    }

    pub(super) fn before(&mut self, at: PieceIndex) -> Option<PieceIndex> {
        if let Some(piece) = at.piece.checked_sub(1) {
            return Some(PieceIndex { piece, ..at });
        }
        let card = at.card.checked_sub(1)?;
        Some(PieceIndex { card, piece: self.pieces(card).saturating_sub(1) })
    }

    pub(super) fn after(&mut self, at: PieceIndex) -> PieceIndex {
        if at.piece + 1 < self.pieces(at.card) {
            PieceIndex { piece: at.piece + 1, ..at }
        } else {
            PieceIndex { card: at.card + 1, piece: 0 }
        }
    }

    /// Whether nothing of the card stands above this piece: of an answer without reasoning the first pieces are empty.
    pub(super) fn begins(&mut self, at: PieceIndex) -> bool {
        let Some(card) = self.view.card(at.card) else { return at.piece == 0 };
        (0..at.piece).all(|piece| {
            let may_be_empty = matches!(self.bit(card, piece), Bit::Head | Bit::AfterReasoning);
            let above = PieceIndex { piece, ..at };
            may_be_empty && self.rows_of(above) == usize::from(self.gap(above))
        })
    }

    /// Rows of a piece, the empty one before a card included.
    pub(super) fn rows_of(&mut self, at: PieceIndex) -> usize {
        usize::from(self.gap(at)) + self.with_rows(at, |rows| rows.len())
    }

    /// Some rows of a piece, without the empty one before a card.
    pub(super) fn slice(&mut self, at: PieceIndex, from: usize, most: usize) -> Vec<TranscriptRow> {
        self.with_rows(at, |rows| match rows {
            Rows::Own(rows) => rows.iter().skip(from).take(most).cloned().collect(),
            Rows::Words(lines, links) => {
                let lines = lines.iter().skip(from).take(most).cloned();
                lines.map(|line| TranscriptRow::linked(INDENT, line, links)).collect()
            }
        })
    }

    /// The text of a piece, if it is one of a message's words.
    pub(super) fn source(&mut self, at: PieceIndex) -> Option<Cow<'_, str>> {
        let view = self.view;
        let card = view.card(at.card)?;
        match self.bit(card, at.piece) {
            Bit::Words(text, piece) => self.words(card, text).map(|text| text.source(piece)),
            Bit::Plain(piece) if matches!(card.body, CardBody::User(_)) => {
                self.message(card).map(|message| Cow::Borrowed(message.plain.source(piece)))
            }
            _ => None,
        }
    }

    /// One of the texts of an answer.
    fn words(&mut self, card: &Card, text: usize) -> Option<&mut Stream> {
        if card.body == CardBody::Growing {
            return self.growing(card).map(|growing| &mut growing.stream);
        }
        self.message(card).and_then(|message| message.texts.get_mut(text))
    }

    /// Lays out a piece, if it is not laid out already.
    fn with_rows<R>(&mut self, at: PieceIndex, take: impl FnOnce(Rows<'_>) -> R) -> R {
        let view = self.view;
        let Some(card) = view.card(at.card) else { return take(Rows::Own(&[])) };
        let bit = self.bit(card, at.piece);
        let (width, theme, highlighter) = (self.around.text_width(), self.theme, self.around.highlighter);
        let Bit::Words(text, piece) = bit else { return take(Rows::Own(self.own(card, at.piece, bit))) };
        let Some(stream) = self.words(card, text) else { return take(Rows::Own(&[])) };
        let before = stream.work();
        let (lines, links) = stream.piece(piece, width, theme, highlighter);
        let taken = take(Rows::Words(lines, links));
        let work = stream.work() - before;
        self.layouts.work += work;
        taken
    }

    /// What is not one of an answer's words.
    fn own(&mut self, card: &Card, piece: usize, bit: Bit) -> &[TranscriptRow] {
        let mut version = Version { revision: card.revision.0, ..self.around.version(card) };
        let grows = card.body == CardBody::Growing;
        if let (true, Bit::Plain(at), Some(growing)) = (grows, bit, &self.layouts.growing) {
            // A piece that has ended is not laid out again when more comes. No revision is as large.
            version.revision = u64::MAX / 2 + growing.reasoning.source(at).len() as u64;
        }
        let (live, around) = (self.view.live().filter(|_| grows), &self.around);
        self.layouts.rows((card.id, piece), version, |message, growing| {
            let words_end = message.map_or(0, |message| message.words_end);
            let plain = match (grows, message, growing) {
                (true, _, Some(growing)) => &growing.reasoning,
                (false, Some(message), _) => &message.plain,
                _ => return cards::lay(card, around),
            };
            match bit {
                Bit::Head => cards::reasoning_head(plain, around),
                Bit::Plain(at) if matches!(card.body, CardBody::User(_)) => {
                    cards::user((plain, words_end), at, around)
                }
                Bit::Plain(at) => cards::reasoning(plain, at, around),
                Bit::AfterReasoning => cards::after_reasoning(plain, message, live, around),
                Bit::Hosted(at) => {
                    let line = message.and_then(|message| message.hosted.get(at));
                    line.map(|line| tools::hosted(line, around)).into_iter().collect()
                }
                Bit::Pictures => cards::user_pictures(card, around),
                Bit::Gap | Bit::Words(..) => vec![TranscriptRow::new(INDENT, Line::default())],
            }
        })
    }

    /// A message in pieces.
    fn message(&mut self, card: &Card) -> Option<&mut Message> {
        let revision = card.revision.0;
        let (CardBody::Assistant(entry) | CardBody::User(entry)) = &card.body else { return None };
        match &entry.body {
            Body::Assistant(said) => {
                Some(self.layouts.message(card.id, revision, || Message::answer(said, revision)))
            }
            Body::User(said) => {
                let (view, is_long) = (self.view, card.is_long_message());
                Some(self.layouts.message(card.id, revision, || match built_in_run(view, entry.id) {
                    Some(typed) => Message::user(&UserMessage::text(typed), false, revision),
                    None => Message::user(said, is_long, revision),
                }))
            }
            _ => None,
        }
    }

    /// The answer that grows, with what came since the last frame.
    fn growing(&mut self, card: &Card) -> Option<&mut Growing> {
        let live = self.view.live()?;
        let kept = self.layouts.growing.take().filter(|growing| growing.id == card.id && growing.is_of(live));
        let growing = self.layouts.growing.insert(kept.unwrap_or_else(|| Growing::new(card.id)));
        growing.think(&live.thinking);
        self.layouts.feed(&live.text);
        self.layouts.growing.as_mut()
    }

    /// Whether an empty row stands before a card: between all of them but neighbouring lines of calls and notes, or
    /// boxes, and a failure and the end of the run that it ended.
    pub(super) fn gap(&self, at: PieceIndex) -> bool {
        let shape = |at: usize| {
            let card = self.view.card(at)?;
            match &card.body {
                CardBody::Tool(panel) => Some(panel.is_boxed() && !tools::is_folded(panel, self.view)),
                CardBody::Forming(_) | CardBody::Note(_) => Some(false),
                _ => None,
            }
        };
        let is_end = matches!(self.view.card(at.card).map(|card| &card.body), Some(CardBody::TurnEnded(_)));
        let fails =
            |before: usize| matches!(self.view.card(before).map(|card| &card.body), Some(CardBody::Error(_)));
        let before = at.card.checked_sub(1).filter(|_| at.piece == 0);
        let before = before.filter(|before| !(is_end && fails(*before)));
        before.is_some_and(|before| shape(before).is_none() || shape(before) != shape(at.card))
    }
}

/// The rows of a piece, as they are kept.
enum Rows<'a> {
    Own(&'a [TranscriptRow]),
    Words(&'a [Line<'static>], &'a [std::sync::Arc<str>]),
}

impl Rows<'_> {
    const fn len(&self) -> usize {
        match self {
            Self::Own(rows) => rows.len(),
            Self::Words(lines, _) => lines.len(),
        }
    }
}
