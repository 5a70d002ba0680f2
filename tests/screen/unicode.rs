//! Text of every script in every place it can come from outside: no column is ever broken, in the frame as it is laid out
//! and in a terminal that it is written to.

use std::cell::RefCell;
use std::io::Write;
use std::num::NonZeroU16;
use std::rc::Rc;

use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;
use countersign::ledger::{Change, Decider, Ending, ModelRef, Outcome, Preview, Remark};
use countersign::ui::PreviewPart;
use countersign::ui::local::Overlay;
use countersign::ui::picker::{Choice, Item, Picker};
use countersign::ui::picker_source::Source;
use countersign::ui::text::width;
use countersign::ui::update::paste;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::json;

const NONE: KeyModifiers = KeyModifiers::NONE;

/// Scripts, signs and invisible characters that have broken columns somewhere.
const NASTY: &[(&str, &str)] = &[
    ("wide", "漢字仮名交じり文。한국어 문장"),
    ("half-width", "ﾊﾝｶｸｶﾅﾀﾞﾖ"),
    ("full-width", "ＡＢＣ＜１２３＞"),
    ("emoji", "😀🎉🚀👍🏽🤦🏿‍♂️"),
    ("families", "👨‍👩‍👧‍👦👩‍❤️‍💋‍👨🏳️‍🌈🏴‍☠️"),
    ("flags", "🇩🇪🇫🇷🇯🇵🇺"),
    ("keycaps", "1️⃣2️⃣#️⃣*️⃣"),
    ("variation", "❤️❤︎☎️☎︎✔️⚠️ℹ️"),
    (
        "combining",
        "e\u{301}\u{302}\u{303} Z\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}\u{309}algo",
    ),
    ("hebrew", "שלום עולם \u{202b}ימין\u{202c} abc"),
    ("arabic", "مرحبا \u{2067}لا\u{2069} ﷺ 123 \u{202e}abc\u{202c}"),
    ("devanagari", "क्षि नमस्ते हिन्दी"),
    ("thai", "สวัสดีครับ น้ำ"),
    ("tibetan", "བོད་ཡིག ꦗꦮ"),
    ("tabs", "a\tbc\tdef\t漢\tx"),
    ("invisible", "zero\u{200b}width\u{feff}no\u{2060}join\u{ad}soft\u{a0}hard\u{2028}line\u{180e}"),
    ("joiners", "می‌خواهم a\u{200d}b \u{200d}\u{200d}x"),
    ("jamo", "\u{1100}\u{1161}\u{11a8}\u{1160}\u{3164}x\u{115f}"),
    ("controls", "a\u{1b}[31mb\u{7}\u{8}\u{9b}2J\u{85}c\0"),
    ("ambiguous", "±×÷°§¶…—–“”‘’①②ⅨαβЖ■□▲"),
    ("astral", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𓀀𓂀 🀄🃏"),
    ("lone", "\u{301}\u{fe0f}\u{1f3fb}\u{e0067}x\u{20e3}"),
];

const SIZES: [(u16, u16); 3] = [(40, 10), (81, 24), (133, 40)];

/// What crossterm writes.
#[derive(Clone, Default)]
struct Wire(Rc<RefCell<Vec<u8>>>);

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The cells of a row that begin something: what a wide character covers is left out.
fn heads(buffer: &Buffer, y: u16) -> Vec<(u16, &Cell)> {
    let mut heads = Vec::new();
    let mut x = 0;
    while x < buffer.area.width {
        let cell = &buffer[(x, y)];
        heads.push((x, cell));
        x += u16::try_from(width(cell.symbol()).max(1)).unwrap();
    }
    assert_eq!(x, buffer.area.width, "row {y} ends within a character: {:?}", heads.last());
    heads
}

/// Each row is as wide as the frame by the cells and by the text.
fn rows_are_whole(buffer: &Buffer) {
    for y in 0..buffer.area.height {
        let heads = heads(buffer, y);
        let text: String = heads.iter().map(|(_, cell)| cell.symbol()).collect();
        assert_eq!(width(&text), usize::from(buffer.area.width), "row {y}: {text:?}");
        assert!(!text.chars().any(char::is_control), "row {y}: {text:?}");
    }
}

/// Under each corner stands the edge, down to the other corner.
fn boxes_are_closed(buffer: &Buffer) {
    let rows: Vec<Vec<(u16, &Cell)>> = (0..buffer.area.height).map(|y| heads(buffer, y)).collect();
    let has =
        |y: u16, signs: &[&str]| rows[usize::from(y)].iter().any(|(_, cell)| signs.contains(&cell.symbol()));
    let at = |x: u16, y: u16| buffer[(x, y)].symbol();
    for y in 0..buffer.area.height {
        for (x, cell) in &rows[usize::from(y)] {
            let (edge, foot) = match cell.symbol() {
                "╭" => ("│", "╰"),
                "╮" => ("│", "╯"),
                "┏" => ("┃", "┗"),
                "┓" => ("┃", "┛"),
                _ => continue,
            };
            // The last row of the transcript may hold a mark over the box.
            let below = (y + 1..buffer.area.height).find(|y| at(*x, *y) != edge);
            let Some(below) = below else { continue };
            let edges = ["│", "╰", "╯", "┃", "┗", "┛"];
            let ends_there = at(*x, below) == foot || has(below, &["↓"]) || !has(below, &edges);
            let around = || (y..=below).map(|y| row(buffer, y)).collect::<Vec<_>>();
            let found = at(*x, below);
            assert!(ends_there, "row {below}: {found:?} is in column {x} of {edge}; {:#?}", around());
        }
    }
}

/// Without marks, which a terminal may put on the letter before when they have none of their own.
fn visible(text: &str) -> String {
    text.chars().filter(|c| width(&c.to_string()) > 0).collect()
}

fn row(buffer: &Buffer, y: u16) -> String {
    heads(buffer, y).iter().map(|(_, cell)| cell.symbol()).collect()
}

/// Written as the app writes it, the frame is in a terminal what it is in the buffer.
fn reaches_a_terminal(buffer: &Buffer) {
    let (wire, area) = (Wire::default(), buffer.area);
    let mut backend = CrosstermBackend::new(wire.clone());
    let empty = Buffer::empty(area);
    backend.draw(empty.diff(buffer).into_iter()).unwrap();
    Write::flush(&mut backend).unwrap();
    let size = |cells: u16| NonZeroU16::new(cells).unwrap();
    let mut parser = vt100::Parser::new(size(area.height), size(area.width), 0);
    parser.process(&wire.0.borrow());
    for y in 0..area.height {
        let heads = heads(buffer, y);
        let ends = heads.iter().skip(1).map(|(x, _)| *x).chain([area.width]);
        for ((x, cell), end) in heads.iter().zip(ends) {
            let shown: String = (*x..end).map(|x| parser.screen().cell(y, x).unwrap().contents()).collect();
            let shown = if shown.is_empty() { " " } else { &shown };
            if shown == cell.symbol() {
                continue;
            }
            // A terminal that knows no families shows the first member; what stands behind it must not move.
            let (seen, meant) = (visible(shown), visible(cell.symbol()));
            let same = seen == meant || cell.symbol().len() > 4 && meant.starts_with(&seen);
            let around = || (y.saturating_sub(1)..=y).map(|y| row(buffer, y)).collect::<Vec<_>>();
            assert!(same, "column {x} of row {y}: {shown:?} is not {:?}; {:#?}", cell.symbol(), around());
        }
    }
}

/// One size after the other, a place at a time.
fn holds(what: &str, harness: &mut ScreenHarness) {
    thread_local!(static TURN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });
    let (columns, rows) = SIZES[TURN.replace(TURN.get() + 1) % SIZES.len()];
    println!("{what} at {columns}x{rows}");
    let buffer = harness.buffer(columns, rows);
    rows_are_whole(&buffer);
    boxes_are_closed(&buffer);
    reaches_a_terminal(&buffer);
}

