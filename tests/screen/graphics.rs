//! Pictures in the transcript: how large they are, which cells they take, what stands there when they cannot be shown.

use crate::pictures;
use crate::pictures::{carried, quarters};
use crate::screen_harness::{ScreenHarness, page, snapshot};
use crate::session_builder::SessionBuilder;
use countersign::ledger::{Ending, Image, UserMessage};
use countersign::ui::graphics::{CELL, Cells, MOST_PIXELS, MOST_ROWS, Pictures, Protocol, fit};
use countersign::ui::local::Position;
use countersign::ui::panes::Layouts;
use image::ImageFormat;
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

const PLACEHOLDER: char = '\u{10eeee}';

fn cells(columns: u16, rows: u16) -> Cells {
    Cells { columns, rows }
}

fn with_images(images: Vec<Image>) -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    let said = UserMessage { images, ..UserMessage::text("What is this?") };
    builder.ledger.user(builder.at(), said).unwrap();
    builder.tell();
    builder.say(None, "", "Four colours.", vec![]);
    builder.end(Ending::Completed);
    builder
}

fn four_colours(width: u32, height: u32) -> Image {
    carried("four.png", &quarters(width, height, ImageFormat::Png), (width, height))
}

fn harness(images: Vec<Image>, protocol: Protocol) -> ScreenHarness {
    let mut harness = ScreenHarness::new(with_images(images));
    harness.layouts = Layouts::with(Pictures::immediate(protocol));
    harness
}

/// The frame with a letter for each cell of a picture: `░` a placeholder, `▓` where one is drawn over it and what is right of it.
fn marked(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let row: String = (0..buffer.area.width)
            .map(|x| match &buffer[(x, y)] {
                cell if cell.symbol().starts_with(PLACEHOLDER) => "░",
                cell if cell.symbol().contains('\x1b') => "▓",
                cell => cell.symbol(),
            })
            .collect();
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

#[test]
fn a_picture_has_its_own_proportions_and_a_bound() {
    for (pixels, room, wanted) in [
        ((640, 480), 100, cells(32, 12)),
        ((480, 640), 100, cells(18, 12)),
        ((16, 16), 100, cells(2, 1)),
        ((64, 48), 100, cells(8, 3)),
        ((1, 1), 100, cells(1, 1)),
        ((8_000, 10), 100, cells(100, 1)),
        ((10, 8_000), 100, cells(1, 12)),
        ((640, 480), 20, cells(20, 8)),
        ((640, 480), 0, cells(1, 1)),
        ((0, 0), 100, cells(1, 1)),
        ((u32::MAX, u32::MAX), 100, cells(24, 12)),
    ] {
        assert_eq!(fit(pixels, CELL, room), wanted, "{pixels:?} in {room}");
    }
    assert_eq!(fit((640, 480), (10, 20), 100), cells(32, 12));
    assert_eq!(fit((640, 480), (0, 0), 100), cells(1, 1), "a terminal that says nonsense");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn no_picture_leaves_its_room(
        (width, height) in (any::<u32>(), any::<u32>()), cell in (any::<u16>(), any::<u16>()), room in any::<u16>(),
    ) {
        let taken = fit((width, height), cell, room);
        prop_assert!((1..=room.max(1)).contains(&taken.columns) && (1..=MOST_ROWS).contains(&taken.rows));
    }
}

#[test]
fn its_cells_are_reserved_under_its_words() {
    let images = vec![four_colours(160, 96), four_colours(40, 20)];
    snapshot("pictures_kitty_80x24", &marked(&harness(images.clone(), Protocol::Kitty).buffer(80, 24)));
    snapshot("pictures_iterm_80x24", &marked(&harness(images, Protocol::Iterm).buffer(80, 24)));
}

#[test]
fn a_terminal_without_pictures_has_the_words_alone() {
    let frame = ScreenHarness::new(with_images(vec![four_colours(160, 96)])).frame(80, 24);
    let lines: Vec<&str> = frame.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| line.starts_with("[image: four.png · 160×96")).unwrap();
    assert_eq!((lines[at + 1], lines[at + 2]), ("", "Four colours."), "{frame}");
}

#[test]
fn a_picture_that_is_partly_in_the_window_is_clipped_or_blank() {
    for (protocol, letter) in [(Protocol::Kitty, '░'), (Protocol::Iterm, '▓'), (Protocol::Sixel, '▓')] {
        let mut harness = harness(vec![four_colours(640, 480)], protocol);
        let whole = marked(&harness.buffer(80, 30));
        assert!(whole.contains(letter), "{protocol:?}\n{whole}");
        let cut = marked(&harness.buffer(80, 16));
        assert!(cut.contains("Four colours."), "{cut}");
        let rows = cut.lines().filter(|line| line.contains('░')).count();
        match protocol {
            Protocol::Kitty => assert!((1..12).contains(&rows), "{cut}"),
            Protocol::Iterm | Protocol::Sixel => assert!(!cut.contains('▓'), "{cut}"),
        }
    }
}

#[test]
fn clipped_rows_are_the_right_ones() {
    let rows = |height| {
        let buffer = harness(vec![four_colours(640, 480)], Protocol::Kitty).buffer(80, height);
        let firsts = (0..height).map(|y| buffer[(3, y)].symbol().to_owned());
        firsts.filter(|symbol| symbol.starts_with(PLACEHOLDER)).collect::<Vec<_>>()
    };
    let (whole, cut) = (rows(30), rows(16));
    assert_eq!(whole.len(), 12);
    assert!(!cut.is_empty() && whole.ends_with(&cut), "the lower rows of the picture");
}

