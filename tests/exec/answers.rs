//! Answers that do not end, and streams that break in the midst of a good answer.

use crate::model_server::{Part, Reply, gate};
use crate::servers::ALL;
use crate::world::text;

#[test]
fn an_answer_without_an_end_is_cut_off_and_the_server_is_left() {
    for speech in ALL {
        let (never, _opener) = gate();
        let endless = (0..100).map(|_| Part::Text("and so on, ".repeat(100))).chain([never]).collect();
        let (server, world) = speech.serve(vec![Reply::Stream(endless), Reply::text("That is all.")]);
        let ran = world.json(&["-m", speech.model, "-c", "loop.max_answer_bytes=10000", "tell me"]);
        assert_eq!((ran.code, ran.reason().as_str()), (0, "completed"), "{}", ran.err);
        assert!(server.closed_early(), "the rest was not waited for");
        let (session, entries) = (world.session_text(), world.entries());
        assert!(
            session.contains("was cut off after 10000 bytes of text and thinking (loop.max_answer_bytes)")
        );
        assert!(session.len() < 200_000, "{}", session.len());
        let said = entries.iter().find(|entry| entry["stop_reason"] == "length").unwrap();
        assert!(text(said, "text").len() <= 10_000);
    }
}

#[test]
fn a_line_that_breaks_in_a_good_stream_is_tried_again() {
    for speech in ALL {
        let broken = vec![Part::text("It is"), Part::Bytes("data: {\"type\":\"resp\n\n".to_owned())];
        let (server, world) = speech.serve(vec![Reply::Stream(broken), Reply::text("It is good.")]);
        let ran = world.json(&["-m", speech.model, "is it"]);
        assert_eq!((ran.code, ran.reason().as_str(), server.left()), (0, "completed", 0), "{}", ran.err);
        let session = world.session_text();
        assert!(session.contains("a line of its stream cannot be read") && !session.contains("base URL"));
        assert!(session.contains("It is good."));
    }
}
