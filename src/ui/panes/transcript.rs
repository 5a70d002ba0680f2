//! The transcript: a window on the cards, found by walking from where it is held or from the end, so that only
//! the cards in it are ever laid out.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::ledger::Millis;
use crate::ui::local::{Anchor, Focus, Local, Position, Scroll};
use crate::ui::search::Search;
use crate::ui::selection::Surface;
use crate::ui::text::highlight::Highlighter;
use crate::ui::theme::Theme;
use crate::view::{Card, CardBody, CardId, View};

use super::anchor::{self, Ink};
use super::cards;
use super::cards::Around;
use super::layouts::{Growing, Layouts, Row, Shape, Spot, Version, Window};
use super::selecting::{self, Sheet};

/// One walk over the cards of a frame.
struct Walk<'a> {
    layouts: &'a mut Layouts,
    view: &'a View,
    theme: &'a Theme,
    highlighter: &'a Highlighter,
    around: Around<'a>,
    height: usize,
}

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
    let around = Around::new(view, local, theme, layouts.pictures.sizing(), area, now);
    let mut walk = Walk { layouts, view, theme, highlighter, around, height: usize::from(area.height) };
    let end = walk.top_at_end();
    let wish = std::mem::take(&mut scroll.wish);
    if reshaped {
        walk.recall(&mut scroll);
    }
    let mut stays = reshaped && wish == 0;
    if let Some(reveal) = scroll.reveal.take().and_then(|id| view.place(id)) {
        stays = false;
        scroll.top = Some(match &local.search {
            Some(search) => walk.with_words_in_sight(reveal, search),
            None => walk.with_card_in_sight(reveal, scroll.top.unwrap_or(end)),
        });
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
    let around = Around::new(view, local, theme, layouts.pictures.sizing(), area, now);
    let mut walk = Walk { layouts, view, theme, highlighter, around, height: usize::from(area.height) };
    selecting::text(selection, &mut walk)
}

impl Sheet for Walk<'_> {
    fn rows(&mut self, card: usize) -> Vec<Row> {
        let (gap, all) = (usize::from(self.gap(card)), self.rows_of(card));
        let mut rows = vec![Row::new(0, Line::default()); gap];
        rows.extend(self.slice(card, 0, all));
        rows
    }
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

