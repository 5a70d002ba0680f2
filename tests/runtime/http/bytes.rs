//! A server that says the bytes it was given, whatever it is asked, and keeps what it was asked.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

/// One connection an answer, in order; it is closed behind it.
pub(crate) struct ByteServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl ByteServer {
    pub(crate) fn start(answers: Vec<Vec<u8>>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&asked);
        std::thread::spawn(move || {
            for answer in answers {
                let (mut socket, _) = listener.accept().unwrap();
                let request = read_request(&mut socket);
                heard.lock().unwrap().push(request);
                // A client may leave before the end; the test sees what it made of that.
                socket.write_all(&answer).unwrap_or_default();
            }
        });
        Self { address, asked }
    }

    /// As in `127.0.0.1:8080`.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, head and body.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Reads a request as far as its length says; what is no request is read once.
pub(crate) fn read_request(socket: &mut impl Read) -> String {
    let mut request = Vec::new();
    let mut piece = [0; 64 * 1024];
    loop {
        let count = socket.read(&mut piece).unwrap_or(0);
        request.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&request);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            if count == 0 || request.first() == Some(&0x16) {
                return text.into_owned();
            }
            continue;
        };
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if count == 0 || body.len() >= length.unwrap_or(0) {
            return text.into_owned();
        }
    }
}

/// An answer with these headers.
pub(crate) fn answer(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    [head.as_bytes(), b"\r\n", body].concat()
}

/// A whole answer of the Messages protocol that says `text`.
pub(crate) fn whole(text: &str) -> Vec<u8> {
    let body = serde_json::json!({
        "id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "end_turn",
        "content": [{ "type": "text", "text": text }],
        "usage": { "input_tokens": 1, "output_tokens": 1 },
    });
    answer("200 OK", &[("content-type", "application/json")], body.to_string().as_bytes())
}
