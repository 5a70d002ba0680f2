//! The styled text of one paragraph, heading or cell, gathered piece by piece.

use std::sync::Arc;

use ratatui::style::Style;
use ratatui::text::Span;

use super::table::Cell;
use crate::ui::text::tag::{MOST_LINKS, Tag, tag_of, tagged};
use crate::ui::text::{address, addresses_in, sanitize};
use crate::ui::theme::Theme;

/// What has been gathered, and the styles that the next piece gets.
pub(super) struct Inline<'a> {
    theme: &'a Theme,
    spans: Vec<Span<'static>>,
    styles: Vec<Style>,
    links: Vec<Link>,
    addresses: Addresses,
}

/// The addresses of all links so far, the first of which has a number that is not 0 where others stand before it.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    first: usize,
    found: Vec<Arc<str>>,
}

impl Addresses {
    pub(super) const fn after(first: usize) -> Self {
        Self { first, found: Vec::new() }
    }

    pub(super) fn into_found(self) -> Vec<Arc<str>> {
        self.found
    }

    /// A style whose pieces lead there, if a terminal may be told so.
    fn lead(&mut self, style: Style, target: &str) -> Style {
        let number = u32::try_from(self.first + self.found.len()).ok().filter(|number| *number < MOST_LINKS);
        match (address(target), number) {
            (Some(address), Some(number)) => {
                self.found.push(address.into());
                tagged(style, Tag::Link(number))
            }
            (None, _) | (_, None) => style,
        }
    }

    /// Text in which addresses that stand as they are lead where they say.
    pub(super) fn linked(&mut self, spans: Vec<Span<'static>>) -> Vec<Span<'static>> {
        let mut linked = Vec::with_capacity(spans.len());
        for span in spans {
            let found = if tag_of(span.style).is_none() { addresses_in(&span.content) } else { Vec::new() };
            if found.is_empty() {
                linked.push(span);
                continue;
            }
            let mut done = 0;
            let piece = |from: usize, to: usize| span.content.get(from..to).unwrap_or_default().to_owned();
            for (from, to) in found {
                linked.push(Span::styled(piece(done, from), span.style));
                let there = piece(from, to);
                let style = self.lead(span.style, &there);
                linked.push(Span::styled(there, style));
                done = to;
            }
            linked.push(Span::styled(piece(done, span.content.len()), span.style));
        }
        linked
    }
}

/// A link that is open.
struct Link {
    target: String,
    /// Where its text begins among the spans.
    start: usize,
    /// What its pieces are, if it is a link to the terminal.
    tag: Option<Tag>,
}

impl<'a> Inline<'a> {
    /// Nothing yet; links are numbered from `first` on.
    pub(super) const fn new(theme: &'a Theme, first: usize) -> Self {
        let addresses = Addresses::after(first);
        Self { theme, spans: Vec::new(), styles: Vec::new(), links: Vec::new(), addresses }
    }

    /// What has been gathered; the open styles stay.
    pub(super) fn take(&mut self) -> Cell {
        self.addresses.linked(std::mem::take(&mut self.spans))
    }

    /// Where all links lead.
    pub(super) const fn addresses(&mut self) -> &mut Addresses {
        &mut self.addresses
    }

    /// Opens a style on top of the ones around it.
    pub(super) fn enter(&mut self, style: Style) {
        self.styles.push(style);
    }

    /// Closes the style opened last.
    pub(super) fn leave(&mut self) {
        self.styles.pop();
    }

    pub(super) fn text(&mut self, text: &str) {
        self.push(text, self.style());
    }

    pub(super) fn code(&mut self, text: &str) {
        self.push(text, self.style().patch(self.theme.code));
    }

    pub(super) fn line_break(&mut self) {
        self.push("\n", self.style());
    }

    /// Markup is shown as it was written, but for the break that tables need.
    pub(super) fn html(&mut self, html: &str) {
        if matches!(html.trim(), "<br>" | "<br/>" | "<br />") {
            self.line_break();
        } else {
            self.push(html, self.style().patch(self.theme.dim));
        }
    }

    pub(super) fn start_link(&mut self, target: &str) {
        let style = self.addresses.lead(self.theme.link, target);
        let said = sanitize(target).into_owned();
        self.links.push(Link { target: said, start: self.spans.len(), tag: tag_of(style) });
        // A span of its own, so that the text of the link can be told from what is before it.
        self.spans.push(Span::raw(""));
        self.enter(style);
    }

    /// Says where a link goes, unless its text is the target itself.
    pub(super) fn end_link(&mut self) {
        self.leave();
        let Some(link) = self.links.pop() else { return };
        let text: String = self.spans.iter().skip(link.start).map(|span| span.content.as_ref()).collect();
        let said = link.target.strip_prefix("mailto:").unwrap_or(&link.target);
        if !said.is_empty() && text != said {
            // What is said leads there too, and not to what it may look like.
            let style = link.tag.map_or(self.theme.dim, |tag| tagged(self.theme.dim, tag));
            self.push(" (", self.theme.dim);
            self.push(said, style);
            self.push(")", self.theme.dim);
        }
    }

    pub(super) fn start_image(&mut self) {
        self.enter(self.theme.dim);
        self.text("[image: ");
    }

    pub(super) fn end_image(&mut self) {
        self.text("]");
        self.leave();
    }

    fn style(&self) -> Style {
        self.styles.iter().fold(self.theme.text, |style, inner| style.patch(*inner))
    }

    /// Adds text. It is made safe once more, because entities become characters only in the parser.
    fn push(&mut self, text: &str, style: Style) {
        let text = self.safe(text);
        match self.spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push_str(&text),
            _ => self.spans.push(Span::styled(text, style)),
        }
    }

    /// The parser may cut before a character whose meaning depends on the one before it.
    fn safe(&self, text: &str) -> String {
        let before = self.spans.last().and_then(|span| span.content.chars().last());
        let depends = text
            .starts_with(|first: char| matches!(first, '\u{fe00}'..='\u{fe0f}' | '\u{200c}' | '\u{200d}'));
        match before {
            Some(before) if depends => {
                let joined = sanitize(&format!("{before}{text}")).into_owned();
                joined.strip_prefix(before).map(str::to_owned).unwrap_or(joined)
            }
            _ => sanitize(text).into_owned(),
        }
    }
}