impl Walk<'_> {
    /// The top row of a window that shows the end.
    fn top_at_end(&mut self) -> Position {
        let (mut left, mut card) = (self.height, self.view.len());
        while card > 0 {
            card -= 1;
            let rows = self.rows_of(card);
            if rows >= left {
                return Position { card, row: rows - left };
            }
            left -= rows;
        }
        Position::default()
    }

    /// At the end, a call that waits must be whole in sight, even if others stand below it.
    fn with_chosen_in_sight(&mut self, end: Position, local: &Local) -> Position {
        let Some((_, request)) = local.chosen(self.view) else { return end };
        let Some(card) = self.view.position(request.call) else { return end };
        let rows = self.rows_of(card);
        let whole = Position { card, row: rows.saturating_sub(self.height) };
        end.min(whole)
    }

    /// The window nearest to `top` that shows a card from its first row on.
    fn with_card_in_sight(&mut self, card: usize, top: Position) -> Position {
        let first = Position { card, row: 0 };
        let rows = i32::try_from(self.rows_of(card).min(self.height)).unwrap_or(0);
        let ends = self.moved(first, rows);
        let highest = self.moved(ends, -i32::try_from(self.height).unwrap_or(0));
        top.clamp(highest.min(first), first)
    }

    /// A window that shows the searched words in a card a third from its top; the card's beginning, where they stand
    /// in no row whole.
    fn with_words_in_sight(&mut self, card: usize, search: &Search) -> Position {
        let (rows, gap) = (self.rows_of(card), usize::from(self.gap(card)));
        let wanted = search.wanted.to_lowercase();
        let laid = self.slice(card, 0, rows);
        let found = laid.iter().enumerate().flat_map(|(at, row)| {
            let said: String = row.line.spans.iter().map(|span| span.content.as_ref()).collect();
            std::iter::repeat_n(at, said.to_lowercase().matches(&wanted).count())
        });
        let found: Vec<usize> = found.collect();
        let row = found.get(search.nth()).or(found.last()).map_or(0, |at| at + gap);
        let third = i32::try_from(self.height / 3).unwrap_or(0);
        self.moved(Position { card, row }, -third)
    }

    /// `from`, moved by so many rows, within the transcript.
    fn moved(&mut self, from: Position, by: i32) -> Position {
        let mut at = from;
        let mut left = by.unsigned_abs() as usize;
        if by < 0 {
            while left > at.row {
                left -= at.row;
                let Some(card) = at.card.checked_sub(1) else { return Position::default() };
                at = Position { card, row: self.rows_of(card) };
            }
            return Position { row: at.row - left, ..at };
        }
        while at.card < self.view.len() {
            let rows = self.rows_of(at.card);
            if at.row + left < rows {
                return Position { row: at.row + left, ..at };
            }
            left -= rows - at.row.min(rows);
            at = Position { card: at.card + 1, row: 0 };
        }
        at
    }

    /// A held position after its card became lower.
    fn clamped(&mut self, held: Position) -> Position {
        let rows = self.rows_of(held.card);
        Position { card: held.card, row: held.row.min(rows.saturating_sub(1)) }
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
        let row = anchor::find(&self.inks(at), &anchor.mark, same);
        scroll.top = Some(Position { card: at, row });
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
                mark: anchor::mark(&self.inks(top.card), top.row),
                top: Some(top),
                session,
            }),
        };
    }

    /// What the rows of a card say, the empty one before it included.
    fn inks(&mut self, at: usize) -> Vec<Ink> {
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
        let (mut card, mut skip) = (top.card, top.row);
        while window.rows.len() < self.height && card < self.view.len() {
            let room = self.height - window.rows.len();
            let gap = usize::from(self.gap(card));
            if gap > skip {
                window.rows.push(Row::new(0, Line::default()));
                window.spots.push(Spot { card, row: 0, is_first: false, is_gap: true });
            }
            let call = self.view.card(card).and_then(Card::panel).and_then(|p| p.id());
            if let Focus::Card(id) = focused
                && self.view.card(card).is_some_and(|card| card.id == id)
            {
                window.focus = u16::try_from(window.rows.len()).ok();
            }
            let from = skip.saturating_sub(gap);
            let (before, all) = (window.rows.len(), self.rows_of(card) - gap);
            let rows = self.slice(card, from, room);
            let spot =
                |at: usize| Spot { card, row: gap + from + at, is_first: from + at == 0, is_gap: false };
            window.spots.extend((0..rows.len()).map(spot));
            window.rows.extend(rows);
            window.rows.truncate(self.height);
            window.spots.truncate(self.height);
            if call.is_some() && call == chosen {
                let visible = window.rows.len() - before;
                window.answerable = from + visible == all && (from == 0 || visible == self.height);
                let card = self.view.card(card);
                window.reach = card.and_then(|card| self.laid(card).iter().find_map(|row| row.reach));
            }
            if let (Some(stop), Some(CardId::Entry(id))) = (stop, self.view.card(card).map(|card| card.id)) {
                let visible = window.rows.len() - before;
                window.stop |= stop == id && from + visible == all && (from == 0 || visible == self.height);
            }
            (card, skip) = (card + 1, 0);
        }
        window
    }

    /// Rows of a card, the empty one before it included.
    fn rows_of(&mut self, at: usize) -> usize {
        let gap = usize::from(self.gap(at));
        let view = self.view;
        let Some(card) = view.card(at) else { return 0 };
        let head = self.laid(card).len();
        gap + head + self.growing(card)
    }

    fn slice(&mut self, at: usize, from: usize, most: usize) -> Vec<Row> {
        let view = self.view;
        let Some(card) = view.card(at) else { return Vec::new() };
        let mut rows: Vec<Row> = self.laid(card).iter().skip(from).take(most).cloned().collect();
        let head = self.laid(card).len();
        if card.body == CardBody::Growing {
            let (inner, theme, highlighter) = (self.around.text_width(), self.theme, self.highlighter);
            if let Some(growing) = &mut self.layouts.growing {
                let lines = growing.stream.lines(inner, theme, highlighter);
                let from = from.saturating_sub(head);
                let lines: Vec<Line<'static>> = lines.iter().skip(from).take(most).cloned().collect();
                let links = growing.stream.links();
                rows.extend(lines.into_iter().map(|line| Row::linked(cards::INDENT, line, links)));
            }
        }
        rows
    }

    fn laid(&mut self, card: &Card) -> &[Row] {
        let version = Version { revision: card.revision.0, ..self.around.version(card) };
        let (view, theme, highlighter) = (self.view, self.theme, self.highlighter);
        let around = &self.around;
        self.layouts.rows(card.id, version, || cards::lay(card, view, theme, highlighter, around))
    }

    /// Lines of the text that grows, which the stream keeps itself.
    fn growing(&mut self, card: &Card) -> usize {
        let (CardBody::Growing, Some(live)) = (&card.body, self.view.live()) else { return 0 };
        let width = self.around.text_width();
        let growing = match self.layouts.growing.take() {
            Some(growing) if growing.id == card.id && growing.taken <= live.text.len() => growing,
            _ => Growing { id: card.id, taken: 0, stream: Default::default(), height: 0 },
        };
        self.layouts.growing = Some(growing);
        self.layouts.feed(&live.text);
        let Some(growing) = &mut self.layouts.growing else { return 0 };
        growing.height = growing.stream.lines(width, self.theme, self.highlighter).len();
        growing.height
    }

    /// Whether an empty row stands before a card: between all of them but neighbouring lines of calls and notes, or
    /// boxes.
    fn gap(&self, at: usize) -> bool {
        let shape = |at: usize| {
            let card = self.view.card(at)?;
            match &card.body {
                CardBody::Tool(panel) => Some(panel.is_boxed()),
                CardBody::Forming(_) | CardBody::Note(_) => Some(false),
                _ => None,
            }
        };
        at.checked_sub(1).is_some_and(|before| shape(before).is_none() || shape(before) != shape(at))
    }
}
