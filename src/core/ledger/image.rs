//! A picture that the user or a tool shows: its bytes as the protocols carry them, and what people see in their place.

use std::fmt;
use std::sync::Arc;

use super::AttachedFile;

/// One image of a user's message, or of a tool's result.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// Its path, as the user or the model wrote it.
    pub name: String,
    /// What it is by its first bytes, as in `image/png`.
    pub media_type: String,
    /// Its bytes in base64. Shared: requests and entries hold the same text.
    pub data: Arc<str>,
    /// Width and height in pixels, if its header says.
    pub size: Option<(u32, u32)>,
}

impl Image {
    /// Most tokens that an image is taken to cost: providers scale larger ones down.
    pub const MOST_TOKENS: u64 = 1_600;
    /// Most bytes of one image. Anthropic takes 5 MiB of base64, and refuses a history with a larger one for ever.
    pub const MOST_BYTES: u64 = 3_900_000;
    /// Most bytes of all images of a message: what providers take as one request, with room for the rest of it.
    pub const MOST_BYTES_IN_ALL: u64 = 20_000_000;
    /// Most images of a message.
    pub const MOST: usize = 20;
    /// Most pixels a side.
    pub const MOST_PIXELS: u32 = 8_000;
    /// How the name of the folder begins in which the images of the clipboard are.
    pub const CLIPBOARD_FOLDER: &str = "countersign-clipboard-";
    /// Most bytes of the mention of one of those. A text that is folded as it was pasted has more, or several lines: so it never becomes an
    /// image, whatever it says.
    const MOST_OF_CLIPBOARD_MENTION: usize = 1_024;
    /// Pixels that cost a token, on average over the providers.
    const PIXELS_PER_TOKEN: u64 = 750;

    /// How large the file was, in bytes.
    pub fn bytes(&self) -> u64 {
        let padding = self.data.bytes().rev().take_while(|byte| *byte == b'=').count();
        (self.data.len() / 4 * 3).saturating_sub(padding) as u64
    }

    /// An estimate of what a model is charged for it, in tokens. A header may lie, so there is a bound.
    pub fn tokens(&self) -> u64 {
        let of_size =
            |(width, height)| (u64::from(width) * u64::from(height)).div_ceil(Self::PIXELS_PER_TOKEN);
        self.size.map_or(Self::MOST_TOKENS, of_size).clamp(1, Self::MOST_TOKENS)
    }

    /// What stands for it wherever people read: `[image: a.png · 640×480 · 12 kB]`. Not yet safe for a screen.
    pub fn label(&self) -> String {
        format!("[{}]", self.facts())
    }

    /// The label's words, without its brackets.
    pub fn facts(&self) -> String {
        format!("image: {} · {}", self.name, self.measures())
    }

    /// How large it is: `640×480 · 12 kB`.
    pub fn measures(&self) -> String {
        measures(self.size, self.bytes())
    }

    /// Whether this is a mention of it as one is written for a path: `@a.png`, `@"my a.png"`.
    pub fn is_named_by(&self, mention: &str) -> bool {
        !self.name.is_empty() && path_in(mention).is_some_and(|path| path == self.name)
    }

    /// Whether the file at a path is an image of the clipboard: a person knows neither its folder nor its name.
    pub fn is_of_clipboard(path: &str) -> bool {
        let folder = path.rsplit('/').nth(1);
        folder.is_some_and(|folder| folder.starts_with(Self::CLIPBOARD_FOLDER)) && !path.contains('\n')
    }

    /// Whether this is the mention of an image of the clipboard.
    pub fn names_clipboard(mention: &str) -> bool {
        mention.len() <= Self::MOST_OF_CLIPBOARD_MENTION
            && path_in(mention).is_some_and(|path| Self::is_of_clipboard(&path))
    }
}

