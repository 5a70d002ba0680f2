//! How fast answers are read: long streams of small deltas, of text, reasoning and arguments, for each protocol. Run with `cargo bench --bench decode`.
//!
//! Two numbers a stream: megabytes of event stream a second on one core (at least 200 are wanted), and what a delta
//! of the last tenth costs against one of the first (about 1: the cost does not grow with the message).
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a bench is no interface"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use countersign::model::{Draft, ModelNews};
use countersign::wire::Protocol;

/// Deltas of a stream; with some 200 bytes each it is as large as an answer ever gets.
const DELTAS: usize = 100_000;
/// What a connection hands over at once.
const PIECE: usize = 16 * 1024;
const ROUNDS: usize = 7;

/// What the deltas of a stream are pieces of.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Reasoning,
    Arguments,
}

fn main() {
    println!("{:<18} {:<10} {:>6} {:>8} {:>20}", "protocol", "deltas of", "MB", "MB/s", "last tenth : first");
    let protocols = [Protocol::Anthropic, Protocol::OpenAiChat, Protocol::OpenAiResponses];
    let kinds = [Kind::Text, Kind::Reasoning, Kind::Arguments];
    for (protocol, kind) in protocols.into_iter().flat_map(|p| kinds.map(|kind| (p, kind))) {
        let stream = stream(protocol, kind);
        let decoded = (0..ROUNDS).map(|_| decode(protocol, &stream)).min().unwrap_or_default();
        let tenths = (0..ROUNDS).map(|_| tenths(protocol, &stream));
        let (first, last) = tenths.fold((Duration::MAX, Duration::MAX), |least, round| {
            (least.0.min(round.0), least.1.min(round.1))
        });
        let megabytes = stream.len() as f64 / 1e6;
        println!(
            "{:<18} {:<10} {:>6.1} {:>8.0} {:>20.2}",
            protocol.as_str(),
            format!("{kind:?}").to_lowercase(),
            megabytes,
            megabytes / decoded.as_secs_f64(),
            last.as_secs_f64() / first.as_secs_f64()
        );
    }
}

/// Reads the whole stream; the news are looked at and dropped, as the loop does that hands them on.
fn decode(protocol: Protocol, stream: &[u8]) -> Duration {
    let started = Instant::now();
    let mut decoder = protocol.decoder();
    for piece in stream.chunks(PIECE) {
        black_box(decoder.push(piece));
    }
    black_box(decoder.finish());
    started.elapsed()
}

/// Reads the whole stream into a draft; how long its first and its last tenth took.
fn tenths(protocol: Protocol, stream: &[u8]) -> (Duration, Duration) {
    let tenth = stream.len() / 10;
    let (mut decoder, mut draft) = (protocol.decoder(), Draft::default());
    let mut took = Vec::new();
    for part in stream.chunks(tenth) {
        let started = Instant::now();
        for piece in part.chunks(PIECE) {
            for news in decoder.push(piece) {
                if let ModelNews::Event(event) = news {
                    draft.push(event);
                }
            }
        }
        took.push(started.elapsed());
    }
    black_box(draft);
    (took.first().copied().unwrap_or_default(), took.get(9).copied().unwrap_or_default())
}

/// A long answer in small deltas, as the protocol's own vendor frames them.
fn stream(protocol: Protocol, kind: Kind) -> Vec<u8> {
    let (head, tail) = (head(protocol, kind), tail(protocol));
    let words = ["The ", "parser ", "returns ", "\\\"early\\\" ", "für ", "nothing.\\n"];
    let deltas = words.into_iter().cycle().take(DELTAS).enumerate();
    let pieces = deltas.map(|(number, word)| match protocol {
        Protocol::Anthropic => anthropic(kind, word),
        Protocol::OpenAiChat => chat(kind, word),
        Protocol::OpenAiResponses => responses(kind, word, number),
    });
    [head].into_iter().chain(pieces).chain([tail.to_owned()]).collect::<String>().into_bytes()
}

