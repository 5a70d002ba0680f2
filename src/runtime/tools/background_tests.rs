//! What is kept of a background command's output.

use super::*;

#[test]
fn of_a_flood_the_newest_is_kept_and_the_rest_is_counted() {
    let mut heard = Heard::default();
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