/// The path in the mention of one.
fn path_in(mention: &str) -> Option<String> {
    let word = mention.strip_prefix('@')?;
    if let Some(quoted) = word.strip_prefix('"').and_then(|word| word.strip_suffix('"')) {
        return Some(quoted.to_owned());
    }
    let mut plain = String::new();
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        plain.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    Some(plain)
}

/// How large an image of so many pixels and bytes is, in words: `640×480 · 12 kB`.
pub fn measures(size: Option<(u32, u32)>, bytes: u64) -> String {
    let size = size.map(|(width, height)| format!("{width}×{height} · ")).unwrap_or_default();
    let bytes = match bytes {
        ..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", (bytes + 500) / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    };
    format!("{size}{bytes}")
}

/// Words, and a line for each image and file.
pub(super) fn shown(text: &str, images: &[Image], files: &[AttachedFile]) -> String {
    let labels = images.iter().map(Image::label).chain(files.iter().map(AttachedFile::label));
    std::iter::once(text.to_owned()).chain(labels).collect::<Vec<_>>().join("\n")
}

/// The bytes are nobody's to read in a log.
impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({} {})", self.media_type, self.facts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(bytes: usize, size: Option<(u32, u32)>) -> Image {
        let padding = (3 - bytes % 3) % 3;
        let data = "A".repeat((bytes + padding) / 3 * 4 - padding) + &"=".repeat(padding);
        Image { name: "a.png".into(), media_type: "image/png".into(), data: data.into(), size }
    }

    #[test]
    fn a_label_says_what_is_known() {
        assert_eq!(image(12_345, Some((640, 480))).label(), "[image: a.png · 640×480 · 12 kB]");
        assert_eq!(image(68, None).label(), "[image: a.png · 68 B]");
        assert_eq!(image(2_349_999, Some((1, 1))).label(), "[image: a.png · 1×1 · 2.3 MB]");
        for bytes in 0..9 {
            assert_eq!(image(bytes, None).bytes(), bytes as u64);
        }
    }

    #[test]
    fn a_mention_names_it() {
        let named = |name: &str| Image { name: name.into(), ..image(9, None) };
        for (name, mention) in
            [("/a.png", "@/a.png"), ("/my a.png", "@\"/my a.png\""), ("/\"a\" b.png", r#"@/\"a\"\ b.png"#)]
        {
            assert!(named(name).is_named_by(mention), "{mention}");
        }
        for other in ["/a.png", "@/b.png", "@", "@\"/a.png", "see @/a.png"] {
            assert!(!named("/a.png").is_named_by(other), "{other}");
        }
    }

    #[test]
    fn an_image_of_the_clipboard_is_known_by_its_folder() {
        for mention in [
            "@/tmp/countersign-clipboard-a1B2/pasted-1.png",
            "@\"/my tmp/countersign-clipboard-a1B2/pasted-1.png\"",
            "@/my\\ tmp/countersign-clipboard-a1B2/pasted-1.png",
        ] {
            assert!(Image::names_clipboard(mention), "{mention}");
        }
        for other in [
            "@/home/ada/pasted-1.png",
            "@pasted-1.png",
            "/tmp/countersign-clipboard-a1B2/pasted-1.png",
            "@/tmp/countersign-clipboard-a1B2/../pasted-1.png",
            "@/home/ada/countersign-clipboard-a1B2",
        ] {
            assert!(!Image::names_clipboard(other), "{other}");
        }
    }

    #[test]
    fn a_header_that_lies_costs_no_more_than_the_largest_image() {
        assert_eq!(image(9, Some((u32::MAX, u32::MAX))).tokens(), Image::MOST_TOKENS);
        assert_eq!(image(9, None).tokens(), Image::MOST_TOKENS);
        assert_eq!(image(9, Some((640, 480))).tokens(), 410);
        assert_eq!(image(9, Some((0, 0))).tokens(), 1);
    }

    #[test]
    fn its_bytes_are_in_no_log() {
        assert!(!format!("{:?}", image(9_000, None)).contains("AAAA"));
    }
}
