//! The transcript: a window on the cards, found by walking from where it is held or from the end over their pieces, so
//! that only the pieces in it are ever laid out, and no height is ever guessed.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::ledger::Millis;
use crate::ui::local::{Anchor, Focus, FoundWords, Local, Position, Scroll};
use crate::ui::search::Search;
use crate::ui::selection::Surface;
use crate::ui::text::highlight::Highlighter;
use crate::ui::theme::Theme;
use crate::view::{Card, CardId, View};

use super::anchor::{self, Ink};
use super::card_context::CardContext;
use super::layouts::{HostRows, Layouts, Shape, Spot, TranscriptRow, Window};
use super::pieces::{PieceIndex, PieceWalk};
use super::selecting;

/// Finds the window and fills it.
pub(super) fn prepare(
    layouts: &mut Layouts,
    view: &View,
    local: &mut Local,
    theme: &Theme,
    highlighter: &Highlighter,
    area: Rect,
    now: Millis,
) {
    let reshaped = layouts.begin(&Shape {
        width: area.width,
        theme: theme.name.clone(),
        generation: highlighter.generation(),
        thinking_open: local.thinking_open,
        epoch: view.epoch().0,
        height: area.height,
    });
    let mut scroll = local.scroll;
    let mut pointer = std::mem::take(&mut local.pointer);
    let around = CardContext::new(view, local, (theme, highlighter), layouts.pictures.sizing(), area, now);
    let mut walk = PieceWalk { layouts, view, theme, around, height: usize::from(area.height) };
    let end = walk.top_at_end();
    let wish = std::mem::take(&mut scroll.wish);
    if reshaped {
        walk.recall(&mut scroll);
    }
    let mut stays = reshaped && wish == 0;
    if let Some(reveal) = scroll.reveal.take().and_then(|id| view.place(id)) {
        stays = false;
        scroll.top = Some(walk.revealed(reveal, &mut scroll, local, end));
    }
    if let Some((id, row)) = scroll.names_host.take()
        && let Some(card) = view.place(id)
    {
        stays = false;
        scroll.top = Some(walk.with_host_in_sight((card, row), scroll.top.unwrap_or(end)));
    }
    let mut top = match scroll.top {
        None if wish >= 0 => None,
        None => Some(walk.moved(end, wish)),
        Some(held) => {
            let held = walk.clamped(held);
            Some(walk.moved(held, wish))
        }
    };
    if top.is_some_and(|top| top >= end) {
        top = None;
    }
    scroll.top = top;
    walk.remember(&mut scroll, stays);
    if top.is_none() {
        (scroll.seen, scroll.seen_revision) = session(view);
    }
    let top = top.unwrap_or_else(|| walk.with_chosen_in_sight(end, local));
    let new = if scroll.top.is_some() { news(view, &scroll) } else { 0 };
    let mut window = walk.fill(top, local, (top < end).then_some(new));
    window.found = walk.found_in(&window, local, scroll.found);
    window.area = area;
    let shape = (area.width, local.thinking_open, view.epoch().0);
    selecting::settle(&mut pointer, &mut window, &mut walk, shape);
    layouts.pictures.want(window.rows.iter().filter_map(|row| row.picture.as_ref()));
    layouts.window = window;
    layouts.number_links();
    (local.scroll, local.pointer) = (scroll, pointer);
}

/// What is selected of the transcript, as text.
pub(super) fn selected(
    layouts: &mut Layouts,
    view: &View,
    local: &Local,
    theme: &Theme,
    highlighter: &Highlighter,
    now: Millis,
) -> String {
    let Some(selection) = &local.pointer.selection else { return String::new() };
    let area = layouts.window.area;
    let around = CardContext::new(view, local, (theme, highlighter), layouts.pictures.sizing(), area, now);
    let mut walk = PieceWalk { layouts, view, theme, around, height: usize::from(area.height) };
    selecting::text(selection, &mut walk)
}

/// How many cards there are, and how often the last one has changed.
fn session(view: &View) -> (usize, u64) {
    let last = view.len().checked_sub(1).and_then(|last| view.card(last));
    (view.len(), last.map_or(0, |card| card.revision.0))
}

