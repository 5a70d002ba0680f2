//! What the rows of a diff are laid out on: the numbers, the sign, the words that have changed.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use similar::{Algorithm, ChangeTag, capture_diff_slices, diff_ratio};
use unicode_segmentation::UnicodeSegmentation;

use super::code;
use super::read::{DiffRow, Sign};
use crate::tool::{changes, numbered};
use crate::ui::text::sanitize::{TAB_SIGN, WRITTEN_OUT};
use crate::ui::text::tag::ours;
use crate::ui::text::{cut_spans, width, wrap_spans};
use crate::ui::theme::Theme;

/// Bytes of a line beyond which changed words are not looked for.
const LONGEST_PAIR: usize = 1_000;

/// The share of a line that must be unchanged for its words to be compared; below it, all has changed.
const ALIKE: f32 = 0.4;

/// What rows are laid out on.
pub(super) struct DiffPage<'t> {
    /// The cells of a line.
    pub(super) room: usize,
    /// The cells of a line number; none are shown when it is 0.
    pub(super) digits: usize,
    pub(super) theme: &'t Theme,
}

impl DiffPage<'_> {
    /// What is removed, and below it what is added.
    pub(super) fn change(&self, removed: &[DiffRow<'_>], added: &[DiffRow<'_>]) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for (side, other) in [(removed, added), (added, removed)] {
            for (index, row) in side.iter().enumerate() {
                let text = words(row, other.get(index), self.theme);
                lines.extend(self.row(row, &[row.before, row.after], text, self.room));
            }
        }
        lines
    }

    /// A row that is no change.
    pub(super) fn unchanged(&self, row: &DiffRow<'_>) -> Vec<Line<'static>> {
        if matches!(row.sign, Sign::Header | Sign::Note) {
            return wrap_spans(words(row, None, self.theme), self.room, Vec::new());
        }
        self.row(row, &[row.before, row.after], words(row, None, self.theme), self.room)
    }

    /// A row on as many lines of at most `room` cells as it needs. Further ones hang under its indent, and their tint begins where its sign
    /// stands.
    pub(super) fn row(
        &self,
        row: &DiffRow<'_>,
        numbers: &[Option<usize>],
        text: Vec<Span<'static>>,
        room: usize,
    ) -> Vec<Line<'static>> {
        let sign = match row.sign {
            Sign::Add => "+",
            Sign::Remove => "-",
            Sign::Context | Sign::Header | Sign::Note => " ",
        };
        let numbers: String = numbers.iter().map(|number| self.number(*number)).collect();
        let gutter = width(&numbers) + 2;
        let style = style(row.sign, self.theme);
        // A sign of its own would be read as a line of the file.
        let hanging = [
            Span::styled(" ".repeat(width(&numbers)), ours(self.theme.faint)),
            Span::styled("  ", ours(Style { fg: None, ..style })),
        ];
        let first = [Span::styled(numbers, ours(self.theme.faint)), Span::styled(format!("{sign} "), style)];
        if room <= gutter {
            return cut_spans(&[&first[..], &text].concat(), room, Vec::new());
        }
        // The sign stays with its text, however long the first word is.
        let indent = row.text.chars().take_while(|blank| matches!(*blank, ' ' | TAB_SIGN)).count();
        let indent = " ".repeat(indent.min((room - gutter) / 2));
        let indent = Span::styled(indent, Style { fg: None, ..style });
        let mut lines = wrap_spans(text, room - gutter, vec![indent]);
        for (at, line) in lines.iter_mut().enumerate() {
            if style.bg.is_some() {
                // A tint goes to the edge, as the row does.
                let used: usize = line.spans.iter().map(|span| width(&span.content)).sum();
                let rest = " ".repeat((room - gutter).saturating_sub(used));
                line.spans.push(Span::styled(rest, ours(Style { fg: None, ..style })));
            }
            let before = if at == 0 { &first[..] } else { &hanging[..] };
            line.spans.splice(0..0, before.iter().cloned());
        }
        lines
    }

    fn number(&self, number: Option<usize>) -> String {
        let digits = self.digits;
        match number {
            _ if digits == 0 => String::new(),
            Some(number) => format!("{number:>digits$} "),
            None => " ".repeat(digits + 1),
        }
    }
}

/// The text of a row, with the words set off that differ from the row it stands against, and the characters that are written out.
pub(super) fn words(row: &DiffRow<'_>, other: Option<&DiffRow<'_>>, theme: &Theme) -> Vec<Span<'static>> {
    let spans = changed_words(row, other, theme);
    if row.written.is_empty() {
        return spans;
    }
    let mut at = 0;
    let mut parts = Vec::new();
    for part in &row.written {
        parts.push((part.start.saturating_sub(at), None));
        parts.push((part.len(), Some(WRITTEN_OUT)));
        at = part.end;
    }
    parts.push((row.text.len().saturating_sub(at), None));
    code::restyled(spans, parts.into_iter())
}

fn changed_words(row: &DiffRow<'_>, other: Option<&DiffRow<'_>>, theme: &Theme) -> Vec<Span<'static>> {
    let style = style(row.sign, theme);
    let whole = code::spans(row, style);
    let (Some(other), Some(changed)) = (other, changed_style(row.sign, theme)) else { return whole };
    if row.text.len() > LONGEST_PAIR || other.text.len() > LONGEST_PAIR {
        return whole;
    }
    let before: Vec<&str> = other.text.split_word_bounds().collect();
    let after: Vec<&str> = row.text.split_word_bounds().collect();
    let (was, is) = numbered(&before, &after);
    let steps = capture_diff_slices(Algorithm::Myers, &was, &is);
    if diff_ratio(&steps, was.len(), is.len()) < ALIKE {
        return whole;
    }
    // Where code keeps its colours, the tint alone says what has changed.
    let over =
        if row.painted.is_some() && style.bg.is_some() { Style { fg: None, ..changed } } else { changed };
    let parts = changes(&steps, &before, &after).filter(|(tag, _)| *tag != ChangeTag::Delete);
    let parts = parts.map(|(tag, word)| (word.len(), (tag == ChangeTag::Insert).then_some(over)));
    code::restyled(whole, parts)
}

const fn style(sign: Sign, theme: &Theme) -> Style {
    match sign {
        Sign::Add => theme.diff_add,
        Sign::Remove => theme.diff_remove,
        Sign::Context => theme.diff_context,
        Sign::Header => theme.diff_hunk,
        Sign::Note => theme.dim,
    }
}

const fn changed_style(sign: Sign, theme: &Theme) -> Option<Style> {
    match sign {
        Sign::Add => Some(theme.diff_add_word),
        Sign::Remove => Some(theme.diff_remove_word),
        Sign::Context | Sign::Header | Sign::Note => None,
    }
}
