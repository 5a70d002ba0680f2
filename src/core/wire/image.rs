//! Picture files as far as a request needs them: what one is by its first bytes, how large, and whether it is whole.

use thiserror::Error;

use crate::ledger::Image;

use super::base64::base64;

/// What a file shows to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    /// As in `image/png`.
    pub media_type: &'static str,
    /// Pixels, as the header says.
    pub width: u32,
    /// Pixels, as the header says.
    pub height: u32,
}

/// Why bytes are no picture that can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoPicture {
    /// Another kind of file.
    #[error("it is not a PNG, JPEG, GIF or WebP image")]
    OtherFormat,
    /// It begins as one and does not go on as one.
    #[error("it is damaged or cut short")]
    Damaged,
}

/// Why the content of a file is no image that can be sent; a predicate, to stand behind its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoImage {
    /// No picture of a format that providers take.
    #[error("cannot be sent: {0}")]
    NoPicture(NoPicture),
    /// Too many bytes.
    #[error("is larger than {}.{} MB", Image::MOST_BYTES / 1_000_000, Image::MOST_BYTES / 100_000 % 10)]
    TooLarge,
    /// Too many pixels.
    #[error("has {width}×{height} pixels; at most {most} per side are allowed", most = Image::MOST_PIXELS)]
    TooManyPixels {
        /// As the header says.
        width: u32,
        /// As the header says.
        height: u32,
    },
}

/// The content of a file as the image that goes to a model, under this name.
///
/// # Errors
/// [`NoImage`]: no picture, or one beyond the bounds of all providers.
pub fn to_image(name: &str, content: &[u8]) -> Result<Image, NoImage> {
    if content.len() as u64 > Image::MOST_BYTES {
        return Err(NoImage::TooLarge);
    }
    let Picture { media_type, width, height } = recognize(content).map_err(NoImage::NoPicture)?;
    if width.max(height) > Image::MOST_PIXELS {
        return Err(NoImage::TooManyPixels { width, height });
    }
    Ok(Image {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        data: base64(content).into(),
        size: Some((width, height)),
    })
}

/// Tells a picture by its first bytes, whatever its file is called. Only headers are read, nothing is decoded.
///
/// # Errors
/// [`NoPicture`]: another format, a header that is not whole, no pixels, or less in the file than it says.
pub fn recognize(bytes: &[u8]) -> Result<Picture, NoPicture> {
    let (media_type, size) = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        ("image/png", png(bytes))
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        ("image/jpeg", jpeg(bytes))
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        ("image/gif", gif(bytes))
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        ("image/webp", webp(bytes))
    } else {
        return Err(NoPicture::OtherFormat);
    };
    match size {
        Some((width @ 1.., height @ 1..)) => Ok(Picture { media_type, width, height }),
        Some(_) | None => Err(NoPicture::Damaged),
    }
}

/// An image as `data:image/png;base64,...`, for the protocols that take addresses.
pub(crate) fn data_url(image: &Image) -> String {
    format!("data:{};base64,{}", image.media_type, image.data)
}

/// Width and height from IHDR; every chunk must be there, up to IEND.
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    if (big(bytes, 8, 4)?, bytes.get(12..16)?) != (13, b"IHDR") {
        return None;
    }
    let mut at = 8_usize;
    loop {
        let length = usize::try_from(big(bytes, at, 4)?).ok()?;
        let after = at.checked_add(length)?.checked_add(12)?;
        bytes.get(at..after)?;
        if bytes.get(at + 4..at + 8)? == b"IEND" {
            return Some((big(bytes, 16, 4)?, big(bytes, 20, 4)?));
        }
        at = after;
    }
}

/// Width and height from the first frame header.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2_usize;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        match *bytes.get(at + 1)? {
            // Any number of fill bytes may stand before a marker.
            0xff => at += 1,
            0x01 | 0xd0..=0xd7 => at += 2,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((big(bytes, at + 7, 2)?, big(bytes, at + 5, 2)?));
            }
            // The data begin, or end, and no frame was described.
            0xd8..=0xda => return None,
            _ => at += 2 + usize::try_from(big(bytes, at + 2, 2)?).ok().filter(|length| *length >= 2)?,
        }
    }
}

fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    Some((little(bytes, 6, 2)?, little(bytes, 8, 2)?))
}

