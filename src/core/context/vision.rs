//! What a model is not shown of images, and the note in the place of each: it cannot see, or they are more than a
//! request carries.

use std::sync::Arc;

use crate::ledger::{Image, Message};

/// A request with more images than this has a smaller bound on the pixels of each.
const FEW: usize = Image::MOST;
/// Most pixels a side where there are many.
const MOST_PIXELS_OF_MANY: u32 = 2_000;
/// Most images of a request.
const MOST_IN_REQUEST: usize = 100;

/// Replaces the images of a history by words. The ledger keeps them: a model that sees is shown them again.
pub(super) fn take_images_out(messages: &mut [Message]) {
    let why = "this model does not support images";
    for message in messages.iter_mut() {
        if let Message::User(said) = message
            && !said.images.is_empty()
        {
            let said = Arc::make_mut(said);
            for image in std::mem::take(&mut said.images) {
                leave_out(&mut said.content, &image, why);
            }
        }
    }
    take_out_of_results(messages, why);
}

/// The same with what tools have shown alone.
pub(super) fn take_unsure_images_out(messages: &mut [Message]) {
    let why = "it is not known whether this model supports images; set `vision` in the configuration";
    take_out_of_results(messages, why);
}

fn take_out_of_results(messages: &mut [Message], why: &str) {
    for message in messages {
        let Message::Results(results) = message else { continue };
        for result in results.iter_mut().filter(|result| !result.images.is_empty()) {
            let result = Arc::make_mut(result);
            for image in std::mem::take(&mut result.images) {
                leave_out(&mut result.content, &image, why);
            }
        }
    }
}

/// Leaves out the images of tools for which there is no room beside those before them. A request that is too large is
/// refused, and so would be every one after it. What was once sent stays: only what comes before an image counts.
pub(super) fn bound_images(messages: &mut [Message]) {
    let mut sent = Sent::default();
    for message in messages {
        match message {
            Message::User(said) => said.images.iter().for_each(|image| sent.add(image)),
            Message::Results(results) => {
                for result in results.iter_mut().filter(|result| !result.images.is_empty()) {
                    let fits = result.images.iter().all(|image| sent.takes(image));
                    // Most results fit, and stay shared with the ledger.
                    if fits && result.images.len() == 1 {
                        result.images.iter().for_each(|image| sent.add(image));
                        continue;
                    }
                    let result = Arc::make_mut(result);
                    for image in std::mem::take(&mut result.images) {
                        if sent.takes(&image) {
                            sent.add(&image);
                            result.images.push(image);
                        } else {
                            let why = "a request cannot contain this many images";
                            leave_out(&mut result.content, &image, why);
                        }
                    }
                }
            }
            Message::Assistant(_) => {}
        }
    }
}

/// The images up to here.
#[derive(Default)]
struct Sent {
    count: usize,
    bytes: u64,
    side: u32,
}

impl Sent {
    fn takes(&self, image: &Image) -> bool {
        let (count, side) = (self.count + 1, self.side.max(side(image)));
        let bytes = self.bytes.saturating_add(image.bytes());
        bytes <= Image::MOST_BYTES_IN_ALL
            && (count <= FEW || count <= MOST_IN_REQUEST && side <= MOST_PIXELS_OF_MANY)
    }

    fn add(&mut self, image: &Image) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(image.bytes());
        self.side = self.side.max(side(image));
    }
}

/// The longer side; an image that does not say may have any.
fn side(image: &Image) -> u32 {
    image.size.map_or(u32::MAX, |(width, height)| width.max(height))
}

fn leave_out(content: &mut String, image: &Image, why: &str) {
    let between = if content.is_empty() { "" } else { "\n" };
    content.push_str(&format!("{between}[{}, omitted: {why}]", image.facts()));
}
