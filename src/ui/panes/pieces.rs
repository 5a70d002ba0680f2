//! The pieces of cards, in order: how many a card has, how high each is, its rows. Most cards are one piece; an answer has
//! many, which its text alone decides, so that each is laid out without those above and a row keeps its name at any width.

use std::borrow::Cow;

use ratatui::text::Line;

use crate::ledger::Body;
use crate::ui::local::Position;
use crate::ui::text::highlight::Highlighter;
use crate::ui::theme::Theme;
use crate::view::{Card, CardBody, View};

use super::answer::{Answer, Bit};
use super::cards::{self, Around};
use super::layouts::{Growing, Layouts, Row, Version};
use super::selecting::Sheet;
use super::tools;

/// One walk over the pieces of a frame.
pub(super) struct Walk<'a> {
    pub layouts: &'a mut Layouts,
    pub view: &'a View,
    pub theme: &'a Theme,
    pub highlighter: &'a Highlighter,
    pub around: Around<'a>,
    pub height: usize,
}

/// A piece of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub card: usize,
    pub piece: usize,
}

impl Place {
    pub(super) const fn of(position: Position) -> Self {
        Self { card: position.card, piece: position.piece }
    }

    pub(super) const fn row(self, row: usize) -> Position {
        Position { card: self.card, piece: self.piece, row }
    }
}

impl Sheet for Walk<'_> {
    fn pieces(&mut self, card: usize) -> usize {
        Walk::pieces(self, card)
    }

    fn rows(&mut self, card: usize, piece: usize) -> Vec<Row> {
        let at = Place { card, piece };
        let (gap, all) = (usize::from(self.gap(at)), self.rows_of(at));
        let mut rows = vec![Row::new(0, Line::default()); gap];
        rows.extend(self.slice(at, 0, all));
        rows
    }
}

