//! The keys, drawn from the table they are read from.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::ui::keymap::{BINDINGS, Place};
use crate::ui::slash::KNOWN;
use crate::ui::text::fit;
use crate::ui::theme::Theme;

use super::Screen;
use super::output::page;

/// The order of the help.
const PLACES: [Place; 7] = [
    Place::Composer,
    Place::Approval,
    Place::Panel,
    Place::Everywhere,
    Place::Ledger,
    Place::Page,
    Place::Picker,
];

/// Cells of the column of keys.
const KEYS: usize = 11;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, at: u16) {
    let inner = usize::from(area.width.saturating_sub(4));
    page(frame, area, screen, "keys", lines(inner, screen.theme), at);
}

fn lines(inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for place in PLACES {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::styled(place.words(), theme.title));
        for binding in BINDINGS.iter().filter(|b| b.place == place && !b.words.is_empty()) {
            lines.push(Line::from(vec![
                Span::styled(format!("  {:KEYS$}", binding.keys), theme.accent),
                Span::styled(fit(binding.words, inner.saturating_sub(KEYS + 2)), theme.text),
            ]));
        }
        if place == Place::Composer {
            lines.extend(commands(inner, theme));
        }
    }
    lines
}

/// What can be typed instead of a message.
fn commands(inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = vec![Line::default(), Line::styled("Commands", theme.title)];
    for (name, words) in KNOWN.into_iter().chain([("//", "at the beginning: send it as it is")]) {
        lines.push(Line::from(vec![
            Span::styled(format!("  {name:KEYS$}"), theme.accent),
            Span::styled(fit(words, inner.saturating_sub(KEYS + 2)), theme.text),
        ]));
    }
    lines
}
