//! Unified diffs, coloured and numbered.

use ratatui::text::Line;

use crate::ui::theme::Theme;

/// Lays out a unified diff.
#[must_use]
pub fn render(unified: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    super::wrap(&super::sanitize(unified), usize::from(width), theme.text)
}
