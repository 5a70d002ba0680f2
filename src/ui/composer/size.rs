//! How large the message is that would be sent, and where its text stands in the rows that it has.

use tui_textarea::{CursorMove, DataCursor};

use super::{Composer, rows_of, wrapped};

impl Composer {
    /// Bytes of the message that it holds, pastes unfolded; none while it holds nothing or a command.
    pub fn message_bytes(&self) -> usize {
        let lines = self.area.lines();
        if self.is_blank() || lines.first().is_some_and(|line| line.starts_with(['/', '!'])) {
            return 0;
        }
        let typed: usize = lines.iter().map(|line| line.len() + 1).sum();
        typed + self.pastes.iter().map(|paste| paste.text.len()).sum::<usize>()
    }

    /// It is shown in so many columns and rows. Where those are others than before, the text area stays as far down as it had to scroll
    /// there: rows that would be empty below the text are filled with those above.
    pub fn show_in(&mut self, width: u16, height: u16) {
        let (top, _) = self.area.scroll_offset();
        if std::mem::replace(&mut self.shown_in, (width, height)) == (width, height) || top == 0 {
            return;
        }
        let room = usize::from(width.max(1));
        let rows: usize = self.area.lines().iter().map(|line| rows_of(line, room)).sum();
        let last_top = rows.saturating_sub(usize::from(height));
        let empty = usize::from(top).saturating_sub(last_top);
        if empty > 0 && !self.area.is_selecting() {
            let DataCursor(row, column) = self.area.cursor();
            let cell = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
            self.area.scroll((-i16::try_from(empty).unwrap_or(i16::MAX), 0));
            self.area.move_cursor(CursorMove::Jump(cell(row), cell(column)));
        }
    }

    /// Rows of its text below those in sight.
    pub fn rows_below(&self) -> usize {
        let ((top, _), (width, height)) = (self.area.scroll_offset(), self.shown_in);
        if height == 0 {
            return 0;
        }
        let room = usize::from(width.max(1));
        let rows: usize = self.area.lines().iter().map(|line| wrapped(line, room).0).sum();
        rows.saturating_sub(usize::from(top) + usize::from(height))
    }
}
