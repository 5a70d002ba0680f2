//! A server of agent cards on 127.0.0.1, which keeps what it was asked.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::json;

const PATH: &str = "/.well-known/agent-card.json";

/// The server; it ends with this.
pub(crate) struct Cards {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What it does when it is asked.
#[derive(Clone)]
enum Manner {
    /// Gives the card of an agent of this name.
    Answers(String),
    /// Refuses, and says back what it was sent.
    Refuses,
}

impl Cards {
    /// One that gives the card of an agent of this name.
    pub(crate) fn new(name: &str) -> Self {
        Self::of(Manner::Answers(name.to_owned()))
    }

    /// One that refuses everything, and says back what it was sent.
    pub(crate) fn hostile() -> Self {
        Self::of(Manner::Refuses)
    }

    fn of(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (heads, ends) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicBool>::default());
        let (kept, is_over) = (Arc::clone(&heads), Arc::clone(&ends));
        let thread = std::thread::spawn(move || {
            for socket in listener.incoming() {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                // Whoever goes away in the midst of it has asked all the same.
                answer(socket.unwrap(), address, &manner, &kept).unwrap_or_default();
            }
        });
        Self { address, heads, ends, thread: Some(thread) }
    }

    /// Where it is, without a slash at the end.
    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How often it was reached.
    pub(crate) fn asked(&self) -> usize {
        self.heads().len()
    }

    /// The head of each request.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

impl Drop for Cards {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        let woken = TcpStream::connect(self.address).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            thread.join().unwrap_or_default();
        }
    }
}

fn answer(
    socket: TcpStream,
    address: SocketAddr,
    manner: &Manner,
    heads: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut head = String::new();
    // Reached is reached, whatever is said then.
    heads.lock().unwrap().push(String::new());
    let mut reader = BufReader::new(socket);
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head)? > 0 {}
    if let Some(last) = heads.lock().unwrap().last_mut() {
        last.clone_from(&head);
    }
    let is_for_card = head.split(' ').nth(1).is_some_and(|path| path.split('?').next() == Some(PATH));
    let (status, body) = match manner {
        Manner::Answers(name) if is_for_card => ("200 OK", card(name, address)),
        Manner::Answers(_) => ("404 Not Found", String::new()),
        Manner::Refuses => ("401 Unauthorized", head.clone()),
    };
    let said =
        head.lines().find(|line| line.to_lowercase().starts_with("authorization:")).unwrap_or_default();
    write!(
        reader.get_mut(),
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nwww-authenticate: Bearer realm=\"{}\"\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        said.replace('"', ""),
        body.len()
    )
}

/// A card of version 1.0 of the protocol; tasks go to the same origin.
fn card(name: &str, address: SocketAddr) -> String {
    json!({
        "name": name,
        "description": "Reads what it is given.",
        "version": "2.3.4",
        "supportedInterfaces": [
            { "url": format!("http://{address}/a2a"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
        ],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [
            { "id": "diffs", "name": "Reading diffs", "description": "Reads diffs.", "tags": ["review"] }
        ],
    })
    .to_string()
}
