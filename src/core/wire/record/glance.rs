//! What a line says in words, read without understanding all of it: for searches through many sessions.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memmem};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::members::Text;
use crate::ledger::{EntryId, Image};

/// How the lines begin that we write: the type comes first.
const OURS: &[u8] = br#"{"type":""#;
/// What stands before the contents.
const SALTS: &[u8] = br#","salts":{"#;

/// What one line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glance<'l> {
    /// Its entry.
    pub entry: EntryId,
    /// Its type.
    pub kind: &'static str,
    /// The words.
    pub text: Cow<'l, str>,
}

/// The members that are read; the others only have to be JSON.
#[derive(Deserialize)]
struct GlanceLine<'l> {
    #[serde(borrow)]
    entry: Text<'l>,
    #[serde(borrow)]
    kind: Option<Text<'l>>,
    #[serde(borrow)]
    content: Option<Text<'l>>,
    #[serde(borrow)]
    text: Option<Text<'l>>,
    #[serde(borrow)]
    summary: Option<Text<'l>>,
    #[serde(borrow)]
    name: Option<Text<'l>>,
    #[serde(borrow)]
    arguments: Option<&'l RawValue>,
}

/// What a line says. `None`: it must be understood whole, as its type, its form or what was left out of it wants; or as an image of the
/// clipboard stands in it, which people read by its chip.
pub fn glance(line: &[u8]) -> Option<Glance<'_>> {
    words(line).filter(|seen| !may_have_chips(seen))
}

/// Whether a person may have said it with an image of the clipboard.
fn may_have_chips(seen: &Glance<'_>) -> bool {
    matches!(seen.kind, "user_message" | "injected") && seen.text.contains(Image::CLIPBOARD_FOLDER)
}

fn words(line: &[u8]) -> Option<Glance<'_>> {
    let rest = line.strip_prefix(OURS)?;
    let kind = KINDS
        .iter()
        .find(|kind| rest.strip_prefix(kind.as_bytes()).is_some_and(|rest| rest.starts_with(b"\"")))?;
    if let Some(glance) = outright(rest, kind) {
        return Some(glance);
    }
    let members: GlanceLine<'_> = serde_json::from_slice(line).ok()?;
    let text = match *kind {
        "user_message" | "tool_result" => members.content,
        "compaction" => members.summary,
        "tool_call" => {
            return Some(Glance {
                entry: EntryId::parse(&members.entry.0)?,
                kind,
                text: Cow::Owned(called(&members.name?.0, members.arguments?)?),
            });
        }
        // Other kinds of notes are told in other words, or record something else.
        "note" => members.text.filter(|_| members.kind.as_ref().is_some_and(|kind| kind.0 == "plain")),
        _ => members.text,
    };
    Some(Glance { entry: EntryId::parse(&members.entry.0)?, kind, text: text?.0 })
}

/// The words of a line whose first content they are, as in every line that we write: nothing else of it is read.
fn outright<'l>(rest: &'l [u8], kind: &'static str) -> Option<Glance<'l>> {
    let begins: &[u8] = match kind {
        "user_message" | "tool_result" => br#","content":"#,
        "agent_response" | "injected" => br#","text":"#,
        _ => return None,
    };
    let entry = rest.get(kind.len()..)?.strip_prefix(br#"","entry":""#)?;
    let entry = entry.get(..memchr(b'"', entry)?)?;
    // A line that a crash has torn says nothing.
    let rest = rest.strip_suffix(b"}\n")?;
    // Quotes are escaped within texts, so this is a member.
    let salts = rest.get(memmem::find(rest, SALTS)? + SALTS.len()..)?;
    let contents = salts.get(memchr(b'}', salts)? + 1..)?.strip_prefix(begins)?;
    Some(Glance { entry: EntryId::parse(std::str::from_utf8(entry).ok()?)?, kind, text: text(contents)? })
}

/// The text with which these bytes begin, in JSON.
fn text(json: &[u8]) -> Option<Cow<'_, str>> {
    let inside = json.strip_prefix(b"\"")?;
    let mut end = memchr2(b'"', b'\\', inside)?;
    if inside.get(end) == Some(&b'"') {
        return std::str::from_utf8(inside.get(..end)?).ok().map(Cow::Borrowed);
    }
    while inside.get(end) == Some(&b'\\') {
        end += 2;
        end += memchr2(b'"', b'\\', inside.get(end..)?)?;
    }
    serde_json::from_slice(json.get(..end + 2)?).ok().map(Cow::Owned)
}

