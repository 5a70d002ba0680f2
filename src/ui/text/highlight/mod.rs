//! Code in colour, worked out beside the screen.

use ratatui::text::Line;

use crate::ui::theme::Theme;

/// Colours code.
pub struct Highlighter;

impl Highlighter {
    /// Works on a thread of its own; `wake` is called there when results have arrived.
    #[must_use]
    pub fn new(_wake: Box<dyn Fn() + Send + Sync>) -> Self {
        Self
    }

    /// Leaves all code plain.
    #[must_use]
    pub const fn off() -> Self {
        Self
    }

    /// Works at once, on the caller's time.
    #[must_use]
    pub const fn immediate() -> Self {
        Self
    }

    /// The coloured lines of a piece of code, or `None` while they are being worked out.
    #[must_use]
    pub fn lines(&self, _language: &str, _code: &str, _theme: &Theme) -> Option<Vec<Line<'static>>> {
        None
    }

    /// Grows when results have arrived.
    #[must_use]
    pub fn generation(&self) -> u64 {
        0
    }
}
