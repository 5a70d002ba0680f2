//! How long text takes on its way to the screen. Run with `cargo bench --bench text`.
#![allow(missing_docs, clippy::unwrap_used, reason = "a bench is no interface")]

use countersign::ui::text::diff::DiffColours;
use countersign::ui::text::highlight::Highlighter;
use countersign::ui::text::markdown::{Stream, render};
use countersign::ui::text::{diff, sanitize, wrap};
use countersign::ui::theme::Theme;
use divan::Bencher;
use ratatui::style::Style;

const WIDTH: u16 = 100;

fn main() {
    divan::main();
}

fn theme() -> Theme {
    Theme::builtin("countersign-dark").unwrap()
}

/// An answer as models write them, at least `bytes` long.
fn answer(bytes: usize) -> String {
    let part = "## What I found\n\nThe parser in `src/parser.rs` returns **before** the rule for nothing, so an empty \
                input never reaches it; see [the grammar](https://example.org/grammar).\n\n1. Move the check below the \
                rule\n2. Add a test\n   - with an empty string\n   - with 漢字 and 👨‍👩‍👧‍👦\n\n```rust\npub fn parse(input: &str) -> \
                Result<Tree, Error> {\n    let mut tokens = Lexer::new(input); // cheap\n    Ok(Tree::from(tokens))\n}\n\
                ```\n\n| name | lines |\n|------|------:|\n| parse | 212 |\n| lex | 88 |\n\n> A note at the end.\n\n";
    part.repeat(bytes / part.len() + 1)
}

/// A whole answer of 50 KB, its code plain.
#[divan::bench]
fn markdown_of_50_kb(bencher: Bencher<'_, '_>) {
    let (source, theme, off) = (answer(50_000), theme(), Highlighter::off());
    bencher.bench_local(|| render(&source, WIDTH, &theme, &off).len());
}

/// The same, painted on the caller's time with syntax definitions that are warm.
#[divan::bench(sample_count = 20)]
fn markdown_of_50_kb_with_its_colours_kept(bencher: Bencher<'_, '_>) {
    let (source, theme, highlighter) = (answer(50_000), theme(), Highlighter::immediate());
    bencher.bench_local(|| render(&source, WIDTH, &theme, &highlighter).len());
}

/// Lays out what a window on the end shows: the last piece.
fn tail(stream: &mut Stream, theme: &Theme, highlighter: &Highlighter) -> usize {
    let last = stream.pieces().saturating_sub(1);
    stream.piece(last, WIDTH, theme, highlighter).0.len()
}

/// Deltas of four characters, laid out after each: the cost of one must not depend on how many came before.
#[divan::bench(args = [1_250, 5_000, 20_000], sample_count = 5)]
fn stream_of_deltas(bencher: Bencher<'_, '_>, deltas: usize) {
    let (theme, off) = (theme(), Highlighter::off());
    let characters: Vec<char> = answer(deltas * 5).chars().take(deltas * 4).collect();
    let pieces: Vec<String> = characters.chunks(4).map(|piece| piece.iter().collect()).collect();
    bencher.bench_local(|| {
        let mut stream = Stream::default();
        let mut lines = 0;
        for piece in &pieces {
            stream.push(piece);
            lines += tail(&mut stream, &theme, &off);
        }
        lines
    });
}

/// One delta at the end of an answer of so many bytes.
#[divan::bench(args = [1_000, 1_000_000])]
fn delta_after(bencher: Bencher<'_, '_>, bytes: usize) {
    let (theme, off) = (theme(), Highlighter::off());
    let mut stream = Stream::default();
    stream.push(&answer(bytes));
    let _laid = stream.lines(WIDTH, &theme, &off).len();
    bencher.bench_local(|| {
        stream.push("word\n\n");
        tail(&mut stream, &theme, &off)
    });
}

/// The same line of code again and again, in a fence that stays open.
#[divan::bench(args = [1_250, 5_000, 20_000], sample_count = 5)]
fn stream_of_open_code(bencher: Bencher<'_, '_>, lines: usize) {
    let (theme, off) = (theme(), Highlighter::off());
    bencher.bench_local(|| {
        let mut stream = Stream::default();
        stream.push("```rust\n");
        for _ in 0..lines {
            stream.push("let x = 1; // one\n");
            let _laid = tail(&mut stream, &theme, &off);
        }
    });
}

#[divan::bench]
fn wrap_50_kb(bencher: Bencher<'_, '_>) {
    let source = answer(50_000);
    bencher.bench_local(|| wrap(&source, 100, Style::new()).len());
}

#[divan::bench]
fn sanitize_50_kb(bencher: Bencher<'_, '_>) {
    let source = format!("{}\t\x1b[0m", answer(50_000));
    bencher.bench_local(|| sanitize(&source).len());
}

#[divan::bench]
fn diff_of_1000_lines(bencher: Bencher<'_, '_>) {
    let theme = theme();
    let pairs = "-    let old = compute(one, two);\n+    let new = compute(one, three);\n".repeat(500);
    let unified = format!("--- a\n+++ b\n@@ -1,500 +1,500 @@\n{pairs}");
    let (theme, highlighter) = (&theme, &Highlighter::off());
    let colours = DiffColours { theme, language: "rs", highlighter };
    bencher.bench_local(|| diff::render(&unified, WIDTH, colours).len());
}
