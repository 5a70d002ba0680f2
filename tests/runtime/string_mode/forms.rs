//! Every form of a call, what is none, and calls that cannot be read.

use countersign::ledger::{Arguments, Block, CallId, EntryId, ModelRef, Stop, ToolUse, Usage};
use countersign::model::ModelEvent;
use countersign::wire::string_mode::Parser;

use crate::string_mode::{Answer, call, draft, events, read};

/// Answers that hold one call of `echo` with `{"a":1}`, and the text that is left of each.
pub(crate) const FORMS: &[(&str, &str)] = &[
    ("{\"tool_calls\":[{\"name\":\"echo\",\"arguments\":{\"a\":1}}]}", ""),
    ("  {\n  \"tool_calls\": [\n    {\"tool\": \"echo\", \"input\": {\"a\": 1}}\n  ]\n}\n", ""),
    (
        "{\"tool_calls\":[{\"type\":\"function\",\"function\":{\"name\":\"echo\",\"arguments\":\"{\\\"a\\\":1}\"}}]}",
        "",
    ),
    ("{\"name\": \"echo\", \"arguments\": {\"a\": 1}}", ""),
    ("{\"arguments\": {\"a\": 1}, \"tool\": \"echo\"}", ""),
    ("{\"name\": \"echo\", \"parameters\": {\"a\": 1}}", ""),
    ("So:\n{\"tool\": \"echo\", \"input\": {\"a\": 1}} and that is it.", "So:"),
    ("So:\n\n```json\n{\"name\": \"echo\", \"arguments\": {\"a\": 1}}\n```\nWaiting.", "So:"),
    (
        "So:\n```JSON  \r\n\r\n{\"tool_calls\": [{\"name\": \"echo\", \"arguments\": {\"a\": 1}}]}\r\n```\r\n",
        "So:",
    ),
    ("```\n{\"name\": \"echo\", \"arguments\": {\"a\": 1}}\n```", ""),
    ("```tool_call\n{\"tool\": \"echo\", \"arguments\": {\"a\": 1}}\n```", ""),
    ("```tool_call {\"tool\": \"echo\", \"arguments\": {\"a\": 1}}```", ""),
    ("  ```tool_calls  \n\n[{\"name\": \"echo\", \"input\": {\"a\": 1}}]\n  ```", ""),
    ("I call it: ```tool_call\n{\"tool\": \"echo\", \"arguments\": {\"a\": 1}}\n```", "I call it:"),
    ("```tool_call\n{\"tool\": \"echo\", \"arguments\": {\"a\": 1}}", ""),
    ("<tool_call>\n{\"name\": \"echo\", \"arguments\": {\"a\": 1}}\n</tool_call>", ""),
    ("I do.<tool_call>{\"name\": \"echo\", \"arguments\": {\"a\": 1}}</tool_call>\nSo.", "I do."),
    ("[TOOL_CALLS][{\"name\": \"echo\", \"arguments\": {\"a\": 1}}]", ""),
    ("[TOOL_CALLS] {\"name\": \"echo\", \"arguments\": {\"a\": 1}}", ""),
    ("<|python_tag|>{\"name\": \"echo\", \"parameters\": {\"a\": 1}}", ""),
    (
        "```rust\nfn main() {}\n```\n```tool_call\n{\"tool\": \"echo\", \"arguments\": {\"a\": 1}}\n```",
        "```rust\nfn main() {}\n```",
    ),
    (
        "{\"version\": 1, \"of\": {}}\n{\"name\": \"echo\", \"arguments\": {\"a\": 1}}",
        "{\"version\": 1, \"of\": {}}",
    ),
];

