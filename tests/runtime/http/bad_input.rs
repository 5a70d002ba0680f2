//! What servers and the machines before them answer when something is wrong, and bytes that are right and odd.

use countersign::model::FailureClass;
use countersign::wire::Protocol;
use serde_json::json;

use crate::http::bytes::{ByteServer, answer};
use crate::http::{ALL, failure, model, news, said_by};
use crate::model_server::{ModelServer, Part, Reply};
use crate::support::answer::Answer;
use crate::support::history::{request, user};

/// What a server answers, and the class, words of the message and words of the advice that come of it.
type Case = (fn() -> Reply, FailureClass, &'static str, &'static str);

fn page(status: u16, title: &str) -> Reply {
    Reply::raw(status, "text/html", &format!("<!doctype html><html><title>{title}</title></html>"))
}

fn coded(status: u16, code: &str, message: &str) -> Reply {
    let body = json!({ "error": { "message": message, "type": code, "param": null, "code": code } });
    Reply::raw(status, "application/json", &body.to_string())
}

const REFUSALS: [Case; 17] = [
    (|| page(200, "Sign in"), FailureClass::Protocol, "Sign in", "base URL"),
    (|| Reply::raw(200, "application/json", "{\"status\":\"ok\"}"), FailureClass::Protocol, "", "base URL"),
    (|| Reply::raw(200, "text/plain", ""), FailureClass::Transient, "ended before", "Wait"),
    (|| coded(401, "invalid_api_key", "Incorrect API key"), FailureClass::Auth, "HTTP 401", "THE_KEY"),
    (|| page(401, "Who are you?"), FailureClass::Auth, "Who are you?", "THE_KEY"),
    (|| coded(403, "forbidden", "Not yours"), FailureClass::Auth, "HTTP 403", "THE_KEY"),
    (|| page(403, "Blocked by the firewall"), FailureClass::Auth, "Blocked by the firewall", "THE_KEY"),
    (
        || coded(404, "model_not_found", "The model `x` does not exist"),
        FailureClass::UnknownModel,
        "`x`",
        "-m PROVIDER/MODEL",
    ),
    (|| page(404, "Not Found"), FailureClass::Protocol, "Not Found", "base URL"),
    (
        || coded(413, "request_too_large", "Request exceeds the maximum size"),
        FailureClass::BadRequest,
        "HTTP 413",
        "/compact",
    ),
    (|| page(413, "Request Entity Too Large"), FailureClass::BadRequest, "HTTP 413", "/compact"),
    // The three meanings of 429: too fast, too much money, too large to be ever taken.
    (|| coded(429, "rate_limit_exceeded", "Try again in 20s"), FailureClass::Transient, "HTTP 429", "Wait"),
    (
        || coded(429, "insufficient_quota", "You exceeded your quota"),
        FailureClass::Quota,
        "HTTP 429",
        "balance",
    ),
    (
        || coded(429, "rate_limit_exceeded", "Request too large for x: Limit 3, Requested 4"),
        FailureClass::Overflow,
        "HTTP 429",
        "larger window",
    ),
    (|| coded(500, "server_error", "Sorry"), FailureClass::Transient, "HTTP 500", "Wait"),
    (|| page(503, "Service Unavailable"), FailureClass::Transient, "Service Unavailable", "Wait"),
    (|| page(522, "Connection timed out"), FailureClass::Transient, "HTTP 522", "Wait"),
];

#[tokio::test]
async fn each_refusal_has_its_class_and_a_clear_line() {
    for protocol in ALL {
        let server = ModelServer::start(REFUSALS.iter().map(|(reply, ..)| reply()).collect());
        let model = model(protocol, &server.base_url());
        for (reply, class, says, advises) in &REFUSALS {
            let failure = failure(&model, vec![user("Hi")]).await;
            let shown = reply();
            assert_eq!(failure.class, *class, "{failure:?} for {shown:?}");
            assert!(failure.message.contains(says), "{failure:?} for {shown:?}");
            assert!(failure.next_step().contains(advises), "{failure:?} for {shown:?}");
            assert!(!failure.message.contains(['\n', '<']), "one line, no page: {failure:?}");
        }
        assert_eq!(server.left(), 0);
    }
}

#[tokio::test]
async fn an_overloaded_server_in_mid_stream_keeps_what_it_said() {
    for protocol in ALL {
        let parts =
            vec![Part::text("Hel"), Part::Error("overloaded_error".to_owned(), "Overloaded".to_owned())];
        let server = ModelServer::start(vec![Reply::Stream(parts)]);
        let answer = Answer::of(&news(&model(protocol, &server.base_url()), request(vec![user("Hi")])).await);
        let failure = answer.failure.unwrap();
        assert_eq!((answer.text.as_str(), failure.class), ("Hel", FailureClass::Transient));
        assert!(failure.message.contains("Overloaded"), "{failure:?}");
    }
}

