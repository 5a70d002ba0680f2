//! What markdown looks like: each construct as the lines it becomes.

use countersign::ui::text::highlight::Highlighter;
use countersign::ui::text::markdown::render;
use countersign::ui::theme::Theme;

/// The text of the lines, without the blanks at their ends.
fn shown(source: &str, width: u16) -> Vec<String> {
    let lines = render(source, width, &Theme::plain(), &Highlighter::off());
    lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect()
}

#[test]
fn paragraphs_and_headings_stand_apart() {
    assert_eq!(shown("# One\ntwo three\nfour\n\n\n\nfive", 20), ["One", "", "two three", "four", "", "five"]);
    assert_eq!(shown("two words", 5), ["two", "words"]);
    assert_eq!(shown("", 20), Vec::<String>::new());
}

#[test]
fn lists_nest_number_and_hang() {
    assert_eq!(
        shown("- one two three\n  - inner\n    - deep\n- next", 12),
        ["• one two", "  three", "  ◦ inner", "    ▪ deep", "• next"]
    );
    assert_eq!(shown("9. nine\n10. ten\n    - inner", 20), ["9. nine", "10. ten", "    • inner"]);
    assert_eq!(shown("- [x] done\n- [ ] open and wraps", 12), ["[x] done", "[ ] open and", "    wraps"]);
    assert_eq!(shown("- one\n\n- two\n\n  more\n\nend", 20), ["• one", "", "• two", "", "  more", "", "end"]);
    assert_eq!(shown("-\n- b", 20), ["•", "• b"]);
}

#[test]
fn quotes_have_a_bar() {
    assert_eq!(shown("> one two\n>\n> > in", 8), ["│ one", "│ two", "│", "│ │ in"]);
    assert_eq!(shown("> > > > deep", 5), ["│ dee", "│ p"]);
    assert_eq!(shown("> [!WARNING]\n> Mind the gap", 20), ["│ Warning", "│ Mind the gap"]);
}

#[test]
fn code_is_set_in_under_its_language() {
    assert_eq!(
        shown("```Rust,ignore\nlet  x;\n\nlet y;\n```\nafter", 20),
        ["  rust", "  let  x;", "", "  let y;", "", "after"]
    );
    assert_eq!(shown("```\nabcdefghijklm\n```", 12), ["  abcdefghij", "  klm"]);
    assert_eq!(shown("    indented\n", 20), ["  indented"]);
    assert_eq!(shown("- a\n\n  ```sh\n  ls\n  ```", 20), ["• a", "", "    sh", "    ls"]);
    assert_eq!(shown("```text\nopen", 20), ["  text", "  open"]);
}

#[test]
fn tables_fit_shrink_and_fall_back() {
    let table = "| a | long head |\n|--:|:-:|\n| 1 | x |\n| 22 | several words here |";
    let rule = |left: usize, right: usize| format!("{}─┼─{}", "─".repeat(left), "─".repeat(right));
    assert_eq!(
        shown(table, 40),
        [" a │     long head", &rule(2, 18), " 1 │         x", "22 │ several words here"]
    );
    assert_eq!(
        shown(table, 15),
        [" a │ long head", &rule(2, 10), " 1 │     x", "22 │  several", "   │ words here"]
    );
    assert_eq!(
        shown(table, 9),
        ["a: 1", "long", "  head: x", "", "a: 22", "long", "  head:", "  several", "  words", "  here"]
    );
}

#[test]
fn rows_of_a_table_are_told_apart_by_a_thin_line_only_where_their_first_cells_do_not() {
    let named = "| a | b |\n|---|---|\n| one | words that wrap |\n| two | x |\n| six | more that wraps |";
    let rows = shown(named, 18);
    assert!(rows.iter().all(|row| !row.contains('┄')), "{rows:?}");
    let cells = |row: &String| row.split('│').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let told: Vec<Vec<String>> = rows.iter().skip(2).map(cells).collect();
    assert_eq!(
        told,
        [["one", "words that"], ["", "wrap"], ["two", "x"], ["six", "more that"], ["", "wraps"]],
        "no row is empty"
    );
    let long = "| a | b |\n|---|---|\n| a name that wraps | words that wrap |\n| two | x |\n| six | y |";
    let rows = shown(long, 18);
    let lines: Vec<usize> = (2..rows.len()).filter(|at| rows[*at].starts_with('┄')).collect();
    assert_eq!(lines.len(), 1, "the short ones are told apart: {rows:?}");
    assert!(rows[lines[0] + 1].starts_with("two") && rows[lines[0]].contains("┄┼┄"), "{rows:?}");
}

#[test]
fn links_say_where_they_go() {
    assert_eq!(
        shown("[the page](https://e.org/x) and <https://e.org>", 60),
        ["the page (https://e.org/x) and https://e.org"]
    );
    assert_eq!(shown("![a cat](cat.png)", 60), ["[image: a cat]"]);
    assert_eq!(
        shown("See [the page][1].\n\n[1]: https://e.org", 60),
        ["See [the page][1].", "", "[1]: https://e.org"]
    );
}

#[test]
fn markup_and_entities_are_text() {
    assert_eq!(shown("a <b>c</b> &lt;d&gt; e<br>f", 40), ["a <b>c</b> <d> e", "f"]);
    assert_eq!(shown("<div>\n*x*\n</div>", 40), ["<div>", "*x*", "</div>"]);
    assert_eq!(
        shown("&#27;[31m &#x202e; [x](http://e.org/&#27;y)", 60),
        ["^[[31m \\u{202e} x (http://e.org/^[y)"]
    );
    assert_eq!(shown("1️⃣ *️⃣ #️⃣", 40), ["1️⃣ *️⃣ #️⃣"]);
}

#[test]
fn rules_and_half_written_items() {
    assert_eq!(shown("a\n\n---\n\nb", 5), ["a", "", "─────", "", "b"]);
    assert_eq!(shown("Here:\n-", 20), ["Here:", "-"]);
    assert_eq!(shown("Here\n---", 20), ["Here"]);
}
