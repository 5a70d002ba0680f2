//! The mouse and links in a real terminal: what is selected reaches the clipboard, links are opened and closed.

use serde_json::json;

use super::console::{CTRL_O, Console, ENTER, ESC, USUAL};
use super::home::Home;

/// The mouse as terminals tell it (SGR): a button, and a cell counted from 0.
fn told(button: u8, (x, y): (u16, u16), end: char) -> String {
    format!("\x1b[<{button};{};{}{end}", x + 1, y + 1)
}

fn down(at: (u16, u16)) -> String {
    told(0, at, 'M')
}

fn held(at: (u16, u16)) -> String {
    told(32, at, 'M')
}

fn up(at: (u16, u16)) -> String {
    told(0, at, 'm')
}

/// Where a text begins on the screen.
fn find(app: &Console, text: &str) -> (u16, u16) {
    let (rows, columns) = app.terminal().size();
    for y in 0..rows.get() {
        let cells: Vec<String> = (0..columns.get())
            .map(|x| app.terminal().cell(y, x).map(|cell| cell.contents().to_owned()).unwrap_or_default())
            .map(|cell| if cell.is_empty() { " ".to_owned() } else { cell })
            .collect();
        for x in 0..cells.len() {
            if cells[x..].concat().starts_with(text) {
                return (u16::try_from(x).unwrap(), y);
            }
        }
    }
    panic!("{text:?} is not on the screen:\n{}", app.screen());
}

/// What the terminal was told to take into its clipboard, in order.
fn clipboard(app: &Console) -> Vec<String> {
    let bytes = String::from_utf8_lossy(&app.bytes);
    let told = bytes.split("\x1b]52;c;").skip(1);
    told.map(|rest| String::from_utf8(decoded(rest.split('\x1b').next().unwrap())).unwrap()).collect()
}

fn decoded(base64: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for letter in base64.bytes().filter(|letter| *letter != b'=') {
        let value = LETTERS.iter().position(|known| *known == letter).expect("base64");
        bits = (bits << 6) | u32::try_from(value).unwrap();
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).unwrap());
        }
    }
    bytes
}

const PROSE: &str = "A paragraph that is so long that it cannot stand on one row of this terminal, whatever anybody does about it, \
                     and so it is broken.";

fn script(text: &str) -> serde_json::Value {
    json!([{ "text": text }, { "text": "still here" }])
}

#[tokio::test]
async fn what_is_dragged_over_is_in_the_clipboard_as_it_was_written() {
    let home = Home::new();
    let code = "fn main() {\n    done();\n}";
    let mut app = Console::scripted(&home, &script(&format!("{PROSE}\n\n```\n{code}\n```\n\nLast words.")));
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("✓ done").await;
    app.rests().await;
    let (from, (x, y)) = (find(&app, "A paragraph"), find(&app, "Last words."));
    app.keys(&[down(from), held((x, y - 1)), held((x + 4, y)), up((x + 4, y))].concat()).await;
    app.sees("copied 7 lines").await;
    assert_eq!(clipboard(&app), [format!("{PROSE}\n\n{code}\n\nLast")]);

    let at = find(&app, "cannot");
    let twice = [down(at), up(at), down(at), up(at)].concat();
    app.keys(&twice).await;
    app.sees("copied 1 line").await;
    assert_eq!(clipboard(&app)[1..], ["cannot"]);
    assert!(app.terminal().cell(at.1, at.0).unwrap().bgcolor() != vt100::Color::Default, "it is seen");
    app.keys(ESC).await;
    app.sees_no("copied 1 line").await;
    assert!(app.terminal().cell(at.1, at.0).unwrap().bgcolor() == vt100::Color::Default, "esc drops it");
    app.quits().await;
}

#[tokio::test]
async fn a_click_gives_the_focus_opens_and_never_answers() {
    let home = Home::new();
    let call = json!([{ "name": "shell", "arguments": { "command": "echo one; echo two" } }]);
    let mut app = Console::scripted(&home, &json!([{ "text": "", "tool_calls": call }, "still here"]));
    app.sees("ask anything").await;
    app.says("go").await;
    app.has_the_keys().await;
    for word in ["y once", "s this session", "n deny", "r deny with"] {
        let at = find(&app, word);
        app.keys(&[down(at), up(at)].concat()).await;
    }
    app.keys_are_taken().await;
    app.sees("y once").await;
    assert!(home.entries("approval_decision").is_empty(), "a click decides nothing");
    app.answers("y").await;
    app.sees("✓ done").await;
    app.rests().await;
    let at = find(&app, "shell ");
    app.keys(&[down(at), up(at)].concat()).await;
    app.until("the focus", |screen| screen.contains('▎')).await;
    app.keys(&[down(at), up(at)].concat()).await;
    app.sees("arguments").await;
    app.keys(ESC).await;
    app.sees("ask anything").await;
    app.quits().await;
}

