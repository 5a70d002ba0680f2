//! What a piece of a line is beside how it looks: ours, a link, the place where the next row goes on.
//!
//! A tag rides in the colour of underlines, which no theme sets, so that it comes through every layout with its piece.
//! The terminal never hears of it: whoever writes cells takes it out.

use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

/// Links that can be told apart in one layout or one frame.
pub const MOST_LINKS: u32 = 1 << 24;

/// What a piece of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// Drawn by us and no part of the text: an edge, a gutter, an indent.
    Ours,
    /// The text of a link, by its number in whatever was laid out together.
    Link(u32),
    /// The row was broken to fit: the next one goes on, after so many blanks.
    GoesOn(u8),
}

/// A style whose pieces are this.
#[must_use]
pub fn tagged(style: Style, tag: Tag) -> Style {
    style.underline_color(match tag {
        Tag::Ours => Color::Reset,
        Tag::Link(number) => {
            let [_, red, green, blue] = number.to_be_bytes();
            Color::Rgb(red, green, blue)
        }
        Tag::GoesOn(blanks) => Color::Indexed(blanks),
    })
}

/// A style whose pieces are ours.
#[must_use]
pub fn ours(style: Style) -> Style {
    tagged(style, Tag::Ours)
}

/// What the pieces of a style are.
#[must_use]
pub fn tag_of(style: Style) -> Option<Tag> {
    match style.underline_color? {
        Color::Reset => Some(Tag::Ours),
        Color::Indexed(blanks) => Some(Tag::GoesOn(blanks)),
        colour => link_of(colour).map(Tag::Link),
    }
}

/// The link of a cell whose underline has this colour.
#[must_use]
pub fn link_of(colour: Color) -> Option<u32> {
    match colour {
        Color::Rgb(red, green, blue) => Some(u32::from_be_bytes([0, red, green, blue])),
        _ => None,
    }
}

/// How a row goes on in the next one, if it does: after so many blanks.
#[must_use]
pub fn goes_on(line: &Line<'_>) -> Option<u8> {
    line.spans.iter().find_map(|span| match tag_of(span.style) {
        Some(Tag::GoesOn(blanks)) => Some(blanks),
        _ => None,
    })
}

/// Says that the next row goes on where this one was broken.
pub(super) fn go_on(line: &mut Line<'static>, blanks: usize) {
    let blanks = u8::try_from(blanks).unwrap_or(u8::MAX);
    line.spans.push(Span::styled("", tagged(Style::new(), Tag::GoesOn(blanks))));
}

/// Forgets where a row was broken: beside it stands something else, which does not go on.
pub(super) fn stop(spans: &mut Vec<Span<'static>>) {
    spans.retain(|span| !matches!(tag_of(span.style), Some(Tag::GoesOn(_))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_comes_through_a_patch() {
        for tag in [Tag::Ours, Tag::Link(0), Tag::Link(MOST_LINKS - 1), Tag::GoesOn(0), Tag::GoesOn(255)] {
            let style = tagged(Style::new().fg(Color::Red), tag).patch(Style::new().bg(Color::Blue));
            assert_eq!(tag_of(style), Some(tag));
        }
        assert_eq!(tag_of(Style::new().fg(Color::Red)), None);
    }

    #[test]
    fn a_row_says_how_it_goes_on() {
        let mut line = Line::from("a");
        assert_eq!(goes_on(&line), None);
        go_on(&mut line, 300);
        assert_eq!((goes_on(&line), line.to_string().as_str()), (Some(255), "a"));
        stop(&mut line.spans);
        assert_eq!(goes_on(&line), None);
    }
}
