//! Pictures in terminals that can show them: what they are sent arrives whole, and goes away again.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, RgbaImage};
use serde_json::json;

use super::console::{CTRL_O, Console, ESC, USUAL};
use super::home::Home;
use crate::pictures::{QUARTERS, png, quarters};

const PLACEHOLDER: char = '\u{10eeee}';
/// What a picture begins with in each protocol.
const MARKS: [&str; 3] = ["\x1b_G", "\x1b]1337;File=", "\x1bP0;1;0q"];

type Variables = &'static [(&'static str, &'static str)];

const KITTY: (&str, &str) = ("TERM", "xterm-kitty");
const ITERM: (&str, &str) = ("TERM_PROGRAM", "iTerm.app");
const SIXEL: (&str, &str) = ("TERM", "foot");

/// An app in a terminal that says this of itself, whose model answers with so many lines.
fn terminal(home: &Home, variables: &[(&str, &str)], arguments: &[&str], lines: usize) -> Console {
    std::fs::write(home.workspace().join("four.png"), quarters(320, 160, ImageFormat::Png)).unwrap();
    let answer = (0..lines).map(|line| format!("line {line}\n\n")).collect::<String>() + "the end";
    let script = json!([answer, "another"]).to_string();
    let arguments = [&["--script", &script], arguments].concat();
    Console::start_with(home, USUAL, &arguments, variables)
}

async fn shows_it(app: &mut Console) {
    app.sees("ask anything").await;
    app.says("what is @four.png").await;
    app.sees("[image: four.png · 320×160").await;
    app.sees("the end").await;
    app.rests().await;
}

/// Waits until the app has written something so often, and the frame that it belongs to.
async fn is_told(app: &mut Console, what: &str, times: usize) {
    for _ in 0..6_000 {
        if app.times(what) >= times {
            return app.until("a whole frame", |_| true).await;
        }
        app.yields().await;
    }
    panic!("told {} times, not {times}: {what:?}\n{}", app.times(what), app.screen());
}

/// Waits until the app has written something since it took the terminal for this time.
async fn is_told_after(app: &mut Console, what: &str, time: usize) {
    const TAKES: &str = "\x1b[?1049h";
    for _ in 0..6_000 {
        let text = String::from_utf8_lossy(&app.bytes).into_owned();
        if text.split(TAKES).nth(time).is_some_and(|since| since.contains(what)) {
            return app.until("a whole frame", |_| true).await;
        }
        app.yields().await;
    }
    panic!("not told after the terminal was taken {time} times: {what:?}\n{}", app.screen());
}

/// What stands between a mark and its end, each time.
fn between<'t>(text: &'t str, mark: &str, end: &str) -> Vec<&'t str> {
    let after = text.split(mark).skip(1);
    after.map(|rest| rest.split(end).next().unwrap()).collect()
}

/// The pictures that kitty was sent, by their numbers, each with its keys.
fn kept_by_kitty(bytes: &[u8]) -> BTreeMap<String, (String, RgbaImage)> {
    let text = String::from_utf8_lossy(bytes);
    let (mut kept, mut keys, mut letters) = (BTreeMap::new(), String::new(), String::new());
    for command in between(&text, MARKS[0], "\x1b\\") {
        let (said, payload) = command.split_once(';').unwrap_or((command, ""));
        let key = |keys: &str, name: &str| {
            let found = keys.split(',').find_map(|key| key.strip_prefix(name)?.strip_prefix('='));
            found.map(str::to_owned)
        };
        match key(said, "a").as_deref() {
            Some("d") => {
                kept.remove(&key(said, "i").unwrap());
                continue;
            }
            Some("T") => (keys, letters) = (said.to_owned(), payload.to_owned()),
            _ => letters.push_str(payload),
        }
        assert!(payload.len() <= 4_096, "pieces are small");
        if key(said, "m").as_deref() == Some("0") {
            let picture = image::load_from_memory(&STANDARD.decode(&letters).unwrap()).unwrap().into_rgba8();
            kept.insert(key(&keys, "i").unwrap(), (keys.clone(), picture));
        }
    }
    kept
}

/// Whether it is the four colours in their places, in the left upper corner of so many pixels.
fn is_the_picture(seen: &RgbaImage, width: u32, height: u32) {
    let (right, lower) = (width * 3 / 4, height * 3 / 4);
    let places = [(width / 4, height / 4), (right, height / 4), (width / 4, lower), (right, lower)];
    for ((x, y), [red, green, blue]) in places.into_iter().zip(QUARTERS) {
        assert_eq!(seen.get_pixel(x, y).0, [red, green, blue, 255], "at {x} {y}");
    }
}