/// A text in every place of a session.
fn session(text: &str) -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user(&format!("{text}\n{text} {text}"));
    let name = format!("tool{text}");
    let uses = vec![
        builder.tool_use("read", json!({ "path": format!("src/{text}.rs") })),
        builder.tool_use("shell", json!({ "command": format!("echo {text}") })),
        builder.tool_use(&name, json!({ text: text, "list": [text, text] })),
    ];
    let prose = format!(
        "# {text}\n\n{text} **{text}** `{text}` [{text}](http://{text})\n\n- {text}\n  - {text}\n\n> {text}\n\n\
         | {text} | b |\n|---|--:|\n| a | {text} |\n\n```rust\nlet x = \"{text}\"; // {text}\n```\n"
    );
    let open = builder.say(None, text, &prose, uses);
    for (call, outcome) in open.into_iter().zip([Outcome::Ok, Outcome::Failed, Outcome::UnknownTool]) {
        builder.decide(call.id(), true, Decider::User);
        builder.settle(call, outcome, &format!("{text}\n{text} {text}\nexit code 2"), 5);
    }
    builder.note("e5", text);
    builder.remark(Remark::Error { message: text.into(), next: text.into() });
    let model = ModelRef::parse(&format!("p/{text}"));
    builder.remark(Remark::Change(Change::Model { model, previous: ModelRef::parse("p/one") }));
    builder.steer(text);
    builder.end(Ending::Completed);
    builder
}

