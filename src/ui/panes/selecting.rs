//! What is selected, over rows as they were laid out: which cells, and the text of them as it was before it was broken
//! into rows and set in.

use unicode_segmentation::UnicodeSegmentation;

use crate::ui::clipboard::MOST_BYTES;
use crate::ui::selection::{Point, Pointer, Selection, Shape, Unit};
use crate::ui::text::tag::{Tag, goes_on, tag_of};
use crate::ui::text::width;

use super::boxes::begins_lower_edge;
use super::layouts::{FullPage, TranscriptRow, Window};

/// Where rows come from.
pub(super) trait Sheet {
    /// How many pieces a card has.
    fn pieces(&mut self, card: usize) -> usize;

    /// All rows of a piece, the empty one before a card included.
    fn rows(&mut self, card: usize, piece: usize) -> Vec<TranscriptRow>;
}

impl Sheet for &FullPage {
    fn pieces(&mut self, _: usize) -> usize {
        1
    }

    fn rows(&mut self, card: usize, piece: usize) -> Vec<TranscriptRow> {
        if (card, piece) == (0, 0) { self.rows.clone() } else { Vec::new() }
    }
}

/// Brings the selection up to what is shown now, and marks its cells in the window. Rows that stand elsewhere now, because
/// the width or what is folded has changed, are selected no more.
pub(super) fn settle(pointer: &mut Pointer, window: &mut Window, sheet: &mut dyn Sheet, shape: Shape) {
    let Some(selection) = &mut pointer.selection else { return };
    if selection.surface != window.surface || selection.shape.is_some_and(|before| before != shape) {
        return pointer.let_go();
    }
    selection.shape = Some(shape);
    if let Some((x, y)) = selection.held {
        let y = y.clamp(window.area.y.saturating_sub(1), window.area.bottom());
        selection.to = window.nearest(x, y).unwrap_or(selection.to);
        selection.span = None;
    }
    let (first, last) = selection.span.unwrap_or_else(|| span(selection, sheet));
    selection.span = Some((first, last));
    window.selected = window
        .rows
        .iter()
        .zip(&window.spots)
        .map(|(row, spot)| {
            let (from, to) = cut((spot.card, spot.piece, spot.row), first, last)?;
            let mut cells = pieces(row).filter(|piece| piece.lies_in(from, to) && !piece.is_ours);
            let left = cells.next()?;
            let right = cells.last().unwrap_or(left);
            Some((cell(left.x), cell(right.x + right.cells.max(1) - 1)))
        })
        .collect();
}

/// The text of a selection: rows that were broken to fit are joined, what is ours is left out.
pub(super) fn text(selection: &Selection, sheet: &mut dyn Sheet) -> String {
    let (first, last) = span(selection, sheet);
    let mut text = String::new();
    let (mut card, mut piece) = (first.card, first.piece);
    // More than this no terminal takes.
    while (card, piece) <= (last.card, last.piece) && text.len() <= MOST_BYTES {
        if piece >= sheet.pieces(card) {
            (card, piece) = (card + 1, 0);
            continue;
        }
        for (at, row) in sheet.rows(card, piece).iter().enumerate() {
            let here = (card, piece, at);
            if let Some((from, to)) = cut(here, first, last) {
                add(&mut text, row, from, to, here == (last.card, last.piece, last.row));
            }
        }
        piece += 1;
    }
    text.trim_end().trim_start_matches('\n').to_owned()
}

/// Adds the selected part of a row.
fn add(text: &mut String, row: &TranscriptRow, from: u16, to: u16, is_last: bool) {
    if is_edge(row) {
        return;
    }
    let mut skipped = false;
    let began = text.len();
    for piece in pieces(row).filter(|piece| piece.lies_in(from, to)) {
        if piece.is_ours {
            skipped = true;
            continue;
        }
        // What is drawn between two texts keeps them apart.
        if std::mem::take(&mut skipped) && text.len() > began && !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(piece.text);
    }
    match goes_on(&row.line) {
        _ if is_last => {}
        Some(blanks) => text.extend(std::iter::repeat_n(' ', usize::from(blanks))),
        None => {
            text.truncate(began + text.get(began..).map_or(0, |row| row.trim_end().len()));
            text.push('\n');
        }
    }
}

/// The lower edge of a box: no text, not even an empty line.
fn is_edge(row: &TranscriptRow) -> bool {
    row.line.spans.first().is_some_and(|span| begins_lower_edge(&span.content) && is_ours(span.style))
}

fn is_ours(style: ratatui::style::Style) -> bool {
    tag_of(style) == Some(Tag::Ours)
}

