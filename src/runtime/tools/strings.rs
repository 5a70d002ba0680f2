//! Texts that a program sends to its terminal, such as titles, before the parser: of one that is too long only the
//! beginning goes on.

/// Most bytes of such a text. The parser keeps all of it in memory until it ends, and it may never end.
const MOST: usize = 64 * 1024;

/// Follows the parser (vte) as far as it must be known when it begins to keep something: in operating system commands (OSC)
/// alone. Of other strings (DCS, SOS, PM, APC) it keeps nothing, and of numbers a few.
#[derive(Debug, Default)]
pub(super) struct Strings {
    state: StringState,
}

#[derive(Debug, Clone, Copy, Default)]
enum StringState {
    #[default]
    Plain,
    /// Behind an escape.
    Escape,
    /// In a text of which so many bytes have gone on.
    Text(usize),
}

impl Strings {
    /// Passes on what the parser may have, in order, and in one piece unless something is left out: what is no proper UTF-8 means
    /// something else to the parser in two.
    pub(super) fn pass(&mut self, bytes: &[u8], mut on: impl FnMut(&[u8])) {
        let (mut from, mut at) = (0, 0);
        while let Some((length, passes)) = self.piece(bytes.get(at..).unwrap_or_default()) {
            if passes < length {
                on(bytes.get(from..at + passes).unwrap_or_default());
                from = at + length;
            }
            at += length;
        }
        on(bytes.get(from..).unwrap_or_default());
    }

    /// How many bytes there are up to the next change, and how many of them go on; `None` where there are none.
    fn piece(&mut self, bytes: &[u8]) -> Option<(usize, usize)> {
        let first = bytes.first()?;
        let (next, length, passes) = match self.state {
            StringState::Plain => match bytes.iter().position(|byte| *byte == 0x1b) {
                Some(at) => (StringState::Escape, at + 1, at + 1),
                None => (StringState::Plain, bytes.len(), bytes.len()),
            },
            StringState::Escape => match *first {
                b']' => (StringState::Text(0), 1, 1),
                0x18 | 0x1a | b' '..=b'~' => (StringState::Plain, 1, 1),
                // Other controls, and what is no ASCII, come between.
                _ => (StringState::Escape, 1, 1),
            },
            StringState::Text(kept) => {
                let ends = bytes.iter().position(|byte| matches!(byte, 0x07 | 0x18 | 0x1a | 0x1b));
                match ends {
                    Some(0) if *first == 0x1b => (StringState::Escape, 1, 1),
                    Some(0) => (StringState::Plain, 1, 1),
                    _ => {
                        let length = ends.unwrap_or(bytes.len());
                        let passes = length.min(MOST.saturating_sub(kept));
                        (StringState::Text(kept + passes), length, passes)
                    }
                }
            }
        };
        self.state = next;
        Some((length, passes))
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use proptest::prelude::*;

    use super::*;

    /// The longest title that a terminal was told.
    #[derive(Default)]
    struct Longest(usize);

    impl vt100::Callbacks for Longest {
        fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
            self.0 = self.0.max(title.len());
        }
    }

    fn parser() -> vt100::Parser<Longest> {
        let size = |size| NonZeroU16::new(size).unwrap();
        vt100::Parser::new_with_callbacks(size(10), size(30), 20, Longest::default())
    }

    /// What the parser comes to with the bytes in such pieces.
    fn through(bytes: &[u8], piece: usize) -> vt100::Parser<Longest> {
        let (mut strings, mut parser) = (Strings::default(), parser());
        for piece in bytes.chunks(piece) {
            strings.pass(piece, |bytes| parser.process(bytes));
        }
        parser
    }

    #[test]
    fn a_text_without_an_end_is_not_kept() {
        for (begins, ends) in [
            ("\x1b]0;", "\x07"),
            ("\x1b]2;", "\x1b\\"),
            ("\x1b]0;", "\x18"),
            ("\x1b\x00é]0;", "\x1a"),
            ("\x1b]0;", "\x1bM"),
        ] {
            let mut passed = 0;
            let mut strings = Strings::default();
            strings.pass(begins.as_bytes(), |_| ());
            for _ in 0..1_000 {
                strings.pass(&[b'y'; 8_192], |bytes| passed += bytes.len());
            }
            assert_eq!(passed, MOST - 2, "{begins:?}");
            let text = format!("before{begins}{}{ends}after", "y".repeat(300_000));
            let parser = through(text.as_bytes(), 5_000);
            let shown = parser.screen().contents();
            assert!(shown.contains("before") && shown.contains("after") && !shown.contains('y'), "{shown}");
            assert_eq!(parser.callbacks().0, MOST - 2, "the beginning is a title: {begins:?}");
        }
    }

    #[test]
    fn each_text_may_be_as_long_again() {
        let title = "t".repeat(MOST - 2);
        let parser = through(format!("\x1b]0;short\x07\x1b]0;{title}\x07 end").as_bytes(), 777);
        assert_eq!((parser.callbacks().0, parser.screen().contents().as_str()), (MOST - 2, " end"));
    }

    #[test]
    fn what_is_no_character_is_not_taken_apart() {
        let bytes = b"\x1b[31m\xc3\xa9\x1b\xc3]";
        let mut passed = Vec::new();
        Strings::default().pass(bytes, |bytes| passed.push(bytes.to_vec()));
        assert_eq!(passed, [bytes.to_vec()]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_short_goes_on_as_it_is(
            pieces in prop::collection::vec(prop::sample::select(vec![
                &b"text"[..], b"\x1b", b"]", b"0;", b"\x07", b"\\", b"\x18", b"\x1a", b"\x1b]2;t\x07", b"\x1bP", b"q", b"\x1b_",
                b"\x1b[31m", b"\x1b[", b"5", b"\xc3", b"\xa9", b"\x9c", b"\x9d", b"\n", b"\r", b"\x00", b"\x7f", b" ", b"(",
                b"\x1b]8;;x\x1b\\", b"\xff", b"\x1bX", b"\x1b^",
            ]), 0..40),
        ) {
            let bytes = pieces.concat();
            for piece in 1..=bytes.len().max(1) {
                let mut passed = Vec::new();
                let mut strings = Strings::default();
                for piece in bytes.chunks(piece) {
                    strings.pass(piece, |bytes| passed.extend_from_slice(bytes));
                }
                prop_assert_eq!(&passed, &bytes);
                // The parser itself may read a character otherwise that comes in two pieces.
                let mut alone = parser();
                bytes.chunks(piece).for_each(|piece| alone.process(piece));
                let parser = through(&bytes, piece);
                prop_assert_eq!(parser.screen().contents_formatted(), alone.screen().contents_formatted());
                prop_assert_eq!(parser.callbacks().0, alone.callbacks().0);
            }
        }

        #[test]
        fn no_more_than_that_is_ever_kept(
            pieces in prop::collection::vec((prop::sample::select(vec!["\x1b", "]", "\x07", "\x1b]0;", "\x1b\x01]", "\x1b é]1;"]), 0_usize..200_000), 1..6),
        ) {
            let bytes: Vec<u8> =
                pieces.iter().flat_map(|(head, length)| [head.as_bytes(), &vec![b'a'; *length]].concat()).collect();
            prop_assert!(through(&[&bytes[..], b"\x07"].concat(), 4_096).callbacks().0 <= MOST);
        }
    }
}
