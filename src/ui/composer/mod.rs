//! The composer: a multi-line text that keeps big pastes folded and moves by what people see as one character.

mod beginning;
mod changes;
mod history;
mod kill_buffer;
mod kills;
mod messages;
mod moves;
mod name_origin;
mod origin;
mod pastes;
mod sent;
mod size;

use tui_textarea::{CursorMove, TextArea, WrapMode};
use unicode_segmentation::UnicodeSegmentation;

use super::mention::PastedImage;
use super::text;
use crate::ledger::UserMessage;
use history::History;
use name_origin::NameOrigin;
use origin::TextOrigin;
use pastes::{Paste, one_kind_of_ends, unfolded};

pub use kill_buffer::KillBuffer;
pub(crate) use pastes::image_number;
pub use pastes::plain;
pub(super) use pastes::{begins_name, ends_name, is_long, is_stand_in, measures_in, named};

/// What is being typed.
#[derive(Debug, Clone)]
pub struct Composer {
    area: TextArea<'static>,
    pastes: Vec<Paste>,
    /// The images that were pasted, here or in a session before this one: how large one is stands in no message that comes back.
    images: Vec<PastedImage>,
    origin: TextOrigin,
    browsing: Option<Browsing>,
    /// What was being typed before an earlier message was taken up and changed: it comes back when that one is sent.
    below: Option<Box<Self>>,
    history: History,
    /// What was deleted last, the pastes in it, and where it comes from: to be put back elsewhere.
    killed: kill_buffer::Killed,
    /// The text and the cursor that the last deletion of words left: one that follows right behind joins it.
    after_kill: Option<(String, (usize, usize))>,
    /// Columns and rows of the place where it was shown last.
    shown_in: (u16, u16),
}

/// A walk through earlier messages.
#[derive(Debug, Clone)]
struct Browsing {
    /// How far back: 1 is the newest. Counted from the end, because older ones may still be read.
    back: usize,
    /// What was being typed, which comes back behind the newest.
    draft: Box<Composer>,
}

impl Default for Composer {
    fn default() -> Self {
        Self::holding("")
    }
}

impl Composer {
    /// Most rows that it takes on the screen.
    pub const MOST_ROWS: u16 = 8;
    /// Most bytes that may be typed; every key redraws them all.
    const MOST_BYTES: usize = 64 * 1024;

    fn holding(text: &str) -> Self {
        let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        area.set_cursor_line_style(ratatui::style::Style::default());
        area.set_cursor_style(ratatui::style::Style::default());
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        Self {
            area,
            pastes: Vec::new(),
            images: Vec::new(),
            origin: TextOrigin::default(),
            browsing: None,
            below: None,
            history: History::default(),
            killed: Default::default(),
            after_kill: None,
            shown_in: (0, 0),
        }
    }

