//! Pictures that a tool of somebody else gives, in base64.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::words::{IN_A_SENTENCE, one_line};
use crate::ledger::Image;
use crate::runtime::tools::picture;

/// Most images of one result that are decoded and shown.
const MOST_IMAGES: usize = 8;
/// Most that are decoded to find out whether they can be shown.
const MOST_TRIED: usize = 4 * MOST_IMAGES;
/// Most bytes of base64 that are decoded for one result.
const MOST_TOGETHER: u64 = Image::MOST_BYTES_IN_ALL / 3 * 4;
/// With padding or without: both are met.
const DECODER: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The pictures of one result, in order.
pub(in crate::runtime) struct Pictures<'t> {
    tool: &'t str,
    images: Vec<Image>,
    /// How many were decoded, and their bytes in base64.
    tried: usize,
    together: u64,
}

impl<'t> Pictures<'t> {
    /// None yet; they are named after the tool.
    pub(in crate::runtime) fn of(tool: &'t str) -> Self {
        Self { tool, images: Vec::new(), tried: 0, together: 0 }
    }

    /// Takes one, and says in a line what it is, or why it is not shown. Decodes it: for a thread that may be busy.
    pub(in crate::runtime) fn take(&mut self, data: &str) -> String {
        let number = self.images.len() + 1;
        if number > MOST_IMAGES {
            return format!("[an image beyond the limit of {MOST_IMAGES}]");
        }
        // What is too large in base64 is too large for every model: it is not decoded to find that out.
        if data.len() as u64 > Image::MOST_BYTES * 2 {
            return "[an image that is too large]".to_owned();
        }
        if self.tried >= MOST_TRIED || self.together.saturating_add(data.len() as u64) > MOST_TOGETHER {
            return "[an image beyond the size limit of one result]".to_owned();
        }
        self.tried += 1;
        self.together += data.len() as u64;
        let shown = DECODER
            .decode(data.trim())
            .map_err(|_why| "is not valid base64".to_owned())
            .and_then(|content| picture::given(&format!("{} image {number}", self.tool), &content));
        match shown {
            Ok((image, words)) => {
                self.images.push(image);
                format!("({words})")
            }
            Err(why) => format!("[{}]", one_line(&format!("an image that {why}"), IN_A_SENTENCE)),
        }
    }

    /// Those that can be shown.
    pub(in crate::runtime) fn taken(self) -> Vec<Image> {
        self.images
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_images_are_tried_and_no_more() {
        let mut pictures = Pictures::of("t");
        let told: Vec<String> = (0..2 * MOST_TRIED).map(|_| pictures.take("AAAA")).collect();
        let beyond = "[an image beyond the size limit of one result]";
        assert_eq!(told.iter().position(|line| line == beyond), Some(MOST_TRIED), "{told:?}");
        assert!(told.iter().skip(MOST_TRIED).all(|line| line == beyond) && pictures.taken().is_empty());
    }

    #[test]
    fn what_is_too_large_is_not_decoded_alone_or_together() {
        let large = "A".repeat(usize::try_from(Image::MOST_BYTES * 2).unwrap());
        let mut pictures = Pictures::of("t");
        assert_eq!(pictures.take(&format!("{large}A")), "[an image that is too large]");
        assert_eq!(pictures.tried, 0);
        for _ in 0..10 {
            pictures.take(&large);
        }
        assert!(pictures.together <= MOST_TOGETHER && pictures.tried == 3, "{}", pictures.tried);
    }
}
