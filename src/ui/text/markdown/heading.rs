//! What a heading looks like, and what only looks like one while it is being streamed.

use pulldown_cmark::HeadingLevel;
use ratatui::style::{Modifier, Style};

use crate::ui::theme::Theme;

/// The look of a heading: the first two levels in the colour of headings, the first underlined too.
pub(super) fn look(level: HeadingLevel, theme: &Theme, source: &str) -> Style {
    if short_underline(source).is_some() {
        return Style::new();
    }
    match level {
        HeadingLevel::H1 => theme.heading.add_modifier(Modifier::UNDERLINED),
        HeadingLevel::H2 => theme.heading,
        HeadingLevel::H3 | HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => theme.strong,
    }
}

/// The last line of a heading that is underlined by fewer than three signs.
pub(super) fn short_underline(source: &str) -> Option<&str> {
    let underline = source.trim_end().lines().last()?.trim();
    (matches!(underline, "-" | "--" | "=" | "==") && !source.trim_start().starts_with('#'))
        .then_some(underline)
}
