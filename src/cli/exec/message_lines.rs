//! The lines of `--input jsonl`: one object per line, bounded, and refused by a reason.

use std::io::{self, BufRead, Read as _};

use serde::Deserialize;

/// Bytes of one line.
const MOST_BYTES: u64 = 8 << 20;

/// What a line asks for.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum MessageLine {
    /// Say this; while a run is under way it is delivered with the next tool results.
    UserMessage {
        /// The words, whose `@paths` name images.
        content: String,
    },
    /// Decide about a call.
    Approval {
        /// The call, as in `c7`.
        id: String,
        /// The request that is answered, as in `e12`; `None`: whichever waits.
        #[serde(default)]
        request: Option<String>,
        /// The digest of the request that is answered.
        digest: String,
        /// May it run?
        decision: LineDecision,
        /// Why not, for the model; the answer, if the call is a question.
        #[serde(default)]
        reason: String,
    },
    /// Stop what runs, as Esc does.
    Interrupt {},
}

/// The decision of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LineDecision {
    /// Once, and exactly this.
    Allow,
    /// No.
    Deny,
}

/// The next line that is not blank: what it asks for, or why it is refused. `None` at the end of the input. `number` counts
/// all lines, blank ones too: it is then that of this line.
///
/// # Errors
/// The input cannot be read.
pub(super) fn next(
    input: &mut impl BufRead,
    number: &mut u64,
) -> io::Result<Option<Result<MessageLine, String>>> {
    loop {
        *number += 1;
        let mut line = Vec::new();
        if input.by_ref().take(MOST_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if !line.ends_with(b"\n") && line.len() as u64 == MOST_BYTES {
            skip_line(input)?;
            return Ok(Some(Err(format!("the line is longer than {} MiB", MOST_BYTES >> 20))));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(
                serde_json::from_slice(&line).map_err(|why| format!("the line was not understood: {why}")),
            ));
        }
    }
}

/// Reads to the end of a line and keeps nothing of it.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let held = input.fill_buf()?;
        let (length, is_over) = match held.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (held.len(), held.is_empty()),
        };
        input.consume(length);
        if is_over {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mut text: &[u8]) -> Vec<Result<MessageLine, String>> {
        let mut number = 0;
        std::iter::from_fn(|| next(&mut text, &mut number).unwrap()).collect()
    }

    #[test]
    fn blank_lines_are_counted() {
        let (mut text, mut number) = (&b"\n  \nhello\n\n{}"[..], 0);
        let mut numbers = Vec::new();
        while next(&mut text, &mut number).unwrap().is_some() {
            numbers.push(number);
        }
        assert_eq!(numbers, [3, 5]);
    }

    #[test]
    fn each_line_is_an_object_that_is_known_in_full() {
        let said = MessageLine::UserMessage { content: "hi".to_owned() };
        assert_eq!(read(b"\n{\"type\":\"user_message\",\"content\":\"hi\"}"), [Ok(said)]);
        assert_eq!(read(b"{\"type\":\"interrupt\"}\n\n"), [Ok(MessageLine::Interrupt {})]);
        let approval = br#"{"type":"approval","id":"c1","digest":"d","decision":"deny"}"#;
        let (id, digest, decision) = ("c1".to_owned(), "d".to_owned(), LineDecision::Deny);
        assert_eq!(
            read(approval),
            [Ok(MessageLine::Approval { id, request: None, digest, decision, reason: String::new() })]
        );
        for refused in [
            "hello",
            "[]",
            "{}",
            "\"x\"",
            "{\"type\":\"shout\"}",
            "{\"type\":\"user_message\"}",
            "{\"type\":\"user_message\",\"content\":7}",
            "{\"type\":\"user_message\",\"content\":\"x\",\"more\":1}",
            "{\"type\":\"interrupt\",\"more\":1}",
            "{\"type\":\"approval\",\"id\":\"c1\",\"digest\":\"d\",\"decision\":\"always\"}",
            "{\"type\":\"approval\",\"id\":\"c1\",\"decision\":\"allow\"}",
        ] {
            let found = read(refused.as_bytes());
            assert!(
                matches!(&found[..], [Err(why)] if why.starts_with("the line was not understood")),
                "{refused}"
            );
        }
        assert!(matches!(&read(b"\xff\xfe\n{\"type\":\"interrupt\"}")[..], [Err(_), Ok(_)]));
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_whole() {
        let mut text = vec![b'x'; 20 << 20];
        text.extend_from_slice(b"\n{\"type\":\"interrupt\"}\n");
        let found = read(&text);
        assert_eq!(found, [Err("the line is longer than 8 MiB".to_owned()), Ok(MessageLine::Interrupt {})]);
        let depth = "[".repeat(100_000);
        assert!(matches!(&read(depth.as_bytes())[..], [Err(_)]));
    }
}