/// The cells of a row that lie between two points, if any do.
fn cut(row: (usize, usize, usize), first: Point, last: Point) -> Option<(u16, u16)> {
    let (begins, ends) = ((first.card, first.piece, first.row), (last.card, last.piece, last.row));
    let from = if row == begins { first.col } else { 0 };
    let to = if row == ends { last.col } else { u16::MAX };
    (begins <= row && row <= ends).then_some((from, to))
}

/// What one sees as one character, and the cells it takes.
#[derive(Debug, Clone, Copy)]
struct CellPiece<'r> {
    text: &'r str,
    x: usize,
    cells: usize,
    is_ours: bool,
}

impl CellPiece<'_> {
    /// Whether any of its cells lies there: nothing is cut in half.
    fn lies_in(&self, from: u16, to: u16) -> bool {
        self.x <= usize::from(to) && usize::from(from) < self.x + self.cells.max(1)
    }
}

fn pieces(row: &TranscriptRow) -> impl Iterator<Item = CellPiece<'_>> {
    let all = row.line.spans.iter().flat_map(|span| {
        let is_ours = is_ours(span.style);
        span.content.graphemes(true).map(move |text| (text, is_ours))
    });
    all.scan(usize::from(row.indent), |x, (text, is_ours)| {
        let cells = width(text);
        let piece = CellPiece { text, x: *x, cells, is_ours };
        *x += cells;
        Some(piece)
    })
}

fn cell(x: usize) -> u16 {
    u16::try_from(x).unwrap_or(u16::MAX)
}

/// The first and the last cell of a selection.
fn span(selection: &Selection, sheet: &mut dyn Sheet) -> (Point, Point) {
    let (from, to) = (selection.from.min(selection.to), selection.from.max(selection.to));
    if selection.unit == Unit::Cell {
        return (from, to);
    }
    let begins = around(&sheet.rows(from.card, from.piece), from, selection.unit).0;
    (begins, around(&sheet.rows(to.card, to.piece), to, selection.unit).1)
}

/// The word or the paragraph around a point, over all rows that it was broken into.
fn around(rows: &[TranscriptRow], point: Point, unit: Unit) -> (Point, Point) {
    let joined = |at: usize| rows.get(at).and_then(|row| goes_on(&row.line));
    let before = (0..point.row.min(rows.len())).rev().take_while(|at| joined(*at).is_some()).count();
    let after = (point.row..rows.len()).take_while(|at| joined(*at).is_some()).count();
    let (top, bottom) = (point.row - before, point.row + after);
    if unit == Unit::Paragraph {
        let ends = |row, col| Point { row, col, ..point };
        return (ends(top, 0), ends(bottom, u16::MAX));
    }
    // Every character of the paragraph, and the blanks at which it was broken.
    let mut all: Vec<(char, Point, Point)> = Vec::new();
    for (at, row) in rows.iter().enumerate().take(bottom + 1).skip(top) {
        let here = |x: usize| Point { row: at, col: cell(x), ..point };
        for piece in pieces(row).filter(|piece| !piece.is_ours) {
            let first = piece.text.chars().next().unwrap_or(' ');
            all.push((first, here(piece.x), here(piece.x + piece.cells.max(1) - 1)));
        }
        if joined(at).is_some_and(|blanks| blanks > 0) {
            all.push((' ', here(usize::from(u16::MAX)), here(usize::from(u16::MAX))));
        }
    }
    word(&all, point)
}

/// The run of characters of one kind around a point, without the marks at the end of a sentence.
fn word(all: &[(char, Point, Point)], point: Point) -> (Point, Point) {
    let Some(at) = all.iter().position(|(_, first, last)| *first <= point && point <= *last) else {
        return (point, point);
    };
    let kind = |at: usize| all.get(at).map(|(c, ..)| kind(*c));
    let here = kind(at);
    let mut from = at;
    while from > 0 && kind(from - 1) == here {
        from -= 1;
    }
    let mut to = at;
    while kind(to + 1) == here {
        to += 1;
    }
    let ends_sentence =
        |at: usize| all.get(at).is_some_and(|(c, ..)| matches!(c, '.' | ':' | '!' | '?' | '…'));
    while to > at && ends_sentence(to) {
        to -= 1;
    }
    let of = |at: usize| all.get(at).map_or((point, point), |(_, first, last)| (*first, *last));
    (of(from).0, of(to).1)
}

/// Blanks, what stands between words, and words; paths and addresses are words.
fn kind(c: char) -> u8 {
    match c {
        _ if c.is_whitespace() => 0,
        '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '"' | '\'' | '`' | ',' | ';' | '|' => 1,
        '\u{2500}'..='\u{257f}' | '“' | '”' | '„' | '«' | '»' | '。' | '、' | '，' | '「' | '」' => {
            1
        }
        _ => 2,
    }
}
