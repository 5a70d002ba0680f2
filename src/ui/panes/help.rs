//! The keys, drawn from the table they are read from.

use ratatui::text::{Line, Span};

use crate::ui::keymap::{BINDINGS, Place};
use crate::ui::slash::KNOWN;
use crate::ui::text::{fit, width};
use crate::ui::theme::Theme;

use super::Screen;
use super::output::Laid;

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

/// The page, on lines of at most `inner` cells.
pub(super) fn lay(screen: &Screen<'_>, inner: u16) -> Laid {
    ("keys".to_owned(), lines(usize::from(inner), screen), Vec::new())
}

fn lines(inner: usize, screen: &Screen<'_>) -> Vec<Line<'static>> {
    let (theme, keymap) = (screen.theme, &screen.local.keymap);
    let mut lines = Vec::new();
    for place in PLACES {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::styled(place.words(), theme.title));
        for binding in BINDINGS.iter().filter(|b| b.place == place && !b.words.is_empty()) {
            lines.push(line(&keymap.keys(binding), binding.words, inner, theme));
        }
        lines.extend(keymap.others(place).map(|(keys, name)| line(&keys, &name, inner, theme)));
        if place == Place::Composer {
            lines.extend(commands(inner, theme));
        }
    }
    lines.extend([Line::default(), Line::styled("Mouse", theme.title)]);
    lines.extend(MOUSE.map(|(what, words)| line(what, words, inner, theme)));
    lines
}

/// What the mouse does, unless the configuration leaves it to the terminal.
const MOUSE: [(&str, &str); 4] = [
    ("wheel", "scroll what is under it"),
    ("click", "give the focus; a second one opens; only keys answer a call"),
    ("drag", "select and copy; two clicks: a word, three: a paragraph"),
    ("shift-drag", "the terminal's own selection"),
];

/// Keys, and what they do. Keys of one's own may need more cells than the column has.
fn line(keys: &str, words: &str, inner: usize, theme: &Theme) -> Line<'static> {
    let keys = format!("  {keys:KEYS$}");
    let gap = if width(&keys) > KEYS + 2 { " " } else { "" };
    let room = inner.saturating_sub(width(&keys) + gap.len());
    Line::from(vec![Span::styled(keys + gap, theme.accent), Span::styled(fit(words, room), theme.text)])
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
