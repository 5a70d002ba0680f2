//! From the bytes of a file to the pixels of the cells that are reserved for it, within bounds.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::imageops::{self, FilterType};
use image::{DynamicImage, ImageDecoder, ImageReader, Limits, RgbaImage};

use super::size::within;

/// Most pixels of a picture that is decoded: a small file can say that it is very large.
pub const MOST_PIXELS: u64 = 40_000_000;
/// Most bytes that its decoding may take.
const MOST_MEMORY: u64 = 256 * 1024 * 1024;

const TOO_LARGE: &str = "it has more than 40 million pixels";
const DAMAGED: &str = "it is damaged or cut short";

/// Why a picture cannot be shown, in words.
pub(super) type Reason = &'static str;

/// Whether so many pixels are decoded.
pub(super) fn is_bearable((width, height): (u32, u32)) -> Result<(), Reason> {
    if u64::from(width) * u64::from(height) > MOST_PIXELS { Err(TOO_LARGE) } else { Ok(()) }
}

/// The picture in the left upper corner of exactly so many pixels; the rest is transparent. Its kind is told by its
/// bytes, and of one that moves it is the first frame.
pub(super) fn canvas(data: &str, room: (u32, u32)) -> Result<RgbaImage, Reason> {
    // A decoder that breaks on a hostile file costs that picture, not the others.
    catch_unwind(AssertUnwindSafe(|| drawn(data, room))).unwrap_or(Err("it could not be decoded"))
}

fn drawn(data: &str, room: (u32, u32)) -> Result<RgbaImage, Reason> {
    let picture = decoded(data)?;
    let (width, height) = within((picture.width(), picture.height()), room);
    let scaled = if (width, height) == (picture.width(), picture.height()) {
        picture
    } else {
        picture.resize_exact(width, height, FilterType::Triangle)
    };
    let mut canvas = RgbaImage::new(room.0, room.1);
    imageops::replace(&mut canvas, &scaled.into_rgba8(), 0, 0);
    Ok(canvas)
}

fn decoded(data: &str) -> Result<DynamicImage, Reason> {
    let bytes = STANDARD.decode(data).map_err(|_not_base64| DAMAGED)?;
    let mut reader =
        ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|_unreadable| DAMAGED)?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|_no_header| DAMAGED)?;
    is_bearable(decoder.dimensions())?;
    let orientation = decoder.orientation().ok();
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|why| match why {
        image::ImageError::Limits(_) => TOO_LARGE,
        _ => DAMAGED,
    })?;
    if let Some(orientation) = orientation {
        picture.apply_orientation(orientation);
    }
    Ok(picture)
}