/// A call in words: its name and its arguments. `None`: those are no object.
fn called(name: &str, arguments: &RawValue) -> Option<String> {
    let arguments: Value = serde_json::from_str(arguments.get()).ok()?;
    arguments.is_object().then(|| call_in_words(name, &arguments))
}

/// A call as people search for it: its name, and each argument with its name, texts as they are and not as JSON escapes them.
pub fn call_in_words(name: &str, arguments: &Value) -> String {
    let mut words = name.to_owned();
    let one = |words: &mut String, name: &str, value: &Value| {
        words.push(' ');
        words.push_str(name);
        words.push(' ');
        match value {
            Value::String(text) => words.push_str(text),
            other => words.push_str(&other.to_string()),
        }
    };
    match arguments {
        Value::Object(members) => members.iter().for_each(|(name, value)| one(&mut words, name, value)),
        other => one(&mut words, "", other),
    }
    words
}

const KINDS: [&str; 7] =
    ["user_message", "agent_response", "tool_call", "tool_result", "injected", "compaction", "note"];

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(line: &str) -> Option<(String, &'static str, String)> {
        glance(line.as_bytes()).map(|seen| (seen.entry.to_string(), seen.kind, seen.text.into_owned()))
    }

    #[test]
    fn the_words_of_a_line_are_read_and_nothing_else() {
        let user = r#"{"type":"user_message","entry":"e2","at":"x","images":[{}],"content":"say \"hi\""}"#;
        assert_eq!(seen(user), Some(("e2".into(), "user_message", "say \"hi\"".into())));
        let answer = r#"{"type":"agent_response","entry":"e3","tool_calls":[{"name":"ls"}],"text":"Yes."}"#;
        assert_eq!(seen(answer), Some(("e3".into(), "agent_response", "Yes.".into())));
        let call = r#"{"type":"tool_call","entry":"e5","name":"ls","arguments":{"path":"a\u007f"}}"#;
        assert_eq!(seen(call), Some(("e5".into(), "tool_call", "ls path a\u{7f}".into())));
        let note = r#"{"type":"note","entry":"e4","kind":"plain","text":"so"}"#;
        assert_eq!(seen(note), Some(("e4".into(), "note", "so".into())));
    }

    #[test]
    fn what_needs_more_is_left_to_those_who_understand_it() {
        for line in [
            r#"{"type":"note","entry":"e4","text":"of version 1"}"#,
            r#"{"type":"note","entry":"e4","kind":"call_failed","text":"x"}"#,
            r#"{"type":"tool_call","entry":"e4","name":"shell"}"#,
            r#"{"type":"tool_call","entry":"e4","name":"shell","arguments":"{"}"#,
            r#"{"entry":"e4","type":"user_message","content":"another program wrote it"}"#,
            r#"{"type":"user_message","entry":"e4"}"#,
            r#"{"type":"user_message","entry":"four","content":"x"}"#,
            r#"{"type":"user_message","entry":"e4","content":"x""#,
            r#"{"type":"user_messages","entry":"e4","content":"x"}"#,
            r#"{"type":"user_message","entry":"e4","content":"@/tmp/countersign-clipboard-1/a.png"}"#,
            r#"{"type":"injected","entry":"e4","text":"@/tmp/countersign-clipboard-1/a.png"}"#,
        ] {
            assert_eq!(seen(line), None, "{line}");
        }
    }
}
