//! A collector of traces on this machine: keeps what it is sent, and answers as a test wants it.

#![allow(dead_code, unreachable_pub, reason = "not every test uses everything")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// How it answers.
#[derive(Debug, Clone)]
pub enum Answer {
    /// This status, these headers, this body.
    Whole(u16, &'static str, String),
    /// Nothing, and the connection stays open.
    Never,
}

/// One request.
#[derive(Debug, Clone)]
pub struct Seen {
    pub path: String,
    pub headers: String,
    pub body: Value,
}

/// The collector. Its thread ends with the process.
pub struct Collector {
    pub address: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Collector {
    pub fn takes_all() -> Self {
        Self::answering(Answer::Whole(
            200,
            "content-type: application/json\r\n",
            "{\"partialSuccess\":{}}".to_owned(),
        ))
    }

    pub fn answering(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let (answer, kept) = (answer.clone(), Arc::clone(&kept));
                std::thread::spawn(move || serve(socket.unwrap(), &answer, &kept));
            }
        });
        Self { address, seen }
    }

    /// What it was sent, in the order of arrival.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// All spans that it has.
    pub fn spans(&self) -> Vec<Value> {
        self.seen().iter().flat_map(|request| spans(&request.body)).collect()
    }
}

/// The spans of one request.
pub fn spans(body: &Value) -> Vec<Value> {
    body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().cloned().unwrap_or_default()
}

fn serve(socket: TcpStream, answer: &Answer, kept: &Mutex<Vec<Seen>>) {
    let mut reader = BufReader::new(socket);
    while let Some(seen) = read(&mut reader) {
        kept.lock().unwrap().push(seen);
        let Answer::Whole(status, headers, body) = answer else {
            // Until the other side gives up.
            reader.read_to_end(&mut Vec::new()).ok();
            return;
        };
        let head = format!("HTTP/1.1 {status} Told\r\n{headers}content-length: {}\r\n\r\n", body.len());
        let socket = reader.get_mut();
        // Whoever has read enough of a long answer hangs up.
        if socket.write_all(head.as_bytes()).and_then(|()| socket.write_all(body.as_bytes())).is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut first = String::new();
    if reader.read_line(&mut first).ok()? == 0 {
        return None;
    }
    let mut headers = String::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        headers.push_str(&line.to_ascii_lowercase());
    }
    let length = headers.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    Some(Seen { path, headers, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
}
