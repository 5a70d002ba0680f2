//! Small words of the inspector: the time of day, marked matches, fields.

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::ledger::Millis;
use crate::ui::panes::margin::{margin, theirs};
use crate::ui::panes::words::one_row;
use crate::ui::text::{MEASURE, sanitize, wrap_spans};
use crate::ui::theme::Theme;

/// Cells of the column of field names.
const NAMES: usize = 12;

/// `14:03:27`, in UTC.
pub(super) fn time_of_day(at: Millis) -> String {
    let seconds = at.0 / 1_000 % 86_400;
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

/// A text in which each place that says `query` stands out.
pub(super) fn marked(text: &str, query: &str, style: Style, hit: Style) -> Vec<Span<'static>> {
    let (lower, wanted) = (text.to_lowercase(), query.to_lowercase());
    // Where lower case has other lengths, places in the one are not places in the other.
    if wanted.is_empty() || lower.len() != text.len() {
        return vec![Span::styled(text.to_owned(), style)];
    }
    let mut spans = Vec::new();
    let mut from = 0;
    for (at, found) in lower.match_indices(&wanted) {
        let (Some(before), Some(this)) = (text.get(from..at), text.get(at..at + found.len())) else {
            continue;
        };
        spans.push(Span::styled(before.to_owned(), style));
        spans.push(Span::styled(this.to_owned(), hit.add_modifier(Modifier::UNDERLINED)));
        from = at + found.len();
    }
    spans.push(Span::styled(text.get(from..).unwrap_or_default().to_owned(), style));
    spans
}

/// `name        value`, the value wrapped under itself.
pub(super) fn field(
    name: &str,
    value: &str,
    width: usize,
    style: Style,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let name = Span::styled(format!("{name:NAMES$}"), theme.dim);
    let value = Span::styled(one_row(value), style);
    let hanging = if width > NAMES * 2 { vec![Span::raw(" ".repeat(NAMES))] } else { margin() };
    wrap_spans(vec![name, value], width.clamp(1, MEASURE), hanging)
}

/// A text of several lines under a title, behind a margin: the names of fields are ours and begin before it.
pub(super) fn section(title: &str, text: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = vec![Line::default(), Line::styled(title.to_owned(), theme.title)];
    let room = width.saturating_sub(2).clamp(1, MEASURE);
    let text = crate::ui::text::wrap(&sanitize(text), room, theme.text).into_iter();
    lines.extend(text.map(|line| Line::from(theirs(line.spans))));
    lines
}