#[tokio::test]
async fn links_are_opened_closed_and_led_nowhere_else() {
    let home = Home::new();
    let text = "Read [the guide](https://example.org/guide;a=b), [this](javascript:alert(1)), [that](file:///etc/passwd), \
                and [hostile](<https://x.org/\u{9b}é y>).";
    let mut app = Console::scripted(&home, &script(text));
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("✓ done").await;
    app.rests().await;
    let bytes = String::from_utf8_lossy(&app.bytes).into_owned();
    let targets: Vec<&str> =
        bytes.split("\x1b]8;").skip(1).map(|rest| rest.split('\x1b').next().unwrap()).collect();
    assert!(targets.iter().all(|target| *target == ";" || target.contains(";https://")), "{targets:?}");
    for address in ["https://example.org/guide;a=b", "https://x.org/%5Cx9b%C3%A9%20y"] {
        let leads = |target: &&str| target.split_once(';').is_some_and(|(_, to)| to == address);
        assert!(targets.iter().any(leads), "{address}: {targets:?}");
    }
    let (closed, all) = (targets.iter().filter(|target| **target == ";").count(), targets.len());
    assert_eq!(closed * 2, all, "as many are closed as are opened: {targets:?}");
    // Between the two stands the text, and the next link is not opened before the last is closed.
    assert!(targets.chunks(2).all(|pair| pair[0] != ";" && pair[1] == ";"), "{targets:?}");
    let link = bytes.split("https://example.org/guide;a=b\x1b\\").nth(1).unwrap();
    let inside = link.split("\x1b]8;;").next().unwrap();
    assert!(inside.contains("the guide"), "{inside:?}");
    app.quits().await;
}

#[tokio::test]
async fn a_terminal_that_takes_no_links_is_told_none() {
    for (arguments, variables) in [(&["-c", "links=false"][..], &[][..]), (&[], &[("TERM", "linux")])] {
        let home = Home::new();
        let script = script("Read [the guide](https://example.org/guide).").to_string();
        let arguments = [arguments, &["--script", &script]].concat();
        let mut app = Console::start_with(&home, USUAL, &arguments, variables);
        app.sees("ask anything").await;
        app.says("go").await;
        app.sees("(https://example.org/guide)").await;
        app.rests().await;
        assert_eq!(app.times("\x1b]8;"), 0);
        app.quits().await;
    }
}

#[tokio::test]
async fn the_mouse_is_left_to_a_terminal_that_shall_keep_it() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["-c", "mouse=false"]);
    app.sees("ask anything").await;
    assert_eq!(app.terminal().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    app.quits().await;
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    assert_eq!(app.terminal().mouse_protocol_mode(), vt100::MouseProtocolMode::ButtonMotion);
    app.quits().await;
}

#[tokio::test]
async fn a_storm_of_the_mouse_leaves_the_app_usable() {
    let home = Home::new();
    let mut app = Console::scripted(&home, &script(&format!("{PROSE}\n\n").repeat(20)));
    app.sees("ask anything").await;
    // What is said is scrolled out of sight at once.
    app.keys("go\r").await;
    app.sees("✓ done").await;
    app.rests().await;
    // Whatever comes: a small generator, always the same.
    let mut state = 7_u32;
    let mut next = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % below
    };
    // Many in one write: of these the reader sees some cut anywhere, after their escape too.
    for _ in 0..100 {
        let mut storm = String::new();
        for _ in 0..60 {
            let button = [0, 0, 32, 32, 64, 65, 1, 2, 35][next(9) as usize];
            let at = (u16::try_from(next(110)).unwrap(), u16::try_from(next(34)).unwrap());
            storm.push_str(&told(button, at, if next(3) == 0 { 'm' } else { 'M' }));
        }
        app.keys(&storm).await;
    }
    app.keys(&up((0, 0))).await;
    app.keys_are_taken().await;
    app.rests().await;
    app.says("and now").await;
    app.sees("still here").await;
    app.rests().await;
    app.keys(CTRL_O).await;
    app.sees("entries").await;
    app.keys(ESC).await;
    app.sees("ask anything").await;
    assert!(home.texts("user_message", "content").contains(&"and now".to_owned()));
    app.quits().await;
}

#[tokio::test]
async fn a_line_of_a_list_is_chosen_and_taken() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.keys(&format!("/theme{ENTER}")).await;
    app.sees("paper").await;
    let at = find(&app, "paper");
    app.keys(&[down(at), up(at)].concat()).await;
    app.sees("› paper").await;
    let at = find(&app, "paper");
    // Slower than two clicks in one, or not: a list has no words to select.
    app.keys(&[down(at), up(at)].concat()).await;
    app.sees("paper for now").await;
    app.quits().await;
}
