//! However an answer is cut into pieces: the same result, no flicker, and no delay of what is no call.

use countersign::model::ModelEvent;
use countersign::wire::string_mode::Parser;
use proptest::prelude::*;

use crate::string_mode::forms::{FORMS, PLAIN};
use crate::string_mode::{Answer, events, read};

/// `text` in pieces of at most so many characters, in turn.
fn pieces(text: &str, sizes: &[usize]) -> Vec<String> {
    let mut rest: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let tail = rest.split_off((*size).min(rest.len()));
        pieces.push(rest.into_iter().collect());
        rest = tail;
    }
    pieces
}

fn in_pieces(text: &str, sizes: &[usize]) -> Answer {
    Answer::of(events(pieces(text, sizes).iter().map(String::as_str)))
}

#[test]
fn cut_at_every_character() {
    for text in FORMS.iter().map(|(form, _)| form).chain(PLAIN) {
        let whole = read(text);
        for (at, _) in text.char_indices() {
            let (head, tail) = text.split_at(at);
            assert_eq!(Answer::of(events([head, tail])), whole, "{head}|{tail}");
        }
        assert_eq!(in_pieces(text, &[1]), whole, "{text}");
    }
}

#[test]
fn text_passes_at_once() {
    let plain = "Hello wörld. A list:\n- one [x](y) < two\n\n```rust\nfn main() {}\n{\"name\": 1}\n```\n\n\
                 {\"version\": 1, \"name\": \"x\", \"arguments\": {}}\n```json\n{\"files\": [\"a\"]}\n```\n";
    let mut parser = Parser::new();
    let (mut given, mut said) = (0, 0);
    for c in plain.chars() {
        given += c.len_utf8();
        for event in parser.push(ModelEvent::Text(c.to_string())) {
            let ModelEvent::Text(text) = event else { panic!("{event:?}") };
            said += text.len();
        }
        assert!(given - said <= "\n```json\n{\"f".len(), "at byte {given} only {said} were said");
    }
}

/// Parts of answers: text that is none of a call, and calls. Everything in a call has `KEEP` in it.
fn part() -> impl Strategy<Value = (String, usize)> {
    let text = prop_oneof![
        "[a-z ]{1,8}",
        Just("\n".to_owned()),
        Just("\n```rust\nlet {x} = 1;\n```\n".to_owned()),
        Just("\n{\"a\": [1]}\n".to_owned()),
        Just("`code` < [b] ~ ".to_owned()),
    ];
    let call = prop_oneof![
        Just("\n```tool_call\n{\"tool\": \"KEEP\", \"arguments\": {\"KEEP\": \"KEEP\"}}\n```\n"),
        Just("\n```delegate\n{\"agent\": \"KEEP\", \"task\": \"KEEP\"}\n```\n"),
        Just("\n{\"tool_calls\": [{\"name\": \"KEEP\", \"arguments\": {\"KEEP\": \"\\\"}KEEP\"}}]}\n"),
        Just("\n{\"name\": \"KEEP\", \"input\": {}}\n"),
        Just("\n```json\n{\"name\": \"KEEP\", \"arguments\": {}}\n```\n"),
        Just("<tool_call>{\"name\": \"KEEP\"}</tool_call>"),
        Just("\n```tool_call\n{\"tool\": \"KEEP\", \"arguments\": KEEP}\n```\n"),
    ];
    prop_oneof![text.prop_map(|text| (text, 0)), call.prop_map(|call| (call.to_owned(), 1))]
}

/// Pieces of what answers are made of, in any order: sometimes calls, mostly broken ones.
fn soup() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "```",
        "`",
        "json",
        "tool_call",
        "delegate",
        "rust",
        "\n",
        "\n",
        " ",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\"name\"",
        "\"arguments\"",
        "\"tool_calls\"",
        "\"id\"",
        "\"x\"",
        ":",
        ",",
        "1",
        "<tool_call>",
        "</tool_call>",
        "[TOOL_CALLS]",
        "~~~",
        "<",
        "wörd",
        "\\",
        "\r\n",
        "</think>",
        "{\"name\":\"x\",\"arguments\":{",
    ];
    prop::collection::vec(prop::sample::select(WORDS), 0..60).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn any_pieces_give_the_same_result(text in soup(), sizes in prop::collection::vec(1usize..9, 1..6)) {
        prop_assert_eq!(in_pieces(&text, &sizes), read(&text));
    }

    #[test]
    fn nothing_of_a_call_is_ever_said(parts in prop::collection::vec(part(), 0..12), size in 1usize..7) {
        let text: String = parts.iter().map(|(part, _)| part.as_str()).collect();
        let made: usize = parts.iter().map(|(_, calls)| calls).sum();
        let answer = in_pieces(&text, &[size]);
        prop_assert_eq!(answer.calls.len(), made, "{}", text);
        prop_assert!(!answer.text.contains("KEEP") && !answer.text.contains("tool_call"), "{}", answer.text);
        for (_, name, _) in answer.calls {
            prop_assert!(name.ends_with("KEEP"), "{}", name);
        }
    }

    #[test]
    fn an_answer_without_calls_passes_byte_for_byte(text in soup()) {
        let answer = read(&text);
        prop_assert!(!answer.calls.is_empty() || answer.text == text, "{answer:?}");
    }

    #[test]
    fn before_a_structured_call_all_text_passes_byte_for_byte(text in soup(), size in 1usize..9) {
        let mut parser = Parser::new();
        let mut events = Vec::new();
        for piece in pieces(&text, &[size]) {
            events.extend(parser.push(ModelEvent::Text(piece)));
        }
        events.extend(parser.push(ModelEvent::CallStarted { index: 0, wire_id: "c".into(), name: "n".into() }));
        events.extend(parser.finish());
        prop_assert_eq!(Answer::of(events).text, text);
    }
}

/// Each of these is a million characters or more; whoever looks at each of them more than a few times does not
/// come back.
#[test]
fn hostile_answers_end() {
    for (start, repeated, end) in [
        ("{\"tool_calls\":", "[", ""),
        ("", "{\"name\":", ""),
        ("", "{\"name\":\"x\",\"arguments\":{\n", ""),
        ("", "`", ""),
        ("", "```\n`", ""),
        ("", "<tool_call", ""),
        ("", "<tool_call>{\"a\":1}", "{"),
        ("```tool_call\n", "{\"tool\":\"x\"}``", "```"),
        ("```tool_call\n", "\"tool\"", "```"),
        ("{\"name\":\"x\",\"arguments\":\"", "\\\"", "\"}"),
        ("<think>", "</thin", ""),
        ("{", "\"id\":1,", "}"),
        ("", "{\"id\":", ""),
        ("~", "~", ""),
    ] {
        let text = format!("{start}{}{end}", repeated.repeat(1_000_000 / repeated.len() + 1));
        let whole = read(&text);
        assert!(whole.text.len() + whole.thinking.len() + whole.calls.len() > 0, "{start}{repeated}");
        assert_eq!(in_pieces(&text, &[997]), whole, "{start}{repeated}");
    }
}
