//! What a list says of a session, read from its lines without understanding all of them.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::ledger::Pastes;

/// How the lines begin that we write: the type comes first.
const OURS: &[u8] = br#"{"type":""#;
/// The types that an outline is made of.
const KINDS: [&[u8]; 6] =
    [b"user_message", b"transition", b"turn_ended", b"session_renamed", b"session_tagged", b"sealed"];
/// Bytes in which the name of a type ends.
const LONGEST_KIND: usize = 32;

/// What was said first, the name, and how the last run ended, as far as lines were read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// What the user said first, as a title says it: with a word in the place of an image of the clipboard.
    pub first_message: Option<String>,
    /// The name that the user gave it last.
    pub name: Option<String>,
    /// The tags that the user gave it and did not take away.
    pub tags: BTreeSet<String>,
    /// Whether what was said first is a command that the user ran, behind which nothing was said yet.
    pub begins_with_command: bool,
    /// Whether somebody signed it.
    pub is_sealed: bool,
    /// Why the last run ended; `None` while none has, or after something followed.
    pub ending: Option<String>,
}

/// A line that an outline is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    /// Words, or what was typed for the message of a command.
    User {
        words: String,
        is_call: bool,
    },
    Renamed(String),
    Tagged {
        added: Vec<String>,
        removed: Vec<String>,
    },
    Sealed,
    Transition,
    Ended(String),
}

/// The members that are read.
#[derive(Deserialize)]
struct OutlineLine<'l> {
    #[serde(rename = "type")]
    kind: String,
    content: Option<String>,
    /// Whatever it is, the line says the rest. Nothing is built of it that is not two numbers each: others can have written it.
    #[serde(borrow)]
    pastes: Option<&'l RawValue>,
    name: Option<String>,
    reason: Option<String>,
    #[serde(default)]
    added: Vec<String>,
    #[serde(default)]
    removed: Vec<String>,
}

impl Outline {
    /// Reads one line.
    pub fn read(&mut self, line: &[u8]) {
        match Said::of(line) {
            Some(Said::User { words, is_call }) => {
                self.says(words, is_call);
                self.ending = None;
            }
            Some(Said::Renamed(name)) => self.name = Some(name),
            Some(Said::Tagged { added, removed }) => {
                self.tags.extend(added);
                self.tags.retain(|tag| !removed.contains(tag));
            }
            Some(Said::Sealed) => self.is_sealed = true,
            Some(Said::Transition) => self.ending = None,
            Some(Said::Ended(reason)) => self.ending = Some(reason),
            None => {}
        }
    }
}

impl Outline {
    /// Takes a message in. A built-in command that runs something first is known by its message, which is the second.
    fn says(&mut self, words: String, is_call: bool) {
        let is_first = self.first_message.is_none();
        let is_command = is_first && words.starts_with('!');
        if is_first || (self.begins_with_command && is_call) {
            self.first_message = Some(words);
        }
        self.begins_with_command = is_command;
    }

    /// Reads of one line only what a title is made of.
    pub fn read_title(&mut self, line: &[u8]) {
        let kind = line.strip_prefix(OURS);
        let is_one = kind.is_none_or(|kind| {
            kind.starts_with(b"session_renamed\"")
                || ((self.first_message.is_none() || self.begins_with_command)
                    && kind.starts_with(b"user_message\""))
        });
        if is_one {
            self.read(line);
        }
    }

    /// What a session is known by: its name, else what the user said first.
    pub fn title(&self) -> &str {
        self.name.as_ref().or(self.first_message.as_ref()).map_or("", String::as_str)
    }
}

impl Said {
    /// A message of which this was pasted. One that was pasted with its header calls nothing.
    fn of_user(words: String, spans: Vec<(usize, usize)>) -> Self {
        let is_pasted = |typed: &str| {
            let header = typed.len()..=typed.len() + "\n\n".len();
            spans.iter().any(|(from, to)| *from == 0 || (from <= header.end() && to > header.start()))
        };
        let is_call = called(&words).is_some_and(|typed| !is_pasted(typed));
        let words = in_title(words, spans);
        let typed = called(&words).filter(|_| is_call).map(str::to_owned);
        Self::User { words: typed.unwrap_or(words), is_call }
    }

    /// Understands a line if it is of one of these types. Most lines are told apart without being parsed.
    fn of(line: &[u8]) -> Option<Self> {
        if !may_be_one(line) {
            return None;
        }
        let members: OutlineLine<'_> = serde_json::from_slice(line).ok()?;
        match members.kind.as_str() {
            "user_message" => {
                let spans = members.pastes.and_then(|pastes| serde_json::from_str(pastes.get()).ok());
                let spans = spans.unwrap_or_default();
                members.content.map(|words| Self::of_user(words, spans))
            }
            "session_renamed" => members.name.map(Self::Renamed),
            "session_tagged" => Some(Self::Tagged { added: members.added, removed: members.removed }),
            "sealed" => Some(Self::Sealed),
            "transition" => Some(Self::Transition),
            "turn_ended" => members.reason.map(Self::Ended),
            _ => None,
        }
    }
}

/// What was typed for a message that a command has made: what stands before the line that says what it is from.
fn called(words: &str) -> Option<&str> {
    let (typed, behind) = words.split_once("\n\n[from ").filter(|(typed, _)| typed.starts_with('/'))?;
    let (source, _) = behind.split_once("]\n\n")?;
    (source.contains(", SHA-256 ") && !source.contains('\n')).then_some(typed)
}

/// The words of a message of which this was pasted.
fn in_title(words: String, spans: Vec<(usize, usize)>) -> String {
    if spans.is_empty() {
        return words;
    }
    Pastes::of(&words, spans).naming(&words, &[]).titled(&words)
}

