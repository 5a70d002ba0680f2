//! A model on 127.0.0.1 that does what the last message tells it: one word after `do:`.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Deltas of an answer at full speed.
pub const DELTAS: usize = 20_000;
/// Deltas a second of a steady answer.
pub const PER_SECOND: u32 = 200;
/// More deltas than anybody waits for.
const ENDLESS: usize = 2_000_000;
/// Four characters each; with an end of a paragraph now and then.
const WORDS: [&str; 8] = ["the ", "tree", " of ", "all ", "old ", "folk", " is ", "lost"];

/// How many sub-agents an answer to `do:eight.` starts.
pub const EIGHT: usize = 8;
/// Deltas a second of each of them.
pub const PER_SECOND_OF_ONE: u32 = 100;

/// A server in threads of its own; it ends with the process.
pub struct Server {
    address: SocketAddr,
    spent: Arc<AtomicUsize>,
    stamps: Stamps,
}

/// When something happened here: a request had come in, an answer began, an answer was over; each with its verb.
pub type Stamps = Arc<Mutex<Vec<(Stamp, String, Instant)>>>;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamp {
    Asked,
    Answers,
    Answered,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let spent = Arc::new(AtomicUsize::new(0));
        let stamps = Stamps::default();
        let (time, stamped) = (Arc::clone(&spent), Arc::clone(&stamps));
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let (time, stamped) = (Arc::clone(&time), Arc::clone(&stamped));
                // A client that leaves in the middle of an answer is what Esc looks like from here.
                thread::spawn(move || serve(socket, &time, &stamped).unwrap_or_default());
            }
        });
        Self { address, spent, stamps }
    }

    /// When this last happened to a request of this verb.
    pub fn stamp(&self, stamp: Stamp, verb: &str) -> Option<Instant> {
        let stamps = self.stamps.lock().unwrap();
        stamps.iter().rev().find(|(what, of, _)| *what == stamp && of == verb).map(|(_, _, at)| *at)
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Time spent answering so far: from the last byte of a request to the last byte of its answer.
    pub fn spent(&self) -> Duration {
        Duration::from_micros(self.spent.load(SeqCst) as u64)
    }
}

/// The delta of this number.
pub fn delta(number: usize) -> &'static str {
    if number % 60 == 59 { ".\\n\\n" } else { WORDS[number % WORDS.len()] }
}

fn serve(socket: TcpStream, spent: &AtomicUsize, stamps: &Stamps) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut reader = BufReader::with_capacity(1 << 18, socket.try_clone()?);
    let mut writer = Writer(socket);
    while let Some(body) = request(&mut reader)? {
        let began = Instant::now();
        let wish = wish(&body);
        let stamp = |what| stamps.lock().unwrap().push((what, wish.0.clone(), Instant::now()));
        stamp(Stamp::Asked);
        writer.head()?;
        stamp(Stamp::Answers);
        answer(&wish, &mut writer)?;
        writer.end()?;
        stamp(Stamp::Answered);
        spent.fetch_add(began.elapsed().as_micros() as usize, SeqCst);
    }
    Ok(())
}

/// The body of the next request; none when the client is gone.
fn request(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line == "\r\n" {
            let mut body = vec![0; length];
            reader.read_exact(&mut body)?;
            return Ok(Some(body));
        }
    }
}

/// The verb of the last wish and what follows it; "result" where a result has come since.
fn wish(body: &[u8]) -> (String, String) {
    let wish = last(body, b"do:").unwrap_or(0);
    let result = last(body, b"\"role\":\"tool\"");
    if result.is_some_and(|at| at > wish) {
        return ("result".to_owned(), String::new());
    }
    let words: String = String::from_utf8_lossy(&body[wish..]).chars().take(40).collect();
    let words = words.trim_start_matches("do:");
    let (verb, rest) = words.split_once(['.', '"']).unwrap_or((words, ""));
    (verb.to_owned(), rest.to_owned())
}

/// So many deltas a second, until nobody reads them.
fn steadily(writer: &mut Writer, per_second: u32) -> io::Result<()> {
    let began = Instant::now();
    for number in 0..ENDLESS {
        let due = Duration::from_secs(1) / per_second * number as u32;
        thread::sleep(due.saturating_sub(began.elapsed()));
        writer.text(delta(number))?;
    }
    Ok(())
}

fn answer((verb, rest): &(String, String), writer: &mut Writer) -> io::Result<()> {
    match verb.as_str() {
        "result" => writer.text("finished."),
        "steady" => steadily(writer, PER_SECOND),
        "hundred" => steadily(writer, PER_SECOND_OF_ONE),
        "eight" => writer.calls(EIGHT, "delegate_to_general", r#"{\"task\":\"do:hundred.\"}"#),
        "child" => writer.call("delegate_to_general", r#"{\"task\":\"do:well.\"}"#),
        "flood" => {
            (0..DELTAS).try_for_each(|number| writer.text(delta(number))).and_then(|()| writer.text("over."))
        }
        "endless" => (0..ENDLESS).try_for_each(|number| writer.text(delta(number))),
        "turn" => {
            let text: String = (0..1_000).map(delta).collect();
            writer.text(&text)?;
            writer.text(&format!(" turn {} over.", rest.split('.').next().unwrap_or_default()))
        }
        "print" => {
            writer.call("shell", r#"{\"command\":\"yes the tool prints a line | head -c 1000000000\"}"#)
        }
        "sleep" => writer.call("shell", r#"{\"command\":\"echo asleep; sleep 1000 & sleep 1000; wait\"}"#),
        "read" => writer.call("read", r#"{\"path\":\"notes.txt\"}"#),
        _ => writer.text("well."),
    }
}

fn last(body: &[u8], what: &[u8]) -> Option<usize> {
    body.windows(what.len()).rposition(|window| window == what)
}

/// One chunk a write, as a server flushes each delta.
struct Writer(TcpStream);

impl Writer {
    fn head(&mut self) -> io::Result<()> {
        self.0.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        )
    }

    fn event(&mut self, choice: &str) -> io::Result<()> {
        let event = format!(
            "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,{choice}}}]}}\n\n"
        );
        self.0.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes())
    }

    /// A delta; the text is JSON already.
    fn text(&mut self, text: &str) -> io::Result<()> {
        self.event(&format!("\"delta\":{{\"content\":\"{text}\"}}"))
    }

    fn call(&mut self, name: &str, arguments: &str) -> io::Result<()> {
        self.calls(1, name, arguments)
    }

    /// The same call so many times in one answer.
    fn calls(&mut self, count: usize, name: &str, arguments: &str) -> io::Result<()> {
        let one = |index| {
            format!(
                "{{\"index\":{index},\"id\":\"call_{index}\",\"type\":\"function\",\"function\":{{\"name\":\"{name}\",\
                 \"arguments\":\"{arguments}\"}}}}"
            )
        };
        let calls = (0..count).map(one).collect::<Vec<_>>().join(",");
        self.event(&format!("\"delta\":{{\"tool_calls\":[{calls}]}},\"finish_reason\":\"tool_calls\""))
    }

    fn end(&mut self) -> io::Result<()> {
        let end = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n";
        self.event("\"delta\":{},\"finish_reason\":\"stop\"")?;
        self.0.write_all(format!("{:x}\r\n{end}\r\n0\r\n\r\n", end.len()).as_bytes())
    }
}
