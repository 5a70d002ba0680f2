//! A parsed screen as an SVG: every character in its cell, lines and bars as shapes, in a window of the theme's colours.
//!
//! Text is set in runs of one style, each stretched to its cells, so that no font moves a column. What boxes, rules and
//! gauges are made of is drawn, because fonts differ in how such characters meet.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

/// A cell, and the letters in it, in pixels.
const WIDE: f32 = 8.4;
const HIGH: f32 = 18.0;
const LETTERS: f32 = 14.0;
/// From the top of a cell to the line that letters stand on.
const BASE: f32 = 13.4;
/// Around the screen, and the bar over it.
const MARGIN: f32 = 14.0;
const BAR: f32 = 30.0;
const FONTS: &str = "ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";

/// What the window is made of.
pub struct Ground {
    back: String,
    text: String,
    faint: String,
    accent: String,
}

impl Ground {
    /// The paper and the ink of a theme that names them in its palette.
    pub fn of(theme: &str) -> Self {
        let (file, paper) = match theme {
            "countersign-light" => (include_str!("../../themes/countersign-light.toml"), "paper"),
            _ => (include_str!("../../themes/countersign-dark.toml"), "night"),
        };
        let theme: toml::Table = file.parse().unwrap();
        let colour = |name: &str| theme["palette"][name].as_str().unwrap().to_owned();
        Self { back: colour(paper), text: colour("ink"), faint: colour("haze"), accent: colour("signal") }
    }
}

/// How the characters of a run look.
#[derive(Clone, PartialEq)]
struct Look {
    fore: String,
    bold: bool,
    italic: bool,
    underline: bool,
    dim: bool,
}

