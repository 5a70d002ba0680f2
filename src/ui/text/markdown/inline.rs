//! The styled text of one paragraph, heading or cell, gathered piece by piece.

use ratatui::style::Style;
use ratatui::text::Span;

use super::table::Cell;
use crate::ui::text::sanitize;
use crate::ui::theme::Theme;

/// What has been gathered, and the styles that the next piece gets.
pub(super) struct Inline<'a> {
    theme: &'a Theme,
    spans: Vec<Span<'static>>,
    styles: Vec<Style>,
    links: Vec<Link>,
}

/// A link that is open.
struct Link {
    target: String,
    /// Where its text begins among the spans.
    start: usize,
}

impl<'a> Inline<'a> {
    pub(super) const fn new(theme: &'a Theme) -> Self {
        Self { theme, spans: Vec::new(), styles: Vec::new(), links: Vec::new() }
    }

    /// What has been gathered; the open styles stay.
    pub(super) fn take(&mut self) -> Cell {
        std::mem::take(&mut self.spans)
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
        self.links.push(Link { target: sanitize(target).into_owned(), start: self.spans.len() });
        // A span of its own, so that the text of the link can be told from what is before it.
        self.spans.push(Span::raw(""));
        self.enter(self.theme.link);
    }

    /// Says where a link goes, unless its text is the target itself.
    pub(super) fn end_link(&mut self) {
        self.leave();
        let Some(link) = self.links.pop() else { return };
        let text: String = self.spans.iter().skip(link.start).map(|span| span.content.as_ref()).collect();
        let said = link.target.strip_prefix("mailto:").unwrap_or(&link.target);
        if !said.is_empty() && text != said {
            self.push(&format!(" ({said})"), self.theme.dim);
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
