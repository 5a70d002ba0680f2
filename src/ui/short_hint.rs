//! A message to the person in fewer words, for a line that has no room for all of it.

/// The short form of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortHint {
    /// The message itself: of another one it is no short form.
    hint: String,
    words: &'static str,
    /// Whether it stands in one row at any size: another row would be taken from what is being read, which has to be seen again then.
    pub(super) keeps_rows: bool,
}

impl ShortHint {
    /// The short form of this message, if it is one.
    pub(super) fn of(&self, hint: &str) -> Option<&'static str> {
        (self.hint == hint).then_some(self.words)
    }
}

/// A message, and how it is said in fewer words.
pub(super) fn told(hint: impl Into<String>, words: &'static str) -> (Option<String>, Option<ShortHint>) {
    let hint = hint.into();
    let short = ShortHint { hint: hint.clone(), words, keeps_rows: false };
    (Some(hint), Some(short))
}

/// The same of one that is said while something is read.
pub(super) fn told_in_a_row(
    hint: impl Into<String>,
    words: &'static str,
) -> (Option<String>, Option<ShortHint>) {
    let (hint, short) = told(hint, words);
    (hint, short.map(|short| ShortHint { keeps_rows: true, ..short }))
}