/// Whether a line can be of one of the types. A line that others have written may name its type later.
fn may_be_one(line: &[u8]) -> bool {
    match line.strip_prefix(OURS) {
        Some(rest) => {
            let end = rest.iter().take(LONGEST_KIND).position(|byte| *byte == b'"');
            end.and_then(|end| rest.get(..end)).is_some_and(|kind| KINDS.contains(&kind))
        }
        None => KINDS.iter().any(|kind| line.windows(kind.len()).any(|window| window == *kind)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(lines: &[&str]) -> Outline {
        let mut outline = Outline::default();
        lines.iter().for_each(|line| outline.read(line.as_bytes()));
        outline
    }

    #[test]
    fn lines_are_understood_wherever_they_name_their_type() {
        let found = outline(&[
            r#"{"type":"user_message","content":"first"}"#,
            r#"{ "content": "second", "type": "user_message" }"#,
            r#"{"type":"session_tagged","added":["a","b"],"removed":["c"]}"#,
            r#"{"added":[],"removed":["a"], "type": "session_tagged"}"#,
            r#"{"type":"agent_response","text":"session_renamed","name":"no"}"#,
            r#"{"type":"session_renamed","name":"x"}"#,
            r#"{"type":"turn_ended","reason":"completed"}"#,
            r#"{"type":"sealed","head":"","signature":""}"#,
        ]);
        let tags = BTreeSet::from(["b".to_owned()]);
        let (first, name) = (Some("first".to_owned()), Some("x".to_owned()));
        let ending = Some("completed".to_owned());
        let begins_with_command = false;
        let expected =
            Outline { first_message: first, name, tags, begins_with_command, is_sealed: true, ending };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_title_is_the_same_without_the_rest() {
        let lines = [
            r#"{"type":"user_message","content":"first"}"#,
            r#"{"type":"turn_ended","reason":"completed"}"#,
            r#"{ "content": "second", "type": "user_message" }"#,
            r#"{"type":"session_renamed","name":"x"}"#,
            r#"{"name":"y", "type": "session_renamed"}"#,
        ];
        for most in 0..=lines.len() {
            let (mut titled, whole) = (Outline::default(), outline(&lines[..most]));
            lines[..most].iter().for_each(|line| titled.read_title(line.as_bytes()));
            assert_eq!(titled.title(), whole.title());
        }
        assert_eq!(outline(&lines).title(), "y");
    }

    #[test]
    fn a_title_of_a_called_command_is_what_was_typed() {
        let line = |words: &str| {
            let words = serde_json::to_string(words).unwrap();
            format!(r#"{{"type":"user_message","content":{words}}}"#)
        };
        let title = |said: &[&str]| {
            let lines: Vec<String> = said.iter().map(|words| line(words)).collect();
            let (mut titled, mut whole) = (Outline::default(), Outline::default());
            for line in &lines {
                titled.read_title(line.as_bytes());
                whole.read(line.as_bytes());
            }
            assert_eq!(titled.title(), whole.title());
            titled.title().to_owned()
        };
        let review = "/review --base a\n\n[from countersign, built in, SHA-256 ab]\n\nReview it.";
        assert_eq!(title(&[review]), "/review --base a");
        assert_eq!(title(&["/tidy [x]\n\n[from a.md, SHA-256 cd]\n\nTidy."]), "/tidy [x]");
        assert_eq!(title(&["!git diff", review]), "/review --base a", "what it runs first is no title");
        assert_eq!(title(&["!ls", "why?", review]), "!ls");
        let pasted = serde_json::to_string(review).unwrap();
        for (from, to, is_call) in [(0, review.len(), false), (18, 70, false), (8, 16, true)] {
            let line = format!(r#"{{"type":"user_message","content":{pasted},"pastes":[[{from},{to}]]}}"#);
            assert_eq!(outline(&[&line]).title() == "/review --base a", is_call, "{line}");
        }
        for words in ["see\n\n[from a.md, SHA-256 cd]\n\nit", "/x\n\n[from here]\n\non"] {
            assert_eq!(title(&[words]), words, "nothing was called");
        }
    }

    #[test]
    fn a_title_has_a_word_for_an_image_of_the_clipboard() {
        let title = |pastes: &str| {
            let content = "see @/tmp/countersign-clipboard-1/pasted-1.png now";
            let line = format!(r#"{{"type":"user_message","content":"{content}","pastes":{pastes}}}"#);
            outline(&[&line]).title().to_owned()
        };
        assert_eq!(title("[[4,46]]"), "see [Image] now");
        for other in ["[]", "[[4,460]]", "7", "null", "[[4,46],{}]", "[[\"a\"]]"] {
            assert!(title(other).starts_with("see @/tmp/"), "{other}");
        }
    }

    #[test]
    fn many_images_in_a_line_of_others_are_looked_at_once_each() {
        let mention = "@/countersign-clipboard-1/a.png";
        let many = 200_000;
        let spans: Vec<String> =
            (0..many).map(|at| format!("[{},{}]", at * mention.len(), (at + 1) * mention.len())).collect();
        let (content, pastes) = (mention.repeat(many), spans.join(","));
        let line = format!(r#"{{"type":"user_message","content":"{content}","pastes":[{pastes}]}}"#);
        assert_eq!(outline(&[&line]).title().len(), many * "[Image]".len());
    }

    #[test]
    fn a_torn_line_says_nothing() {
        let found =
            outline(&[r#"{"type":"turn_ended","reason":"completed"}"#, r#"{"type":"user_message","cont"#]);
        assert_eq!(found.ending.as_deref(), Some("completed"));
    }
}
