//! One connection: HTTP/1.1 by hand, request after request, until one side closes it.

use std::sync::Arc;

use futures_util::future::{Either, select};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::reply::Frame;
use super::{Part, Recorded, Reply, Shared, anthropic, limit, openai_chat, openai_responses};

/// Whether the connection can serve another request.
enum After {
    Open,
    Closed,
}

/// A refusal: status, type, message.
pub(crate) type Refusal = (u16, &'static str, String);

struct Head {
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

#[derive(Clone, Copy)]
pub(super) enum Speech {
    Anthropic,
    OpenAiChat,
    OpenAiResponses,
}

pub(crate) async fn serve(mut socket: TcpStream, shared: Arc<Shared>) {
    let mut buffer = Vec::new();
    while let Some(head) = read_request(&mut socket, &mut buffer).await {
        if let After::Closed = answer(&mut socket, &shared, head).await {
            return;
        }
    }
}

async fn read_request(socket: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Head> {
    let end = loop {
        if let Some(at) = buffer.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
        if socket.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(buffer.drain(..end).collect()).unwrap();
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, value)| value.parse::<usize>().unwrap());
    while buffer.len() < length {
        if socket.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    Some(Head { path, headers, body: buffer.drain(..length).collect() })
}

async fn answer(socket: &mut TcpStream, shared: &Shared, head: Head) -> After {
    let body = serde_json::from_slice(&head.body).unwrap_or(Value::Null);
    let visit =
        Recorded { path: head.path.clone(), headers: head.headers.clone(), body: body.clone(), status: 200 };
    if let Some(page) = shared.page(&visit) {
        return send_whole(socket, 200, &[], &page.to_string()).await;
    }
    let checked = check(shared, &head, &body);
    let (speech, reply) = match checked {
        Ok(speech) => match shared.window() {
            None => (speech, shared.next_reply()),
            Some(window) => match limit::refusal(speech, &body, window) {
                Some(refusal) => (speech, refusal),
                None => (speech, with_usage(shared.next_reply(), limit::prompt(&body))),
            },
        },
        Err((status, kind, message)) => (Speech::OpenAiChat, Reply::error(status, kind, &message)),
    };
    let status = if let Reply::Raw { status, .. } = &reply { *status } else { 200 };
    shared.record(Recorded { path: head.path, headers: head.headers, body, status });
    match reply {
        Reply::Raw { status, headers, body } => send_whole(socket, status, &headers, &body).await,
        Reply::Whole(parts) => {
            let body = match speech {
                Speech::Anthropic => anthropic::whole(parts),
                Speech::OpenAiChat => openai_chat::whole(parts),
                Speech::OpenAiResponses => openai_responses::whole(parts),
            };
            let headers = [("content-type".to_owned(), "application/json".to_owned())];
            send_whole(socket, 200, &headers, &body.to_string()).await
        }
        Reply::Stream(parts) => {
            let frames = match speech {
                Speech::Anthropic => anthropic::stream(parts),
                Speech::OpenAiChat => openai_chat::stream(parts),
                Speech::OpenAiResponses => openai_responses::stream(parts),
            };
            let after = send_stream(socket, frames).await;
            if after.is_none() {
                shared.left_early();
            }
            after.unwrap_or(After::Closed)
        }
    }
}

fn check(shared: &Shared, head: &Head, body: &Value) -> Result<Speech, Refusal> {
    let header = |wanted: &str| head.headers.iter().find(|(name, _)| name == wanted).map(|(_, v)| v.as_str());
    let bearer = header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    if shared.key.is_some() && shared.key.as_deref() != header("x-api-key").or(bearer) {
        return Err((401, "authentication_error", "invalid x-api-key".to_owned()));
    }
    if !body.is_object() {
        return Err((400, "invalid_request_error", "The request body is not valid JSON.".to_owned()));
    }
    let invalid = |message: String| (400, "invalid_request_error", message);
    match head.path.as_str() {
        "/v1/messages" if header("anthropic-version").is_none() => {
            Err(invalid("anthropic-version: header is required".to_owned()))
        }
        "/v1/messages" => anthropic::check(body).map(|()| Speech::Anthropic).map_err(invalid),
        "/v1/chat/completions" => openai_chat::check(body).map(|()| Speech::OpenAiChat).map_err(invalid),
        "/v1/responses" => openai_responses::check(body).map(|()| Speech::OpenAiResponses).map_err(invalid),
        path => Err((404, "", format!("Invalid URL (POST {path})"))),
    }
}

/// The same answer, with what was counted of its request.
fn with_usage(reply: Reply, prompt: u64) -> Reply {
    match reply {
        Reply::Stream(mut parts) => {
            let said: usize =
                parts.iter().map(|p| if let Part::Text(text) = p { text.len() } else { 0 }).sum();
            parts.push(Part::Usage(prompt, said as u64 / 4 + 1));
            Reply::Stream(parts)
        }
        other => other,
    }
}

async fn send_whole(socket: &mut TcpStream, status: u16, headers: &[(String, String)], body: &str) -> After {
    let mut head = format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    let sent = socket.write_all(format!("{head}\r\n{body}").as_bytes()).await;
    if sent.is_ok() { After::Open } else { After::Closed }
}

/// Sends a stream in chunks; `None` when the client left before its end.
async fn send_stream(socket: &mut TcpStream, frames: Vec<Frame>) -> Option<After> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    socket.write_all(head.as_bytes()).await.ok()?;
    for frame in frames {
        match frame {
            Frame::Bytes(bytes) if bytes.is_empty() => {}
            Frame::Bytes(bytes) => {
                let chunk = format!("{:x}\r\n{bytes}\r\n", bytes.len());
                socket.write_all(chunk.as_bytes()).await.ok()?;
            }
            Frame::Wait(gate) => {
                let mut byte = [0];
                match select(gate, Box::pin(socket.read(&mut byte))).await {
                    Either::Left(_) => {}
                    // A client says nothing while it is answered: this is its end.
                    Either::Right(_) => return None,
                }
            }
            Frame::Cut => return Some(After::Closed),
        }
    }
    socket.write_all(b"0\r\n\r\n").await.ok()?;
    Some(After::Open)
}

/// What the providers demand of a tool's name and schema.
pub(crate) fn check_tool(at: usize, name: &Value, schema: &Value) -> Result<(), String> {
    let name = name.as_str().unwrap_or_default();
    if !is_word(name) || name.len() > 64 {
        return Err(format!("tools.{at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"));
    }
    if schema["type"] != json!("object") {
        return Err(format!("tools.{at}.custom.input_schema.type: Input should be 'object'"));
    }
    for member in ["anyOf", "oneOf", "allOf", "enum", "not"] {
        if schema.get(member).is_some() {
            return Err(format!(
                "tools.{at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
            ));
        }
    }
    if at >= 128 {
        return Err("Invalid 'tools': array too long. Expected an array with maximum length 128.".to_owned());
    }
    check_schema(schema).map_err(|why| format!("tools.{at}.custom.input_schema{why}"))
}

/// What holds for every part of a schema.
fn check_schema(schema: &Value) -> Result<(), String> {
    match schema {
        Value::Array(values) => values.iter().try_for_each(check_schema),
        Value::Object(members) => {
            let fits = |name: &String| {
                let fits = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
                !name.is_empty() && name.len() <= 64 && name.chars().all(fits)
            };
            let mut names = schema["properties"].as_object().into_iter().flat_map(|all| all.keys());
            if !names.all(fits) {
                return Err(
                    ".properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'".to_owned()
                );
            }
            if schema["type"] == "array" && !schema["items"].is_object() {
                return Err(": In context=(), array schema missing items.".to_owned());
            }
            members.values().try_for_each(check_schema)
        }
        _ => Ok(()),
    }
}

/// `^[a-zA-Z0-9_-]+$`.
pub(crate) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}
