//! The pages that the session answers for: status, servers, agents, skills, trust, changes. Each is opened at once, and filled
//! when its answer is there.

use std::sync::Arc;

use ratatui::text::{Line, Span};

use super::{OpenPage, Page, PageFrame, Spoken};
use crate::ledger::Millis;
use crate::ui::linear::words::plain;
use crate::ui::report::{ReportPart, Subject};
use crate::ui::text::diff::{self, DiffColours};
use crate::ui::text::{MEASURE, sanitize, with_code, wrap, wrap_spans};
use crate::view::View;

/// Cells before a line below a heading.
const INDENT: usize = 2;

/// `None`: the answer is awaited.
#[derive(Debug)]
struct Report {
    subject: Subject,
    parts: Option<Vec<ReportPart>>,
}

/// The page before its answer is there.
pub(in crate::ui) fn awaited(subject: Subject) -> OpenPage {
    let page = Arc::new(Report { subject, parts: None });
    OpenPage { name: subject.title(), page, scrolled: 0 }
}

/// The page with its answer.
pub(in crate::ui) fn filled(subject: Subject, parts: Vec<ReportPart>) -> Arc<dyn Page> {
    Arc::new(Report { subject, parts: Some(parts) })
}

/// The answer in words.
pub(in crate::ui) fn said(subject: Subject, parts: &[ReportPart]) -> Vec<Spoken> {
    let title = std::iter::once(Spoken::Line(subject.title().to_owned()));
    let parts = parts.iter().flat_map(|part| match part {
        ReportPart::Heading(words) => vec![Spoken::Line(plain(words))],
        ReportPart::Line(words) | ReportPart::Note(words) => vec![Spoken::More(plain(words))],
        ReportPart::Fact(name, value) => vec![Spoken::More(plain(&format!("{name}: {value}")))],
        ReportPart::Diff { unified, .. } => diff::spoken(unified).into_iter().map(Spoken::More).collect(),
    });
    title.chain(parts).collect()
}

impl Page for Report {
    fn title(&self, _: &View) -> String {
        self.subject.title().to_owned()
    }

    fn rows(&self, frame: &PageFrame<'_>, width: u16) -> Vec<Line<'static>> {
        let Some(parts) = &self.parts else { return vec![Line::styled("Looking…", frame.theme.dim)] };
        let names = parts.iter().filter_map(|part| match part {
            ReportPart::Fact(name, _) => Some(name.chars().count()),
            _ => None,
        });
        let names = names.max().unwrap_or_default();
        let mut rows: Vec<Line<'static>> = Vec::new();
        for part in parts {
            if matches!(part, ReportPart::Heading(_)) && !rows.is_empty() {
                rows.push(Line::default());
            }
            rows.extend(laid(part, frame, width, names));
        }
        rows
    }

    fn spoken(&self, _: &View, _: Millis) -> Vec<Spoken> {
        said(self.subject, self.parts.as_deref().unwrap_or_default())
    }
}

/// The rows of one part; `names` is how long the longest name of a fact is.
fn laid(part: &ReportPart, frame: &PageFrame<'_>, width: u16, names: usize) -> Vec<Line<'static>> {
    let (theme, inner) = (frame.theme, usize::from(width).max(1));
    let behind = |head: Span<'static>, words: Vec<Span<'static>>| {
        let room = inner.min(MEASURE).saturating_sub(head.width()).max(1);
        let blank = Span::raw(" ".repeat(head.width()));
        let heads = std::iter::once(head).chain(std::iter::repeat(blank));
        let lines = heads.zip(wrap_spans(words, room, Vec::new()));
        lines.map(|(head, line)| Line::from_iter(std::iter::once(head).chain(line.spans))).collect()
    };
    let as_it_is = |words: &str| vec![Span::styled(sanitize(words).into_owned(), theme.text)];
    let indent = || Span::raw(" ".repeat(INDENT));
    match part {
        ReportPart::Heading(words) => wrap(&sanitize(words), inner, theme.title),
        ReportPart::Line(words) => behind(indent(), as_it_is(words)),
        ReportPart::Note(words) => behind(indent(), with_code(&sanitize(words), theme.text, theme.code)),
        ReportPart::Fact(name, value) => {
            let name = format!("{:INDENT$}{name:names$}  ", "");
            behind(Span::styled(name, theme.dim), as_it_is(value))
        }
        ReportPart::Diff { path, unified } => {
            let (language, highlighter) = (diff::language(path), frame.highlighter);
            // Its heading names the file.
            diff::render_hunks(unified, width, DiffColours { theme, language, highlighter })
        }
    }
}
