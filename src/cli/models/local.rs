//! A model server on this machine: is one there, and which models does it have?

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// The port of Ollama, the one local server that needs no configuration here.
const OLLAMA_PORT: u16 = 11434;
/// Nothing on the loopback interface takes longer unless it is broken; the app does not wait for that.
const PATIENCE: Duration = Duration::from_millis(150);
/// Most bytes of the list of models.
const MOST_BYTES: u64 = 256 * 1024;
/// Most models that are named.
const MOST_NAMES: usize = 5;

/// The models of an Ollama server on its usual loopback port; `None` when none answers.
pub(super) fn ollama() -> Option<Vec<String>> {
    models_on(OLLAMA_PORT)
}

fn models_on(port: u16) -> Option<Vec<String>> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let ask = format!("GET /v1/models HTTP/1.0\r\nHost: {address}\r\nAccept: application/json\r\n\r\n");
    stream.write_all(ask.as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.take(MOST_BYTES).read_to_end(&mut answer).ok()?;
    let text = String::from_utf8(answer).ok()?;
    let (_, body) = text.split_once("\r\n\r\n")?;
    let listed: Value = serde_json::from_str(body).ok()?;
    let models = listed.get("data")?.as_array()?;
    Some(
        models
            .iter()
            .filter_map(|model| model.get("id")?.as_str())
            .map(str::to_owned)
            .take(MOST_NAMES)
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// A server that answers one request.
    fn served(answer: &'static str) -> Option<Vec<String>> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 1024];
            let count = stream.read(&mut asked).unwrap();
            assert!(asked[..count].starts_with(b"GET /v1/models "));
            stream.write_all(answer.as_bytes()).unwrap();
        });
        let models = models_on(port);
        server.join().unwrap();
        models
    }

    #[test]
    fn a_server_is_asked_for_its_models() {
        let models = served("HTTP/1.0 200 OK\r\n\r\n{\"data\":[{\"id\":\"qwen3:8b\"},{\"id\":\"gemma3\"}]}");
        assert_eq!(models, Some(vec!["qwen3:8b".to_owned(), "gemma3".to_owned()]));
        assert_eq!(served("HTTP/1.0 200 OK\r\n\r\n<html>"), None);
        assert_eq!(served("nonsense"), None);
    }

    #[test]
    fn nobody_there_is_nobody() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        assert_eq!(models_on(port), None);
    }
}
