//! Sixel: bands of six rows of pixels, colour by colour.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use color_quant::NeuQuant;
use image::RgbaImage;

/// Rows of pixels that are told together.
pub(super) const BAND: u32 = 6;
/// Most colours, which every terminal has.
const COLOURS: usize = 256;
/// One pixel in so many is looked at while colours are chosen.
const SAMPLED: i32 = 10;
/// Pixels more transparent than this are left as they are.
const SEEN: u8 = 128;

/// The picture, drawn at the cursor; what is transparent stays as it was.
pub(super) fn encode(canvas: &RgbaImage) -> String {
    let (width, height) = canvas.dimensions();
    let (colours, pixels) = reduced(canvas);
    // Square pixels, transparent ground.
    let mut said = format!("\x1bP0;1;0q\"1;1;{width};{height}");
    let percent = |part: u8| (u32::from(part) * 100 + 127) / 255;
    for (number, [red, green, blue]) in colours.iter().enumerate() {
        let (red, green, blue) = (percent(*red), percent(*green), percent(*blue));
        // Writing to a text cannot fail.
        let _ = write!(said, "#{number};2;{red};{green};{blue}");
    }
    let width = usize::try_from(width).unwrap_or(usize::MAX);
    for (number, band) in pixels.chunks(width.saturating_mul(BAND as usize).max(1)).enumerate() {
        if number > 0 {
            said.push('-');
        }
        draw_band(&mut said, band, width);
    }
    said.push_str("\x1b\\");
    said
}

/// Each colour's pixels of a band, one colour over the other.
fn draw_band(said: &mut String, band: &[Option<u8>], width: usize) {
    let colours: BTreeSet<u8> = band.iter().flatten().copied().collect();
    let mut sixels: BTreeMap<u8, Vec<u8>> = colours.iter().map(|colour| (*colour, vec![0; width])).collect();
    for (row, pixels) in band.chunks(width).enumerate() {
        for (at, colour) in pixels.iter().enumerate() {
            let sixel = colour.and_then(|colour| sixels.get_mut(&colour)?.get_mut(at));
            if let Some(sixel) = sixel {
                *sixel |= 1 << row;
            }
        }
    }
    for (colour, sixels) in sixels {
        let _ = write!(said, "#{colour}");
        for run in sixels.chunk_by(|one, other| one == other) {
            let Some(sixel) = run.first().map(|bits| char::from(b'?' + bits)) else { continue };
            match run.len() {
                count @ 1..=3 => said.extend(std::iter::repeat_n(sixel, count)),
                count => {
                    let _ = write!(said, "!{count}{sixel}");
                }
            }
        }
        said.push('$');
    }
}

/// A palette, and for each pixel its number in it. A picture of few colours keeps them as they are.
fn reduced(canvas: &RgbaImage) -> (Vec<[u8; 3]>, Vec<Option<u8>>) {
    let seen = |alpha: u8| alpha >= SEEN;
    let mut exact: BTreeMap<[u8; 3], u8> = BTreeMap::new();
    for pixel in canvas.pixels() {
        let [red, green, blue, alpha] = pixel.0;
        if !seen(alpha) || exact.contains_key(&[red, green, blue]) {
            continue;
        }
        match u8::try_from(exact.len()) {
            Ok(number) => exact.insert([red, green, blue], number),
            Err(_too_many) => return chosen(canvas, seen),
        };
    }
    let number = |pixel: &image::Rgba<u8>| {
        let [red, green, blue, alpha] = pixel.0;
        seen(alpha).then(|| exact.get(&[red, green, blue]).copied()).flatten()
    };
    let pixels = canvas.pixels().map(number).collect();
    let mut colours: Vec<([u8; 3], u8)> = exact.iter().map(|(colour, number)| (*colour, *number)).collect();
    colours.sort_by_key(|(_, number)| *number);
    (colours.into_iter().map(|(colour, _)| colour).collect(), pixels)
}

/// The same for pictures of many colours: the palette is chosen to be near to them.
fn chosen(canvas: &RgbaImage, seen: impl Fn(u8) -> bool) -> (Vec<[u8; 3]>, Vec<Option<u8>>) {
    let solid: Vec<u8> = canvas
        .pixels()
        .filter(|pixel| seen(pixel.0[3]))
        .flat_map(|pixel| [pixel.0[0], pixel.0[1], pixel.0[2], u8::MAX])
        .collect();
    let palette = NeuQuant::new(SAMPLED, COLOURS, &solid);
    let mut known: BTreeMap<[u8; 3], Option<u8>> = BTreeMap::new();
    let pixels = canvas.pixels().map(|pixel| {
        let [red, green, blue, alpha] = pixel.0;
        let near = || u8::try_from(palette.index_of(&[red, green, blue, u8::MAX])).ok();
        seen(alpha).then(|| *known.entry([red, green, blue]).or_insert_with(near)).flatten()
    });
    let pixels = pixels.collect();
    let colours = palette.color_map_rgba();
    let (colours, _) = colours.as_chunks::<4>();
    (colours.iter().map(|[red, green, blue, _]| [*red, *green, *blue]).collect(), pixels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn few_colours_stay_exact_and_transparent_pixels_are_not_drawn() {
        let mut canvas = RgbaImage::from_pixel(5, 7, Rgba([255, 0, 0, 255]));
        canvas.put_pixel(0, 6, Rgba([0, 0, 255, 255]));
        canvas.put_pixel(1, 6, Rgba([0, 255, 0, 10]));
        let said = encode(&canvas);
        assert_eq!(said, "\x1bP0;1;0q\"1;1;5;7#0;2;100;0;0#1;2;0;0;100#0!5~$-#0??@@@$#1@!4?$\x1b\\");
    }

    #[test]
    fn many_colours_become_few_and_stay_near() {
        let canvas = RgbaImage::from_fn(64, 60, |x, y| Rgba([x as u8 * 4, y as u8 * 4, 128, 255]));
        let (colours, pixels) = reduced(&canvas);
        assert!(colours.len() <= COLOURS && pixels.len() == 64 * 60);
        for (pixel, number) in canvas.pixels().zip(&pixels) {
            let near = colours[usize::from(number.unwrap())];
            let far = (0..3).map(|part| pixel.0[part].abs_diff(near[part])).max().unwrap();
            assert!(far < 40, "{pixel:?} {near:?}");
        }
    }
}
