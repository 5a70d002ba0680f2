//! Streamed markdown and the thread that paints code: what is settled stays, colours arrive later, the end is the same.

use std::sync::mpsc::{Receiver, channel};

use countersign::ui::text::highlight::Highlighter;
use countersign::ui::text::markdown::{Stream, render};
use countersign::ui::theme::Theme;
use proptest::prelude::*;
use ratatui::text::Line;

const ANSWER: &str = "Here it is:\n\n```rust\nfn main() {\n    let x = \"a\"; // done\n}\n```\n\n- nested:\n\n  ```json\n  \
                      {\"a\": 1}\n  ```\n\nThe end.";

fn dark() -> Theme {
    Theme::builtin("countersign-dark").unwrap()
}

fn text(lines: &[Line<'_>]) -> Vec<String> {
    lines.iter().map(ToString::to_string).collect()
}

/// A highlighter on its thread, and the news of its results.
fn threaded() -> (Highlighter, Receiver<()>) {
    let (sender, woken) = channel();
    let wake = move || sender.send(()).unwrap_or_default();
    (Highlighter::new(Box::new(wake)), woken)
}

#[test]
fn code_takes_the_colours_of_the_theme() {
    let theme = dark();
    let lines =
        Highlighter::immediate().lines("rust", "fn main() {\n    let x = 10; // ten\n}\n", &theme).unwrap();
    assert_eq!(text(&lines), ["fn main() {", "    let x = 10; // ten", "}"]);
    let style = |line: usize, word: &str| {
        lines[line]
            .spans
            .iter()
            .find(|span| span.content.contains(word))
            .unwrap_or_else(|| panic!("{word}"))
            .style
    };
    let base = theme.code_block;
    assert_eq!(style(0, "fn"), base.patch(theme.syntax.keyword));
    assert_eq!(style(0, "main"), base.patch(theme.syntax.function));
    assert_eq!(style(1, "10"), base.patch(theme.syntax.number));
    assert_eq!(style(1, "ten"), base.patch(theme.syntax.comment));
    let light = Theme::builtin("countersign-light").unwrap();
    let again = Highlighter::immediate().lines("rs", "fn", &light).unwrap();
    assert_eq!(again[0].spans[0].style, light.code_block.patch(light.syntax.keyword));
}

#[test]
fn the_usual_languages_are_known() {
    let (theme, highlighter) = (dark(), Highlighter::immediate());
    for language in [
        "rust",
        "python",
        "py",
        "js",
        "javascript",
        "ts",
        "typescript",
        "tsx",
        "go",
        "golang",
        "c",
        "cpp",
        "c++",
        "java",
        "ruby",
        "sh",
        "bash",
        "zsh",
        "shell",
        "console",
        "json",
        "jsonc",
        "yaml",
        "yml",
        "toml",
        "html",
        "css",
        "sql",
        "diff",
        "dockerfile",
        "makefile",
        "markdown",
        "xml",
        "kotlin",
        "swift",
        "php",
        "lua",
        "haskell",
        "nix",
        "csharp",
        "cs",
    ] {
        let code = "# a\n\"b\" <c d=\"e\"> if SELECT 1 `x`\nall: b\n+ x\n";
        let lines = highlighter.lines(language, code, &theme).unwrap();
        let is_coloured =
            lines.iter().flat_map(|line| &line.spans).any(|span| span.style != theme.code_block);
        assert!(is_coloured, "{language} is not coloured");
    }
}

#[test]
fn what_is_too_large_stays_plain() {
    let (theme, highlighter) = (dark(), Highlighter::immediate());
    let long = format!("let a = \"{}\";\nlet b = 1;\n", "x".repeat(3_000));
    let lines = highlighter.lines("rust", &long, &theme).unwrap();
    assert_eq!((lines[0].spans.len(), lines[1].spans.len() > 1), (1, true));
    assert_eq!(highlighter.lines("rust", &"let a = 1;\n".repeat(30_000), &theme), None);
    assert_eq!(highlighter.lines("no-such-language", "let a\n", &theme).unwrap()[0].spans.len(), 1);
    assert_eq!(Highlighter::off().lines("rust", "let a\n", &theme), None);
}

#[test]
fn colours_arrive_on_a_wake_and_change_no_text() {
    let theme = dark();
    let (highlighter, woken) = threaded();
    let before = highlighter.generation();
    let plain = render(ANSWER, 40, &theme, &highlighter);
    woken.recv().unwrap();
    woken.recv().unwrap();
    assert!(highlighter.generation() > before);
    let painted = render(ANSWER, 40, &theme, &highlighter);
    assert_eq!(text(&plain), text(&painted));
    assert_ne!(plain, painted);
    assert_eq!(painted, render(ANSWER, 40, &theme, &Highlighter::immediate()));
}

#[test]
fn a_growing_block_is_painted_line_by_line_and_kept() {
    let theme = dark();
    let (highlighter, woken) = threaded();
    let mut stream = Stream::default();
    let (open, rest) = ANSWER.split_at(ANSWER.find("    let").unwrap());
    stream.push(open);
    assert_eq!(text(&stream.lines(40, &theme, &highlighter)), ["Here it is:", "", "  rust", "  fn main() {"]);
    woken.recv().unwrap();
    let keyword = stream.lines(40, &theme, &highlighter)[3].spans[1].clone();
    assert_eq!(
        (keyword.content.as_ref(), keyword.style),
        ("fn", theme.code_block.patch(theme.syntax.keyword))
    );
    stream.push(rest);
    let _plain = stream.lines(40, &theme, &highlighter).len();
    // The rest of the block, and the one in the list.
    woken.recv().unwrap();
    woken.recv().unwrap();
    let whole = render(ANSWER, 40, &theme, &Highlighter::immediate());
    assert_eq!(stream.lines(40, &theme, &highlighter), whole);
    // The finished answer finds the colours that the stream had: nothing flashes.
    assert_eq!(render(ANSWER, 40, &theme, &highlighter), whole);
}

#[test]
fn what_is_settled_is_not_laid_out_again() {
    let (theme, off) = (dark(), Highlighter::off());
    let mut stream = Stream::default();
    stream.push(&"A paragraph that is *closed*.\n\n".repeat(500));
    stream.push("```rust\n");
    stream.push(&"let x = 1;\n".repeat(500));
    let before = stream.lines(20, &theme, &off);
    let work = stream.work();
    assert!(work > 500, "each paragraph is a piece, and the code is two: {work}");
    for delta in ["let y", " = 2;\n", "```\n\n"] {
        let work = stream.work();
        stream.push(delta);
        let after = stream.lines(20, &theme, &off);
        assert_eq!(stream.work(), work + 1, "the open piece alone is laid again: {delta:?}");
        assert_eq!(before, after[..before.len()]);
    }
    stream.push("And on.");
    assert!(stream.lines(20, &theme, &off).len() > before.len() + 2);
    assert!(stream.work() <= work + 5);
}

#[test]
fn another_width_or_theme_lays_everything_anew() {
    let (theme, light) = (dark(), Theme::builtin("countersign-light").unwrap());
    let highlighter = Highlighter::immediate();
    let mut stream = Stream::default();
    stream.push(ANSWER);
    for (width, theme) in [(40, &theme), (12, &theme), (60, &light), (60, &theme), (0, &theme), (7, &light)] {
        let laid = stream.lines(width, theme, &highlighter).to_vec();
        assert_eq!(laid, render(ANSWER, width, theme, &Highlighter::immediate()), "{width}");
    }
}

#[test]
fn a_line_without_end_is_cut_not_carried() {
    let (theme, off) = (dark(), Highlighter::off());
    let endless = "0123456789".repeat(20_000);
    let mut stream = Stream::default();
    for piece in endless.as_bytes().chunks(7_777) {
        stream.push(std::str::from_utf8(piece).unwrap());
        let _laid = stream.lines(80, &theme, &off).len();
    }
    let whole = render(&endless, 80, &theme, &off);
    assert_eq!(stream.lines(80, &theme, &off), whole);
    assert_eq!(text(&whole).concat().replace(' ', ""), endless);
}

/// What is drawn after each character, and how many rows of that belong to blocks that are closed.
fn frames(source: &str, width: u16) -> Vec<(Vec<String>, usize)> {
    let (theme, off) = (dark(), Highlighter::off());
    let mut stream = Stream::growing();
    let mut frames = Vec::new();
    for c in source.chars() {
        stream.push(c.encode_utf8(&mut [0; 4]));
        let last = stream.pieces().saturating_sub(1);
        let closed = (0..last).map(|at| stream.piece(at, width, &theme, &off).0.len()).sum();
        frames.push((text(&stream.lines(width, &theme, &off)), closed));
    }
    frames
}

/// The characters that are text, without the lines of tables and what stands at the end alone.
fn written(rows: &[String]) -> String {
    let all: String = rows.concat().chars().filter(|c| !c.is_whitespace() && !"│─┼".contains(*c)).collect();
    all.trim_end_matches([')', ']', '…']).to_owned()
}

const FORMS: &[&str] = &[
    "See [the page](https://example.org/a_b_(c)) and [**more** of `it`](x \"A title\").\n\nThe end.",
    "A picture: ![a cat on a mat](cat.png \"Cat\") stands here.\n\n![](b.png)\n\nSo!",
    "- [Guide](docs/guide.md): how\n- [x] done\n- [ ] open\n- **[Bold](b)** one\n\nSee <https://example.org/x> too.",
    "Words:\n\n| Name | What it does |\n| --- | :---: |\n| `a` | The **first** |\n| b | See [it](https://example.org) |\n\nThe end.",
    "Words:\n| a | b |\n|---|---|\n| 1 | 2 |\n\n1. An item\n\n   | c | d |\n   |--:|---|\n   | 3 | ~~4~~ |\n\nThe end.",
    "An array [0, 1] of numbers, a[2], and a note [1]. So `![x](y)` is code.",
];

#[test]
fn rows_of_closed_blocks_stay_and_no_markup_appears_to_disappear() {
    for source in FORMS {
        for width in [30, 80] {
            let mut before: (Vec<String>, usize) = (Vec::new(), 0);
            for (at, frame) in frames(source, width).into_iter().enumerate() {
                assert_eq!(before.0[..before.1], frame.0[..before.1], "{width} {:?}", source.get(..=at));
                before = frame;
            }
        }
        let whole = render(source, 80, &dark(), &Highlighter::off());
        let whole = written(&text(&whole));
        for (at, (rows, _)) in frames(source, 80).into_iter().enumerate() {
            let drawn = written(&rows);
            assert!(whole.starts_with(&drawn), "{:?}\n{drawn}\n{whole}", source.get(..=at));
        }
    }
}

#[test]
fn a_table_stands_as_one_from_its_first_cell_on() {
    let source = "| Name | What |\n|------|------|\n| a | one |\n| b | two words |\n";
    let mut heads = 0;
    for (at, (rows, _)) in frames(source, 60).into_iter().enumerate() {
        let said = source.get(..=at).unwrap();
        assert!(rows.iter().all(|row| !row.contains('|') && !row.contains("--")), "{said:?}\n{rows:?}");
        if at >= 2 {
            assert!(rows[0].starts_with("N") && rows[1].starts_with('─'), "{said:?}\n{rows:?}");
            heads += 1;
        }
        // What stands in a row stays in it.
        if said.contains("one |") {
            assert_eq!(rows[2].split_whitespace().collect::<Vec<_>>(), ["a", "│", "one"], "{said:?}");
        }
    }
    assert!(heads > 20);
}

#[test]
fn a_row_that_is_being_written_moves_no_row_above_it() {
    let source = "| Name | What |\n|---|--:|\n| a | one |\n| a longer name | more words, **bold** and `code` |\n| b | x |\n\n- | c | d |\n  |---|---|\n  | 1 | long words |\n";
    for width in [16, 30, 60] {
        let mut before: Vec<String> = Vec::new();
        for (at, (rows, _)) in frames(source, width).into_iter().enumerate() {
            let said = source.get(..=at).unwrap();
            // The row that is being written is the last one; with the end of a line the columns may become wider.
            let above = before.len().saturating_sub(1);
            if !said.ends_with('\n') && rows.len() >= before.len() && said.contains("|\n| ") {
                assert_eq!(rows[..above], before[..above], "{width} {said:?}");
            }
            assert!(rows.len() >= before.len() || said.ends_with('\n'), "{width} {said:?}");
            before = rows;
        }
    }
    let begun = source.find(" **bold**").unwrap();
    let half = &frames(source, 60)[begun].0;
    assert_eq!(half[half.len() - 1], "a l… │ mor…");
}

#[test]
fn a_row_of_several_lines_moves_no_row_above_it() {
    let source = "| a | b |\n|---|---|\n| 1 | x |\n| 2 | y |\n| 3 | several words that take more than a line of this |\n| 4 | z |\n";
    let all = frames(source, 24);
    let place = |rows: &[String], cell: &str| rows.iter().position(|row| row.starts_with(cell));
    let (first, second) = (place(&all.last().unwrap().0, "1"), place(&all.last().unwrap().0, "2"));
    assert_eq!((first, second), (Some(2), Some(3)));
    for (rows, _) in &all {
        assert!(place(rows, "2").is_none_or(|at| Some(at) == second), "{rows:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 25, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn painted_streams_end_like_painted_wholes(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "```rust\n", "```\n", "```py\n", "~~~js\n", "~~~\n", "fn f() {\n", "/* open\n", "close */ let x = 1;\n", "\"\"\"\n",
            "text\n", "\n", "- a\n", "  ```rust\n  let y;\n  ```\n", "> q\n", "let s = \"open", "漢字\n", "return `x`;\n",
        ]), 0..24),
        cut in 1_usize..30,
        width in 4_u16..50,
    ) {
        let (theme, source) = (dark(), pieces.concat());
        let highlighter = Highlighter::immediate();
        let mut stream = Stream::default();
        let characters: Vec<char> = source.chars().collect();
        for piece in characters.chunks(cut) {
            stream.push(&piece.iter().collect::<String>());
            let _laid = stream.lines(width, &theme, &highlighter).len();
        }
        let whole = render(&source, width, &theme, &Highlighter::immediate());
        prop_assert_eq!(stream.lines(width, &theme, &highlighter), whole);
    }
}
