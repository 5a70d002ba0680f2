//! The code of a diff in colour: each side of a hunk is painted as the code that it is.

use ratatui::style::Style;
use ratatui::text::Span;

use super::read::{DiffRow, Sign};
use crate::ui::text::highlight::Highlighter;
use crate::ui::theme::Theme;

/// What a diff is coloured with.
#[derive(Clone, Copy)]
pub struct DiffColours<'a> {
    /// The colours of signs, numbers and changed words.
    pub theme: &'a Theme,
    /// The language of its code: the extension of the file, or its name. Empty for text.
    pub language: &'a str,
    /// What knows the language.
    pub highlighter: &'a Highlighter,
}

/// The language of a file, as its name says it.
#[must_use]
pub fn language(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(_, extension)| extension)
}

/// Gives the rows of each hunk the colours of their side, as far as these are worked out.
pub(super) fn paint(rows: &mut [DiffRow<'_>], colours: DiffColours<'_>) {
    let is_code = |row: &DiffRow<'_>| matches!(row.sign, Sign::Add | Sign::Remove | Sign::Context);
    for hunk in rows.chunk_by_mut(|before, after| is_code(before) && is_code(after)) {
        for side in [Sign::Remove, Sign::Add] {
            paint_side(hunk, side, colours);
        }
    }
}

/// A side: what is only on it, and what is on both, which the side that will be paints last.
fn paint_side(hunk: &mut [DiffRow<'_>], side: Sign, colours: DiffColours<'_>) {
    if !hunk.iter().any(|row| row.sign == side) {
        return;
    }
    let rows = || [side, Sign::Context];
    let code: String =
        hunk.iter().filter(|row| rows().contains(&row.sign)).fold(String::new(), |code, row| {
            // A row is one line, whatever it holds.
            code + &row.text.replace('\n', " ") + "\n"
        });
    let Some(lines) = colours.highlighter.lines(colours.language, &code, colours.theme) else { return };
    for (row, line) in hunk.iter_mut().filter(|row| rows().contains(&row.sign)).zip(lines) {
        row.painted = Some(line.spans);
    }
}

/// A text in its colours on top of the style of its row.
pub(super) fn spans(row: &DiffRow<'_>, style: Style) -> Vec<Span<'static>> {
    match &row.painted {
        // Without a tint only the colour of the text tells what is added.
        Some(painted) if row.sign == Sign::Context || style.bg.is_some() => {
            let patched = |span: &Span<'static>| Span::styled(span.content.clone(), style.patch(span.style));
            painted.iter().map(patched).collect()
        }
        _ => vec![Span::styled(row.text.to_string(), style)],
    }
}

/// Parts of a text, one behind the other, each in what `style` makes of its own style; `lengths` in bytes.
pub(super) fn restyled(
    spans: Vec<Span<'static>>,
    lengths: impl Iterator<Item = (usize, Option<Style>)>,
) -> Vec<Span<'static>> {
    let mut parts = Vec::new();
    let mut rest = spans.into_iter();
    let mut here: Option<(Span<'static>, usize)> = rest.next().map(|span| (span, 0));
    for (mut length, style) in lengths {
        while length > 0
            && let Some((span, from)) = here.take()
        {
            let end = (from + length).min(span.content.len());
            let text = span.content.get(from..end).unwrap_or_default();
            push(&mut parts, text, style.map_or(span.style, |over| span.style.patch(over)));
            length = length.saturating_sub(end - from);
            here =
                if end < span.content.len() { Some((span, end)) } else { rest.next().map(|next| (next, 0)) };
        }
    }
    parts
}

fn push(parts: &mut Vec<Span<'static>>, text: &str, style: Style) {
    match parts.last_mut() {
        Some(last) if last.style == style => last.content.to_mut().push_str(text),
        _ => parts.push(Span::styled(text.to_owned(), style)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_says_its_language() {
        for (path, is) in [("src/a.rs", "rs"), ("Makefile", "Makefile"), ("a/b.c/Dockerfile", "Dockerfile")] {
            assert_eq!(language(path), is);
        }
    }

    #[test]
    fn parts_keep_their_text_and_take_a_style_over_their_own() {
        let (red, bold) = (Style::new().red(), Style::new().bold());
        let spans = vec![Span::styled("let ", red), Span::raw("é = 1")];
        let parts = restyled(spans, [(2, None), (4, Some(bold)), (4, None)].into_iter());
        let text: String = parts.iter().map(|part| part.content.as_ref()).collect();
        assert_eq!(text, "let é = 1");
        assert_eq!(parts[1], Span::styled("t ", red.patch(bold)));
        assert_eq!(parts[2], Span::styled("é", bold));
    }
}
