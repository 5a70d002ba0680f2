//! Tests of `console.rs`.

use super::*;
use crate::tool::{Colour, Weight};

fn text(written: &str) -> String {
    rows(written).iter().map(Row::text).collect::<Vec<_>>().join("\n")
}

/// The same, character by character.
fn text_in_pieces(written: &str) -> (String, Console) {
    let (mut console, mut text) = (Console::default(), String::new());
    for piece in written.split_inclusive(|_| true) {
        console.push(piece, |row, ends| {
            text.push_str(row.text());
            text.push_str(if ends { "\n" } else { "" });
        });
    }
    let open = console.open().map(|row| row.text().to_owned()).unwrap_or_default();
    (text + &open, console)
}

fn look(written: &str) -> CellStyle {
    let rows = rows(written);
    let runs: Vec<(&str, CellStyle)> = rows.iter().flat_map(Row::runs).collect();
    let (said, look) = runs.last().copied().unwrap();
    assert_eq!(said, "x", "{written:?}");
    look
}

const CASES: &[(&str, &str)] = &[
    ("plain\n\ttab\n", "plain\n\ttab"),
    ("trailing  \n", "trailing  "),
    ("one\r\ntwo\r\r\n", "one\ntwo"),
    ("10 %\r50 %\r100 %\n", "100 %"),
    ("Downloading\rdone\n", "doneloading"),
    ("Downloading\r\x1b[Kdone\n", "done"),
    ("Downloading\x1b[2K\rdone\n", "done"),
    ("Downloading\x1b[2K\x1b[1Gdone\n", "done"),
    ("abcdef\x08\x08\x1b[Kx\n", "abcdx"),
    ("abcdef\x1b[3Gx\x1b[99G!\n", "abxdef!"),
    ("abcdef\x1b[3G\x1b[1Kx\n", "  xdef"),
    ("long line\r         \r\n", ""),
    ("\x08\x08a\n", "a"),
    ("漢字\r x\n", " x字"),
    ("漢字\x08x\n", "漢 x"),
    ("e\u{301}\rx\n", "x"),
    ("👨\u{200d}👩\u{200d}👧!\n", "👨\u{200d}👩\u{200d}👧!"),
    ("\u{301}a\n", "\u{301}a"),
    ("\tdef\rab\n", "ab      def"),
    ("abc\r\tx\n", "abc     x"),
    // Sequences of every other kind are taken out.
    ("\x1b]0;title\x07a\n", "a"),
    ("\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\\n", "link"),
    ("\x1b]52;c;c2VjcmV0\x07a\n", "a"),
    ("\x1bP1$r0m\x1b\\a\x1b_Gi=1;AAAA\x1b\\b\x1b^x\x1b\\c\x1bXy\x1b\\\n", "abc"),
    ("a\x1b[2J\x1b[1;1H\x1b[3A\x1b[5Cb\x1b[6nc\x1b[?1049h\x1b[>4;2m\x1b[5 qd\n", "abcd"),
    ("\x1b(0a\x1b)B\x1b7b\x1bcc\x1b#8d\x1b=\n", "abcd"),
    ("bell\x07 nul\0 shift\x0e\x0f del\x7f\n", "bell nul shift del"),
    // Those without an end hide no line below them.
    ("a\x1b]0;never ended\nb\n", "a\nb"),
    ("a\x1bPnever\x1b\nb\x1b\nc\x1b[12\nd", "a\nb\nc\nd"),
    ("a\x1b[31\x18b\x1b]x\x1ac\n", "abc"),
    ("a\x1b[3\u{e9}b\n", "a\u{e9}b"),
    ("abc\x1b[3\r1mx\n", "xbc"),
    ("\x1b\x1b[1mx\x1b]0;\x1b[1my\n", "xy"),
    ("a\u{c}b\u{b}c", "a\nb\nc"),
    ("c1\u{9b}31m\u{85}x\n", "c1\u{9b}31m\u{85}x"),
];

#[test]
fn a_line_is_what_a_terminal_would_show() {
    for (written, shown) in CASES {
        assert_eq!(text(written), *shown, "{written:?}");
    }
}