#[tokio::test]
async fn kitty_is_sent_it_once_and_shows_it_by_placeholders() {
    let home = Home::new();
    let mut app = terminal(&home, &[KITTY], &[], 1);
    shows_it(&mut app).await;
    app.sees(&PLACEHOLDER.to_string()).await;
    let kept = kept_by_kitty(&app.bytes);
    let (id, (keys, seen)) = kept.first_key_value().unwrap();
    assert!(keys.contains("U=1,q=2,f=100,") && keys.contains("c=40,r=10,"), "{keys}");
    assert_eq!((kept.len(), seen.dimensions()), (1, (320, 160)));
    is_the_picture(seen, 320, 160);
    let screen = app.terminal();
    let placed = (0..30).flat_map(|row| (0..100).map(move |column| (row, column)));
    let placed: Vec<_> = placed
        .filter(|(row, column)| screen.cell(*row, *column).unwrap().contents().starts_with(PLACEHOLDER))
        .collect();
    assert_eq!(placed.len(), 400, "each of its cells");
    let number: u32 = id.parse().unwrap();
    let [_, red, green, blue] = number.to_be_bytes();
    for (row, column) in &placed {
        assert_eq!(screen.cell(*row, *column).unwrap().fgcolor(), vt100::Color::Rgb(red, green, blue));
    }
    app.keys("something").await;
    app.sees("something").await;
    assert_eq!(app.times("a=T,"), 1, "a key sends nothing again");
    app.keys("\x15").await;
    app.rests().await;
    app.quits().await;
    assert!(kept_by_kitty(&app.bytes).is_empty(), "nothing is left in the terminal");
}

#[tokio::test]
async fn kitty_forgets_what_is_scrolled_out_or_hidden() {
    let home = Home::new();
    let mut app = terminal(&home, &[KITTY], &[], 40);
    app.sees("ask anything").await;
    app.keys("what is @four.png\r").await;
    app.sees("the end").await;
    app.rests().await;
    assert!(!app.screen().contains(PLACEHOLDER), "{}", app.screen());
    assert!(kept_by_kitty(&app.bytes).is_empty(), "it was scrolled out by the answer");
    app.keys("\x1b[1;5H").await;
    app.sees(&PLACEHOLDER.to_string()).await;
    assert_eq!(kept_by_kitty(&app.bytes).len(), 1);
    app.keys(CTRL_O).await;
    app.sees("user_message").await;
    assert!(!app.screen().contains(PLACEHOLDER), "{}", app.screen());
    assert!(kept_by_kitty(&app.bytes).is_empty());
    app.keys(ESC).await;
    app.sees(&PLACEHOLDER.to_string()).await;
    let kept = kept_by_kitty(&app.bytes);
    is_the_picture(&kept.first_key_value().unwrap().1.1, 320, 160);
    app.keys("\x1b[1;5F").await;
    app.sees_no(&PLACEHOLDER.to_string()).await;
    assert!(kept_by_kitty(&app.bytes).is_empty());
    app.quits().await;
}

