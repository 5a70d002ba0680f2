//! The code of an answer as it was written: no colours, no margins, no lines broken to fit.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The blocks of code in a text, in order, each without the newline at its end. Characters that steer a terminal are
/// left out: what is copied here is pasted into one.
#[must_use]
pub fn code_blocks(source: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for event in Parser::new_ext(source, Options::ENABLE_TABLES | Options::ENABLE_GFM) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => block = Some(String::new()),
            Event::Text(text) => {
                if let Some(block) = &mut block {
                    block.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => blocks.extend(block.take().map(|code| harmless(&code))),
            _ => {}
        }
    }
    blocks
}

/// A text without control characters but newlines and tabs, and without newlines at its end.
#[must_use]
pub fn harmless(text: &str) -> String {
    let kept: String = text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect();
    kept.trim_end_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_copied_as_it_was_written() {
        let long = "x".repeat(300);
        let text = format!(
            "One:\n\n```rust\nfn a() {{\n\tb();\n\n    // {long}\n}}\n```\n\n- two\n\n  ```\n  in a list\n    deep\n  ```\n\n> ~~~\n> quoted\n> ~~~"
        );
        assert_eq!(
            code_blocks(&text),
            [format!("fn a() {{\n\tb();\n\n    // {long}\n}}"), "in a list\n  deep".into(), "quoted".into()]
        );
        assert_eq!(code_blocks("no `code` here"), Vec::<String>::new());
    }

    #[test]
    fn what_steers_a_terminal_is_not_copied() {
        assert_eq!(code_blocks("```\nls\u{1b}[201~\r\nrm\u{9b}x\n```"), ["ls[201~\nrmx"]);
    }
}
