//! Where the message comes from: the argument, or stdin.

use serde_json::json;

use crate::world::World;

const ANSWER: &[&str] = &["--json", "--script", "[\"Heard.\"]"];

/// What the model is told when this is typed and piped.
fn heard(words: &[&str], input: &[u8]) -> String {
    let world = World::new();
    let ran = world.exec_fed(&[ANSWER, words].concat(), input);
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran.one("user_message")["content"].as_str().unwrap().to_owned()
}

#[test]
fn the_message_comes_from_the_argument_or_from_stdin() {
    assert_eq!(heard(&["the argument"], b""), "the argument");
    assert_eq!(heard(&["-"], b"from the pipe\nin two lines\n"), "from the pipe\nin two lines");
    assert_eq!(heard(&[], b"from the pipe"), "from the pipe");
    assert_eq!(heard(&["-"], "caf\u{e9} ".as_bytes()), "café ");
    assert_eq!(heard(&["-"], b"broken \xff bytes"), "broken \u{fffd} bytes");
    assert_eq!(heard(&["--", "-m is no flag here"], b""), "-m is no flag here");
}

#[test]
fn what_is_piped_in_beside_a_message_is_a_block_of_it() {
    assert_eq!(heard(&["sum up"], b"a\nb\n"), "sum up\n\n<stdin>\na\nb\n</stdin>");
    assert_eq!(heard(&["sum up"], b" \n"), "sum up");
    let world = World::new();
    let ran = world.exec_fed(&[ANSWER, &["sum up"]].concat(), b"a\nb\n");
    let message = ran.one("user_message");
    assert_eq!(message["pastes"], json!([[8, 28]]), "names in it name nobody: {message}");
    let material = heard(&["sum up"], b"</stdin> see @missing.png");
    assert_eq!(material, "sum up\n\n<stdin-1>\n</stdin> see @missing.png\n</stdin-1>");
}

#[test]
fn binary_on_stdin_is_refused_before_anything_is_sent() {
    let world = World::new().with("DEBUG_MOCK_RESPONSES", "[\"never\"]");
    for words in [&["sum up"][..], &["-"], &[]] {
        let ran = world.exec_fed(words, b"\x7fELF\0\0");
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}");
        assert!(
            ran.complaint().contains("stdin is binary, not text; next: save it as a file"),
            "{}",
            ran.err
        );
    }
    assert!(world.sessions().is_empty());
}

#[test]
fn a_long_message_arrives_whole() {
    let long = "words and more words\n".repeat(20_000);
    assert_eq!(heard(&["-"], long.as_bytes()), long.trim_end());
}

#[test]
fn no_message_is_wrong_usage() {
    let world = World::new().with("DEBUG_MOCK_RESPONSES", "[\"never\"]");
    for (words, input) in [(&["-"][..], "\n \n"), (&[], ""), (&[""], ""), (&["  "], "")] {
        let ran = world.exec_fed(words, input.as_bytes());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}");
        assert!(ran.complaint().contains("prompt"), "{}", ran.err);
    }
    assert!(world.sessions().is_empty());
}

#[test]
fn a_session_goes_on_from_stdin_too() {
    let world = World::new();
    assert_eq!(world.exec_fed(ANSWER, b"first").code, 0);
    let ran = world.exec_fed(&[ANSWER, &["--last"]].concat(), b"second");
    assert_eq!((ran.code, ran.one("user_message")["content"].clone()), (0, json!("second")));
    assert_eq!(world.sessions().len(), 1);
}