/// Width and height from the first chunk, which is one of three.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    let said = usize::try_from(little(bytes, 4, 4)?).ok()?;
    if said.checked_add(8)? > bytes.len() {
        return None;
    }
    match bytes.get(12..16)? {
        b"VP8 " if bytes.get(23..26)? == b"\x9d\x01\x2a" => {
            Some((little(bytes, 26, 2)? & 0x3fff, little(bytes, 28, 2)? & 0x3fff))
        }
        b"VP8L" if *bytes.get(20)? == 0x2f => {
            let bits = little(bytes, 21, 4)?;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => Some((little(bytes, 24, 3)? + 1, little(bytes, 27, 3)? + 1)),
        _ => None,
    }
}

/// A number of so many bytes (four at most), the highest first.
fn big(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(count)?)?;
    Some(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// The same, the lowest first.
fn little(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(count)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(bytes: &[u8]) -> Option<(&'static str, u32, u32)> {
        recognize(bytes).ok().map(|seen| (seen.media_type, seen.width, seen.height))
    }

    fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], kind, data, b"crc!"].concat()
    }

    fn png_of(width: u32, height: u32) -> Vec<u8> {
        let header = [&width.to_be_bytes()[..], &height.to_be_bytes()[..], &[8, 2, 0, 0, 0]].concat();
        let parts = [chunk(b"IHDR", &header), chunk(b"IDAT", b"data"), chunk(b"IEND", b"")];
        [b"\x89PNG\r\n\x1a\n".to_vec(), parts.concat()].concat()
    }

    #[test]
    fn each_format_by_its_bytes() {
        assert_eq!(seen(&png_of(640, 480)), Some(("image/png", 640, 480)));
        let jpeg = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc2\x00\x0b\x08\x01\xe0\x02\x80\x03";
        assert_eq!(seen(jpeg), Some(("image/jpeg", 640, 480)));
        assert_eq!(seen(b"GIF89a\x80\x02\xe0\x01\0\0\0"), Some(("image/gif", 640, 480)));
        let lossy = b"RIFF\x16\0\0\0WEBPVP8 \x0a\0\0\0abc\x9d\x01\x2a\x80\x02\xe0\x01";
        assert_eq!(seen(lossy), Some(("image/webp", 640, 480)));
        let lossless = b"RIFF\x11\0\0\0WEBPVP8L\x05\0\0\0\x2f\x7f\xc2\x77\0";
        assert_eq!(seen(lossless), Some(("image/webp", 640, 480)));
        let extended = b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\x7f\x02\0\xdf\x01\0";
        assert_eq!(seen(extended), Some(("image/webp", 640, 480)));
    }

    #[test]
    fn whatever_is_cut_off_is_damaged_and_never_a_panic() {
        let whole = png_of(3, 5);
        for end in 8..whole.len() {
            assert_eq!(recognize(&whole[..end]), Err(NoPicture::Damaged), "{end}");
        }
        for end in 0..8 {
            assert_eq!(recognize(&whole[..end]), Err(NoPicture::OtherFormat), "{end}");
        }
        for start in [
            &b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc2\x00\x0b"[..],
            b"GIF89a\x80\x02\xe0",
            b"RIFF\0\0\0\0WEBPVP8L",
        ] {
            assert_eq!(recognize(start), Err(NoPicture::Damaged), "{start:?}");
        }
    }

    #[test]
    fn headers_that_lie() {
        assert_eq!(seen(&png_of(0, 5)), None, "no pixels");
        assert_eq!(seen(&png_of(u32::MAX, 1)), Some(("image/png", u32::MAX, 1)), "for the caller to refuse");
        let mut endless = png_of(3, 5);
        endless[33..37].copy_from_slice(&u32::MAX.to_be_bytes());
        assert_eq!(seen(&endless), None, "a chunk longer than the file");
        assert_eq!(seen(b"\xff\xd8\xff\xe0\x00\x00\xff\xe0\x00\x00"), None, "a segment shorter than itself");
        assert_eq!(seen(b"\xff\xd8\xff\xda\x00\x04ab\xff\xd9"), None, "data without a frame");
        assert_eq!(seen(b"RIFF\xff\xff\xff\xffWEBPVP8X\x0a\0\0\0\x10\0\0\0\x7f\x02\0\xdf\x01\0"), None);
        assert_eq!(recognize(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), Err(NoPicture::OtherFormat));
    }
}
