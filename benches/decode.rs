//! How fast answers are read: a long stream of small deltas, for each protocol. Run with `cargo bench --bench decode`.
//!
//! Two numbers a protocol: megabytes of event stream a second on one core (at least 200 are wanted), and what a delta
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

fn main() {
    println!("{:<18} {:>8} {:>10} {:>22}", "protocol", "MB", "MB/s", "last tenth : first");
    for protocol in [Protocol::Anthropic, Protocol::OpenAiChat, Protocol::OpenAiResponses] {
        let stream = stream(protocol);
        let decoded = (0..ROUNDS).map(|_| decode(protocol, &stream)).min().unwrap_or_default();
        let tenths = (0..ROUNDS).map(|_| tenths(protocol, &stream));
        let (first, last) = tenths.fold((Duration::MAX, Duration::MAX), |least, round| {
            (least.0.min(round.0), least.1.min(round.1))
        });
        let megabytes = stream.len() as f64 / 1e6;
        println!(
            "{:<18} {:>8.1} {:>10.0} {:>22.2}",
            protocol.as_str(),
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
fn stream(protocol: Protocol) -> Vec<u8> {
    let (head, tail) = ends(protocol);
    let mut stream = head.to_owned();
    for number in 0..DELTAS {
        let word = ["The ", "parser ", "returns ", "\\\"early\\\" ", "für ", "nothing.\\n"][number % 6];
        stream += &match protocol {
            Protocol::Anthropic => format!(
                "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":\
                 {{\"type\":\"text_delta\",\"text\":\"{word}\"}}}}\n\n"
            ),
            Protocol::OpenAiChat => format!(
                "data: {{\"id\":\"chatcmpl-BsUwbzVzzk4HkC9pp6BvSbtZTJmNJ\",\"object\":\"chat.completion.chunk\",\
                 \"created\":1752252277,\"model\":\"gpt-4.1-2025-04-14\",\"service_tier\":\"default\",\
                 \"system_fingerprint\":\"fp_51e1070cf2\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{word}\"}},\
                 \"logprobs\":null,\"finish_reason\":null}}],\"usage\":null}}\n\n"
            ),
            Protocol::OpenAiResponses => format!(
                "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\
                 \"sequence_number\":{number},\"item_id\":\"msg_0850765c843cca5300699cc47e24cc819096c2bd1a2ad5d8ac\",\
                 \"output_index\":0,\"content_index\":0,\"delta\":\"{word}\",\"logprobs\":[],\
                 \"obfuscation\":\"Uw9lIiSHKc1\"}}\n\n"
            ),
        };
    }
    stream += tail;
    stream.into_bytes()
}

/// What comes before and after the deltas.
fn ends(protocol: Protocol) -> (&'static str, &'static str) {
    match protocol {
        Protocol::Anthropic => (
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{}}}\n\n\
             event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":\
             {\"type\":\"text\",\"text\":\"\"}}\n\n",
            "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
             event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n\
             event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
        ),
        Protocol::OpenAiChat => (
            "",
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        ),
        Protocol::OpenAiResponses => (
            "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":0,\
             \"item\":{\"type\":\"message\",\"content\":[]}}\n\n",
            "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\
             \"completed\"}}\n\n",
        ),
    }
}