#[test]
fn an_overlay_hides_it_and_gives_it_back() {
    for protocol in [Protocol::Kitty, Protocol::Iterm, Protocol::Sixel] {
        let mut harness = harness(vec![four_colours(160, 96)], protocol);
        let before = marked(&harness.buffer(80, 24));
        harness.local.overlay = Some(page("/help", &harness.view));
        let help = marked(&harness.buffer(80, 24));
        assert!(!help.contains(['▓', '░']), "{protocol:?}\n{help}");
        harness.local.overlay = None;
        assert_eq!(marked(&harness.buffer(80, 24)), before);
    }
}

#[test]
fn nothing_is_written_over_a_picture_that_was_just_drawn() {
    for protocol in [Protocol::Iterm, Protocol::Sixel] {
        let mut harness = harness(vec![four_colours(640, 480)], protocol);
        let mut terminal = harness.terminal(80, 30);
        harness.local.overlay = Some(page("/help", &harness.view));
        harness.draw(&mut terminal);
        let help = terminal.backend().buffer().clone();
        harness.local.overlay = None;
        harness.draw(&mut terminal);
        let drawn = terminal.backend().buffer();
        let first = drawn.area.positions().find(|at| drawn[*at].symbol().contains('\x1b')).unwrap();
        let picture = Rect::new(first.x, first.y, 32, 12);
        // What the terminal was sent for a cell stays in it here: the picture's own were sent nothing.
        for at in picture.positions().filter(|at| *at != first) {
            assert_eq!(drawn[at], help[at], "{protocol:?} at {at:?}");
        }
        assert!(marked(drawn).contains("Four colours.") && !marked(drawn).contains("Writing"));
    }
}

#[test]
fn what_stands_over_a_picture_stays_to_be_read() {
    for protocol in [Protocol::Kitty, Protocol::Iterm, Protocol::Sixel] {
        let mut harness = harness(vec![four_colours(640, 480)], protocol);
        let shown = |harness: &mut ScreenHarness, top| {
            harness.local.scroll.top = Some(Position { piece: 1, row: top, ..Position::default() });
            marked(&harness.buffer(40, 20))
        };
        let frame = shown(&mut harness, 0);
        assert!(frame.contains(" below · ctrl-end"), "{frame}");
        let rows = frame.lines().filter(|line| line.contains('░')).count();
        match protocol {
            Protocol::Kitty => assert_eq!(rows, 12, "{frame}"),
            Protocol::Iterm | Protocol::Sixel => assert!(!frame.contains('▓'), "{frame}"),
        }
    }
}

#[test]
fn what_cannot_be_shown_says_why() {
    let whole = quarters(160, 96, ImageFormat::Png);
    let jpeg = quarters(160, 96, ImageFormat::Jpeg);
    let broken = [
        ("cut.png", whole[..whole.len() / 2].to_vec(), (160, 96), "it is damaged or cut short"),
        ("bomb.png", pictures::png(8_000, 8_000), (8_000, 8_000), "it has more than 40 million pixels"),
        ("liar.png", pictures::png(8_000, 8_000), (16, 16), "it has more than 40 million pixels"),
        ("cut.jpg", jpeg[..jpeg.len() / 3].to_vec(), (160, 96), "it is damaged or cut short"),
        ("empty.png", pictures::png(160, 96), (160, 96), "it is damaged or cut short"),
        ("words.png", b"no picture at all".to_vec(), (160, 96), "it is damaged or cut short"),
        ("\x1b]0;evil\x07.png", Vec::new(), (160, 96), "it is damaged or cut short"),
    ];
    for protocol in [Protocol::Kitty, Protocol::Iterm, Protocol::Sixel] {
        for (name, bytes, size, why) in &broken {
            let mut harness = harness(vec![carried(name, bytes, *size), four_colours(160, 96)], protocol);
            // The first frame reserves the cells, the second knows better.
            harness.frame(80, 30);
            let frame = marked(&harness.buffer(80, 30));
            assert!(frame.contains(&format!("cannot be shown: {why}")), "{name:?}\n{frame}");
            assert!(!frame.contains(['\x1b', '\x07']) && frame.contains("[image: "), "{name:?}\n{frame}");
            assert!(frame.contains(['░', '▓']), "the other one is shown\n{frame}");
        }
    }
    const { assert!(8_000 * 8_000 > MOST_PIXELS) };
}

#[test]
fn each_format_is_shown_whatever_it_is_called() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
        let image = carried("name.png", &quarters(160, 96, format), (160, 96));
        let frame = marked(&harness(vec![image], Protocol::Kitty).buffer(80, 24));
        assert!(frame.contains(&"░".repeat(20)) && !frame.contains("cannot"), "{format:?}\n{frame}");
    }
}

#[test]
fn no_bytes_of_it_are_in_what_is_logged() {
    let mut harness = harness(vec![four_colours(160, 96)], Protocol::Iterm);
    harness.frame(80, 24);
    let pictures = Pictures::immediate(Protocol::Sixel);
    assert_eq!(format!("{pictures:?}"), "Pictures { protocol: Some(Sixel), .. }");
}