#[test]
fn where_pieces_end_changes_nothing() {
    let more = [
        "wide 漢字\x1b[38;2;1;2;3mcolour\x1b[0m\r\x1b[Kend".to_owned(),
        "é".repeat(3 * MOST),
        "x".repeat(3 * MOST) + "\n" + &"y".repeat(2 * MOST + 1) + "\rz",
        format!("{}\n{}\r!\nend", "x\t".repeat(MOST), "e\u{301}".repeat(MOST)),
    ];
    for written in CASES.iter().map(|case| case.0).chain(more.iter().map(String::as_str)) {
        let (mut whole, mut rows) = (Console::default(), String::new());
        whole.push(written, |row, ends| {
            rows.push_str(row.text());
            rows.push_str(if ends { "\n" } else { "" });
        });
        rows.push_str(whole.open().map(|row| row.text().to_owned()).unwrap_or_default().as_str());
        assert_eq!((rows, whole), text_in_pieces(written), "{written:?}");
    }
}

#[test]
fn what_is_no_control_passes_unchanged() {
    for written in ["plain\n\n  two  \n", "tabs\there\n", "é漢字👍🏽 e\u{301}\u{202e}x\n", "\u{feff}bom\n"]
    {
        assert_eq!(text(written) + "\n", written);
    }
    let long = format!("{}\n", "long é\t".repeat(MOST));
    assert_eq!(text(&long) + "\n", long);
}

#[test]
fn colours_are_those_that_were_named() {
    let plain = CellStyle::default();
    let ink = |foreground| CellStyle { foreground, ..plain };
    let ground = |background| CellStyle { background, ..plain };
    for (codes, wanted) in [
        ("31", ink(Colour::Palette(1))),
        ("97", ink(Colour::Palette(15))),
        ("38;5;208", ink(Colour::Palette(208))),
        ("38:5:208", ink(Colour::Palette(208))),
        ("38;2;1;2;3", ink(Colour::Exact([1, 2, 3]))),
        ("38:2:1:2:3", ink(Colour::Exact([1, 2, 3]))),
        ("38:2::1:2:3", ink(Colour::Exact([1, 2, 3]))),
        ("42", ground(Colour::Palette(2))),
        ("107", ground(Colour::Palette(15))),
        ("48;5;7", ground(Colour::Palette(7))),
        ("58;2;1;2;3;3", CellStyle { italic: true, ..plain }),
        ("38;5;1;4", CellStyle { underline: true, ..ink(Colour::Palette(1)) }),
        ("1", CellStyle { weight: Weight::Bold, ..plain }),
        ("1;2", CellStyle { weight: Weight::Dim, ..plain }),
        ("1;22;3", CellStyle { italic: true, ..plain }),
        ("4:3;7", CellStyle { underline: true, inverse: true, ..plain }),
        ("4;4:0", plain),
        ("31;", plain),
        ("31;0;1", CellStyle { weight: Weight::Bold, ..plain }),
        ("31;39;44;49", plain),
        // Hidden text is shown, and what cannot be is no colour.
        ("8", plain),
        ("38;5;999", plain),
        ("38;2;1", plain),
        ("38", plain),
        ("99999999999", plain),
    ] {
        assert_eq!(look(&format!("\x1b[{codes}mx")), wanted, "{codes}");
    }
    assert_eq!(look("\x1b[31m\x1b[mx"), plain);
    assert_eq!(look("\x1b[1;31mone\ntwo\n\x1b[22mx"), ink(Colour::Palette(1)), "colours outlive a line");
    assert_eq!(look(&format!("\x1b[{}31mx", "0;".repeat(100))), plain, "too many numbers say nothing");
}

#[test]
fn whatever_comes_the_memory_is_bounded() {
    for flood in ["x", "\u{301}", "漢", "\t", "\x1b]", "\x1b[1;", "x\x08", "\x1b[31m"] {
        let mut console = Console::default();
        let mut kept = 0;
        for _ in 0..200 {
            console.push(&flood.repeat(200), |row, _| kept = kept.max(row.text().len()));
            let marks: usize = console.cells.iter().map(|cell| cell.marks.len()).sum();
            assert!(console.cells.len() + marks <= 2 * MOST, "{flood:?}");
        }
        assert!(kept <= 4 * MOST, "{flood:?}");
    }
    let mut console = Console::default();
    console.push(&format!("\x1b[{}", "1;".repeat(100_000)), |_, _| {});
    assert!(matches!(&console.sequence, Sequence::Control(numbers) if format!("{numbers:?}").len() < 2_000));
}
