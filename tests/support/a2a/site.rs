//! A small HTTP server of this machine that answers as it is told, in pieces or not at all.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// A request, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    /// In small letters.
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// Where an answer is written. What cannot be written is not: whoever asked has gone.
pub(crate) struct Reply(TcpStream);

impl Reply {
    /// The whole answer.
    pub(crate) fn whole(mut self, head: &str, body: &[u8]) {
        let head = format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
        self.write(head.as_bytes());
        self.write(body);
    }

    pub(crate) fn json(self, body: &Value) {
        self.whole("200 OK\r\ncontent-type: application/json", body.to_string().as_bytes());
    }

    /// The head of an answer that ends when the connection does.
    pub(crate) fn open(mut self, head: &str) -> Self {
        self.write(format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n").as_bytes());
        self
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).and_then(|()| self.0.flush()).unwrap_or_default();
    }

    /// Waits until whoever asked has gone.
    pub(crate) fn hold(mut self) {
        self.0.read(&mut [0]).unwrap_or_default();
    }
}

type Answering = dyn Fn(&Asked, Reply) + Send + Sync;

/// The server. It keeps no connection.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    heard: Arc<Mutex<Heard>>,
}

#[derive(Default)]
struct Heard {
    all: Vec<Asked>,
    /// How often each method was called.
    counts: BTreeMap<String, usize>,
}

impl Site {
    pub(crate) fn new(answer: impl Fn(&Asked, Reply) + Send + Sync + 'static) -> Self {
        Self::listening(TcpListener::bind("127.0.0.1:0").unwrap(), answer)
    }

    pub(crate) fn listening(
        listener: TcpListener,
        answer: impl Fn(&Asked, Reply) + Send + Sync + 'static,
    ) -> Self {
        let address = listener.local_addr().unwrap();
        let heard: Arc<Mutex<Heard>> = Arc::default();
        let (all, answer) = (heard.clone(), Arc::new(answer) as Arc<Answering>);
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let (all, answer) = (all.clone(), answer.clone());
                std::thread::spawn(move || serve(connection, &all, &*answer));
            }
        });
        Self { address, heard }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.heard.lock().unwrap().all.clone()
    }

    /// The methods that were called, in order.
    pub(crate) fn methods(&self) -> Vec<String> {
        let asked = self.asked();
        asked.iter().map(|one| one.rpc().to_owned()).filter(|method| !method.is_empty()).collect()
    }

    /// How often this was called.
    pub(crate) fn count(&self, method: &str) -> usize {
        self.heard.lock().unwrap().counts.get(method).copied().unwrap_or_default()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn serve(connection: TcpStream, heard: &Mutex<Heard>, answer: &Answering) -> Option<()> {
    // Pieces leave at once, whether those before them have arrived or not.
    connection.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(connection.try_clone().ok()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let mut first = head.split(' ');
    let (method, path) = (first.next()?.to_lowercase(), first.next()?.to_owned());
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    let mut body = vec![0; length.trim().parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let asked = Asked { method, path, head, body: serde_json::from_slice(&body).unwrap_or_default() };
    let mut heard = heard.lock().ok()?;
    heard.all.push(asked.clone());
    *heard.counts.entry(asked.rpc().to_owned()).or_default() += 1;
    drop(heard);
    answer(&asked, Reply(connection));
    Some(())
}
