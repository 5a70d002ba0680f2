//! Text as files hold it: UTF-8, and UTF-16 where a byte order mark says so. What is decoded is encoded to the same bytes.

/// How a file's text is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// With or without a byte order mark, which is then a part of the text.
    Utf8,
    /// Little-endian, with its byte order mark as a part of the text.
    Utf16Le,
    /// Big-endian, with its byte order mark as a part of the text.
    Utf16Be,
}

impl Encoding {
    /// By the first bytes of a file.
    pub(super) fn of(start: &[u8]) -> Self {
        match start {
            // These four are UTF-32, which nobody uses.
            [0xff, 0xfe, 0, 0, ..] => Self::Utf8,
            [0xff, 0xfe, ..] => Self::Utf16Le,
            [0xfe, 0xff, ..] => Self::Utf16Be,
            _ => Self::Utf8,
        }
    }

    /// As people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16 (little-endian)",
            Self::Utf16Be => "UTF-16 (big-endian)",
        }
    }

    /// The whole text.
    ///
    /// # Errors
    /// The line that is not valid, from 1.
    pub(super) fn decode(self, bytes: &[u8]) -> Result<String, usize> {
        let from: fn([u8; 2]) -> u16 = match self {
            Self::Utf8 => {
                return std::str::from_utf8(bytes).map(str::to_owned).map_err(|fault| {
                    bytes.iter().take(fault.valid_up_to()).filter(|byte| **byte == b'\n').count() + 1
                });
            }
            Self::Utf16Le => u16::from_le_bytes,
            Self::Utf16Be => u16::from_be_bytes,
        };
        let (pairs, rest) = bytes.as_chunks::<2>();
        let mut text = String::with_capacity(pairs.len());
        for decoded in char::decode_utf16(pairs.iter().map(|pair| from(*pair))) {
            text.push(decoded.map_err(|_unpaired| text.matches('\n').count() + 1)?);
        }
        if rest.is_empty() { Ok(text) } else { Err(text.matches('\n').count() + 1) }
    }

    /// The bytes of a text.
    pub(super) fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_written_as_it_was() {
        let text = "\u{feff}one\r\ntwo €😀\n";
        for encoding in [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be] {
            let bytes = encoding.encode(text);
            assert_eq!(Encoding::of(&bytes), encoding);
            assert_eq!(encoding.decode(&bytes).unwrap(), text);
        }
    }

    #[test]
    fn what_is_not_valid_is_said_with_its_line() {
        assert_eq!(Encoding::Utf8.decode(b"good\ncaf\xe9\n"), Err(2));
        let mut torn = Encoding::Utf16Le.encode("\u{feff}a\nb");
        torn.pop();
        assert_eq!(Encoding::Utf16Le.decode(&torn), Err(2));
        assert_eq!(Encoding::Utf16Be.decode(&[0xfe, 0xff, 0xd8, 0x00, 0x00, 0x41]), Err(1));
        assert_eq!(Encoding::of(&[0xff, 0xfe, 0, 0, 1]), Encoding::Utf8);
    }
}
