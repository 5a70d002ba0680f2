//! Tests of `quote.rs`.

use proptest::prelude::*;
use pulldown_cmark::TagEnd;

use super::*;

/// Pieces of which lines are made that look like something.
const PIECES: &[&str] = &[
    "## User",
    "# x",
    "Title",
    "===",
    "---",
    "```",
    "~~~",
    "````rust",
    "> ",
    ">",
    "- ",
    "1. ",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "<b>",
    "<!--",
    "-->",
    "</blockquote>",
    "<script>",
    "<?",
    "]]>",
    "<a href='",
    "<https://x.example>",
    "`",
    "``",
    "\\",
    "[x]: /y",
    "[x]",
    "![i](j)",
    "* * *",
    "***",
    "| a | b |",
    "|---|",
    "✓ shell: ok",
    "words",
    " ",
    "\u{2028}",
    "\u{200b}",
    "漢",
    "\u{202e}",
    "&lt;",
    "#",
    "=",
    "-",
    "<div",
    ">\n",
    "\n>\n",
    "</b\n",
    "(",
    "*",
    "_",
];

/// What stands in a document outside of all quotes and blocks of code, and whether anything in it is a
/// heading, an image or HTML.
fn read(page: &str) -> (Vec<String>, bool) {
    let (mut outside, mut depth, mut is_foreign) = (Vec::new(), 0, false);
    for event in Parser::new(page) {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::CodeBlock(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::CodeBlock) => depth -= 1,
            Event::Start(Tag::Heading { .. } | Tag::Image { .. }) | Event::Html(_) | Event::InlineHtml(_) => {
                is_foreign = true
            }
            Event::Text(text) if depth == 0 => outside.push(text.into_string()),
            _ => {}
        }
    }
    (outside, is_foreign)
}

#[test]
fn markdown_stays_and_structure_does_not() {
    for (said, quote) in [
        ("plain *words*", "> plain *words*"),
        (
            "a\n\n- b\n- c\n\n```rust\nfn f<T>() {}\n# no heading\n```",
            "> a\n>\n> - b\n> - c\n>\n> ```rust\n> fn f<T>() {}\n> # no heading\n> ```",
        ),
        ("## User\n\nyes", "> \\## User\n>\n> yes"),
        ("Title\n===\n\nOther\n---", "> Title\n> \\===\n>\n> Other\n> \\---"),
        ("a <b>c</b> `<d>`", "> a \\<b>c\\</b> `<d>`"),
        ("<!-- never ended\n## x", "> \\<!-- never ended\n> \\## x"),
        ("one\r## two\r\nthree", "> one\n> \\## two\n> three"),
        ("```\nnever closed", "> ```\n> never closed"),
        ("see ![i](http://evil.example/x.png)", "> see \\![i](http://evil.example/x.png)"),
        ("![i][1]\n\n[1]: http://evil.example/x", "> \\![i][1]\n>\n> [1]: http://evil.example/x"),
        // What it refers to may stand in another quote.
        ("![i]", "> \\![i]"),
        ("`![i](j)`", "> `![i](j)`"),
        (
            "[x](JavaScript:alert) [y](https://y.example) [z](a/b.rs:1)",
            "> \\[x](JavaScript:alert) [y](https://y.example) [z](a/b.rs:1)",
        ),
        ("[x]\n\n[x]: data:text", "> \\[x]\n>\n> \\[x]: data:text"),
    ] {
        assert_eq!(quoted(said), format!("{quote}\n\n"), "{said:?}");
    }
}

#[test]
fn what_cannot_be_helped_is_shown_as_it_is() {
    let long = "<b>\n".repeat(MOST / 4);
    assert!(quoted(&long).starts_with("```text\n<b>"));
}

#[test]
fn words_in_a_line_of_ours_mean_nothing() {
    assert_eq!(inline("a\n## b `c` <d> *e*"), "a \\#\\# b \\`c\\` \\<d\\> \\*e\\*");
    assert_eq!([code("a b"), code("a`\n\n# b"), code("`x")], ["`a b`", "``a` # b``", "`` `x ``"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn nothing_leaves_its_quote(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 1..24)) {
        let text = pieces.concat();
        prop_assume!(!text.trim().is_empty());
        let page = format!("{}after\n\n{}end\n", quoted(&text), quoted(&text));
        let (outside, is_foreign) = read(&page);
        prop_assert_eq!((outside, is_foreign), (vec!["after".to_owned(), "end".to_owned()], false), "{}", page);
    }
}