/// Two calls that wait, one that runs, and more that waits.
fn under_way(text: &str) -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user(text);
    let path = format!("src/{text}.rs");
    let uses = vec![
        builder.tool_use("shell", json!({ "command": text })),
        builder.tool_use("edit", json!({ "path": path, "edits": [] })),
        builder.tool_use(&format!("mcp__{text}"), json!({ "title": text })),
    ];
    let open = builder.say(None, "", text, uses);
    let calls: Vec<_> = open.iter().map(|call| call.id()).collect();
    std::mem::forget(open);
    let line = text.replace('\n', " ");
    let diff = format!("--- {path}\n+++ {path}\n@@ -1,3 +1,3 @@ {line}\n {line}\n-{line} a\n+{line} b\n");
    builder.ask(calls[1], "edit", Preview::Diff(diff));
    builder.ask(calls[2], "other", Preview::None);
    builder.decide(calls[0], true, Decider::User);
    builder.run(calls[0], "shell");
    builder.output(calls[0], &format!("{text}\n{text}{text}{text}{text}{text}{text}\n\t{text}"));
    builder.waiting(&[text], &[text, text]);
    builder
}

fn picker(source: Source, text: &str) -> ScreenHarness {
    let mut harness = ScreenHarness::new(session(text));
    let item = |n: usize| Item {
        words: format!("{text} {}", text.repeat(n)),
        aside: text.into(),
        choice: Choice::Prompt(text.into()),
    };
    let mut picker = Picker::new(source, (0..4).map(item).collect());
    picker.preview =
        Some((String::new(), vec![PreviewPart::Answered(text.into()), PreviewPart::Said(text.repeat(9))]));
    picker.query = String::new();
    harness.local.overlay = Some(Overlay::Picker(picker));
    harness
}

#[test]
fn nothing_that_is_said_or_done_breaks_a_column() {
    for (name, text) in NASTY {
        let mut harness = ScreenHarness::new(session(text));
        holds(name, &mut harness);
        harness.ctrl('t');
        for _ in 0..3 {
            harness.key(KeyCode::PageUp, NONE);
            holds(&format!("{name}, further up"), &mut harness);
        }
        harness.view.session.model = format!("p/{text}");
        harness.view.settings.cwd = format!("~/{text}/{text}");
        harness.view.settings.branch = Some((*text).into());
        holds(&format!("{name}, in the header"), &mut harness);
    }
}

#[test]
fn nothing_that_waits_or_runs_breaks_a_column() {
    for (name, text) in NASTY {
        let mut harness = ScreenHarness::new(under_way(text));
        holds(name, &mut harness);
        harness.turns();
        harness.press("o");
        holds(&format!("{name}, opened"), &mut harness);
        harness.key(KeyCode::Esc, NONE);
        harness.answers("r");
        paste(&mut harness.local, &harness.view, text);
        holds(&format!("{name}, as a reason"), &mut harness);
    }
}

#[test]
fn nothing_that_is_typed_or_picked_breaks_a_column() {
    for (name, text) in NASTY {
        let mut harness = ScreenHarness::new(session(text));
        paste(&mut harness.local, &harness.view, &format!("{text} {text}\n{text}"));
        holds(&format!("{name}, pasted"), &mut harness);
        let mut harness = ScreenHarness::new(session(text));
        text.chars().for_each(|c| drop(harness.key(KeyCode::Char(c), NONE)));
        holds(&format!("{name}, typed"), &mut harness);
        harness.ctrl('u');
        harness.ctrl('f');
        text.chars().for_each(|c| drop(harness.key(KeyCode::Char(c), NONE)));
        holds(&format!("{name}, looked for"), &mut harness);
        for source in [Source::Sessions, Source::Models, Source::Themes] {
            let mut harness = picker(source, text);
            holds(&format!("{name}, in a list"), &mut harness);
            text.chars().for_each(|c| drop(harness.key(KeyCode::Char(c), NONE)));
            holds(&format!("{name}, in a list that is narrowed"), &mut harness);
        }
    }
}

#[test]
fn nothing_in_the_books_breaks_a_column() {
    for (name, text) in NASTY {
        let mut harness = ScreenHarness::new(session(text));
        harness.ctrl('o');
        for page in 0..5 {
            holds(&format!("{name}, page {page}"), &mut harness);
            harness.key(KeyCode::Up, NONE);
            harness.key(KeyCode::Enter, NONE);
            holds(&format!("{name}, page {page}, an entry"), &mut harness);
            harness.key(KeyCode::Esc, NONE);
            if harness.local.overlay.is_none() {
                harness.ctrl('o');
                (0..page).for_each(|_| drop(harness.key(KeyCode::Tab, NONE)));
            }
            harness.key(KeyCode::Tab, NONE);
        }
    }
}