/// Answers that hold no call.
pub(crate) const PLAIN: &[&str] = &[
    "",
    " \n\t\n",
    "Done.\n\n",
    "{\"name\": \"countersign\", \"version\": \"0.1.0\"}\n",
    "{\"name\": \"echo\", \"arguments\": {\"a\": 1}, \"description\": \"an example\"}",
    "{\"name\": \"echo\", \"parameters\": {\"type\": \"object\", \"properties\": {}}}",
    "{\"name\": \"q\", \"input\": 5}",
    "{\"tool_calls\": []}",
    "{\"tool_calls\": 3}",
    "{}",
    "{\n\n}\n",
    "{ident} is a place, {\"a\": `b`} is not JSON",
    "{\"id\": \"unclosed",
    "{\"id\": [\n{\"name\": \"echo\", \"arguments\": {}}\n], \"of\": 1}",
    "{\n  \"tools\": [\n    {\"name\": \"echo\", \"arguments\": {\"a\": 1}}\n  ]\n}\n",
    "As in {\"name\": \"echo\", \"arguments\": {}} for example.",
    "- {\"name\": \"echo\", \"arguments\": {}}",
    "```json\n{\"a\": 1,\n\"b\": {\"name\": \"echo\", \"arguments\": {}}}\n```\n",
    "```json\n{\"name\": \"x\"}\n```\n",
    "```json\n[1, 2]\n```\nand\n```\n\n```\n",
    "```rust\nlet x = 1;\n{\"name\": \"echo\", \"arguments\": {}}\n```\n",
    "````markdown\n```tool_call\n{\"tool\": \"echo\", \"arguments\": {}}\n```\n````\n",
    "~~~\n```tool_call\n{\"tool\": \"echo\"}\n```\n~~~\n",
    "Use `<tool_call>{\"name\": \"echo\"}</tool_call>`, ```tool_call, or ```tool_call {}``` there.",
    "```tool_calling\nno\n```",
    "a < b, [x], <tool_cal>, </tool_call>, <think> at the end, [TOOL_CALLS], <tool_call> text",
    "``inline`` and ```three``` and `` ` ``\n``` open",
    "`{\"name\": \"echo\", \"arguments\": {}}`",
];

