//! Lays out one closed piece of markdown: parser events become prefixed, wrapped lines.

use std::sync::Arc;

use pulldown_cmark::{BlockQuoteKind, Event, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::inline::Inline;
use super::table::MarkdownTable;
use super::{code, heading, scan};
use crate::ui::text::highlight::Highlighter;
use crate::ui::text::tag::ours;
use crate::ui::text::{MEASURE, sanitize, width, wrap, wrap_spans};
use crate::ui::theme::Theme;

/// Signs of list items, by depth.
const BULLETS: &[&str] = &["• ", "◦ ", "▪ "];

/// The longest rule that is drawn.
const LONGEST_RULE: usize = 60;

/// What a piece came to.
pub(super) struct LaidPiece {
    pub(super) lines: Vec<Line<'static>>,
    /// The colours of some code are still being worked out.
    pub(super) is_waiting: bool,
    /// Where its links lead, in the order of their numbers.
    pub(super) links: Vec<Arc<str>>,
}

/// Lays out safe markdown on lines of at most `room` cells; its links are numbered from `first` on. Of what grows the last line is not whole.
pub(super) fn lay(
    source: &str,
    room: usize,
    theme: &Theme,
    highlighter: &Highlighter,
    (first, grows): (usize, bool),
) -> LaidPiece {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    let parser = Parser::new_ext(source, options);
    let mut definitions: Vec<(usize, String)> = parser
        .reference_definitions()
        .iter()
        .map(|(name, definition)| (definition.span.start, format!("[{name}]: {}", definition.dest)))
        .collect();
    definitions.sort();
    let mut layout = Layout {
        room,
        theme,
        highlighter,
        laid: LaidPiece { lines: Vec::new(), is_waiting: false, links: Vec::new() },
        containers: Vec::new(),
        wants_gap: false,
        inline: Inline::new(theme, first),
        code: None,
        table: None,
        is_last: false,
    };
    for (event, range) in parser.into_offset_iter() {
        layout.is_last = grows && range.end >= source.trim_end().len();
        layout.event(event, source.get(range).unwrap_or_default());
    }
    layout.flush();
    // The parser swallows definitions; a reader still wants to see where the links go.
    for (_, definition) in definitions {
        layout.gap();
        let words = vec![Span::styled(sanitize(&definition).into_owned(), theme.dim)];
        let words = layout.inline.addresses().linked(words);
        layout.emit(wrap_spans(words, layout.measure(), Vec::new()));
    }
    layout.laid.links = std::mem::take(layout.inline.addresses()).into_found();
    layout.laid
}

/// What the lines are inside of.
enum Container {
    Quote,
    List { next: Option<u64>, is_loose: bool },
    Item { marker: Option<String>, indent: usize },
}

struct Layout<'a> {
    room: usize,
    theme: &'a Theme,
    highlighter: &'a Highlighter,
    laid: LaidPiece,
    containers: Vec<Container>,
    /// A block has ended, and the next one is to stand apart from it.
    wants_gap: bool,
    inline: Inline<'a>,
    /// The language and the text of the code block being read.
    code: Option<(String, String)>,
    table: Option<MarkdownTable>,
    /// The block at hand is still being written.
    is_last: bool,
}

