//! Pictures made of bytes: as little as makes one.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests; not every test uses everything"
)]

use std::io::Cursor;

use countersign::ledger::Image;
use countersign::wire::base64;
use image::{ImageFormat, Rgb, RgbImage};

/// A PNG that says it is this large. Its one row is of nothing; nobody decodes it.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    png_with(width, height, b"\x78\x9c\x03\x00\x00\x00\x00\x01")
}

/// The same with these bytes as its pixels.
pub fn png_with(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes()[..], &[8, 2, 0, 0, 0]].concat();
    let chunk = |kind: &[u8], data: &[u8]| {
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], kind, data, &checksum(&[kind, data].concat()).to_be_bytes()[..]].concat()
    };
    [&b"\x89PNG\r\n\x1a\n"[..], &chunk(b"IHDR", &header), &chunk(b"IDAT", pixels), &chunk(b"IEND", b"")]
        .concat()
}

/// CRC-32 as PNG has it.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    };
    !bytes.iter().fold(!0, step)
}

/// The least that shows to be a JPEG of this size.
pub fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let size = [height.to_be_bytes(), width.to_be_bytes()].concat();
    [&b"\xff\xd8\xff\xc0\x00\x0b\x08"[..], &size, b"\x01\x01\x11\x00\xff\xd9"].concat()
}

/// The least that shows to be a GIF of this size.
pub fn gif(width: u16, height: u16) -> Vec<u8> {
    [&b"GIF89a"[..], &width.to_le_bytes(), &height.to_le_bytes(), b"\0\0\0;"].concat()
}

/// A PNG as a message carries it.
pub fn image(name: &str, width: u32, height: u32) -> Image {
    let data = base64(&png(width, height)).into();
    Image { name: name.into(), media_type: "image/png".into(), data, size: Some((width, height)) }
}

/// The colours of the quarters of [`quarters`]: red and green above, blue and white below.
pub const QUARTERS: [[u8; 3]; 4] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]];

/// A whole picture of four colours in one of the formats that providers take.
pub fn quarters(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let quarter = |x, y| usize::from(x >= width / 2) + 2 * usize::from(y >= height / 2);
    let picture = RgbImage::from_fn(width, height, |x, y| Rgb(QUARTERS[quarter(x, y)]));
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A file as a message carries it, with the size that its header is taken to say.
pub fn carried(name: &str, bytes: &[u8], size: (u32, u32)) -> Image {
    Image { name: name.into(), media_type: "image/png".into(), data: base64(bytes).into(), size: Some(size) }
}
