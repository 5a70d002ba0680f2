//! What both providers demand of an image: a type that they know, base64, and bytes that are of that type.

/// Checks one image.
pub(crate) fn check(media_type: &str, data: &str, place: &str) -> Result<(), String> {
    let first: &[u8] = match media_type {
        "image/png" => b"\x89PNG\r\n\x1a\n",
        "image/jpeg" => b"\xff\xd8\xff",
        "image/gif" => b"GIF8",
        "image/webp" => b"RIFF",
        other => return Err(format!("{place}: media_type: '{other}' is none of the supported image types")),
    };
    let bytes = decoded(data).ok_or_else(|| format!("{place}: invalid base64 data"))?;
    if bytes.starts_with(first) {
        return Ok(());
    }
    Err(format!(
        "{place}: The image was specified using the {media_type} media type, but does not appear to be one"
    ))
}

/// The bytes of padded base64.
pub(crate) fn decoded(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() || !text.len().is_multiple_of(4) {
        return None;
    }
    let bare = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for letter in bare.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}
