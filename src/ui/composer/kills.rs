//! Words that are deleted and can be put back. What is deleted in a row is put back as one text, as in a shell.

use tui_textarea::TextArea;

use super::Composer;
use super::kill_buffer::KillBuffer;

impl Composer {
    /// Deletes the word before the cursor, or the folded paste whole.
    pub fn delete_word(&mut self) {
        let join = |new: String, old: String| new + &old;
        let before = self.before_cursor();
        let bare = before.trim_end();
        match self.pastes.iter().find(|paste| bare.ends_with(&paste.name)) {
            Some(paste) => {
                let blanks = before.get(bare.len()..).unwrap_or_default();
                let count = paste.name.chars().count() + blanks.chars().count();
                self.kill_with(|area| (0..count).all(|_at| area.delete_char()), join);
            }
            None => self.kill_with(TextArea::delete_word, join),
        }
    }

    /// Deletes the word after the cursor, or the folded paste whole.
    pub fn delete_next_word(&mut self) {
        let join = |new: String, old: String| old + &new;
        let after = self.after_cursor();
        let bare = after.trim_start();
        match self.pastes.iter().find(|paste| bare.starts_with(&paste.name)) {
            Some(paste) => {
                let blanks = after.get(..after.len() - bare.len()).unwrap_or_default();
                let count = paste.name.chars().count() + blanks.chars().count();
                self.kill_with(|area| (0..count).all(|_at| area.delete_next_char()), join);
            }
            None => self.kill_with(TextArea::delete_next_word, join),
        }
    }

    /// A folded paste is deleted, which stays known where its name stands a second time. Returns how many characters its name has.
    pub(super) fn forget(&mut self, at: usize) -> usize {
        let shown = self.shown();
        let Some(paste) = self.pastes.get(at) else { return 0 };
        let count = paste.name.chars().count();
        if shown.matches(paste.name.as_str()).count() < 2 {
            self.pastes.remove(at);
        }
        count
    }

    /// Deletes to the end of the line.
    pub fn delete_to_end(&mut self) {
        self.kill_with(TextArea::delete_line_by_end, |new, old| old + &new);
    }

    /// Deletes, and keeps what that was; joined with what was deleted right before.
    fn kill_with(
        &mut self,
        delete: impl FnOnce(&mut TextArea<'static>) -> bool,
        join: fn(String, String) -> String,
    ) {
        self.leave_walk();
        let before = self.shown();
        let follows = self.after_kill.take().is_some_and(|left| left == (before.clone(), self.position()));
        if !delete(&mut self.area) {
            return;
        }
        let left = self.shown();
        let from = self.bytes_before_cursor();
        let to = from + before.len().saturating_sub(left.len());
        let new = before.get(from..to).unwrap_or_default().to_owned();
        let text = if follows { join(new, std::mem::take(&mut self.killed.0)) } else { new };
        self.killed = (text, self.pastes.clone(), self.origin);
        self.after_kill = Some((left, self.position()));
    }

    /// Puts in from now on what was deleted last in the session before.
    pub(in crate::ui) fn take_killed_of(&mut self, before: &KillBuffer) {
        self.killed = before.held();
    }

    /// What it would put in can be put in in the next session.
    pub(in crate::ui) fn leave_killed_to(&self, next: &KillBuffer) {
        next.hold(self.killed.clone());
    }

    /// Puts in from now on what the other one would.
    pub(in crate::ui) fn share_killed(&mut self, other: &Self) {
        self.killed.clone_from(&other.killed);
    }

    fn bytes_before_cursor(&self) -> usize {
        let (row, _) = self.position();
        let above: usize = self.area.lines().iter().take(row).map(|line| line.len() + 1).sum();
        above + self.before_cursor().len()
    }
}

#[cfg(test)]
mod tests {
    use tui_textarea::CursorMove;

    use super::*;

    fn holding(text: &str) -> Composer {
        let mut composer = Composer::default();
        composer.paste(text);
        composer
    }

    #[test]
    fn what_is_deleted_in_a_row_comes_back_as_one() {
        let mut composer = holding("one two\nthree four");
        composer.delete_word();
        composer.delete_word();
        assert_eq!(composer.shown(), "one two\n");
        composer.yank();
        assert_eq!(composer.shown(), "one two\nthree four");
        composer.delete_word();
        composer.go(CursorMove::Jump(0, 0));
        composer.delete_next_word();
        composer.delete_to_end();
        assert_eq!(composer.shown(), "\nthree ", "the words before were not deleted right before");
        composer.yank();
        assert_eq!(composer.shown(), "one two\nthree ");
    }

    #[test]
    fn a_folded_paste_is_deleted_whole_and_put_back() {
        let lines = "line\n".repeat(30);
        let mut composer = holding("see ");
        composer.paste(&lines);
        composer.paste(" then");
        composer.delete_word();
        composer.delete_word();
        assert_eq!((composer.shown().as_str(), composer.message().pastes.is_empty()), ("see ", true));
        composer.yank();
        assert_eq!(composer.whole(), format!("see {lines} then"));
        composer.go(CursorMove::Jump(0, 4));
        composer.delete_next_word();
        assert_eq!(composer.shown(), "see  then");
        composer.yank();
        composer.go(CursorMove::Jump(0, 4));
        composer.yank();
        assert_eq!(composer.whole(), format!("see {lines}{lines} then"));
        // Of two that are the same, one stays.
        composer.delete();
        assert_eq!(composer.whole(), format!("see {lines} then"));
        composer.backspace();
        assert_eq!(composer.shown(), "see  then");
    }

    #[test]
    fn an_end_of_a_line_is_a_part_of_what_was_deleted() {
        let mut composer = holding("one\ntwo");
        composer.go(CursorMove::Head);
        composer.delete_word();
        assert_eq!(composer.shown(), "onetwo");
        composer.yank();
        assert_eq!(composer.shown(), "one\ntwo");
    }

    #[test]
    fn what_was_deleted_in_one_session_can_be_put_in_in_the_next_and_is_not_there_by_itself() {
        let (killed, lines) = (KillBuffer::default(), "line\n".repeat(30));
        let mut before = holding("see ");
        before.paste(&lines);
        before.kill();
        before.paste("not deleted");
        before.leave_killed_to(&killed);
        let mut next = Composer::default();
        next.take_killed_of(&killed);
        assert!(next.is_empty());
        next.yank_text();
        assert_eq!(next.whole(), format!("see {lines}"));
    }

    #[test]
    fn what_was_written_for_something_else_begins_no_command_in_the_next_session_either() {
        let killed = KillBuffer::default();
        let mut before = Composer::default();
        before.set_aside("!ls".to_owned());
        before.leave_killed_to(&killed);
        let mut next = Composer::default();
        next.take_killed_of(&killed);
        next.yank_text();
        assert!(!next.runs_a_command(), "{}", next.whole());
    }
}
