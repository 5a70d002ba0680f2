//! The looks that a program gives its text on a terminal of its own: on the page, in the panel, under every kind of theme.

use crate::screen_harness::ScreenHarness;
use crate::typing::{cursor, one};
use countersign::tool::{CellStyle, Colour, Row, Screen, Weight};
use countersign::ui::theme::Theme;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier};

const NONE: KeyModifiers = KeyModifiers::NONE;

/// A screen with what programs do to looks, wide characters and text that would not be seen among them.
fn coloured() -> Screen {
    let plain = CellStyle::default();
    let mut first = Row::from("a");
    first.push("漢", CellStyle { foreground: Colour::Palette(2), ..plain });
    first.push("\u{202e}", CellStyle { foreground: Colour::Exact([250, 100, 50]), ..plain });
    first.push("z", CellStyle { inverse: true, weight: Weight::Bold, ..plain });
    let mut second = Row::default();
    let same = CellStyle { foreground: Colour::Palette(1), background: Colour::Palette(1), ..plain };
    second.push("hidden", same);
    second.push("  ", CellStyle { background: Colour::Palette(4), ..plain });
    Screen { rows: vec![first, second], cursor: Some((0, 3)), ..Screen::default() }
}

/// Column and row of the page's first cell.
const CORNER: (u16, u16) = (2, 2);

#[test]
fn the_page_has_the_colours_of_the_program() {
    let page = |theme: &str| {
        let mut harness = ScreenHarness::new(one(Some(coloured())).0);
        harness.theme = Theme::builtin(theme).unwrap();
        harness.ctrl(']');
        let buffer = harness.buffer(80, 24);
        assert_eq!(
            cursor(&mut harness, 80, 24),
            Position::new(CORNER.0 + 3 + 8, CORNER.1),
            "after what is shown"
        );
        let cell = move |column: u16, row: u16| {
            let cell = buffer[(CORNER.0 + column, CORNER.1 + row)].clone();
            (cell.symbol().to_owned(), cell.fg, cell.bg, cell.modifier)
        };
        (harness, cell)
    };
    let cell = |symbol: &str, fg, bg, modifier| (symbol.to_owned(), fg, bg, modifier);
    let (harness, at) = page("countersign-dark");
    let (ink, none) = (harness.theme.text.fg.unwrap(), Modifier::empty());
    assert_eq!(at(0, 0), cell("a", ink, Color::Reset, none));
    assert_eq!(at(1, 0), cell("漢", Color::Indexed(2), Color::Reset, none));
    assert_eq!(at(3, 0), cell("\\", Color::Rgb(250, 100, 50), Color::Reset, none), "shown, in its colour");
    assert_eq!(at(11, 0), cell("z", ink, Color::Reset, Modifier::REVERSED | Modifier::BOLD));
    assert_eq!(at(0, 1), cell("h", ink, Color::Reset, none), "it may not hide");
    assert_eq!(at(7, 1), cell(" ", ink, Color::Indexed(4), none));
    assert_eq!(at(8, 1).2, Color::Reset, "the row ends there");
    let (_, at) = page("plain");
    for (column, row) in (0..12).flat_map(|column| [(column, 0), (column, 1)]) {
        let (_, fg, bg, _) = at(column, row);
        assert_eq!((fg, bg), (Color::Reset, Color::Reset), "NO_COLOR at {column} {row}");
    }
    assert_eq!(at(11, 0).3, Modifier::REVERSED | Modifier::BOLD);
    let (_, at) = page("sixteen");
    assert_eq!((at(1, 0).1, at(3, 0).1), (Color::Indexed(2), Color::Indexed(9)), "the terminal's own");
}

