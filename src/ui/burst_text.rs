//! A paste that the terminal does not mark comes as a burst of keys. Several lines of it are a message, as those of a
//! marked paste are, whatever the first of them begins with.

use super::composer::Composer;

/// The bursts in which the beginning of what is typed came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BurstText {
    /// The one of the first character.
    first: Option<u64>,
    /// The one that has added to the first word last.
    name: Option<u64>,
    /// The last one whose lines are a message.
    words: Option<u64>,
}

impl BurstText {
    /// A character of this burst comes to the cursor.
    pub(super) fn takes(&mut self, composer: &mut Composer, burst: u64, c: char) {
        let before = composer.all_before_cursor();
        let came = Some(burst);
        if before.is_empty() {
            self.first = came;
        }
        if !before.trim_start().contains(char::is_whitespace) {
            self.name = came;
        }
        let (is_first, is_name) = (self.first == came, self.name == came);
        // Blank lines at its end are none, as in a marked paste.
        let is_below = before.contains('\n') && !c.is_whitespace();
        if is_below && (is_first || is_name) && self.words != came {
            self.words = came;
            composer.make_words(is_first, is_name);
        }
    }

    /// Whether this burst is a paste of several lines, which is a message.
    pub(super) fn is_words(self, burst: u64) -> bool {
        self.words == Some(burst)
    }
}
