//! Pictures that `read` shows. Only whole ones: what a provider cannot decode it refuses with every request after it.

use std::io::Cursor;

use image::{DynamicImage, ImageDecoder as _, ImageReader, Limits};

use crate::ledger::{Facts, Image};
use crate::wire::{NoImage, NoPicture, to_image};

use super::tool::ToolOutput;
use super::words::size;
use super::workspace::ResolvedPath;

/// Most pixels of a picture that is decoded: a small file can say that it is very large.
const MOST_PIXELS: u64 = 40_000_000;
/// Most bytes that its decoding may take.
const MOST_MEMORY: u64 = 256 << 20;

/// The picture that a content is, under the name that the model has for it; `None` when it is none.
///
/// # Errors
/// A sentence that says what to do instead.
pub(super) fn of(name: &str, place: &ResolvedPath, content: &[u8]) -> Option<Result<ToolOutput, String>> {
    let small = "scale it down with `shell` (magick, ffmpeg or a script), then read the copy";
    let refused = |why: &str, next: &str| Some(Err(format!("`{}` {why}; {next}", place.shown)));
    let image = match to_image(name, content) {
        Err(NoImage::NoPicture(NoPicture::OtherFormat)) => return None,
        // Whatever begins so large a file, it cannot be shown.
        Err(NoImage::TooLarge) if crate::wire::recognize(content) == Err(NoPicture::OtherFormat) => {
            return None;
        }
        Err(why @ NoImage::NoPicture(NoPicture::Damaged)) => {
            return refused(&why.to_string(), "use `shell` with file or xxd to inspect it");
        }
        Err(why @ (NoImage::TooLarge | NoImage::TooManyPixels { .. })) => {
            return refused(&why.to_string(), small);
        }
        Ok(image) => image,
    };
    match fault(&image, content) {
        Some(PictureFault::TooManyPixels) => return refused("has more than 40 million pixels", small),
        Some(PictureFault::Damaged) => {
            return refused(
                "is an image that cannot be decoded",
                "use `shell` with file or xxd to inspect it",
            );
        }
        None => {}
    }
    let text = format!("`{}` is an image.\n({})", place.shown, describe(&image, content));
    Some(Ok(ToolOutput { text, images: vec![image], facts: Facts::default() }))
}

/// A picture that comes from elsewhere than a file, under this name.
///
/// # Errors
/// What is wrong with it, as in "cannot be decoded".
pub(in crate::runtime) fn given(name: &str, content: &[u8]) -> Result<(Image, String), String> {
    let image = to_image(name, content).map_err(|why| why.to_string())?;
    match fault(&image, content) {
        Some(PictureFault::TooManyPixels) => Err("has more than 40 million pixels".to_owned()),
        Some(PictureFault::Damaged) => Err("cannot be decoded".to_owned()),
        None => {
            let words = describe(&image, content);
            Ok((image, words))
        }
    }
}

/// Why no model gets an image, although its header is right.
enum PictureFault {
    TooManyPixels,
    Damaged,
}

fn fault(image: &Image, content: &[u8]) -> Option<PictureFault> {
    let (width, height) = image.size.unwrap_or_default();
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Some(PictureFault::TooManyPixels);
    }
    (!is_whole(content, (width, height))).then_some(PictureFault::Damaged)
}

/// `PNG image of 3×2, 1.2 KB`.
fn describe(image: &Image, content: &[u8]) -> String {
    let (width, height) = image.size.unwrap_or_default();
    let format = image.media_type.trim_start_matches("image/").to_uppercase();
    format!("{format} image of {width}×{height}, {}", size(content.len() as u64))
}

/// Whether all of it can be decoded, to the size that its header says; of one that moves, the first frame.
fn is_whole(content: &[u8], said: (u32, u32)) -> bool {
    let decode = || {
        let mut reader = ImageReader::new(Cursor::new(content)).with_guessed_format().ok()?;
        let mut limits = Limits::default();
        limits.max_alloc = Some(MOST_MEMORY);
        reader.limits(limits);
        let decoder = reader.into_decoder().ok().filter(|decoder| decoder.dimensions() == said)?;
        DynamicImage::from_decoder(decoder).ok()
    };
    decode().is_some()
}
