//! Keys and pastes as an xterm sends them, for programs that run on a terminal of ours.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tool::KeyModes;

/// What stands around a paste for a program that asked for marks (mode 2004).
const PASTE: (&str, &str) = ("\x1b[200~", "\x1b[201~");

/// The bytes of a key; none for keys that an xterm has no bytes for.
#[must_use]
pub fn key(key: KeyEvent, modes: KeyModes) -> Vec<u8> {
    let held = key.modifiers;
    let is_alt = held.contains(KeyModifiers::ALT);
    match key.code {
        KeyCode::Char(letter) => {
            let plain = if held.contains(KeyModifiers::CONTROL) {
                control(letter).map_or_else(|| letter.to_string(), |byte| char::from(byte).to_string())
            } else {
                letter.to_string()
            };
            meta(&plain, is_alt)
        }
        KeyCode::Enter => meta("\r", is_alt),
        KeyCode::Esc => meta("\x1b", is_alt),
        KeyCode::Backspace if held.contains(KeyModifiers::CONTROL) => meta("\x08", is_alt),
        KeyCode::Backspace => meta("\x7f", is_alt),
        KeyCode::BackTab => b"\x1b[Z".to_vec(),
        KeyCode::Tab if held.contains(KeyModifiers::SHIFT) => b"\x1b[Z".to_vec(),
        KeyCode::Tab => meta("\t", is_alt),
        KeyCode::Up => cursor('A', held, modes),
        KeyCode::Down => cursor('B', held, modes),
        KeyCode::Right => cursor('C', held, modes),
        KeyCode::Left => cursor('D', held, modes),
        KeyCode::End => cursor('F', held, modes),
        KeyCode::Home => cursor('H', held, modes),
        KeyCode::Insert => numbered(2, held),
        KeyCode::Delete => numbered(3, held),
        KeyCode::PageUp => numbered(5, held),
        KeyCode::PageDown => numbered(6, held),
        KeyCode::F(number) => function(number, held),
        KeyCode::Null
        | KeyCode::CapsLock
        | KeyCode::ScrollLock
        | KeyCode::NumLock
        | KeyCode::PrintScreen
        | KeyCode::Pause
        | KeyCode::Menu
        | KeyCode::KeypadBegin
        | KeyCode::Media(_)
        | KeyCode::Modifier(_) => Vec::new(),
    }
}

/// The bytes of pasted text: line ends as the enter key sends them, no other control characters, so that a paste can
/// neither end its own marks nor press keys.
#[must_use]
pub fn paste(text: &str, modes: KeyModes) -> Vec<u8> {
    let lines = text.replace("\r\n", "\r").replace('\n', "\r");
    let kept = lines.chars().filter(|c| !c.is_control() || matches!(c, '\r' | '\t'));
    let (before, after) = if modes.bracketed_paste { PASTE } else { ("", "") };
    before.chars().chain(kept).chain(after.chars()).collect::<String>().into_bytes()
}

/// The byte of a character while ctrl is held, if it has one. Digits stand for the signs that share their byte, which
/// is how plain terminals report those.
fn control(letter: char) -> Option<u8> {
    Some(match letter.to_ascii_lowercase() {
        letter @ 'a'..='z' => u8::try_from(letter).ok()? & 0x1f,
        ' ' | '@' | '2' | '`' => 0x00,
        '[' | '3' => 0x1b,
        '\\' | '4' => 0x1c,
        ']' | '5' => 0x1d,
        '^' | '~' | '6' => 0x1e,
        '_' | '/' | '7' => 0x1f,
        '?' | '8' => 0x7f,
        _ => return None,
    })
}

/// Alt is an Esc before it.
fn meta(plain: &str, is_alt: bool) -> Vec<u8> {
    if is_alt { format!("\x1b{plain}") } else { plain.to_owned() }.into_bytes()
}

/// `CSI A`, in application mode `SS3 A`, with something held `CSI 1 ; 5 A`.
fn cursor(letter: char, held: KeyModifiers, modes: KeyModes) -> Vec<u8> {
    match parameter(held) {
        Some(number) => format!("\x1b[1;{number}{letter}"),
        None if modes.application_cursor => format!("\x1bO{letter}"),
        None => format!("\x1b[{letter}"),
    }
    .into_bytes()
}

/// `CSI 5 ~`, with something held `CSI 5 ; 2 ~`.
fn numbered(number: u8, held: KeyModifiers) -> Vec<u8> {
    match parameter(held) {
        Some(held) => format!("\x1b[{number};{held}~"),
        None => format!("\x1b[{number}~"),
    }
    .into_bytes()
}

/// F1 to F4 are `SS3 P` to `SS3 S`, the others have numbers, with gaps that are history.
fn function(number: u8, held: KeyModifiers) -> Vec<u8> {
    let numbers = [15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34];
    match (number, parameter(held)) {
        (1..=4, None) => vec![0x1b, b'O', b'O' + number],
        (1..=4, Some(held)) => format!("\x1b[1;{held}{}", char::from(b'O' + number)).into_bytes(),
        (5.., _) => numbers.get(usize::from(number - 5)).map_or_else(Vec::new, |code| numbered(*code, held)),
        (0, _) => Vec::new(),
    }
}