    /// The widget.
    pub fn area(&self) -> &TextArea<'static> {
        &self.area
    }

    /// The widget, to be styled.
    pub fn area_mut(&mut self) -> &mut TextArea<'static> {
        &mut self.area
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Whether it begins so.
    pub(super) fn begins_with(&self, text: &str) -> bool {
        self.area.lines().first().is_some_and(|line| line.starts_with(text))
    }

    /// Whether there is nothing in it that could be sent.
    pub fn is_blank(&self) -> bool {
        self.area.lines().iter().all(|l| l.trim().is_empty())
    }

    /// What is shown, placeholders of pastes included.
    pub fn shown(&self) -> String {
        self.area.lines().join("\n")
    }

    /// What would be sent: pastes unfolded, blank ends cut.
    pub fn text(&self) -> String {
        sent::said(&self.whole()).to_owned()
    }

    /// All that it holds, pastes unfolded.
    pub fn whole(&self) -> String {
        unfolded(&self.shown(), &self.pastes).0
    }

    /// Takes what would be sent. What was sent is not undone. It is empty then, or holds the draft that lay below.
    pub fn take(&mut self) -> String {
        let text = self.text();
        self.leave_walk();
        let draft = self.below.take().map(|draft| *draft).unwrap_or_default();
        let (killed, images) = (std::mem::take(&mut self.killed), std::mem::take(&mut self.images));
        *self = Self { killed, images, ..draft };
        text
    }

    /// Empties it, down to the draft that lay below.
    pub fn clear(&mut self) {
        self.leave_walk();
        let draft = self.below.take().map(|draft| *draft).unwrap_or_default();
        self.below = draft.below.clone();
        self.exchange_all(draft);
    }

    /// An earlier message is being changed: what was being typed before waits below it.
    fn leave_walk(&mut self) {
        if let Some(walk) = self.browsing.take()
            && !walk.draft.is_empty()
        {
            self.below = Some(walk.draft);
        }
    }

    /// Rows it needs at this width, at least one and at most [`Composer::MOST_ROWS`].
    pub fn rows(&self, width: u16) -> u16 {
        let width = usize::from(width.max(1));
        let mut rows = 0;
        for line in self.area.lines() {
            rows += rows_of(line, width);
            if rows >= usize::from(Self::MOST_ROWS) {
                return Self::MOST_ROWS;
            }
        }
        u16::try_from(rows).unwrap_or(Self::MOST_ROWS).max(1)
    }

    /// Types one character. Refused when it is full.
    pub fn insert(&mut self, c: char) -> bool {
        self.leave_walk();
        self.origin = self.origin();
        if c == '/' && self.position() == (0, 0) {
            self.origin.name = NameOrigin::Typed;
        }
        if self.has_room(c.len_utf8()) {
            self.area.insert_char(c);
            return true;
        }
        false
    }

    /// Starts a new line.
    pub fn newline(&mut self) {
        self.leave_walk();
        if self.has_room(1) {
            self.area.insert_newline();
        }
    }

    /// Takes in a paste; a big one is shown as `[Pasted 5,000 lines]` and sent whole.
    pub fn paste(&mut self, pasted: &str) {
        self.leave_walk();
        self.origin =
            TextOrigin { has_paste: !pasted.is_empty() || self.origin().has_paste, ..self.origin() };
        let pasted = one_kind_of_ends(pasted);
        if !self.folds(&pasted) {
            self.area.insert_str(text::sanitize(&pasted));
            return;
        }
        let paste = Paste::new(pasted.into(), &self.shown(), &self.pastes);
        self.area.insert_str(&paste.name);
        self.pastes.push(paste);
    }

    fn folds(&self, pasted: &str) -> bool {
        is_long(pasted) || !self.has_room(pasted.len())
    }

    /// Puts a text in the place of so many characters before the cursor.
    pub fn exchange(&mut self, before: usize, text: &str) {
        self.leave_walk();
        for _ in 0..before {
            self.area.delete_char();
        }
        self.area.insert_str(text::sanitize(text));
    }

    fn has_room(&self, more: usize) -> bool {
        let held: usize = self.area.lines().iter().map(|l| l.len() + 1).sum();
        held + more <= Self::MOST_BYTES
    }

    /// Deletes what stands before the cursor: one grapheme cluster, or a folded paste whole.
    pub fn backspace(&mut self) {
        self.leave_walk();
        let before = self.before_cursor();
        let folded = self.pastes.iter().position(|p| before.ends_with(&p.name));
        let count = match folded {
            Some(at) => self.forget(at),
            None => last_cluster(&before),
        };
        for _ in 0..count.max(1) {
            self.area.delete_char();
        }
    }

    /// Deletes what stands after the cursor: one grapheme cluster, or a folded paste whole.
    pub fn delete(&mut self) {
        self.leave_walk();
        let after = self.after_cursor();
        let folded = self.pastes.iter().position(|p| after.starts_with(&p.name));
        let count = match folded {
            Some(at) => self.forget(at),
            None => first_cluster(&after),
        };
        for _ in 0..count.max(1) {
            self.area.delete_next_char();
        }
    }

    /// Puts this text in the place of what it holds, in full as long as that can be edited here.
    pub fn hold(&mut self, text: &str) {
        if text.len() <= Self::MOST_BYTES {
            self.exchange_all(Self::holding(&text::sanitize(text)));
        } else {
            self.replace(text)
        }
    }

    /// Puts this text in the place of what it holds, which goes on in it.
    pub fn replace(&mut self, text: &str) {
        let origin = self.origin();
        self.exchange_all(Self::default());
        self.paste(text);
        self.origin = origin;
    }

    /// Shows an earlier message (`step` -1) or a later one (1); past the newest, what was being typed is there again.
    /// Begins at the first line of what is typed, and goes on until the message is changed. Says whether it did.
    pub fn browse(&mut self, sent: &[&UserMessage], step: isize) -> bool {
        let here = self.browsing.as_ref().map_or(0, |b| b.back);
        if here == 0 && (step > 0 || self.position().0 > 0) {
            return self.is_empty();
        }
        let Some(back) = here.checked_add_signed(-step).filter(|back| *back <= sent.len()) else {
            return true;
        };
        let draft = match self.browsing.take() {
            Some(walk) => walk.draft,
            None => Box::new(self.clone()),
        };
        if back == 0 {
            self.exchange_all(*draft);
            return true;
        }
        if let Some(message) = sent.get(sent.len() - back) {
            // One that is too long to be edited here stands as a paste does.
            self.hold_message(message);
        }
        self.browsing = Some(Browsing { back, draft });
        true
    }

    /// Whether an earlier message is shown in the place of what was being typed.
    pub fn is_browsing(&self) -> bool {
        self.browsing.is_some()
    }

    /// The text before the cursor, in its line.
    pub fn before_cursor(&self) -> String {
        let (row, col) = self.position();
        self.area.lines().get(row).map(|l| l.chars().take(col).collect()).unwrap_or_default()
    }

    fn after_cursor(&self) -> String {
        let (row, col) = self.position();
        self.area.lines().get(row).map(|l| l.chars().skip(col).collect()).unwrap_or_default()
    }

    fn position(&self) -> (usize, usize) {
        let cursor = self.area.cursor();
        (cursor.0, cursor.1)
    }
}

/// Deletes the last grapheme cluster of a text.
pub(super) fn cut_last(text: &mut String) {
    let cut = text.graphemes(true).next_back().map_or(0, str::len);
    text.truncate(text.len() - cut);
}

/// Characters in the last grapheme cluster.
fn last_cluster(text: &str) -> usize {
    text.graphemes(true).next_back().map_or(0, |g| g.chars().count())
}

/// Characters in the first grapheme cluster.
fn first_cluster(text: &str) -> usize {
    text.graphemes(true).next().map_or(0, |g| g.chars().count())
}

/// Rows of one line, with that of a cursor at its end.
fn rows_of(line: &str, width: usize) -> usize {
    let (rows, used) = wrapped(line, width);
    // The cursor after a full row stands on the next one.
    rows + usize::from(used == width)
}

/// Rows of the words of a line, wrapped as the widget wraps (between words, long words inside), and cells of the last one.
fn wrapped(line: &str, width: usize) -> (usize, usize) {
    let (mut rows, mut used) = (1, 0);
    for word in line.split_word_bounds() {
        let cells = text::width(word);
        if used + cells <= width {
            used += cells;
            continue;
        }
        rows += usize::from(used > 0);
        used = cells;
        while used > width {
            rows += 1;
            used -= width;
        }
    }
    (rows, used)
}