#[tokio::test]
async fn an_event_of_ten_megabytes_is_read_whole() {
    let long = "x".repeat(10 * 1024 * 1024);
    for protocol in ALL {
        // The server writes the text in two events.
        let server = ModelServer::start(vec![Reply::text(&long.repeat(2))]);
        let said = said_by(&model(protocol, &server.base_url())).await.unwrap();
        assert!(said.len() == 2 * long.len() && said.ends_with("xxx"), "{protocol:?}: {} bytes", said.len());
    }
}

/// Stored, not compressed: the format is the same.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let checksum = bytes.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg()))
    });
    let length = u16::try_from(bytes.len()).unwrap();
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    packed.extend(length.to_le_bytes());
    packed.extend((!length).to_le_bytes());
    packed.extend(bytes);
    packed.extend((!checksum).to_le_bytes());
    packed.extend(u32::from(length).to_le_bytes());
    packed
}

/// A stream with a mark of byte order, lines that end in CR LF, and letters of several bytes.
const ODD_STREAM: &str = "\u{feff}event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":\
{\"input_tokens\":1}}}\r\n\r\nevent: content_block_start\r\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":\
{\"type\":\"text\",\"text\":\"\"}}\r\n\r\nevent: content_block_delta\r\ndata: {\"type\":\"content_block_delta\",\"index\":0,\
\"delta\":{\"type\":\"text_delta\",\"text\":\"Grüße 👋\"}}\r\n\r\nevent: content_block_stop\r\ndata: {\"type\":\
\"content_block_stop\",\"index\":0}\r\n\r\nevent: message_delta\r\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\
\"end_turn\"},\"usage\":{\"output_tokens\":1}}\r\n\r\nevent: message_stop\r\ndata: {\"type\":\"message_stop\"}\r\n\r\n";

#[tokio::test]
async fn packed_answers_are_unpacked() {
    let packed = |status: &str, kind: &str, body: &[u8]| {
        answer(status, &[("content-type", kind), ("content-encoding", "gzip")], &gzip(body))
    };
    let refusal = br#"{"type":"error","error":{"type":"authentication_error","message":"invalid key"}}"#;
    let server = ByteServer::start(vec![
        packed("200 OK", "text/event-stream", ODD_STREAM.as_bytes()),
        packed("401 Unauthorized", "application/json", refusal),
        answer(
            "200 OK",
            &[("content-type", "text/event-stream"), ("content-encoding", "gzip")],
            b"no such thing",
        ),
    ]);
    let model = model(Protocol::Anthropic, &server.base_url());
    assert_eq!(said_by(&model).await, Ok("Grüße 👋".to_owned()));
    let refused = said_by(&model).await.unwrap_err();
    assert!(refused.class == FailureClass::Auth && refused.message.contains("invalid key"), "{refused:?}");
    let broken = said_by(&model).await.unwrap_err();
    assert!(broken.class == FailureClass::Transient && broken.message.contains("broke"), "{broken:?}");
    assert!(server.asked()[0].to_lowercase().contains("accept-encoding: gzip"));
}

/// One byte in each piece: lines, letters and the mark of byte order are all torn.
#[tokio::test]
async fn odd_bytes_are_read_in_whatever_pieces_they_come() {
    let mut torn =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for byte in ODD_STREAM.bytes() {
        torn.extend([b"1\r\n".as_slice(), &[byte], b"\r\n"].concat());
    }
    torn.extend(b"0\r\n\r\n");
    let server = ByteServer::start(vec![torn]);
    assert_eq!(said_by(&model(Protocol::Anthropic, &server.base_url())).await, Ok("Grüße 👋".to_owned()));
}

#[tokio::test]
async fn what_a_refusal_says_of_reasoning_is_heeded_on_the_wire() {
    let wants = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    let server = ModelServer::start(vec![
        Reply::error(400, "invalid_request_error", wants),
        Reply::text("Thanks."),
        Reply::error(400, "invalid_request_error", wants),
    ]);
    let model = model(Protocol::OpenAiChat, &server.base_url());
    assert_eq!(said_by(&model).await, Ok("Thanks.".to_owned()));
    assert_eq!(said_by(&model).await.unwrap_err().class, FailureClass::ReplayRefused, "asked for once");
}