impl Walk<'_> {
    /// How many pieces a card has: one at least.
    pub(super) fn pieces(&mut self, card: usize) -> usize {
        match self.view.card(card) {
            Some(card) if card.body == CardBody::Growing => {
                1 + self.growing(card).map_or(0, |growing| growing.stream.pieces())
            }
            Some(card) => self.answer(card).map_or(1, |answer| answer.bits.len()),
            None => 0,
        }
    }

    pub(super) fn before(&mut self, at: Place) -> Option<Place> {
        if let Some(piece) = at.piece.checked_sub(1) {
            return Some(Place { piece, ..at });
        }
        let card = at.card.checked_sub(1)?;
        Some(Place { card, piece: self.pieces(card).saturating_sub(1) })
    }

    pub(super) fn after(&mut self, at: Place) -> Place {
        if at.piece + 1 < self.pieces(at.card) {
            Place { piece: at.piece + 1, ..at }
        } else {
            Place { card: at.card + 1, piece: 0 }
        }
    }

    /// Whether nothing of the card stands above this piece.
    pub(super) fn begins(&mut self, at: Place) -> bool {
        let head = Place { piece: 0, ..at };
        match at.piece {
            0 => true,
            1 => self.rows_of(head) == usize::from(self.gap(head)),
            _ => false,
        }
    }

    /// Rows of a piece, the empty one before a card included.
    pub(super) fn rows_of(&mut self, at: Place) -> usize {
        usize::from(self.gap(at)) + self.with_rows(at, |rows| rows.len())
    }

    /// Some rows of a piece, without the empty one before a card.
    pub(super) fn slice(&mut self, at: Place, from: usize, most: usize) -> Vec<Row> {
        self.with_rows(at, |rows| match rows {
            Rows::Own(rows) => rows.iter().skip(from).take(most).cloned().collect(),
            Rows::Words(lines, links) => {
                let lines = lines.iter().skip(from).take(most).cloned();
                lines.map(|line| Row::linked(cards::INDENT, line, links)).collect()
            }
        })
    }

    /// The text of a piece, if it is one of an answer's words.
    pub(super) fn source(&mut self, at: Place) -> Option<Cow<'_, str>> {
        let view = self.view;
        let card = view.card(at.card)?;
        if card.body == CardBody::Growing {
            let piece = at.piece.checked_sub(1)?;
            return self.growing(card).map(|growing| growing.stream.source(piece));
        }
        let answer = self.answer(card)?;
        match *answer.bits.get(at.piece)? {
            Bit::Words(text, piece) => answer.texts.get(text).map(|text| text.source(piece)),
            Bit::Head | Bit::Gap | Bit::Hosted(_) => None,
        }
    }

    /// Lays out a piece, if it is not laid out already.
    fn with_rows<R>(&mut self, at: Place, take: impl FnOnce(Rows<'_>) -> R) -> R {
        let view = self.view;
        let Some(card) = view.card(at.card) else { return take(Rows::Own(&[])) };
        let (width, theme, highlighter) = (self.around.text_width(), self.theme, self.highlighter);
        let stream = if card.body == CardBody::Growing {
            let piece = at.piece.checked_sub(1);
            piece.and_then(|piece| Some((&mut self.growing(card)?.stream, piece)))
        } else {
            self.answer(card).and_then(|answer| match answer.bits.get(at.piece) {
                Some(Bit::Words(text, piece)) => Some((answer.texts.get_mut(*text)?, *piece)),
                _ => None,
            })
        };
        let Some((stream, piece)) = stream else { return take(Rows::Own(self.own(card, at.piece))) };
        let before = stream.work();
        let (lines, links) = stream.piece(piece, width, theme, highlighter);
        let taken = take(Rows::Words(lines, links));
        let work = stream.work() - before;
        self.layouts.work += work;
        taken
    }

    /// What is no piece of an answer's words.
    fn own(&mut self, card: &Card, piece: usize) -> &[Row] {
        let bit = self.answer(card).and_then(|answer| answer.bits.get(piece).copied()).unwrap_or(Bit::Head);
        let line = match bit {
            Bit::Hosted(at) => self.answer(card).and_then(|answer| answer.hosted.get(at).cloned()),
            _ => None,
        };
        let version = Version { revision: card.revision.0, ..self.around.version(card) };
        let (view, theme, around) = (self.view, self.theme, &self.around);
        self.layouts.rows((card.id, piece), version, || match bit {
            Bit::Hosted(_) => line.iter().map(|line| tools::hosted(line, around)).collect(),
            Bit::Gap => vec![Row::new(cards::INDENT, Line::default())],
            Bit::Head | Bit::Words(..) => cards::lay(card, view, theme, around),
        })
    }

    fn answer(&mut self, card: &Card) -> Option<&mut Answer> {
        let CardBody::Assistant(entry) = &card.body else { return None };
        let Body::Assistant(message) = &entry.body else { return None };
        let revision = card.revision.0;
        Some(self.layouts.answer(card.id, revision, || Answer::of(message, revision)))
    }

    /// The text that grows, with what came since the last frame.
    fn growing(&mut self, card: &Card) -> Option<&mut Growing> {
        let live = self.view.live()?;
        self.layouts.growing = Some(match self.layouts.growing.take() {
            Some(growing) if growing.id == card.id && growing.taken <= live.text.len() => growing,
            _ => Growing { id: card.id, taken: 0, stream: Default::default() },
        });
        self.layouts.feed(&live.text);
        self.layouts.growing.as_mut()
    }

    /// Whether an empty row stands before a card: between all of them but neighbouring lines of calls and notes, or
    /// boxes.
    pub(super) fn gap(&self, at: Place) -> bool {
        let shape = |at: usize| {
            let card = self.view.card(at)?;
            match &card.body {
                CardBody::Tool(panel) => Some(panel.is_boxed()),
                CardBody::Forming(_) | CardBody::Note(_) => Some(false),
                _ => None,
            }
        };
        let before = at.card.checked_sub(1).filter(|_| at.piece == 0);
        before.is_some_and(|before| shape(before).is_none() || shape(before) != shape(at.card))
    }
}

/// The rows of a piece, as they are kept.
enum Rows<'a> {
    Own(&'a [Row]),
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
