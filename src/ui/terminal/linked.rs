//! Writes cells, and around those of a link the sequence that makes them one (OSC 8): opened before, closed after, so that
//! no link is ever left open.
//!
//! A cell says which link it belongs to in the colour of its underline, so a cell whose link changes is a changed cell. That
//! colour is taken out here: the terminal never hears of it.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use ratatui::style::Color;

use crate::ui::text::tag::link_of;

/// Ends a link.
const CLOSE: &str = "\x1b]8;;\x1b\\";

/// A screen with links in it.
#[derive(Debug)]
pub(in crate::ui) struct Linked<W: Write> {
    inner: CrosstermBackend<W>,
    /// Where the links of the frame lead, by number.
    links: BTreeMap<u32, Arc<str>>,
}

impl<W: Write> Linked<W> {
    pub(super) const fn new(out: W) -> Self {
        Self { inner: CrosstermBackend::new(out), links: BTreeMap::new() }
    }

    /// Where the links of the next frame lead; those that are not named are no links to the terminal.
    pub(in crate::ui) fn lead(&mut self, links: BTreeMap<u32, Arc<str>>) {
        self.links = links;
    }

    /// Says something before the cells of the next frame.
    pub(super) fn say(&mut self, words: &str) -> io::Result<()> {
        self.inner.write_all(words.as_bytes())
    }

    /// Writes cells that belong to one link, or to none.
    fn run(&mut self, link: Option<u32>, cells: &[(u16, u16, Cell)]) -> io::Result<()> {
        let opened = link.and_then(|number| Some((number, self.links.get(&number)?)));
        if let Some((number, address)) = opened {
            // The number joins the parts of a link that are broken over rows.
            write!(self.inner, "\x1b]8;id=cs{number};{address}\x1b\\")?;
        }
        self.inner.draw(cells.iter().map(|(x, y, cell)| (*x, *y, cell)))?;
        if opened.is_some() { self.inner.write_all(CLOSE.as_bytes()) } else { Ok(()) }
    }
}

impl<W: Write> Backend for Linked<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        while let Some((_, _, first)) = content.peek() {
            let link = link_of(first.underline_color);
            if link.is_none() {
                let plain = std::iter::from_fn(|| {
                    content.next_if(|(.., cell)| link_of(cell.underline_color).is_none())
                });
                self.inner.draw(plain)?;
                continue;
            }
            let same =
                std::iter::from_fn(|| content.next_if(|(.., cell)| link_of(cell.underline_color) == link));
            let untagged = same.map(|(x, y, cell)| {
                let mut cell = cell.clone();
                cell.underline_color = Color::Reset;
                (x, y, cell)
            });
            let cells: Vec<(u16, u16, Cell)> = untagged.collect();
            self.run(link, &cells)?;
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.inner.clear_region(region)
    }

    fn append_lines(&mut self, lines: u16) -> io::Result<()> {
        self.inner.append_lines(lines)
    }

    fn size(&self) -> io::Result<Size> {
        self.inner.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.inner)
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::style::Style;
    use ratatui::text::Line;

    use super::*;
    use crate::ui::text::tag::{Tag, tagged};

    fn cells(text: &str, style: Style) -> Vec<Cell> {
        text.chars().map(|c| Cell::default().set_char(c).set_style(style).clone()).collect()
    }

    fn written(cells: &[Cell], links: &[(u32, &str)]) -> String {
        let mut out = Vec::new();
        let mut screen = Linked::new(&mut out);
        screen.lead(links.iter().map(|(number, address)| (*number, Arc::from(*address))).collect());
        let places = (0..).zip(cells).map(|(at, cell)| (at, 0, cell));
        screen.draw(places).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_link_is_opened_before_its_cells_and_closed_after_them() {
        let link = |number| tagged(Style::new(), Tag::Link(number));
        let all =
            [cells("a ", Style::new()), cells("b", link(1)), cells("c", link(2)), cells(" d", Style::new())]
                .concat();
        let written = written(&all, &[(1, "https://one"), (2, "https://two")]);
        let at = |what: &str| written.find(what).unwrap_or_else(|| panic!("no {what:?} in {written:?}"));
        assert!(at("a ") < at("\x1b]8;id=cs1;https://one\x1b\\") && at(";https://one") < at("b\x1b["));
        assert!(at("\x1b]8;id=cs2;https://two\x1b\\") < at("c\x1b[") && at("c\x1b[") < at(" d"));
        assert_eq!(written.matches("\x1b]8;id=").count(), written.matches(CLOSE).count());
        assert!(!written.contains("\x1b[58;"), "no underline has a colour: {written:?}");
    }

    #[test]
    fn a_letter_that_stays_is_written_again_when_it_leads_elsewhere() {
        let line = |number| Buffer::with_lines([Line::styled("x", tagged(Style::new(), Tag::Link(number)))]);
        assert_eq!(line(1).diff(&line(2)).len(), 1);
        assert_eq!(line(1).diff(&line(1)).len(), 0);
        assert_eq!(line(1).diff(&Buffer::with_lines(["x"])).len(), 1);
    }

    #[test]
    fn a_link_without_an_address_is_text() {
        let written = written(&cells("x", tagged(Style::new(), Tag::Link(7))), &[]);
        assert!(
            written.contains('x') && !written.contains("\x1b]8") && !written.contains("\x1b[58;"),
            "{written:?}"
        );
    }
}
