//! One question to a server near by, and its answer as JSON; many questions at once.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use reqwest::Url;
use serde_json::Value;

use crate::config::connection::Secret;

/// Most bytes of an answer: a server may list many models, and their templates.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// A server that is spoken to without TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server {
    host: String,
    port: u16,
    /// Before the server's own paths, without a `/` at its end.
    folder: String,
    key: Option<Secret>,
}

impl Server {
    /// The server behind the base URL of a protocol; `None` where it needs TLS, or is no address.
    pub(super) fn of(base_url: &str, key: Option<Secret>) -> Option<Self> {
        let url = Url::parse(base_url).ok().filter(|url| url.scheme() == "http")?;
        let folder = url.path().trim_end_matches('/');
        let folder = folder.strip_suffix("/v1").unwrap_or(folder).to_owned();
        let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
        Some(Self { host, port: url.port_or_known_default()?, folder, key })
    }

    /// A connection to it, and its address.
    pub(super) fn connect(&self, patience: Duration) -> Option<(TcpStream, SocketAddr)> {
        let address = (self.host.as_str(), self.port).to_socket_addrs().ok()?.next()?;
        Some((TcpStream::connect_timeout(&address, patience).ok()?, address))
    }

    /// The answer to a GET, or to a POST of `body`; `None` for everything that is no JSON with status 200.
    pub(super) fn ask(&self, path: &str, body: Option<&Value>, patience: Duration) -> Option<Value> {
        let (mut stream, address) = self.connect(patience)?;
        stream.set_read_timeout(Some(patience)).ok()?;
        stream.set_write_timeout(Some(patience)).ok()?;
        let method = if body.is_some() { "POST" } else { "GET" };
        let body = body.map(Value::to_string).unwrap_or_default();
        let key = self.key.as_ref().filter(|key| !key.expose().contains(char::is_control));
        let key = key.map(|key| format!("Authorization: Bearer {}\r\n", key.expose()));
        // HTTP/1.0: the answer comes whole, and ends where the connection does.
        let question = format!(
            "{method} {}{path} HTTP/1.0\r\nHost: {address}\r\nAccept: application/json\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n{}Connection: close\r\n\r\n{body}",
            self.folder,
            body.len(),
            key.unwrap_or_default()
        );
        stream.write_all(question.as_bytes()).ok()?;
        let answer = String::from_utf8(read_whole(&mut stream.take(MOST_BYTES))?).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split_whitespace().nth(1)?;
        serde_json::from_str(body).ok().filter(|_| status == "200")
    }
}

/// Reads to the end of the answer: the connection's, or the length that the head tells. Not every server closes.
fn read_whole(stream: &mut impl Read) -> Option<Vec<u8>> {
    let mut answer = Vec::new();
    let mut piece = [0; 16 * 1024];
    while whole_length(&answer).is_none_or(|whole| answer.len() < whole) {
        match stream.read(&mut piece).ok()? {
            0 => break,
            count => answer.extend_from_slice(piece.get(..count)?),
        }
    }
    Some(answer)
}

/// Bytes of the whole answer, once its head is there and says so.
fn whole_length(answer: &[u8]) -> Option<usize> {
    const END: &[u8] = b"\r\n\r\n";
    let head = answer.windows(END.len()).position(|window| window == END)?;
    let text = String::from_utf8_lossy(answer.get(..head)?).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())?;
    head.checked_add(END.len())?.checked_add(length)
}

/// A question, put into its own thread.
pub(super) type Job<T> = Box<dyn FnOnce() -> Option<T> + Send>;

/// Does all of `jobs` at once, and gives the answers that came within `patience`, in the jobs' order. What comes
/// later is not waited for.
pub(super) fn together<T: Send + 'static>(jobs: Vec<Job<T>>, patience: Duration) -> Vec<Option<T>> {
    let deadline = Instant::now() + patience;
    let mut answers: Vec<Option<T>> = jobs.iter().map(|_| None).collect();
    let (tell, told) = mpsc::channel();
    for (at, job) in jobs.into_iter().enumerate() {
        let tell = tell.clone();
        // Nobody listens to those who come late.
        thread::spawn(move || tell.send((at, job())).unwrap_or_default());
    }
    drop(tell);
    while let Ok((at, answer)) = told.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        if let Some(place) = answers.get_mut(at) {
            *place = answer;
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(5);

    /// What a server that answers one request is understood to say.
    fn served(answer: &'static str) -> Option<Value> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}/v1/", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 1024];
            let count = stream.read(&mut asked).unwrap();
            assert!(asked[..count].starts_with(b"GET /v1/models HTTP/1.0\r\n"));
            stream.write_all(answer.as_bytes()).unwrap();
        });
        let answer = Server::of(&url, None).unwrap().ask("/v1/models", None, PATIENCE);
        server.join().unwrap();
        answer
    }

    #[test]
    fn an_answer_is_json_with_status_200() {
        assert_eq!(
            served("HTTP/1.0 200 OK\r\nA: b\r\n\r\n{\"data\":[]}"),
            Some(serde_json::json!({"data": []}))
        );
        for other in ["HTTP/1.0 200 OK\r\n\r\n<html>", "HTTP/1.1 404 No\r\n\r\n{}", "nonsense", ""] {
            assert_eq!(served(other), None, "{other}");
        }
    }

    #[test]
    fn nobody_there_is_no_answer() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        assert_eq!(Server::of(&url, None).unwrap().ask("/", None, PATIENCE), None);
        assert_eq!(Server::of("https://models.example/v1", None), None, "TLS is for the model's own port");
    }

    #[test]
    fn a_silent_server_holds_nobody_up_and_costs_nobody_their_answer() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let silent = Server::of(&url, None).unwrap();
        let jobs: Vec<Job<Value>> =
            vec![Box::new(move || silent.ask("/", None, PATIENCE)), Box::new(|| Some(Value::Bool(true)))];
        assert_eq!(together(jobs, Duration::from_millis(100)), [None, Some(Value::Bool(true))]);
    }
}
