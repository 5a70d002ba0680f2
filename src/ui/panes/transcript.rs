//! The transcript: a window on the cards, found by walking from where it is held or from the end, so that only
//! the cards in it are ever laid out.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::ledger::Millis;
use crate::ui::graphics;
use crate::ui::local::{Anchor, Focus, Local, Position, Scroll};
use crate::ui::search::Search;
use crate::ui::text::highlight::Highlighter;
use crate::ui::text::{fit, width, wrap};
use crate::ui::theme::Theme;
use crate::view::{Card, CardBody, CardId, View};

use super::anchor::{self, Ink};
use super::cards::Around;
use super::layouts::{Growing, Layouts, Row, Shape, Version, Window};
use super::{Screen, cards, marks};

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
    let window = walk.fill(top, local, (top < end).then_some(new));
    walk.layouts.pictures.want(window.rows.iter().filter_map(|row| row.picture.as_ref()));
    walk.layouts.window = window;
    local.scroll = scroll;
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
        let mut window = Window { below, ..Window::default() };
        let (mut card, mut skip) = (top.card, top.row);
        while window.rows.len() < self.height && card < self.view.len() {
            let room = self.height - window.rows.len();
            let gap = usize::from(self.gap(card));
            if gap > skip {
                window.rows.push(Row::new(0, Line::default()));
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
            window.rows.extend(rows);
            window.rows.truncate(self.height);
            if call.is_some() && call == chosen {
                let visible = window.rows.len() - before;
                window.answerable = from + visible == all && (from == 0 || visible == self.height);
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
                rows.extend(lines.iter().skip(from).take(most).map(|l| Row::new(cards::INDENT, l.clone())));
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

/// Draws the window.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    if screen.view.is_empty() {
        return welcome(frame, area, screen);
    }
    let window = &screen.layouts.window;
    for (y, row) in (area.y..area.bottom()).zip(&window.rows) {
        let x = area.x.saturating_add(row.indent).min(area.right());
        let place = Rect::new(x, y, area.right() - x, 1);
        frame.render_widget(&row.line, place);
        if let Some(search) = &screen.local.search {
            marks::draw(frame, place, &search.wanted, screen.theme);
        }
    }
    if let Some(at) = window.focus.filter(|at| *at < area.height) {
        let mark = Rect::new(area.x + 1, area.y + at, 1, 1);
        frame.render_widget(Line::styled("›", screen.theme.accent), mark);
    }
    if let Some(new) = window.below
        && area.height > 0
    {
        let unseen = !window.answerable && !screen.local.waiting(screen.view).is_empty();
        let words = match new {
            _ if unseen => " ↓ a call waits for you · ctrl-end ".to_owned(),
            0 if screen.local.scroll.top.is_none() => " ↓ more below ".to_owned(),
            0 => " ↓ more below · ctrl-end ".to_owned(),
            n => format!(" ↓ {n} new below · ctrl-end "),
        };
        let cells = u16::try_from(width(&words)).unwrap_or(0).min(area.width);
        let mark = Rect::new(area.right() - cells, area.bottom() - 1, cells, 1);
        let buffer = frame.buffer_mut();
        let before = mark.left().checked_sub(1).and_then(|x| buffer.cell_mut((x, mark.y)));
        // Words that go on under the mark are cut, and say so.
        if let Some(cell) = before.filter(|cell| cell.symbol().starts_with(char::is_alphanumeric)) {
            cell.set_symbol("…");
        }
        frame.render_widget(Line::styled(words, screen.theme.accent), mark);
    }
    let strips = (area.y..area.bottom()).zip(&window.rows).filter_map(|(y, row)| {
        let at = ratatui::layout::Position::new(area.x.saturating_add(row.indent), y);
        row.picture.as_ref().map(|strip| (at, strip))
    });
    graphics::paint(frame.buffer_mut(), area, strips, &screen.layouts.pictures);
}

/// What an empty session shows: who this is, and what to know.
fn welcome(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let inner = usize::from(area.width.saturating_sub(2 * cards::INDENT));
    let mut lines = vec![
        Line::styled(fit("It proposes, you countersign.", inner), screen.theme.text),
        Line::styled(fit("Every step is in the ledger: ctrl-o. The keys: ?", inner), screen.theme.dim),
    ];
    if let Some(notice) = &screen.local.notice {
        lines.push(Line::default());
        for paragraph in notice.lines() {
            lines.extend(wrap(&crate::ui::text::sanitize(paragraph), inner, screen.theme.dim));
        }
    }
    let top = if area.height > 12 { area.height / 4 } else { 0 };
    for (y, line) in (area.y + top..area.bottom()).zip(lines) {
        let x = area.x + cards::INDENT;
        frame.render_widget(line, Rect::new(x, y, area.right().saturating_sub(x), 1));
    }
}
