//! Bodies that would take memory without an end.

use super::*;
use crate::model::FailureClass;

fn failed(protocol: Protocol, body: &str) -> bool {
    let mut decoder = Decoder::new(protocol);
    let mut news = decoder.push(body.as_bytes());
    news.extend(decoder.finish());
    matches!(news.last(), Some(ModelNews::Failed(failure)) if failure.class == FailureClass::Protocol
        && failure.message.contains("more than 200000 values"))
}

#[test]
fn what_is_small_on_the_wire_and_large_in_memory_is_not_read() {
    let many = "{},".repeat(300_000);
    for protocol in [Protocol::Anthropic, Protocol::OpenAiChat, Protocol::OpenAiResponses] {
        for body in [
            format!("data: {{\"type\":\"ping\",\"x\":[{many}0]}}\n\n"),
            format!("{{\"content\":[{many}0],\"output\":[],\"choices\":[]}}"),
        ] {
            assert!(failed(protocol, &body));
            assert!(!failed(protocol, &body.replace("{},", ",,,").replace('[', "\"\\\"").replace(']', "\"")));
        }
    }
}

/// What comes of these events, each said as often as it takes; whether the answer was ended because it keeps too much.
fn ends_for_what_it_keeps(protocol: Protocol, begin: &str, piece: impl Fn(usize) -> String) -> bool {
    let mut decoder =
        Decoder::new(protocol).within(AnswerBounds { bytes: 1 << 20, argument_bytes: 1 << 20, calls: 8 });
    let mut news = decoder.push(begin.as_bytes());
    for number in 0..40 {
        news.extend(decoder.push(format!("data: {}\n\n", piece(number)).as_bytes()));
        if decoder.is_over() {
            break;
        }
    }
    matches!(news.last(), Some(ModelNews::Failed(failure)) if failure.class == FailureClass::Protocol
        && failure.message.contains("more than 25165824 bytes beside its words and arguments"))
}

fn begun(block: &str) -> String {
    format!("data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{block}}}\n\n")
}

#[test]
fn pieces_that_no_event_tells_are_bounded() {
    let large = "x".repeat(1 << 20);
    let delta = |delta: String| format!(r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#);
    let anthropic = |begin: &str, piece: &dyn Fn(usize) -> String| {
        ends_for_what_it_keeps(Protocol::Anthropic, &begun(begin), piece)
    };
    let signed = |_: usize| delta(format!(r#"{{"type":"signature_delta","signature":"{large}"}}"#));
    assert!(anthropic(r#"{"type":"thinking","thinking":""}"#, &signed));
    let cited =
        |_: usize| delta(format!(r#"{{"type":"citations_delta","citation":{{"cited_text":"{large}"}}}}"#));
    assert!(anthropic(r#"{"type":"text","text":""}"#, &cited));
    let hosted = r#"{"type":"server_tool_use","id":"s","name":"web_search","input":{}}"#;
    let input = |_: usize| delta(format!(r#"{{"type":"input_json_delta","partial_json":"{large}"}}"#));
    assert!(anthropic(hosted, &input));
    let compacted = |_: usize| delta(format!(r#"{{"type":"compaction_delta","content":"{large}"}}"#));
    assert!(anthropic(r#"{"type":"compaction","content":""}"#, &compacted));
    let whole = |number: usize| {
        let block = format!(r#"{{"type":"redacted_thinking","data":"{large}"}}"#);
        format!(r#"{{"type":"content_block_start","index":{number},"content_block":{block}}}"#)
    };
    assert!(anthropic(r#"{"type":"text","text":""}"#, &whole));

    let chat = |piece: &dyn Fn(usize) -> String| ends_for_what_it_keeps(Protocol::OpenAiChat, "", piece);
    let says = |delta: String| format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#);
    assert!(chat(&|number| {
        let of = number % 2;
        says(format!(r#"{{"reasoning_details":[{{"type":"r","index":{of},"data":"{large}"}}]}}"#))
    }));
    assert!(chat(&|number| {
        says(format!(r#"{{"reasoning_details":[{{"type":"r","index":{number},"blob":"{large}"}}]}}"#))
    }));
    let nameless = format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":"{large}"}}}}]}}"#);
    assert!(chat(&|_| says(nameless.clone())));
    assert!(chat(&|number| says(format!(r#"{{"tool_calls":[{{"index":{number},"id":"{large}"}}]}}"#))));

    assert!(ends_for_what_it_keeps(Protocol::OpenAiResponses, "", |number| {
        let item = format!(r#"{{"type":"reasoning","id":"{number}{large}"}}"#);
        format!(r#"{{"type":"response.output_item.added","output_index":{number},"item":{item}}}"#)
    }));
}

#[test]
fn what_an_event_tells_is_bounded_by_whoever_hears_it() {
    let large = "x".repeat(1 << 20);
    let begin = begun(r#"{"type":"text","text":""}"#);
    for (protocol, begin, piece) in [
        (
            Protocol::Anthropic,
            begin.as_str(),
            format!(
                r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{large}"}}}}"#
            ),
        ),
        (Protocol::OpenAiChat, "", format!(r#"{{"choices":[{{"delta":{{"content":"{large}"}}}}]}}"#)),
        (
            Protocol::OpenAiChat,
            "",
            format!(
                r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"function":{{"name":"f","arguments":"{large}"}}}}]}}}}]}}"#
            ),
        ),
    ] {
        assert!(!ends_for_what_it_keeps(protocol, begin, |_| piece.clone()), "{protocol:?}");
    }
}
