//! Pixels as a PNG in base64, which is what kitty and iTerm2 are sent.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _, RgbaImage};

/// The bytes of the PNG, and their base64. `None` for what has no PNG, which is no picture at all.
pub(super) fn encode(canvas: &RgbaImage) -> Option<(usize, String)> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Adaptive);
    let (width, height) = canvas.dimensions();
    encoder.write_image(canvas.as_raw(), width, height, ExtendedColorType::Rgba8).ok()?;
    Some((bytes.len(), STANDARD.encode(&bytes)))
}
