//! Streams of events at an address that end at once: they are begun anew with pauses, or not at all.

use std::time::Duration;

use crate::mcp::fixture::Fixture;
use crate::mcp::http::server;
use crate::mcp_site::Site;

/// A server of which each stream that is asked for says this and ends.
fn saying(body: &str) -> Site {
    let body = body.to_owned();
    Site::new(move |asked| {
        let head = || "200 OK\r\ncontent-type: text/event-stream".to_owned();
        (asked.method == "get").then(|| (head(), body.clone()))
    })
}

/// How many streams are asked for within a little more than two seconds.
async fn asked_for(site: &Site) -> usize {
    let fixture = Fixture::new(vec![server(site)]);
    fixture.found().await;
    tokio::time::sleep(Duration::from_millis(2_300)).await;
    site.asked().iter().filter(|asked| asked.method == "get").count()
}

#[tokio::test]
async fn a_stream_that_ends_at_once_is_not_begun_anew_at_once() {
    // It wishes to be asked at once; it is broken; it says nothing; it says what is no message.
    let bodies = ["retry: 0\n\n", "id: 1\nretry: 0\ndata: {\n\n", "nonsense\n\n", ""];
    let sites = bodies.map(saying);
    let all = futures_util::future::join_all(sites.iter().map(asked_for)).await;
    assert!(all.iter().all(|count| (1..=5).contains(count)), "{all:?}");
}

#[tokio::test]
async fn a_stream_that_was_not_read_to_its_end_is_not_begun_anew() {
    let heavy = format!("[{}0]", "0,".repeat(200_000));
    for body in [format!("data: {heavy}\n\n"), format!("id: 1\ndata: \n\ndata: {heavy}\n\n")] {
        assert_eq!(asked_for(&saying(&body)).await, 1);
    }
}