#[test]
fn the_panel_and_the_output_have_them_too() {
    let mut harness = ScreenHarness::new(one(Some(coloured())).0);
    harness.theme = Theme::builtin("countersign-dark").unwrap();
    let colours = |harness: &mut ScreenHarness, symbol: &str| {
        let buffer = harness.buffer(80, 24);
        let cell = buffer.content().iter().find(|cell| cell.symbol() == symbol).unwrap().clone();
        (cell.fg, cell.bg)
    };
    let green = (Color::Indexed(2), Color::Reset);
    assert_eq!(colours(&mut harness, "漢"), green, "the panel");
    harness.key(KeyCode::Tab, NONE);
    harness.key(KeyCode::Enter, NONE);
    assert!(harness.frame(80, 24).contains("output so far"));
    assert_eq!(colours(&mut harness, "漢"), green, "the page of the call");
}

#[test]
fn a_row_that_the_panel_cuts_says_so_and_keeps_its_colours() {
    let mut row = Row::from(".".repeat(60).as_str());
    row.push(&"漢".repeat(30), CellStyle { background: Colour::Palette(4), ..CellStyle::default() });
    let mut harness = ScreenHarness::new(one(Some(Screen { rows: vec![row], ..Screen::default() })).0);
    let (y, line) =
        harness.frame(80, 24).lines().map(str::to_owned).enumerate().find(|(_, l)| l.contains("漢")).unwrap();
    assert!(line.ends_with("… │") || line.ends_with("…  │"), "{line}");
    let y = u16::try_from(y).unwrap();
    harness.theme = Theme::builtin("countersign-dark").unwrap();
    let buffer = harness.buffer(80, 24);
    let blue = (0..80).filter(|x| buffer[(*x, y)].bg == Color::Indexed(4)).count();
    // A wide character is one cell here, and one that says nothing.
    assert_eq!(blue, line.matches('漢').count(), "and the ellipsis has none: {line}");
}

#[test]
fn the_chosen_line_of_a_list_has_the_ink_that_is_legible_on_its_ground() {
    for name in ["countersign-dark", "countersign-light", "ember", "paper", "contrast-dark", "contrast-light"]
    {
        for key in ['p', 'o'] {
            let mut harness = ScreenHarness::new(crate::scenes::eventful());
            harness.theme = Theme::builtin(name).unwrap();
            harness.ctrl(key);
            let buffer = harness.buffer(80, 24);
            let selection = harness.theme.selection;
            let on_it = buffer.content.iter().filter(|cell| Some(cell.bg) == selection.bg);
            let inks: Vec<Color> = on_it.filter(|cell| cell.symbol() != " ").map(|cell| cell.fg).collect();
            assert!(inks.len() > 10, "{name}: a line is chosen");
            assert!(inks.iter().all(|ink| Some(*ink) == selection.fg), "{name}: {inks:?}");
        }
    }
}

/// The box of a budget changed its edges with the keys, and that of a call did not.
#[test]
fn each_box_that_waits_has_heavy_edges_while_it_has_the_keys() {
    for name in Theme::names() {
        let theme = Theme::builtin(name).unwrap();
        let waits = [crate::scenes::waiting_diff, crate::scenes::waiting_command, crate::scenes::budget_stop];
        for (scene, edge) in
            waits.into_iter().zip([theme.border_waiting, theme.warning, theme.border_waiting])
        {
            let mut harness = ScreenHarness::new(scene());
            harness.theme = theme.clone();
            let looks = |harness: &mut ScreenHarness| {
                let buffer = harness.buffer(80, 24);
                let corner = buffer.content.iter().find(|cell| ["╭", "┏"].contains(&cell.symbol())).unwrap();
                let is_heavy = corner.symbol() == "┏";
                assert_eq!(is_heavy, corner.modifier.contains(Modifier::BOLD), "{name}");
                (Some(corner.fg), is_heavy)
            };
            let (quiet, is_heavy) = looks(&mut harness);
            assert!(!is_heavy, "{name}: the composer has the keys");
            harness.key(KeyCode::Tab, NONE);
            let focused = looks(&mut harness);
            assert_eq!(focused, (quiet, true), "{name}: only the weight changes");
            assert_eq!(quiet.filter(|ink| *ink != Color::Reset), edge.fg, "{name}");
        }
    }
}
