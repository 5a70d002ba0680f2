//! Bytes as the text in which JSON carries them: base64 with padding.

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;

/// The standard alphabet, padded.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::base64;

    /// The examples of RFC 4648, and the ends of the alphabet.
    #[test]
    fn as_the_standard_has_it() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (bytes, text) in pairs {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
        assert_eq!(base64(&[0, 0, 0xfb, 0xff, 0xff, 0xff]), "AAD7////");
    }
}
