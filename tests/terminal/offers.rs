//! A model server on this machine is offered once it answers, and the first frame does not wait for that.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};

use super::console::{Console, USUAL};
use super::home::Home;

/// The usual places of the servers of one's own: nobody, but for the one that is given.
fn places(ollama: &str) -> Vec<String> {
    let gone = {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let others = ["llamacpp", "vllm", "lmstudio"].map(|name| (name, gone.clone()));
    let all = others.into_iter().chain([("ollama", ollama.to_owned())]);
    all.flat_map(|(name, url)| ["-c".to_owned(), format!("providers.{name}.base_url=\"{url}\"")]).collect()
}

#[tokio::test]
async fn the_app_is_there_before_the_server_has_answered() {
    let home = Home::new();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let arguments = places(&format!("http://{}/v1", listener.local_addr().unwrap()));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut app = Console::start(&home, USUAL, &arguments);
    app.sees("No key was found").await;
    app.sees("ask anything").await;
    assert!(!app.screen().contains("is running on this machine"), "nothing has answered yet");

    let (mut asks, _) = listener.accept().unwrap();
    let mut asked = [0; 1024];
    let count = asks.read(&mut asked).unwrap();
    assert!(asked[..count].starts_with(b"GET /v1/models "));
    let body = r#"{"data":[{"id":"small"},{"id":"large"}]}"#;
    write!(asks, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    app.sees("/model ollama/small (or large)").await;
    assert!(app.screen().contains("No key was found"), "below what was known");
    app.quits().await;
}