#[test]
fn every_form_is_a_call() {
    for (form, text) in FORMS {
        let Answer { text: said, thinking, calls } = read(form);
        assert_eq!((said.as_str(), thinking.as_str()), (*text, ""), "{form}");
        let [(_, name, arguments)] = calls.as_slice() else { panic!("{form}: {calls:?}") };
        assert_eq!(name, "echo", "{form}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(arguments).unwrap()["a"], 1, "{form}");
    }
}

#[test]
fn what_is_no_call_passes_byte_for_byte() {
    for plain in PLAIN {
        assert_eq!(read(plain), Answer::text(plain), "{plain}");
    }
}

#[test]
fn all_calls_in_order_and_no_text_after_the_last() {
    let answer = "First.\n\n```tool_call\n{\"tool\":\"a\"}\n```\nThen:\n```delegate\n{\"agent\":\"b\",\"task\":\"t\"}\n```\n\
                  {\"tool_calls\":[{\"id\":\"x\",\"name\":\"c\",\"arguments\":{}},{\"name\":\"d\"}]}\n\
                  <tool_call>{\"name\":\"e\"}</tool_call><tool_call>{\"name\":\"f\"}</tool_call>\n\
                  ```tool_call\n{\"tool\":\"g\"}\n{\"tool\":\"h\"}\n```\nI wait for `h`.";
    let Answer { text, calls, .. } = read(answer);
    let names: Vec<&str> = calls.iter().map(|(_, name, _)| name.as_str()).collect();
    assert_eq!(names, ["a", "delegate_to_b", "c", "d", "e", "f", "g", "h"]);
    assert_eq!(calls[2].0, "x");
    assert_eq!(calls[1].2, "{\"task\":\"t\"}");
    assert_eq!(text, "First.Then:", "text between calls is kept, the end is not");
    let order: Vec<bool> =
        events([answer]).iter().map(|event| matches!(event, ModelEvent::Text(_))).collect();
    assert!(order[0] && order[4], "text, a call of three events, text: {order:?}");
}

#[test]
fn calls_that_cannot_be_read_have_unusable_arguments() {
    for (answer, name) in [
        ("```tool_call\n{\"tool\": \"echo\", \"arguments\": {\"a\": }}\n```", "echo"),
        ("```tool_call\n{\"tool\": \"echo\", \"arguments\": {\"a\": \"hel", "echo"),
        ("```tool_call\n{'tool': 'echo'}\n```\n", "tool_call"),
        ("```tool_call\n\"echo\"\n```\n", "tool_call"),
        ("```tool_call\necho(1)\n```\n", "tool_call"),
        ("```tool_call\n{\"tool\": \"echo\", \"arguments\": [1]}\n```", "echo"),
        ("```tool_call\n{\"tool\": \"echo\", \"arguments\": {\"a\": \"two\nlines\"}}\n```", "echo"),
        ("```tool_call\n{\"tool\": \"echo\", \"arguments\": {\"a\": \"two\n```", "echo"),
        ("```delegate\n{\"agent\": \"worker\", \"task\": \n```", "delegate_to_worker"),
        ("{\"tool_calls\": [{\"name\": \"echo\", \"arguments\": {\"a\": 1}", "echo"),
        ("{\"tool_calls\": [{\"name\": \"echo\", \"arguments\": {\"a\": 1,}}]}", "echo"),
        ("{\"name\": \"echo\", \"arguments\": {\"a\": \"two\nlines\"}}", "echo"),
        ("{\"name\": \"echo\", \"arguments\": {\"a\": ", "echo"),
        ("```json\n{\"tool_calls\": [{\"name\": \"echo\", \"arguments\": {\"a\": 1}\n```\nNow?", "echo"),
        ("<tool_call>{\"name\": \"echo\", \"arguments\": {\"a\": oops}}</tool_call>", "echo"),
        ("[TOOL_CALLS][{\"name\": \"echo\", \"argum", "echo"),
    ] {
        let message =
            draft(answer).complete(EntryId(1), ModelRef::parse("a/b"), Usage::default(), || CallId(1));
        let calls: Vec<&ToolUse> = message.calls().collect();
        assert_eq!((calls.len(), calls[0].name.as_str()), (1, name), "{answer}");
        assert!(matches!(calls[0].arguments, Arguments::Unusable(_)), "{answer}: {:?}", calls[0]);
        assert!(message.text().is_empty(), "{answer}");
    }
}

#[test]
fn a_call_without_a_name_names_no_tool() {
    for answer in [
        "```tool_call\n{\"arguments\": {\"name\": \"read\", \"path\": \"x\"}}\n```",
        "{\"tool_calls\": [{\"arguments\": {\"tool\": \"read\"}}]}",
        "```tool_call\n```",
        "```tool_call",
        "```tool_call\n",
    ] {
        assert_eq!(read(answer).calls[0].1, "tool_call", "{answer}");
    }
    let second =
        "```tool_call\n{\"tool\": \"a\", \"arguments\": {}}\n{\"tool\": \"b\", \"arguments\": {\n```";
    let names: Vec<String> = read(second).calls.into_iter().map(|(_, name, _)| name).collect();
    assert_eq!(names, ["a", "b"], "a broken call does not hide the sound one before it");
}

#[test]
fn thinking_at_the_beginning() {
    let done = ModelEvent::ThinkingDone { replay: None };
    let answer = "\n<think>\nIs {\"name\": \"x\", \"arguments\": {}} < y?\n</think>\n\n{\"name\": \"echo\", \"arguments\": {}}";
    let Answer { text, thinking, calls } = read(answer);
    assert_eq!((text.as_str(), calls), ("", vec![call("echo", "{}")]));
    assert_eq!(thinking.trim_end(), "Is {\"name\": \"x\", \"arguments\": {}} < y?");
    assert_eq!(events([answer]).iter().filter(|event| **event == done).count(), 1);
    assert_eq!(read("<think>\n\n</think>\n\nHi."), Answer::text("Hi."));
    assert!(!events(["<think></think>Hi."]).contains(&done), "no thought, no block");
    let unclosed = read("<think>Let me </thi");
    assert_eq!((unclosed.thinking.as_str(), unclosed.text.as_str()), ("Let me </thi", ""));
}

#[test]
fn structured_calls_always_win() {
    let text = "I read.\n```tool_call\n{\"tool\":\"echo\"}\n```\nSo:\n<tool_call>{\"na";
    let started = ModelEvent::CallStarted { index: 0, wire_id: "c".into(), name: "read".into() };
    let mut parser = Parser::new();
    let mut events = parser.push(ModelEvent::Text(text.to_owned()));
    assert_eq!(events, [ModelEvent::Text("I read.".to_owned())]);
    events.extend(parser.push(started.clone()));
    let more = ModelEvent::Text("\n{\"name\":\"x\",\"arguments\":{}}".to_owned());
    let passed_on = parser.push(more.clone());
    assert_eq!(passed_on, vec![more]);
    assert_eq!(parser.push(ModelEvent::CallDone { index: 0 }), [ModelEvent::CallDone { index: 0 }]);
    events.extend(parser.finish());
    let answer = Answer::of(events);
    assert_eq!((answer.text.as_str(), answer.calls.len()), (text, 1));
}

#[test]
fn what_was_seen_counts_and_not_why_the_model_stopped() {
    let mut parser = Parser::new();
    parser.push(ModelEvent::Text("{\"name\":\"echo\",\"arguments\":{}}".into()));
    assert!(parser.push(ModelEvent::Stop(Stop::End)).is_empty());
    let usage = ModelEvent::Usage(Usage { output: 3, ..Usage::default() });
    assert_eq!(parser.push(usage.clone()), [usage]);
    let end = parser.finish();
    assert_eq!((end.len(), end.last()), (4, Some(&ModelEvent::Stop(Stop::End))));
    let message = draft("{\"name\":\"echo\",\"arguments\":{}}");
    assert!(message.needs_follow_up());
    let blocks = message.complete(EntryId(1), ModelRef::parse("a"), Usage::default(), || CallId(1)).blocks;
    assert!(matches!(blocks.as_slice(), [Block::ToolUse(_)]));
}
