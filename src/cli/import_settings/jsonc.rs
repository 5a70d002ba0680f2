//! JSON as people write it for editors and agents: with comments and commas at the end.

use serde_json::Value;

/// Reads it.
///
/// # Errors
/// In words.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(&plain(text)).map_err(|why| format!("it cannot be read as JSON: {why}"))
}

/// The same with blanks in the place of comments and of commas before a bracket, so that places in it stay.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    // Where a comma stands that nothing but blanks has followed.
    let mut comma = None;
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                comma = None;
                out.push(c);
                while let Some(c) = rest.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '/' if rest.peek() == Some(&'/') => {
                while rest.peek().is_some_and(|c| *c != '\n') {
                    rest.next();
                }
            }
            '/' if rest.peek() == Some(&'*') => {
                rest.next();
                let mut before = ' ';
                for c in rest.by_ref() {
                    if c == '\n' {
                        out.push(c);
                    }
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
            }
            ',' => {
                comma = Some(out.len());
                out.push(c);
            }
            '}' | ']' => {
                if let Some(at) = comma.take() {
                    out.replace_range(at..=at, " ");
                }
                out.push(c);
            }
            c => {
                if !c.is_whitespace() {
                    comma = None;
                }
                out.push(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_are_left_out_and_texts_are_not_touched() {
        let text = "{ // one\n \"a\": [1, 2, /* , */ ], \"b\": \"// \\\" /* , ] */\", }";
        let read = parse(text).unwrap();
        assert_eq!(read, serde_json::json!({ "a": [1, 2], "b": "// \" /* , ] */" }));
    }

    #[test]
    fn what_is_not_json_is_an_error_and_never_a_loop() {
        for text in ["", "{", "{\"a\": \"", "/*", "[1,,2]", "//", "\"\\"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
