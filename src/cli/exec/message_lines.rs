//! The lines of `--input jsonl`: one object per line, bounded, and refused by a reason.

use std::io::{self, BufRead, Read as _};

use serde::Deserialize;
use serde_json::Value;

/// Bytes of one line.
const MOST_BYTES: u64 = 8 << 20;
/// Some programs write it before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Characters of a name that is told back.
const MOST_OF_A_NAME: usize = 60;
/// What a line may be, with its members and whether each is needed: to say what is wrong with one that was not understood.
const KINDS: [(&str, &[(&str, bool)]); 3] = [
    ("user_message", &[("content", true)]),
    (
        "approval",
        &[("id", true), ("request", false), ("digest", true), ("decision", true), ("reason", false)],
    ),
    ("interrupt", &[]),
];

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
        let line = match line.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if *number == 1 => rest,
            _ => line.as_slice(),
        };
        if !line.trim_ascii().is_empty() {
            return Ok(Some(
                serde_json::from_slice(line)
                    .map_err(|_words| format!("the line was not understood: {}", fault_of(line))),
            ));
        }
    }
}

/// What is wrong with a line that was not understood. The parser's own words speak of its types, which nobody outside knows.
fn fault_of(line: &[u8]) -> String {
    if std::str::from_utf8(line).is_err() {
        return "it is not UTF-8".to_owned();
    }
    let members = match serde_json::from_slice(line) {
        Ok(Value::Object(members)) => members,
        Ok(_) => return "it is not a JSON object".to_owned(),
        Err(why) if why.is_eof() => return "it is not JSON: it ends too early".to_owned(),
        Err(why) => return format!("it is not JSON (column {})", why.column()),
    };
    let known = || KINDS.map(|(kind, _)| kind).join(", ");
    let kind = match members.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(_) => return format!("its `type` is not a string; known types: {}", known()),
        None => return format!("it has no `type`; known types: {}", known()),
    };
    let Some((_, own)) = KINDS.iter().find(|(name, _)| *name == kind) else {
        return format!("unknown type `{}`; known types: {}", shortened(kind), known());
    };
    let is_own = |name: &str| name == "type" || own.iter().any(|(member, _)| *member == name);
    if let Some(other) = members.keys().find(|name| !is_own(name.as_str())) {
        return format!("`{kind}` has no member `{}`", shortened(other));
    }
    if let Some((name, _)) = own.iter().find(|(name, is_needed)| *is_needed && !members.contains_key(*name)) {
        return format!("`{kind}` needs the member `{name}`");
    }
    let may_be = |name: &str, value: &Value| value.is_string() || (name == "request" && value.is_null());
    if let Some((name, _)) = members.iter().find(|(name, value)| !may_be(name.as_str(), value)) {
        return format!("`{name}` is not a string");
    }
    match members.get("decision").and_then(Value::as_str) {
        None | Some("allow" | "deny") => "a member stands in it more than once".to_owned(),
        Some(_) => "`decision` is neither `allow` nor `deny`".to_owned(),
    }
}

fn shortened(name: &str) -> String {
    name.chars().take(MOST_OF_A_NAME).collect()
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
        let known = "known types: user_message, approval, interrupt";
        let no_type = format!("it has no `type`; {known}");
        let odd_type = format!("its `type` is not a string; {known}");
        let unknown = format!("unknown type `shout`; {known}");
        for (refused, why) in [
            ("hello", "it is not JSON (column 1)"),
            ("{\"type\":", "it is not JSON: it ends too early"),
            ("[]", "it is not a JSON object"),
            ("\"x\"", "it is not a JSON object"),
            ("{}", no_type.as_str()),
            ("{\"type\":7}", odd_type.as_str()),
            ("{\"type\":\"shout\"}", unknown.as_str()),
            ("{\"type\":\"user_message\"}", "`user_message` needs the member `content`"),
            ("{\"type\":\"user_message\",\"content\":7}", "`content` is not a string"),
            (
                "{\"type\":\"user_message\",\"content\":\"x\",\"content\":\"y\"}",
                "a member stands in it more than once",
            ),
            (
                "{\"type\":\"user_message\",\"content\":\"x\",\"more\":1}",
                "`user_message` has no member `more`",
            ),
            ("{\"type\":\"interrupt\",\"more\":1}", "`interrupt` has no member `more`"),
            (
                "{\"type\":\"approval\",\"id\":\"c1\",\"digest\":\"d\",\"decision\":\"always\"}",
                "`decision` is neither `allow` nor `deny`",
            ),
            (
                "{\"type\":\"approval\",\"id\":\"c1\",\"decision\":\"allow\"}",
                "`approval` needs the member `digest`",
            ),
        ] {
            let says = format!("the line was not understood: {why}");
            assert_eq!(read(refused.as_bytes()), [Err(says)], "{refused}");
        }
        assert!(matches!(&read(b"\xff\xfe\n{\"type\":\"interrupt\"}")[..], [Err(_), Ok(_)]));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_line() {
        let line = b"\xef\xbb\xbf{\"type\":\"interrupt\"}\n";
        let found = read(&[&line[..], &line[..]].concat());
        assert!(matches!(&found[..], [Ok(MessageLine::Interrupt {}), Err(_)]), "{found:?}");
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
