//! Which parts of a message were pasted: people see each as one name, and models read the text.

use std::collections::BTreeSet;

use super::Image;

/// Bytes of a text, from and to, in order and without a common byte.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pastes {
    spans: Vec<(usize, usize)>,
    /// Where those begin that are the mention of an image. No file keeps this: it follows from the images of the message, and from the
    /// folder of the clipboard's.
    images: BTreeSet<usize>,
}

/// A part of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagePiece<'t> {
    /// It was typed.
    Typed(&'t str),
    /// It was pasted, and stands as a name.
    Pasted(&'t str),
    /// The mention of an image that was pasted, and stands as a name.
    Image(&'t str),
}

impl Pastes {
    /// Those of a text. Spans that do not fit it are of another one: then nothing of it counts as pasted.
    pub fn of(text: &str, spans: Vec<(usize, usize)>) -> Self {
        let mut at = 0;
        for (from, to) in &spans {
            if *from < at || to <= from || text.get(*from..*to).is_none() {
                return Self::default();
            }
            at = *to;
        }
        Self { spans, images: BTreeSet::new() }
    }

    /// The same, of which those that begin there are mentions of images.
    #[must_use]
    pub fn with_images(mut self, begins: &[usize]) -> Self {
        let all = self.spans.iter().map(|(from, _)| *from);
        self.images = all.filter(|from| begins.contains(from)).collect();
        self
    }

    /// The same of a message that brings these images: what was pasted, and is the mention of one of them, is that image. So is the mention
    /// of one of the clipboard, also where the message does not bring it.
    #[must_use]
    pub fn naming(self, text: &str, images: &[Image]) -> Self {
        let is_one =
            |part: &str| images.iter().any(|image| image.is_named_by(part)) || Image::names_clipboard(part);
        let is_image = |(from, to): &&(usize, usize)| text.get(*from..*to).is_some_and(is_one);
        // Each is looked at once: a file from elsewhere can have as many as it likes.
        let images = self.spans.iter().filter(is_image).map(|(from, _)| *from).collect();
        Self { images, ..self }
    }

    /// All of a text.
    pub fn all(text: &str) -> Self {
        Self::of(text, vec![(0, text.len())])
    }

    /// The texts alone: the mention of an image stands in sight, as if it was typed.
    #[must_use]
    pub fn without_images(mut self) -> Self {
        self.spans.retain(|(from, _)| !self.images.contains(from));
        self.images.clear();
        self
    }

    /// The same of a message that brings no image, as it will be read from the file: the mentions of images other than those of the
    /// clipboard stand in sight, as if they were typed.
    #[must_use]
    pub fn without_brought(mut self, text: &str) -> Self {
        let images = std::mem::take(&mut self.images);
        let is_of_clipboard =
            |(from, to): &(usize, usize)| text.get(*from..*to).is_some_and(Image::names_clipboard);
        self.spans.retain(|span| !images.contains(&span.0) || is_of_clipboard(span));
        self.naming(text, &[])
    }

    /// From and to, in bytes.
    pub fn spans(&self) -> &[(usize, usize)] {
        &self.spans
    }

    /// Whether nothing was pasted.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Whether a text was pasted: not images alone.
    pub fn has_text(&self) -> bool {
        self.spans.len() > self.images.len()
    }

    /// Whether an image was pasted.
    pub fn has_images(&self) -> bool {
        !self.images.is_empty()
    }

    /// The parts of the text, in order. Of another text all counts as typed.
    pub fn parts<'t>(&self, text: &'t str) -> Vec<MessagePiece<'t>> {
        let (mut parts, mut at) = (Vec::new(), 0);
        for (from, to) in &self.spans {
            let (Some(typed), Some(pasted)) = (text.get(at..*from), text.get(*from..*to)) else {
                return vec![MessagePiece::Typed(text)];
            };
            parts.extend((!typed.is_empty()).then_some(MessagePiece::Typed(typed)));
            let is_image = self.images.contains(from);
            parts.push(if is_image { MessagePiece::Image(pasted) } else { MessagePiece::Pasted(pasted) });
            at = *to;
        }
        let rest = text.get(at..).filter(|rest| !rest.is_empty());
        parts.extend(rest.map(MessagePiece::Typed));
        parts
    }

    /// The text with a word in the place of each image of the clipboard, for a title: the path says nothing to anyone.
    pub fn titled(&self, text: &str) -> String {
        let words = self.parts(text).into_iter().map(|part| match part {
            MessagePiece::Image(mention) if Image::names_clipboard(mention) => "[Image]",
            MessagePiece::Typed(text) | MessagePiece::Pasted(text) | MessagePiece::Image(text) => text,
        });
        words.collect()
    }

    /// The same of a piece of the text, which begins and ends at these bytes.
    #[must_use]
    pub fn within(&self, begins: usize, ends: usize) -> Self {
        let mut held = Self::default();
        for span in &self.spans {
            let (from, to) = (span.0.max(begins), span.1.min(ends));
            if from < to {
                held.spans.push((from - begins, to - begins));
                // A part of a mention names something else.
                let is_image = (from, to) == *span && self.images.contains(&from);
                held.images.extend(is_image.then_some(from - begins));
            }
        }
        held
    }

    /// These and those of what stands behind them.
    #[must_use]
    pub fn and(mut self, behind: &Self) -> Self {
        self.spans.extend_from_slice(&behind.spans);
        self.images.extend(&behind.images);
        self
    }

    /// The same in another text that begins this one, or ends as this one does: there, and nowhere else.
    #[must_use]
    pub fn carried(&self, from: &str, to: &str) -> Self {
        if from.starts_with(to) {
            return self.within(0, to.len());
        }
        let alike = from.bytes().rev().zip(to.bytes().rev()).take_while(|(a, b)| a == b).count();
        let inside = self.spans.iter().filter(|(begins, _)| *begins + alike >= from.len()).copied().collect();
        let inside = Self { spans: inside, images: self.images.clone() };
        let moved = inside.within(from.len() - alike, from.len()).behind(to.len() - alike);
        let begins: Vec<usize> = moved.images.into_iter().collect();
        Self::of(to, moved.spans).with_images(&begins)
    }

    /// The same of a text that has so many bytes before it.
    #[must_use]
    pub fn behind(&self, bytes: usize) -> Self {
        let spans = self.spans.iter().map(|(from, to)| (from + bytes, to + bytes)).collect();
        Self { spans, images: self.images.iter().map(|from| from + bytes).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_carried_into_what_was_made_of_a_text() {
        let carried = |from: &str, spans: &[(usize, usize)], to: &str| {
            Pastes::of(from, spans.to_vec()).carried(from, to).spans().to_vec()
        };
        assert_eq!(carried("/x abc", &[(3, 6)], "Follow x.\n\nabc"), [(11, 14)]);
        assert_eq!(carried("Follow x.\n\nabc", &[(11, 14)], "/x abc"), [(3, 6)]);
        assert_eq!(carried("/x abc\n\nDo abc", &[(3, 6), (11, 14)], "/x abc"), [(3, 6)]);
        assert_eq!(carried("abc", &[(0, 3)], "/abc"), [(1, 4)]);
        assert_eq!(carried("abc", &[(0, 3)], "xbc"), [], "half of a paste is none");
    }

    #[test]
    fn spans_that_do_not_fit_the_text_are_none() {
        let text = "see é now";
        assert_eq!(Pastes::of(text, vec![(0, 3), (4, 6)]).spans(), [(0, 3), (4, 6)]);
        for bad in [vec![(4, 5)], vec![(0, 99)], vec![(3, 3)], vec![(4, 6), (0, 3)], vec![(0, 4), (3, 6)]] {
            assert!(Pastes::of(text, bad.clone()).is_empty(), "{bad:?}");
        }
    }

    #[test]
    fn parts_are_the_whole_text() {
        let text = "see AAA and B";
        let pastes = Pastes::of(text, vec![(4, 7), (12, 13)]);
        use MessagePiece::{Pasted, Typed};
        assert_eq!(pastes.parts(text), [Typed("see "), Pasted("AAA"), Typed(" and "), Pasted("B")]);
        assert_eq!(pastes.parts("see"), [Typed("see")]);
        assert_eq!(pastes.within(4, 13).parts("AAA and B"), [Pasted("AAA"), Typed(" and "), Pasted("B")]);
        assert_eq!(pastes.within(5, 12).spans(), [(0, 2)]);
        assert_eq!(pastes.behind(1).parts("/see AAA and B").len(), 4);
    }

    #[test]
    fn a_pasted_image_stays_one_wherever_its_text_goes() {
        use MessagePiece::{Image as Picture, Pasted, Typed};
        let text = "see @/a.png and B";
        let pastes = Pastes::of(text, vec![(4, 11), (16, 17)]).with_images(&[4, 9]);
        let parts = [Typed("see "), Picture("@/a.png"), Typed(" and "), Pasted("B")];
        assert_eq!(pastes.parts(text), parts);
        assert_eq!(pastes.behind(3).within(3, 20).parts(text), parts);
        assert!(pastes.has_text() && pastes.has_images());
        let image = pastes.within(4, 15);
        assert!(!image.has_text() && image.has_images() && !image.is_empty());
        assert_eq!(
            pastes.within(5, 15).parts("/a.png and"),
            [Pasted("/a.png"), Typed(" and")],
            "a part is none"
        );
        let carried = pastes.carried(text, "Do this: see @/a.png and B");
        assert_eq!(carried.parts("Do this: see @/a.png and B").get(1), Some(&Picture("@/a.png")));
        let both = Pastes::of("x", vec![(0, 1)]).and(&pastes.behind(1));
        assert_eq!(both.parts("xsee @/a.png and B").get(2), Some(&Picture("@/a.png")));
        assert_eq!(pastes.clone().without_images().spans(), [(16, 17)]);
        // What the file keeps says it again.
        let picture = |name: &str| Image {
            name: name.to_owned(),
            media_type: "image/png".to_owned(),
            data: "".into(),
            size: None,
        };
        let kept = Pastes::of(text, pastes.spans().to_vec());
        assert_eq!(kept.clone().naming(text, &[picture("/a.png")]), pastes);
        assert_eq!(kept.clone().naming(text, &[picture("/b.png")]), kept);
    }

    #[test]
    fn an_image_of_the_clipboard_is_one_also_in_a_message_that_does_not_bring_it() {
        use MessagePiece::{Image as Picture, Pasted, Typed};
        let text = "/sk @/countersign-clipboard-1/a.png @/b.png long";
        let pastes = Pastes::of(text, vec![(4, 35), (36, 43), (44, 48)]).with_images(&[4, 36]);
        let kept = pastes.without_brought(text);
        let image = Picture("@/countersign-clipboard-1/a.png");
        assert_eq!(kept.parts(text), [Typed("/sk "), image, Typed(" @/b.png "), Pasted("long")]);
        assert_eq!(kept.titled(text), "/sk [Image] @/b.png long");
        assert_eq!(Pastes::default().titled(text), text, "what was typed stays");
        // As it is read back.
        assert_eq!(Pastes::of(text, kept.spans().to_vec()).naming(text, &[]), kept);
    }
}