impl Layout<'_> {
    fn event(&mut self, event: Event<'_>, source: &str) {
        match event {
            Event::Start(tag) => self.start(tag, source),
            Event::End(tag) => self.end(tag, source),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&sanitize(&text)),
                None => self.inline.text(&text),
            },
            Event::Code(text) => self.inline.code(&text),
            // People and models break lines on purpose more often than they fill them.
            Event::SoftBreak | Event::HardBreak => self.inline.line_break(),
            Event::Html(html) | Event::InlineHtml(html) => self.inline.html(&html),
            Event::Rule => {
                let rule = "─".repeat(self.inner_room().min(LONGEST_RULE));
                self.block(vec![Line::styled(rule, self.theme.faint)]);
            }
            Event::TaskListMarker(is_done) => self.mark_task(is_done),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.inline.text(&text);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>, source: &str) {
        match tag {
            Tag::Heading { level, .. } => self.inline.enter(heading::look(level, self.theme, source)),
            Tag::BlockQuote(kind) => self.start_quote(kind),
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match kind {
                    pulldown_cmark::CodeBlockKind::Fenced(info) => scan::language(&sanitize(&info)),
                    pulldown_cmark::CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(next) => {
                // Text right above a nested list belongs to its item.
                self.flush();
                self.gap();
                self.containers.push(Container::List { next, is_loose: false });
            }
            Tag::Item => self.start_item(),
            Tag::Paragraph => {
                if let Some(Container::Item { .. }) = self.containers.last() {
                    self.loosen();
                }
            }
            Tag::Table(alignments) => {
                let is_open = self.is_last;
                self.table = Some(MarkdownTable { alignments, is_open, ..MarkdownTable::default() });
            }
            Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::Emphasis => self.inline.enter(self.theme.emphasis),
            Tag::Strong => self.inline.enter(self.theme.strong),
            Tag::Strikethrough => self.inline.enter(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } => self.inline.start_link(&dest_url),
            Tag::Image { .. } => self.inline.start_image(),
            Tag::HtmlBlock => self.inline.enter(self.theme.dim),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, source: &str) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => {
                if tag == TagEnd::HtmlBlock {
                    self.inline.leave();
                }
                self.flush();
                self.wants_gap = true;
            }
            TagEnd::Heading(_) => {
                self.inline.leave();
                // Half a list item below a paragraph reads as an underline, while it is being streamed.
                if let Some(underline) = heading::short_underline(source) {
                    self.inline.line_break();
                    self.inline.text(underline);
                }
                self.flush();
                self.wants_gap = true;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.inline.leave();
                self.containers.pop();
                self.wants_gap = true;
            }
            TagEnd::CodeBlock => {
                if let Some((language, text)) = self.code.take() {
                    let (lines, is_waiting) =
                        code::block(&language, &text, self.inner_room(), self.theme, self.highlighter);
                    self.laid.is_waiting |= is_waiting;
                    self.block(lines);
                }
            }
            TagEnd::List(_) => {
                self.containers.pop();
                let is_inner =
                    self.containers.iter().any(|container| matches!(container, Container::Item { .. }));
                self.wants_gap = !is_inner;
            }
            TagEnd::Item => self.end_item(),
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let lines = table.lay(self.inner_room(), self.theme);
                    self.block(lines);
                }
            }
            TagEnd::TableHead => {
                let theme = self.theme;
                if let Some(table) = &mut self.table {
                    table
                        .head
                        .iter_mut()
                        .flatten()
                        .for_each(|span| span.style = span.style.patch(theme.strong));
                }
            }
            TagEnd::TableCell => self.end_cell(),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.inline.leave(),
            TagEnd::Link => self.inline.end_link(),
            TagEnd::Image => self.inline.end_image(),
            _ => {}
        }
    }

    fn start_quote(&mut self, kind: Option<BlockQuoteKind>) {
        self.flush();
        self.gap();
        self.containers.push(Container::Quote);
        self.inline.enter(self.theme.quote);
        let label = match kind {
            Some(BlockQuoteKind::Note) => "Note",
            Some(BlockQuoteKind::Tip) => "Tip",
            Some(BlockQuoteKind::Important) => "Important",
            Some(BlockQuoteKind::Warning) => "Warning",
            Some(BlockQuoteKind::Caution) => "Caution",
            None => return,
        };
        self.emit(wrap(label, self.inner_room(), self.theme.strong));
    }

    fn start_item(&mut self) {
        self.gap();
        let is_bulleted = |container: &&Container| matches!(container, Container::List { next: None, .. });
        let depth = self.containers.iter().filter(is_bulleted).count();
        let number = match self.containers.last_mut() {
            Some(Container::List { next: Some(next), .. }) => {
                let number = *next;
                *next = next.saturating_add(1);
                Some(number)
            }
            _ => None,
        };
        let bullet = BULLETS.get(depth.saturating_sub(1) % BULLETS.len()).copied().unwrap_or("• ");
        let marker = number.map_or_else(|| bullet.to_owned(), |number| format!("{number}. "));
        let indent = width(&marker);
        self.containers.push(Container::Item { marker: Some(marker), indent });
    }

    /// The box of a task takes the place of its bullet.
    fn mark_task(&mut self, is_done: bool) {
        let sign = if is_done { "[x] " } else { "[ ] " };
        match self.containers.last_mut() {
            Some(Container::Item { marker: Some(marker), indent }) => {
                sign.clone_into(marker);
                *indent = width(sign);
            }
            _ => self.inline.text(sign),
        }
    }

    fn end_item(&mut self) {
        self.flush();
        if let Some(Container::Item { marker: Some(_), .. }) = self.containers.last() {
            self.emit(vec![Line::default()]);
        }
        self.containers.pop();
        self.wants_gap = matches!(self.containers.last(), Some(Container::List { is_loose: true, .. }));
    }

    fn end_cell(&mut self) {
        let cell = self.inline.take();
        if let Some(table) = &mut self.table {
            match table.rows.last_mut() {
                Some(row) => row.push(cell),
                None => table.head.push(cell),
            }
        }
    }

    /// The list around the current item has paragraphs, so its items stand apart.
    fn loosen(&mut self) {
        let lists = self.containers.iter_mut().rev();
        for container in lists {
            if let Container::List { is_loose, .. } = container {
                *is_loose = true;
                return;
            }
        }
    }

    /// Emits the text gathered so far.
    fn flush(&mut self) {
        let mut spans = self.inline.take();
        if let Some(last) = spans.last_mut() {
            let ended = last.content.trim_end_matches('\n').len();
            last.content.to_mut().truncate(ended);
        }
        if !spans.is_empty() {
            let lines = wrap_spans(spans, self.measure(), Vec::new());
            self.gap();
            self.emit(lines);
        }
    }

    /// Emits a block that stands apart from what follows.
    fn block(&mut self, lines: Vec<Line<'static>>) {
        self.flush();
        self.gap();
        self.emit(lines);
        self.wants_gap = true;
    }

    fn gap(&mut self) {
        if std::mem::take(&mut self.wants_gap) && !self.laid.lines.is_empty() {
            self.emit(vec![Line::default()]);
        }
    }

    fn emit(&mut self, lines: Vec<Line<'static>>) {
        for line in lines {
            let mut spans = self.prefix();
            spans.extend(line.spans.into_iter().map(|span| span.patch_style(line.style)));
            if spans.iter().all(|span| span.content.trim().is_empty()) {
                spans.clear();
            }
            self.laid.lines.push(Line::from(spans));
        }
    }

    /// What stands before a line: bars of quotes, the marker of an item on its first line. The outermost ones are left
    /// out where they would take more than half of the line.
    fn prefix(&mut self) -> Vec<Span<'static>> {
        let mut spans = Vec::new();
        let mut free = self.room / 2;
        for container in self.containers.iter_mut().rev() {
            let span = match container {
                Container::List { .. } => continue,
                Container::Quote => Span::styled("│ ", ours(self.theme.faint)),
                Container::Item { marker, indent } => match marker.take() {
                    Some(marker) => Span::styled(marker, self.theme.dim),
                    None => Span::styled(" ".repeat(*indent), ours(Style::new())),
                },
            };
            let Some(left) = free.checked_sub(width(&span.content)) else {
                // Bars, blanks and markers are one cell a character.
                let cut: String = span.content.chars().take(free).collect();
                spans.push(Span::styled(cut, span.style));
                break;
            };
            free = left;
            spans.push(span);
        }
        spans.reverse();
        spans
    }

    /// The cells that the prefix leaves.
    fn inner_room(&self) -> usize {
        self.room - self.prefix_cells(self.room)
    }

    /// The cells that the prefix leaves for words.
    fn measure(&self) -> usize {
        let room = self.room.min(MEASURE);
        room - self.prefix_cells(room)
    }

    fn prefix_cells(&self, room: usize) -> usize {
        let prefix: usize = self
            .containers
            .iter()
            .map(|container| match container {
                Container::List { .. } => 0,
                Container::Quote => 2,
                Container::Item { indent, .. } => *indent,
            })
            .sum();
        prefix.min(room / 2)
    }
}