/// What is held down, as a parameter: 1 and the sum of shift 1, alt 2, ctrl 4.
fn parameter(held: KeyModifiers) -> Option<u8> {
    let known = [(KeyModifiers::SHIFT, 1), (KeyModifiers::ALT, 2), (KeyModifiers::CONTROL, 4)];
    let sum: u8 = known.iter().filter(|(key, _)| held.contains(*key)).map(|(_, value)| value).sum();
    (sum > 0).then_some(1 + sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::chord::Chord;

    fn sent(written: &str, modes: KeyModes) -> String {
        let chord = Chord::parse(written).unwrap();
        String::from_utf8(key(KeyEvent::new(chord.code, chord.held), modes)).unwrap()
    }

    /// As ctlseqs.txt of xterm has them ("PC-Style Function Keys", "VT100-Style").
    const KEYS: &[(&str, &str)] = &[
        ("a", "a"),
        ("A", "A"),
        ("ä", "ä"),
        ("漢", "漢"),
        ("space", " "),
        ("enter", "\r"),
        ("tab", "\t"),
        ("shift-tab", "\x1b[Z"),
        ("backspace", "\x7f"),
        ("ctrl-backspace", "\x08"),
        ("alt-backspace", "\x1b\x7f"),
        ("esc", "\x1b"),
        ("alt-esc", "\x1b\x1b"),
        ("ctrl-a", "\x01"),
        ("ctrl-c", "\x03"),
        ("ctrl-i", "\t"),
        ("ctrl-m", "\r"),
        ("ctrl-z", "\x1a"),
        ("ctrl-space", "\0"),
        ("ctrl-@", "\0"),
        ("ctrl-2", "\0"),
        ("ctrl-[", "\x1b"),
        ("ctrl-\\", "\x1c"),
        ("ctrl-4", "\x1c"),
        ("ctrl-]", "\x1d"),
        ("ctrl-5", "\x1d"),
        ("ctrl-^", "\x1e"),
        ("ctrl-_", "\x1f"),
        ("ctrl-7", "\x1f"),
        ("ctrl-8", "\x7f"),
        ("ctrl-1", "1"),
        ("alt-x", "\x1bx"),
        ("alt-enter", "\x1b\r"),
        ("ctrl-alt-c", "\x1b\x03"),
        ("up", "\x1b[A"),
        ("down", "\x1b[B"),
        ("right", "\x1b[C"),
        ("left", "\x1b[D"),
        ("home", "\x1b[H"),
        ("end", "\x1b[F"),
        ("shift-up", "\x1b[1;2A"),
        ("alt-left", "\x1b[1;3D"),
        ("ctrl-right", "\x1b[1;5C"),
        ("ctrl-alt-shift-home", "\x1b[1;8H"),
        ("insert", "\x1b[2~"),
        ("delete", "\x1b[3~"),
        ("pgup", "\x1b[5~"),
        ("ctrl-pgdn", "\x1b[6;5~"),
        ("f1", "\x1bOP"),
        ("f4", "\x1bOS"),
        ("shift-f2", "\x1b[1;2Q"),
        ("f5", "\x1b[15~"),
        ("f6", "\x1b[17~"),
        ("f10", "\x1b[21~"),
        ("f11", "\x1b[23~"),
        ("f12", "\x1b[24~"),
        ("ctrl-f12", "\x1b[24;5~"),
    ];

    #[test]
    fn keys_are_those_of_an_xterm() {
        for (written, bytes) in KEYS {
            assert_eq!(sent(written, KeyModes::default()), *bytes, "{written}");
        }
        let far = |number| key(KeyEvent::new(KeyCode::F(number), KeyModifiers::NONE), KeyModes::default());
        assert_eq!([far(13), far(20), far(21), far(0)], [&b"\x1b[25~"[..], b"\x1b[34~", b"", b""]);
    }

    #[test]
    fn application_mode_changes_cursor_keys_alone() {
        let modes = KeyModes { application_cursor: true, bracketed_paste: false };
        for (written, bytes) in [
            ("up", "\x1bOA"),
            ("left", "\x1bOD"),
            ("home", "\x1bOH"),
            ("end", "\x1bOF"),
            ("shift-up", "\x1b[1;2A"),
            ("pgup", "\x1b[5~"),
            ("f1", "\x1bOP"),
            ("enter", "\r"),
        ] {
            assert_eq!(sent(written, modes), bytes, "{written}");
        }
    }

    #[test]
    fn a_paste_presses_no_keys_and_keeps_within_its_marks() {
        let text = "one\r\ntwo\n\tthree\x1b[201~\x03\u{9b}31m\x7f\0 ä";
        let plain = "one\rtwo\r\tthree[201~31m ä";
        assert_eq!(paste(text, KeyModes::default()), plain.as_bytes());
        let modes = KeyModes { bracketed_paste: true, ..KeyModes::default() };
        assert_eq!(paste(text, modes), format!("\x1b[200~{plain}\x1b[201~").as_bytes());
    }
}