/// The picture.
pub fn draw(screen: &Screen, ground: &Ground) -> String {
    let (rows, columns) = (screen.size().0.get(), width(screen));
    let (wide, high) = (f32::from(columns) * WIDE + 2.0 * MARGIN, f32::from(rows) * HIGH + BAR + MARGIN);
    let mut out = String::new();
    head(&mut out, wide, high, ground);
    for row in 0..rows {
        backs(&mut out, screen, row, ground);
    }
    for row in 0..rows {
        shapes(&mut out, screen, row, ground);
        texts(&mut out, screen, row, ground);
    }
    if !screen.hide_cursor() {
        let (row, column) = screen.cursor_position();
        let (x, y) = (f32::from(column) * WIDE, f32::from(row) * HIGH);
        put(&mut out, &format!("<path fill=\"{}\" d=\"M{x:.1} {:.1}h2v14h-2z\"/>", ground.accent, y + 2.0));
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn width(screen: &Screen) -> u16 {
    screen.size().1.get()
}

fn put(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

fn head(out: &mut String, wide: f32, high: f32, ground: &Ground) {
    put(
        out,
        &format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide:.0}\" height=\"{high:.0}\" \
             viewBox=\"0 0 {wide:.1} {high:.1}\" font-family=\"{FONTS}\" font-size=\"{LETTERS}\">"
        ),
    );
    let (inner, lower) = (wide - 1.0, high - 1.0);
    let Ground { back, faint, .. } = ground;
    put(
        out,
        &format!(
            "<rect x=\".5\" y=\".5\" width=\"{inner:.1}\" height=\"{lower:.1}\" rx=\"9\" fill=\"{back}\" stroke=\"{faint}\" \
             stroke-opacity=\".6\"/>"
        ),
    );
    for (at, x) in [18, 36, 54].into_iter().enumerate() {
        let opacity = [".75", ".55", ".35"][at];
        put(
            out,
            &format!("<circle cx=\"{x}\" cy=\"15\" r=\"5\" fill=\"{faint}\" fill-opacity=\"{opacity}\"/>"),
        );
    }
    put(out, &format!("<g transform=\"translate({MARGIN} {BAR})\" xml:space=\"preserve\">"));
}

/// The colour of a cell's letters, and what is behind them, if it is painted.
fn colours(cell: &Cell, ground: &Ground) -> (String, Option<String>) {
    let fore = colour(cell.fgcolor()).unwrap_or_else(|| ground.text.clone());
    let back = colour(cell.bgcolor());
    if cell.inverse() { (back.unwrap_or_else(|| ground.back.clone()), Some(fore)) } else { (fore, back) }
}

fn colour(colour: Color) -> Option<String> {
    match colour {
        Color::Default => None,
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        Color::Idx(index) => panic!("colour {index} of the terminal: pictures are made with all colours"),
    }
}

/// Painted cells, joined along the row.
fn backs(out: &mut String, screen: &Screen, row: u16, ground: &Ground) {
    let columns = width(screen);
    let mut from = 0;
    while from < columns {
        let back = |at: u16| screen.cell(row, at).and_then(|cell| colours(cell, ground).1);
        let Some(colour) = back(from) else {
            from += 1;
            continue;
        };
        let until = (from..columns).find(|at| back(*at).as_ref() != Some(&colour)).unwrap_or(columns);
        let (x, y) = (f32::from(from) * WIDE, f32::from(row) * HIGH);
        let wide = f32::from(until - from) * WIDE;
        put(out, &format!("<path fill=\"{colour}\" d=\"M{x:.1} {y:.0}h{wide:.1}v{HIGH}h-{wide:.1}z\"/>"));
        from = until;
    }
}

/// Lines, corners and bars.
fn shapes(out: &mut String, screen: &Screen, row: u16, ground: &Ground) {
    let columns = width(screen);
    let y = f32::from(row) * HIGH;
    let mut column = 0;
    while column < columns {
        let Some(cell) = screen.cell(row, column) else { break };
        let fore = colours(cell, ground).0;
        let same = |at: &u16| {
            screen
                .cell(row, *at)
                .is_some_and(|other| other.contents() == cell.contents() && colours(other, ground).0 == fore)
        };
        let until = (column..columns).find(|at| !same(at)).unwrap_or(columns);
        let (x, wide) = (f32::from(column) * WIDE, f32::from(until - column) * WIDE);
        let end = match cell.contents() {
            "─" | "━" => {
                let path = format!("M{x:.1} {:.1}h{wide:.1}", y + HIGH / 2.0);
                stroke(out, &fore, &path, if cell.contents() == "━" { 2.4 } else { 1.1 });
                until
            }
            "" | " " => column + 1,
            // Bars that fill their cells are drawn as one: between two shapes a seam would be seen.
            sign => {
                let joined = if bar(sign).is_some_and(|[left, _, wide, _]| (left, wide) == (0.0, 1.0)) {
                    until
                } else {
                    column + 1
                };
                shape(out, sign, f32::from(joined - column), (x, y), &fore);
                joined
            }
        };
        column = end;
    }
}

fn stroke(out: &mut String, colour: &str, path: &str, width: f32) {
    put(out, &format!("<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" d=\"{path}\"/>"));
}

/// Whether a character is drawn as a shape.
fn is_shape(sign: &str) -> bool {
    matches!(sign, "─" | "━") || lines(sign, 0.0, 0.0).is_some() || bar(sign).is_some()
}

fn shape(out: &mut String, sign: &str, cells: f32, (x, y): (f32, f32), colour: &str) {
    if let Some(path) = lines(sign, x, y) {
        stroke(out, colour, &path, if sign == "┃" { 2.4 } else { 1.1 });
    } else if let Some([left, top, wide, high]) = bar(sign) {
        let (left, top, wide, high) = (x + left * WIDE, y + top * HIGH, wide * cells * WIDE, high * HIGH);
        // Neighbours overlap by a hair, or a seam is seen between them.
        let wide = if left == x { wide + 0.4 } else { wide };
        let path = format!("M{left:.1} {top:.1}h{wide:.1}v{high:.1}h-{wide:.1}z");
        if sign == "▯" {
            stroke(out, colour, &path, 1.0);
        } else {
            put(out, &format!("<path fill=\"{colour}\" d=\"{path}\"/>"));
        }
    }
}

/// The path of what boxes are made of.
fn lines(sign: &str, x: f32, y: f32) -> Option<String> {
    let (right, low) = (x + WIDE, y + HIGH);
    let (mid, half) = (x + WIDE / 2.0, y + HIGH / 2.0);
    Some(match sign {
        "│" | "┃" => format!("M{mid:.1} {y:.1}V{low:.1}"),
        "╭" => format!("M{right:.1} {half:.1}Q{mid:.1} {half:.1} {mid:.1} {low:.1}"),
        "╮" => format!("M{x:.1} {half:.1}Q{mid:.1} {half:.1} {mid:.1} {low:.1}"),
        "╰" => format!("M{right:.1} {half:.1}Q{mid:.1} {half:.1} {mid:.1} {y:.1}"),
        "╯" => format!("M{x:.1} {half:.1}Q{mid:.1} {half:.1} {mid:.1} {y:.1}"),
        "├" => format!("M{mid:.1} {y:.1}V{low:.1}M{mid:.1} {half:.1}H{right:.1}"),
        "┤" => format!("M{mid:.1} {y:.1}V{low:.1}M{mid:.1} {half:.1}H{x:.1}"),
        "┼" => format!("M{mid:.1} {y:.1}V{low:.1}M{x:.1} {half:.1}H{right:.1}"),
        "└" => format!("M{mid:.1} {y:.1}V{half:.1}H{right:.1}"),
        "┌" => format!("M{mid:.1} {low:.1}V{half:.1}H{right:.1}"),
        _ => return None,
    })
}

/// Left, top, width and height of what gauges and plots are made of, in parts of a cell.
fn bar(sign: &str) -> Option<[f32; 4]> {
    let eighths = "▁▂▃▄▅▆▇█";
    if let Some(at) = eighths.chars().position(|one| sign.chars().eq([one])) {
        let high = f32::from(u8::try_from(at).unwrap_or(7) + 1) / 8.0;
        return Some([0.0, 1.0 - high, 1.0, high]);
    }
    Some(match sign {
        "▮" => [0.16, 0.2, 0.6, 0.58],
        "▯" => [0.22, 0.24, 0.5, 0.5],
        "▏" => [0.0, 0.08, 0.18, 0.84],
        "▌" => [0.0, 0.0, 0.5, 1.0],
        _ => return None,
    })
}

/// Everything else, in runs of one style without two spaces in a row.
fn texts(out: &mut String, screen: &Screen, row: u16, ground: &Ground) {
    let mut run = Run::default();
    for column in 0..width(screen) {
        let Some(cell) = screen.cell(row, column) else { break };
        if cell.is_wide_continuation() {
            continue;
        }
        let sign = cell.contents();
        let look = Look {
            fore: colours(cell, ground).0,
            bold: cell.bold(),
            italic: cell.italic(),
            underline: cell.underline(),
            dim: cell.dim(),
        };
        let breaks =
            run.look.as_ref().is_some_and(|before| *before != look) || cell.is_wide() || !sign.is_ascii();
        if is_shape(sign) || matches!(sign, "" | " ") {
            // One space is part of a run; a second one ends it.
            if run.ends_with_space() || is_shape(sign) || breaks {
                run.end(out, row);
            } else {
                run.push(column, " ", 1);
            }
            continue;
        }
        if breaks {
            run.end(out, row);
        }
        run.look = Some(look);
        run.push(column, sign, if cell.is_wide() { 2 } else { 1 });
        if cell.is_wide() || !sign.is_ascii() {
            run.end(out, row);
        }
    }
    run.end(out, row);
}

/// Characters that stand next to each other and look the same.
#[derive(Default)]
struct Run {
    from: u16,
    cells: u16,
    text: String,
    look: Option<Look>,
}

impl Run {
    fn ends_with_space(&self) -> bool {
        self.text.is_empty() || self.text.ends_with(' ')
    }

    fn push(&mut self, column: u16, text: &str, cells: u16) {
        if self.text.is_empty() {
            self.from = column;
        }
        self.text.push_str(text);
        self.cells += cells;
    }

    fn end(&mut self, out: &mut String, row: u16) {
        let Self { from, mut cells, text, look } = std::mem::take(self);
        let (Some(look), trimmed) = (look, text.trim_end()) else { return };
        if trimmed.is_empty() {
            return;
        }
        cells -= u16::try_from(text.len() - trimmed.len()).unwrap_or(0);
        let (x, y) = (f32::from(from) * WIDE, f32::from(row) * HIGH + BASE);
        let mut line = format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"",
            f32::from(cells) * WIDE,
            look.fore
        );
        for (is_so, words) in [
            (look.bold, " font-weight=\"bold\""),
            (look.italic, " font-style=\"italic\""),
            (look.underline, " text-decoration=\"underline\""),
            (look.dim, " fill-opacity=\".7\""),
        ] {
            if is_so {
                line.push_str(words);
            }
        }
        let escaped = trimmed.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        // Writing to a string cannot fail.
        let _ = write!(line, ">{escaped}</text>");
        put(out, &line);
    }
}
