//! Silence and leaving: how long a server is waited for, and that it sees at once when nobody waits any more.

use std::time::Duration;

use countersign::model::{FailureClass, ModelEvent, ModelNews};
use countersign::runtime::{HttpModel, ModelPort, Timeouts};
use countersign::wire::{Endpoint, Protocol};
use futures_util::StreamExt;

use crate::http::{ALL, model, said_by};
use crate::model_server::{ModelServer, Part, Reply, gate};
use crate::support::answer::Answer;
use crate::support::history::{request, user};

/// What is waited for here never comes, so the clock may run ahead to the end of the wait.
const PATIENT: Timeouts = Timeouts {
    connect: Duration::from_secs(3_600),
    first_byte: Duration::from_secs(300),
    idle: Duration::from_secs(120),
};

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    for protocol in ALL {
        let (wait, opener) = gate();
        let server = ModelServer::start(vec![Reply::Stream(vec![Part::text("Hel"), wait, Part::text("lo")])]);
        let mut stream = model(protocol, &server.base_url()).stream(request(vec![user("Hi")]));
        while let Some(item) = stream.next().await {
            if matches!(item, ModelNews::Event(ModelEvent::Text(_))) {
                break;
            }
        }
        assert!(!server.closed_early());
        drop(stream);
        server.closed(1).await;
        drop(opener);
    }
}

#[tokio::test]
async fn leaving_before_the_answer_begins_closes_the_connection_too() {
    let deaf = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", deaf.local_addr().unwrap());
    let mut stream = model(Protocol::OpenAiChat, &base).stream(request(vec![user("Hi")]));
    let (socket, _) = tokio::select! {
        _ = stream.next() => panic!("nothing was answered"),
        accepted = deaf.accept() => accepted.unwrap(),
    };
    drop(stream);
    // All that was sent, and then the end.
    let mut heard = Vec::new();
    let mut socket = socket;
    tokio::io::AsyncReadExt::read_to_end(&mut socket, &mut heard).await.unwrap_or_default();
    assert!(heard.is_empty() || heard.starts_with(b"POST /v1/chat/completions "));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_begins_is_given_up() {
    // The connection waits in the listener's queue.
    let deaf = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", deaf.local_addr().unwrap());
    for protocol in ALL {
        let begun = tokio::time::Instant::now();
        let failure =
            said_by(&HttpModel::new(protocol, Endpoint::new(&base, None), PATIENT)).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Transient, "it is tried again");
        assert_eq!(failure.message, format!("Waited 300 s for {base} to begin its answer; gave up."));
        assert!(failure.is_unheard, "the server may have read it, and bill it");
        assert_eq!(begun.elapsed().as_secs(), 300);
    }
}

#[tokio::test]
async fn comments_without_an_end_are_no_answer() {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        assert!(connection.read(&mut [0; 1 << 16]).unwrap() > 0);
        connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").unwrap();
        // Until nobody listens any more.
        while connection.write_all(b": PROCESSING\n\n").is_ok() {}
    });
    let timeouts = Timeouts { idle: Duration::from_millis(50), ..PATIENT };
    let model = HttpModel::new(Protocol::OpenAiChat, Endpoint::new(&base, None), timeouts);
    let failure = said_by(&model).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Transient, "it is tried again");
    assert_eq!(failure.message, format!("Waited 1.5 s for {base} to go on; gave up."));
    assert!(failure.is_unheard, "it may be billed");
    // The connection is closed by a task of this thread.
    tokio::task::spawn_blocking(move || server.join().unwrap()).await.unwrap();
}

#[tokio::test]
async fn a_stream_that_stops_is_given_up() {
    for protocol in ALL {
        let (wait, opener) = gate();
        let server = ModelServer::start(vec![Reply::Stream(vec![Part::text("Hel"), wait])]);
        let model = HttpModel::new(protocol, Endpoint::new(server.base_url(), None), PATIENT);
        let mut stream = model.stream(request(vec![user("Hi")]));
        let mut heard = String::new();
        while heard != "Hel" {
            if let Some(ModelNews::Event(ModelEvent::Text(text))) = stream.next().await {
                heard += &text;
            }
        }
        tokio::time::pause();
        let begun = tokio::time::Instant::now();
        let rest: Vec<_> = stream.collect().await;
        let failure = Answer::of(&rest).failure.unwrap();
        assert_eq!(failure.class, FailureClass::Transient, "it is tried again");
        let words = format!("Waited 120 s for {} to go on; gave up.", server.base_url());
        assert_eq!((failure.message, begun.elapsed().as_secs()), (words, 120));
        tokio::time::resume();
        server.closed(1).await;
        drop(opener);
    }
}