fn anthropic(kind: Kind, word: &str) -> String {
    let (name, member) = match kind {
        Kind::Text => ("text_delta", "text"),
        Kind::Reasoning => ("thinking_delta", "thinking"),
        Kind::Arguments => ("input_json_delta", "partial_json"),
    };
    format!(
        "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":\
         {{\"type\":\"{name}\",\"{member}\":\"{word}\"}}}}\n\n"
    )
}

fn chat(kind: Kind, word: &str) -> String {
    let delta = match kind {
        Kind::Text => format!("\"content\":\"{word}\""),
        Kind::Reasoning => format!("\"content\":null,\"reasoning_content\":\"{word}\""),
        Kind::Arguments => {
            format!("\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":\"{word}\"}}}}]")
        }
    };
    format!("{CHAT}{{{delta}}},\"logprobs\":null,\"finish_reason\":null}}],\"usage\":null}}\n\n")
}

/// A chunk up to its delta.
const CHAT: &str = "data: {\"id\":\"chatcmpl-BsUwbzVzzk4HkC9pp6BvSbtZTJmNJ\",\"object\":\"chat.completion.chunk\",\
    \"created\":1752252277,\"model\":\"gpt-4.1-2025-04-14\",\"service_tier\":\"default\",\
    \"system_fingerprint\":\"fp_51e1070cf2\",\"choices\":[{\"index\":0,\"delta\":";

fn responses(kind: Kind, word: &str, number: usize) -> String {
    let (name, part) = match kind {
        Kind::Text => ("response.output_text.delta", "\"content_index\":0,"),
        Kind::Reasoning => ("response.reasoning_summary_text.delta", "\"summary_index\":0,"),
        Kind::Arguments => ("response.function_call_arguments.delta", ""),
    };
    format!(
        "event: {name}\ndata: {{\"type\":\"{name}\",\"sequence_number\":{number},\
         \"item_id\":\"msg_0850765c843cca5300699cc47e24cc819096c2bd1a2ad5d8ac\",\"output_index\":0,{part}\
         \"delta\":\"{word}\",\"obfuscation\":\"Uw9lIiSHKc1\"}}\n\n"
    )
}

/// What comes before the deltas.
fn head(protocol: Protocol, kind: Kind) -> String {
    match (protocol, kind) {
        (Protocol::Anthropic, kind) => {
            let block = match kind {
                Kind::Text => "\"text\",\"text\":\"\"",
                Kind::Reasoning => "\"thinking\",\"thinking\":\"\"",
                Kind::Arguments => "\"tool_use\",\"id\":\"toolu_1\",\"name\":\"write\",\"input\":{}",
            };
            format!(
                "event: message_start\ndata: {{\"type\":\"message_start\",\"message\":{{\"id\":\"m\",\"usage\":{{}}}}}}\n\n\
                 event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":0,\
                 \"content_block\":{{\"type\":{block}}}}}\n\n"
            )
        }
        (Protocol::OpenAiChat, Kind::Arguments) => format!(
            "{CHAT}{{\"tool_calls\":[{{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":\
             {{\"name\":\"write\",\"arguments\":\"\"}}}}]}},\"finish_reason\":null}}]}}\n\n"
        ),
        (Protocol::OpenAiChat, Kind::Text | Kind::Reasoning) => String::new(),
        (Protocol::OpenAiResponses, kind) => {
            let item = match kind {
                Kind::Text => "\"message\",\"content\":[]",
                Kind::Reasoning => "\"reasoning\",\"summary\":[]",
                Kind::Arguments => "\"function_call\",\"call_id\":\"call_1\",\"name\":\"write\"",
            };
            format!(
                "event: response.output_item.added\ndata: {{\"type\":\"response.output_item.added\",\
                 \"output_index\":0,\"item\":{{\"type\":{item}}}}}\n\n"
            )
        }
    }
}

/// What comes after them.
fn tail(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Anthropic => {
            "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
             event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n\
             event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
        }
        Protocol::OpenAiChat => {
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
        }
        Protocol::OpenAiResponses => {
            "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\
             \"completed\"}}\n\n"
        }
    }
}