/// Where a card stands, whether it still grows or not.
fn place(view: &View, id: CardId) -> Option<usize> {
    let is_it = |at: &usize| view.card(*at).is_some_and(|card| card.id == id);
    view.place(id).or_else(|| (0..view.len()).rev().find(is_it))
}

/// How many cards are new, or grew, since the end was last in sight.
fn news(view: &View, scroll: &Scroll) -> usize {
    let last = scroll.seen.checked_sub(1).and_then(|last| view.card(last));
    let grew = last.is_some_and(|card| card.revision.0 > scroll.seen_revision);
    view.len().saturating_sub(scroll.seen) + usize::from(grew)
}

impl PieceWalk<'_> {
    /// The top row of a window that shows the end.
    fn top_at_end(&mut self) -> Position {
        let mut left = self.height;
        let mut at = PieceIndex { card: self.view.len(), piece: 0 };
        while let Some(before) = self.before(at) {
            at = before;
            let rows = self.rows_of(at);
            if rows >= left {
                return at.row(rows - left);
            }
            left -= rows;
        }
        Position::default()
    }

    /// At the end, a call that waits must be whole in sight, even if others stand below it.
    fn with_chosen_in_sight(&mut self, end: Position, local: &Local) -> Position {
        let Some((_, request)) = local.chosen(self.view) else { return end };
        let Some(card) = self.view.position(request.call) else { return end };
        let at = PieceIndex { card, piece: 0 };
        let rows = self.rows_of(at);
        let whole = at.row(rows.saturating_sub(self.height));
        end.min(whole)
    }

    /// The window that shows a card, or the words in it that are searched.
    fn revealed(&mut self, card: usize, scroll: &mut Scroll, local: &Local, end: Position) -> Position {
        let Some(search) = &local.search else {
            return self.with_card_in_sight(card, scroll.top.unwrap_or(end));
        };
        let (top, piece, nth) = self.with_words_in_sight(card, search);
        scroll.found = self.view.card(card).map(|card| FoundWords { card: card.id, piece, nth });
        top
    }

    /// The window nearest to `top` that shows a card from its first row on.
    fn with_card_in_sight(&mut self, card: usize, top: Position) -> Position {
        let first = Position { card, ..Position::default() };
        let mut rows = 0;
        for piece in 0..self.pieces(card) {
            rows += self.rows_of(PieceIndex { card, piece });
            if rows >= self.height {
                break;
            }
        }
        let rows = i32::try_from(rows.min(self.height)).unwrap_or(0);
        let ends = self.moved(first, rows);
        let highest = self.moved(ends, -i32::try_from(self.height).unwrap_or(0));
        top.clamp(highest.min(first), first)
    }

    /// The window nearest to `top` that shows all rows that name the host which a key would allow, and one more below them: the
    /// last row may be covered by what tells that there is more. Of a name that has more rows than the window, those from `row` on.
    fn with_host_in_sight(&mut self, (card, row): (usize, usize), top: Position) -> Position {
        for piece in 0..self.pieces(card) {
            let at = PieceIndex { card, piece };
            let (all, gap) = (self.rows_of(at), usize::from(self.gap(at)));
            let rows = self.slice(at, 0, all);
            let Some(first) = rows.iter().position(|row| row.host.is_some()) else { continue };
            let of = rows.iter().filter(|row| row.host.is_some()).count();
            let from = if of < self.height { 0 } else { row.min(of.saturating_sub(1)) };
            let first = at.row(gap + first + from);
            let below = i32::try_from((of - from + 1).min(self.height)).unwrap_or(0);
            let ends = self.moved(first, below);
            let highest = self.moved(ends, -i32::try_from(self.height).unwrap_or(0));
            return top.clamp(highest.min(first), first);
        }
        top
    }

    /// A window that shows the searched words in a card a third from its top; the card's beginning, where they stand
    /// in no row whole. The piece is found by its text, so that those above need not be laid out.
    fn with_words_in_sight(&mut self, card: usize, search: &Search) -> (Position, usize, usize) {
        let Some(wanted) = search.words_wanted() else {
            return (Position { card, ..Position::default() }, 0, 0);
        };
        let (mut at, mut nth) = (PieceIndex { card, piece: 0 }, search.nth());
        let mut before = 0;
        for piece in 0..self.pieces(card) {
            let Some(text) = self.source(PieceIndex { card, piece }) else { continue };
            let times = wanted.times_in(&text);
            if times > 0 {
                (at, nth) = (PieceIndex { card, piece }, search.nth() - before);
            }
            before += times;
            if before > search.nth() {
                break;
            }
        }
        let (rows, gap) = (self.rows_of(at), usize::from(self.gap(at)));
        let laid = self.slice(at, 0, rows);
        let found = laid.iter().enumerate().flat_map(|(at, row)| {
            let said: String = row.line.spans.iter().map(|span| span.content.as_ref()).collect();
            std::iter::repeat_n(at, wanted.times_in(&said))
        });
        let found: Vec<usize> = found.collect();
        let row = found.get(nth).or(found.last()).map_or(0, |at| at + gap);
        let third = i32::try_from(self.height / 3).unwrap_or(0);
        (self.moved(at.row(row), -third), at.piece, nth)
    }

    /// The row of a window in which the words stand that a search shows, and how many of them stand in it before.
    fn found_in(
        &mut self,
        window: &Window,
        local: &Local,
        found: Option<FoundWords>,
    ) -> Option<(usize, usize)> {
        let (search, FoundWords { card: id, piece, nth }) = (local.search.as_ref()?, found?);
        search.places.get(search.at).filter(|place| **place == id)?;
        let (wanted, card) = (search.words_wanted()?, place(self.view, id)?);
        let at = PieceIndex { card, piece };
        let is_its = |spot: &Spot| spot.card == card && spot.piece == piece && !spot.is_gap;
        let first = window.spots.iter().position(is_its)?;
        let above = window.spots.get(first)?.row.saturating_sub(usize::from(self.gap(at)));
        let times = |row: &TranscriptRow| {
            let said: String = row.line.spans.iter().map(|span| span.content.as_ref()).collect();
            wanted.times_in(&said)
        };
        let above: usize = self.slice(at, 0, above).iter().map(times).sum();
        let mut left = nth.checked_sub(above)?;
        let rows = window.rows.iter().zip(&window.spots).enumerate().skip(first);
        for (row, (laid, _)) in rows.take_while(|(_, (_, spot))| is_its(spot)) {
            let here = times(laid);
            if left < here {
                return Some((row, left));
            }
            left -= here;
        }
        None
    }

    /// `from`, moved by so many rows, within the transcript.
    fn moved(&mut self, from: Position, by: i32) -> Position {
        let (mut at, mut row) = (PieceIndex::of(from), from.row);
        let mut left = by.unsigned_abs() as usize;
        if by < 0 {
            while left > row {
                left -= row;
                let Some(before) = self.before(at) else { return Position::default() };
                (at, row) = (before, self.rows_of(before));
            }
            return at.row(row - left);
        }
        while at.card < self.view.len() {
            let rows = self.rows_of(at);
            if row + left < rows {
                return at.row(row + left);
            }
            left -= rows - row.min(rows);
            (at, row) = (self.after(at), 0);
        }
        at.row(row)
    }

    /// A held position after its card became lower.
    fn clamped(&mut self, held: Position) -> Position {
        let piece = held.piece.min(self.pieces(held.card).saturating_sub(1));
        let rows = self.rows_of(PieceIndex { piece, ..PieceIndex::of(held) });
        Position { piece, row: held.row.min(rows.saturating_sub(1)), ..held }
    }

    /// Holds the window at what was read, after rows have moved under it.
    fn recall(&mut self, scroll: &mut Scroll) {
        let Some(anchor) = scroll.anchor else { return };
        let is_moved = scroll.top != anchor.top;
        let follows = anchor.top.is_none() && anchor.session != session(self.view);
        let Some(at) = place(self.view, anchor.card).filter(|_| !is_moved && !follows) else {
            scroll.anchor = None;
            return;
        };
        let same = self.view.card(at).is_some_and(|card| card.revision.0 == anchor.revision);
        let piece = anchor.piece.min(self.pieces(at).saturating_sub(1));
        let mut at = PieceIndex { card: at, piece };
        if self.rows_of(at) == 0 {
            // It was folded: the line that unfolds it is at the head.
            at.piece = 0;
        }
        let row = anchor::find(&self.inks(at), &anchor.mark, same);
        scroll.top = Some(at.row(row));
    }

    /// Keeps in mind what stands in the first row of a window that is held. One that shows the end only because it
    /// became larger keeps what it held, for when it becomes smaller again.
    fn remember(&mut self, scroll: &mut Scroll, stays: bool) {
        let session = session(self.view);
        let kept = scroll.anchor.filter(|anchor| match scroll.top {
            _ if stays => true,
            Some(_) => anchor.top == scroll.top,
            // Whoever sees the end follows it as soon as something is new there.
            None => anchor.top.is_none() && anchor.session == session,
        });
        scroll.anchor = match (kept, scroll.top) {
            (Some(anchor), top) => Some(Anchor { top, session, ..anchor }),
            (None, None) => None,
            (None, Some(top)) => self.view.card(top.card).map(|card| Anchor {
                card: card.id,
                revision: card.revision.0,
                piece: top.piece,
                mark: anchor::mark(&self.inks(PieceIndex::of(top)), top.row),
                top: Some(top),
                session,
            }),
        };
    }

    /// What the rows of a piece say, the empty one before a card included.
    fn inks(&mut self, at: PieceIndex) -> Vec<Ink> {
        let all = self.rows_of(at);
        let gap = usize::from(self.gap(at));
        let mut inks = vec![Ink::EMPTY; gap];
        inks.extend(self.slice(at, 0, all).iter().map(Ink::of));
        inks
    }

    fn fill(&mut self, top: Position, local: &Local, below: Option<usize>) -> Window {
        let focused = local.focused(self.view);
        let chosen = local.chosen(self.view).map(|(_, request)| request.call);
        let stop = local.stop(self.view);
        let mut window = Window { below, surface: Surface::Transcript, ..Window::default() };
        let (mut at, mut skip) = (PieceIndex::of(top), top.row);
        while window.rows.len() < self.height && at.card < self.view.len() {
            let (card, view) = (at.card, self.view);
            let room = self.height - window.rows.len();
            let gap = usize::from(self.gap(at));
            if gap > skip {
                window.rows.push(TranscriptRow::new(0, Line::default()));
                window.spots.push(Spot { card, piece: 0, row: 0, is_first: false, is_gap: true });
            }
            let call = view.card(card).and_then(Card::panel).and_then(|p| p.id());
            if let Focus::Card(id) = focused
                && window.focus.is_none()
                && view.card(card).is_some_and(|card| card.id == id)
            {
                window.focus = u16::try_from(window.rows.len()).ok();
            }
            let from = skip.saturating_sub(gap);
            let (before, all) = (window.rows.len(), self.rows_of(at) - gap);
            let rows = self.slice(at, from, room);
            let begins = self.begins(at);
            let spot = |row: usize| {
                let (row, is_first) = (from + row, begins && from + row == 0);
                Spot { card, piece: at.piece, row: gap + row, is_first, is_gap: false }
            };
            window.spots.extend((0..rows.len()).map(spot));
            window.rows.extend(rows);
            window.rows.truncate(self.height);
            window.spots.truncate(self.height);
            if call.is_some() && call == chosen {
                let visible = window.rows.len() - before;
                window.answerable = from + visible == all && (from == 0 || visible == self.height);
                window.reach = self.slice(at, 0, all).iter().find_map(|row| row.reach);
            }
            if let (Some(stop), Some(CardId::Entry(id))) = (stop, view.card(card).map(|card| card.id)) {
                let visible = window.rows.len() - before;
                window.stop |= stop == id && from + visible == all && (from == 0 || visible == self.height);
            }
            (at, skip) = (self.after(at), 0);
        }
        if let Focus::Card(id) = focused {
            // Words about what is below may cover the last row.
            let clear = self.height.saturating_sub(usize::from(below.is_some()));
            let is_its = |spot: &Spot| self.view.card(spot.card).is_some_and(|card| card.id == id);
            let rows = window.rows.iter().zip(&window.spots).take(clear).filter(|(_, spot)| is_its(spot));
            let named: Vec<(usize, usize)> = rows.filter_map(|(row, _)| row.host).collect();
            let ends = named.first().zip(named.last());
            window.host = ends.map(|((from, all), (to, _))| HostRows { from: *from, to: to + 1, all: *all });
        }
        window
    }
}
