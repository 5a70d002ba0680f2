//! A small MCP server over HTTP, on this machine alone.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// A request, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }
}

/// A status and more lines of the head, and the body.
pub(crate) type Answer = (String, String);
pub(crate) type Answering = dyn Fn(&Asked) -> Option<Answer> + Send + Sync;

/// A server that answers as a good one does, but where it is told otherwise. It keeps no connection.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) asked: Arc<Mutex<Vec<Asked>>>,
}

impl Site {
    pub(crate) fn new(otherwise: impl Fn(&Asked) -> Option<Answer> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (all, otherwise) = (asked.clone(), Arc::new(otherwise) as Arc<Answering>);
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let (all, otherwise) = (all.clone(), otherwise.clone());
                std::thread::spawn(move || serve(connection, &all, &*otherwise));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn good() -> Self {
        Self::new(|_| None)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// How often this was asked.
    pub(crate) fn count(&self, rpc: &str) -> usize {
        self.asked().iter().filter(|asked| asked.rpc() == rpc).count()
    }

    /// Where it is, with what may be a key in it.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp?token=in-the-address", self.address)
    }
}

fn serve(connection: TcpStream, all: &Mutex<Vec<Asked>>, otherwise: &Answering) -> Option<()> {
    let mut reader = BufReader::new(connection.try_clone().ok()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    let mut body = vec![0; length.trim().parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let method = head.split(' ').next()?.to_owned();
    let asked = Asked { method, head, body: serde_json::from_slice(&body).unwrap_or_default() };
    all.lock().ok()?.push(asked.clone());
    let (head, body) = otherwise(&asked).unwrap_or_else(|| well(&asked));
    let mut connection = connection;
    write!(connection, "HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
        .ok()
}

pub(crate) fn result(asked: &Asked, result: &Value) -> Answer {
    let body = json!({ "jsonrpc": "2.0", "id": asked.body["id"], "result": result }).to_string();
    ("200 OK\r\ncontent-type: application/json\r\nmcp-session-id: s1".to_owned(), body)
}

fn well(asked: &Asked) -> Answer {
    match (asked.method.as_str(), asked.rpc()) {
        ("post", "initialize") => {
            let greeting = json!({
                "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                "serverInfo": { "name": "site", "version": "1" },
            });
            result(asked, &greeting)
        }
        ("post", "tools/list") => {
            let tool = json!({ "name": "get", "inputSchema": { "type": "object" } });
            result(asked, &json!({ "tools": [tool] }))
        }
        ("post", "tools/call") => result(asked, &json!({ "content": [{ "type": "text", "text": "got" }] })),
        ("post", _) => ("202 Accepted".to_owned(), String::new()),
        ("delete", _) => ("200 OK".to_owned(), String::new()),
        _ => ("405 Method Not Allowed".to_owned(), String::new()),
    }
}
