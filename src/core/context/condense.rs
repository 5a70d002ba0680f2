//! What a summary replaces and what stays beside it, and a long history as plain text, to be summarised part by part.

use crate::ledger::{Block, Image, Message, Placed};

use super::window::message_tokens;

/// Room for what stays, in estimated tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// For the exchange that the user's last message began: it stays if it fits.
    pub last: u64,
    /// For more than that.
    pub recent: u64,
}

/// The number of the first message that stays. Never 0: something is always replaced. A call and its results are on the
/// same side. Beyond the last exchange at most half of the history stays.
pub fn cut(messages: &[Placed], keep: Keep) -> usize {
    let sizes: Vec<u64> = messages.iter().map(|placed| message_tokens(&placed.message)).collect();
    let all: u64 = sizes.iter().sum();
    let wish = messages.iter().rposition(|placed| placed.is_users);
    let (mut cut, mut kept) = (messages.len(), 0);
    for (at, placed) in messages.iter().enumerate().skip(1).rev() {
        kept += sizes.get(at).copied().unwrap_or_default();
        let is_last_exchange = wish == Some(at) && kept <= keep.last;
        let is_recent = kept <= keep.recent && kept <= all / 2;
        // Results stay with their call, which comes before them.
        let may_begin = !matches!(placed.message, Message::Results(_));
        if may_begin && (is_last_exchange || is_recent) {
            cut = at;
        }
    }
    cut
}

/// A history as text: who said what, calls and results included, reasoning left out.
pub fn transcript<'a>(messages: impl IntoIterator<Item = &'a Message>) -> String {
    let mut text = String::new();
    for message in messages {
        match message {
            Message::User(said) => {
                push(&mut text, "user", &said.content);
                said.images.iter().for_each(|image| push_image(&mut text, image));
            }
            Message::Assistant(said) => {
                for block in &said.blocks {
                    match block {
                        Block::Text(words) => push(&mut text, "assistant", words),
                        Block::ToolUse(call) => {
                            let arguments = call.arguments.to_value().to_string();
                            push(&mut text, &format!("assistant calls {}", call.name), &arguments);
                        }
                        Block::Hosted(_) | Block::Thinking(_) => {}
                    }
                }
            }
            Message::Results(results) => {
                for result in results {
                    let outcome = result.outcome.as_str();
                    push(&mut text, &format!("result of {}, {outcome}", result.name), &result.content);
                    result.images.iter().for_each(|image| push_image(&mut text, image));
                }
            }
        }
    }
    text
}

fn push(text: &mut String, who: &str, said: &str) {
    text.push_str(&format!("[{who}]\n{said}\n\n"));
}

fn push_image(text: &mut String, image: &Image) {
    text.push_str(&format!("[{}]\n\n", image.facts()));
}

/// Where the part that begins at byte `from` ends, when it may have `most` bytes: after a line if there is one in its
/// last quarter, and never within a character.
pub fn part_end(text: &str, from: usize, most: usize) -> usize {
    let end = from.saturating_add(most.max(4)).min(text.len());
    let end = (from..=end).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    if end == text.len() {
        return end;
    }
    let part = text.get(from..end).unwrap_or_default();
    match part.rfind('\n') {
        Some(line) if line > part.len() / 4 * 3 => from + line + 1,
        _ => end,
    }
}

/// `text` in at most about `most` bytes: its beginning and its end, and how much is left out between them.
pub fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let half = most / 2;
    let head = (0..=half).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let tail = (text.len() - half..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let (head, tail) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    let left_out = text.chars().count() - head.chars().count() - tail.chars().count();
    format!("{head}\n[… {left_out} characters omitted …]\n{tail}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ledger::{
        Arguments, AssistantMessage, CallId, EntryId, ModelRef, Outcome, Stop, ToolResult, ToolUse, Usage,
    };

    fn user(at: usize, tokens: usize) -> Placed {
        Placed { at, is_users: true, message: Message::User(Arc::new("x".repeat(tokens * 4).into())) }
    }

    fn assistant(at: usize, blocks: Vec<Block>) -> Placed {
        let message = AssistantMessage {
            id: EntryId(at as u64),
            model: ModelRef::parse("m"),
            blocks,
            stop: Stop::End,
            usage: Usage::default(),
            interrupted: false,
        };
        Placed { at, is_users: false, message: Message::Assistant(Arc::new(message)) }
    }

    fn says(at: usize, tokens: usize) -> Placed {
        assistant(at, vec![Block::Text("x".repeat(tokens * 4).into())])
    }

    fn calls(at: usize) -> Placed {
        let (id, name) = (CallId(at as u64), "read".to_owned());
        let call = ToolUse { id, wire_id: String::new(), name, arguments: Arguments::parse("{}") };
        assistant(at, vec![Block::ToolUse(call)])
    }

    fn result(at: usize, tokens: usize) -> Placed {
        let result = ToolResult {
            call: CallId(1),
            name: "read".into(),
            outcome: Outcome::Ok,
            content: "x".repeat(tokens * 4),
            written: None,
            duration_ms: 0,
            cut_chars: 0,
            facts: crate::ledger::Facts::default(),
            images: Vec::new(),
        };
        Placed { at, is_users: false, message: Message::Results(vec![Arc::new(result)]) }
    }

    #[test]
    fn recent_messages_stay_in_complete_pairs_and_something_is_always_replaced() {
        let history =
            [user(1, 100), says(2, 100), user(3, 10), calls(4), result(5, 20), calls(6), result(7, 30)];
        let keep = |last, recent| cut(&history, Keep { last, recent });
        assert_eq!(keep(1_000, 1_000), 2, "the last exchange; half of the history is 131 tokens");
        assert_eq!(keep(10, 40), 5, "the newest pair");
        assert_eq!(keep(10, 30), 7, "a result does not stay without its call");
        assert_eq!(keep(0, 0), 7);
        assert_eq!(cut(&[user(1, 100)], Keep { last: 1_000, recent: 1_000 }), 1, "all of it is replaced");
        let question = [user(1, 5), says(2, 5), user(3, 500)];
        assert_eq!(
            cut(&question, Keep { last: 600, recent: 10 }),
            2,
            "a long last message stays, if it fits"
        );
        assert_eq!(cut(&question, Keep { last: 400, recent: 10 }), 3);
    }

    #[test]
    fn parts_cover_the_text_once_and_split_no_character() {
        let text = "é line of text\n".repeat(50);
        for most in [1, 7, 40, 333, 10_000] {
            let (mut from, mut joined) = (0, String::new());
            while from < text.len() {
                let end = part_end(&text, from, most);
                assert!(end > from && end - from <= most.max(4));
                joined.push_str(text.get(from..end).unwrap());
                from = end;
            }
            assert_eq!(joined, text);
        }
    }

    #[test]
    fn what_is_too_long_keeps_its_ends() {
        assert_eq!(shortened("short", 10), "short");
        let cut = shortened(&format!("begin{}end", "é".repeat(1_000)), 100);
        assert!(cut.starts_with("begin") && cut.ends_with("end") && cut.contains("characters omitted"));
        assert!(cut.len() < 200);
    }
}