#[tokio::test]
async fn iterm_draws_it_over_its_cells() {
    let home = Home::new();
    let mut app = terminal(&home, &[ITERM], &[], 1);
    shows_it(&mut app).await;
    is_told(&mut app, MARKS[1], 1).await;
    let text = String::from_utf8_lossy(&app.bytes).into_owned();
    let (arguments, payload) = between(&text, MARKS[1], "\x07").pop().unwrap().split_once(':').unwrap();
    let bytes = STANDARD.decode(payload).unwrap();
    let size = format!("size={};", bytes.len());
    for part in ["inline=1;", "width=40;height=10;", "doNotMoveCursor=1", size.as_str()] {
        assert!(arguments.contains(part), "{arguments}");
    }
    let seen = image::load_from_memory(&bytes).unwrap().into_rgba8();
    assert_eq!(seen.dimensions(), (320, 160));
    is_the_picture(&seen, 320, 160);
    app.rests().await;
    let before = app.times(MARKS[1]);
    app.keys("something").await;
    app.sees("something").await;
    assert_eq!(app.times(MARKS[1]), before, "a key draws nothing again");
    app.keys("\x15").await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn sixel_has_the_pixels_of_its_cells() {
    let home = Home::new();
    let mut app = terminal(&home, &[SIXEL], &[], 1);
    shows_it(&mut app).await;
    is_told(&mut app, MARKS[2], 1).await;
    let told = |app: &Console| {
        let text = String::from_utf8_lossy(&app.bytes).into_owned();
        between(&text, MARKS[2], "\x1b\\").pop().unwrap().to_owned()
    };
    let picture = told(&app);
    assert!(picture.starts_with("\"1;1;320;156#0;2;"), "{picture:.60}");
    for colour in ["2;100;0;0#", "2;0;100;0#", "2;0;0;100#", "2;100;100;100#"] {
        assert!(picture.contains(colour), "{picture:.120}");
    }
    assert_eq!(picture.matches('-').count(), 25, "bands of six rows");
    let before = app.times(MARKS[2]);
    app.resize_with_cells(USUAL, (10, 20));
    app.keys("x").await;
    app.sees("x").await;
    is_told(&mut app, MARKS[2], before + 1).await;
    assert!(told(&app).starts_with("\"1;1;320;156#0;2;"), "32 by 8 cells of 10 by 20 pixels");
    app.keys("\x15").await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn what_is_drawn_over_cells_is_written_over_and_drawn_again() {
    for (variable, mark) in [(ITERM, MARKS[1]), (SIXEL, MARKS[2])] {
        let home = Home::new();
        let mut app = terminal(&home, &[variable], &[], 1);
        shows_it(&mut app).await;
        is_told(&mut app, mark, 1).await;
        let before = app.times(mark);
        let from = app.bytes.len();
        app.keys(CTRL_O).await;
        app.sees("user_message").await;
        assert_eq!(app.times(mark), before, "nothing is drawn under the ledger");
        let blanks = app.bytes[from..].iter().filter(|byte| **byte == b' ').count();
        assert!(blanks >= 300, "the cells of the picture are written over: {blanks}");
        app.keys(ESC).await;
        app.sees("[image: four.png").await;
        is_told(&mut app, mark, before + 1).await;
        app.quits().await;
    }
}

#[tokio::test]
async fn it_comes_back_with_the_terminal() {
    let shell = r#"set -m; "$APP" --script "$SCRIPT"; echo "it is stopped"; read -r line; fg"#;
    for (variable, mark) in [(KITTY, "a=T,"), (ITERM, MARKS[1]), (SIXEL, MARKS[2])] {
        let home = Home::new();
        std::fs::write(home.workspace().join("four.png"), quarters(320, 160, ImageFormat::Png)).unwrap();
        let command = pty_process::Command::new("sh").args(["-c", shell]);
        let app = ("APP", env!("CARGO_BIN_EXE_countersign"));
        let editor = ("EDITOR", "echo written >");
        let variables = [app, ("SCRIPT", r#"["the end"]"#), editor, variable];
        let mut app = Console::start_command(&home, USUAL, command, &variables);
        shows_it(&mut app).await;
        is_told(&mut app, mark, 1).await;
        app.keys("\x1a").await;
        app.sees("it is stopped").await;
        assert!(kept_by_kitty(&app.bytes).is_empty(), "the shell gets no picture");
        app.keys("\n").await;
        is_told_after(&mut app, mark, 2).await;
        app.rests().await;
        app.keys("\x07").await;
        app.sees("written").await;
        is_told_after(&mut app, mark, 3).await;
        app.keys("\x15").await;
        app.rests().await;
        app.keys("\x03").await;
        app.sees("press ctrl-c again").await;
        app.keys("\x03").await;
        assert!(app.ends().await.success(), "{}", app.screen());
        app.assert_restored();
    }
}

#[tokio::test]
async fn terminals_that_cannot_are_sent_none() {
    let cases: [(Variables, &[&str]); 8] = [
        (&[], &[]),
        (&[KITTY], &["-c", "images=off"]),
        (&[KITTY, ("NO_COLOR", "1")], &[]),
        (&[ITERM, ("NO_COLOR", "1")], &["-c", "images=iterm"]),
        (&[KITTY, ("TMUX", "/tmp/tmux,1,0")], &[]),
        (&[SIXEL, ("STY", "1.pts")], &[]),
        (&[("TERM", "tmux-256color"), ("KITTY_WINDOW_ID", "1")], &[]),
        (&[("TERM", "xterm-256color"), ("SSH_TTY", "/dev/pts/1")], &[]),
    ];
    for (variables, arguments) in cases {
        let home = Home::new();
        let mut app = terminal(&home, variables, arguments, 1);
        shows_it(&mut app).await;
        app.quits().await;
        for mark in MARKS {
            assert_eq!(app.times(mark), 0, "{variables:?} {arguments:?}: {mark:?}");
        }
        assert!(!String::from_utf8_lossy(&app.bytes).contains(PLACEHOLDER));
    }
}

#[tokio::test]
async fn each_terminal_has_its_protocol_unless_another_is_chosen() {
    let cases: [(Variables, &[&str], usize); 9] = [
        (&[("KITTY_WINDOW_ID", "3")], &[], 0),
        (&[("TERM", "xterm-ghostty"), ("TERM_PROGRAM", "ghostty")], &[], 0),
        (&[("TERM_PROGRAM", "WezTerm")], &[], 1),
        (&[("TERM_PROGRAM", "WezTerm"), ("KITTY_WINDOW_ID", "3")], &[], 1),
        (&[("LC_TERMINAL", "iTerm2"), ("SSH_TTY", "/dev/pts/1")], &[], 1),
        (&[("TERM", "mlterm-256color")], &[], 2),
        (&[("TERM", "foot-extra"), ("KITTY_WINDOW_ID", "3")], &[], 2),
        (&[KITTY], &["-c", "images=sixel"], 2),
        (&[("TMUX", "/tmp/tmux,1,0")], &["-c", "images=iterm"], 1),
    ];
    for (variables, arguments, protocol) in cases {
        let home = Home::new();
        let mut app = terminal(&home, variables, arguments, 1);
        shows_it(&mut app).await;
        is_told(&mut app, MARKS[protocol], 1).await;
        app.quits().await;
        let told: Vec<bool> = MARKS.iter().map(|mark| app.times(mark) > 0).collect();
        let wanted: Vec<bool> = (0..3).map(|at| at == protocol).collect();
        assert_eq!(told, wanted, "{variables:?} {arguments:?}");
    }
}

#[tokio::test]
async fn hostile_files_are_words() {
    for variable in [KITTY, ITERM, SIXEL] {
        let home = Home::new();
        let whole = quarters(320, 160, ImageFormat::Jpeg);
        std::fs::write(home.workspace().join("cut.jpg"), &whole[..whole.len() / 3]).unwrap();
        std::fs::write(home.workspace().join("bomb.png"), png(8_000, 8_000)).unwrap();
        std::fs::write(home.workspace().join("hollow.png"), png(320, 160)).unwrap();
        std::fs::write(home.workspace().join("other.png"), quarters(32, 16, ImageFormat::Gif)).unwrap();
        let mut app = terminal(&home, &[variable], &[], 1);
        app.sees("ask anything").await;
        app.says("@bomb.png @hollow.png @other.png").await;
        app.sees("bomb.png cannot be shown: it has more than 40 million pixels").await;
        app.sees("hollow.png cannot be shown: it is damaged or cut short").await;
        app.sees("the end").await;
        app.rests().await;
        let mark = MARKS[[KITTY, ITERM, SIXEL].iter().position(|one| *one == variable).unwrap()];
        is_told(&mut app, mark, 1).await;
        assert!(!app.screen().contains("other.png cannot"), "a wrong ending is no harm\n{}", app.screen());
        app.says("@cut.jpg").await;
        app.sees("another").await;
        app.rests().await;
        app.quits().await;
    }
}

#[tokio::test]
async fn a_storm_of_sizes_leaves_it_usable() {
    for (variable, mark) in [(KITTY, "a=T,"), (ITERM, MARKS[1]), (SIXEL, MARKS[2])] {
        let home = Home::new();
        let mut app = terminal(&home, &[variable], &[], 1);
        shows_it(&mut app).await;
        for step in 0..120_u16 {
            app.resize((41 + step % 60, 12 + step % 19));
            app.yields().await;
        }
        app.resize(USUAL);
        app.keys("still here").await;
        app.sees("still here").await;
        app.sees("[image: four.png").await;
        let before = app.times(mark);
        app.resize((99, 30));
        is_told(&mut app, mark, before + 1).await;
        app.keys("\x15").await;
        app.rests().await;
        app.quits().await;
    }
}
