//! What is kept of a background command's output.

use super::*;

#[test]
fn of_a_flood_the_newest_is_kept_and_the_rest_is_counted() {
    let mut heard = UnreadOutput::default();
    for _ in 0..10_000 {
        heard.push("äöü€".as_bytes());
        assert!(heard.bytes.len() <= KEPT_BYTES);
    }
    let dropped = heard.dropped;
    assert_eq!(dropped + heard.bytes.len() as u64, 90_000);
    let text = heard.take();
    assert!(text.starts_with(&format!("[… {dropped} bytes")) && text.ends_with("äöü€"), "{text}");
    assert!(!text.contains('\u{fffd}'));
    heard.push(b"a\xe2\x82");
    assert_eq!(heard.take(), "a", "what was said and dropped is said once");
    heard.push(b"\xac");
    assert_eq!(heard.take(), "€");
}

#[test]
fn a_sequence_may_go_on_in_what_is_asked_for_later() {
    let mut heard = UnreadOutput::default();
    let mut shown = |bytes: &[u8]| {
        heard.push(bytes);
        let written = heard.take();
        heard.shown(&written)
    };
    assert_eq!(shown(b"10 %\r20 %\x1b[3"), "20 %");
    assert_eq!(shown(b"1m\r30 %\x1b"), "30 %", "what was said once is not said again");
    assert_eq!(shown(b"]0;title\x07done\r\n"), "done\n");
}
