//! Big pastes and pasted images, which the composer shows by their names and sends whole.

use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::ledger::{Image, MessagePiece, Pastes, UserMessage};
use crate::view::has_source_line;

use super::super::text::{grouped, sanitize};

/// A paste with more lines than this is folded.
const FOLD_LINES: usize = 20;
/// A paste with more bytes than this is folded.
const FOLD_BYTES: usize = 2 * 1024;
/// A blank at which no line is broken, and no word ends: a name stays in one row.
const JOINS: char = '\u{202f}';
/// The brackets of a name while it is edited: letters, so that they too stay in its row. The composer draws brackets.
const LEFT: char = '\u{2fb}';
/// The right one.
const RIGHT: char = '\u{2fc}';
/// The sign before a number in a name, for the same reason.
const NUMBER: char = '\u{2f8}';
/// The dot between the parts of a name, for the same reason.
const DOT: char = '\u{2f4}';
/// The hyphen in the name of a file, for the same reason.
const HYPHEN: char = '\u{2f7}';
/// The full stop in it, for the same reason.
const STOP: char = '\u{2f5}';
/// What stands for the middle of a long one, for the same reason.
const MORE: char = '\u{2f6}';
/// The sign between width and height in a name, for the same reason.
const TIMES: char = '\u{2f3}';
/// How many characters of a file's name are shown at most, from its two ends.
const MOST_OF_NAME: usize = 20;

/// A paste that is shown by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ui) struct Paste {
    pub(super) name: String,
    /// What is sent for it.
    pub(super) text: Arc<str>,
    /// The image that it stands for; `None`: it is a text.
    image: Option<NamedImage>,
}

/// An image as its name tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NamedImage {
    /// Which one it is among those that are there.
    number: usize,
    /// How large it is.
    measures: String,
}

impl Paste {
    /// With a name that nothing else has: `[Pasted 5,000 lines]`, then `[Pasted 5,000 lines #2]`.
    pub(super) fn new(text: Arc<str>, shown: &str, others: &[Self]) -> Self {
        let size = match text.lines().count() {
            0 | 1 => format!("{} KB", grouped(text.len().div_ceil(1024) as u64)),
            lines => format!("{} lines", grouped(lines as u64)),
        };
        let (shown, taken): (String, Vec<String>) =
            (plain(shown), others.iter().map(|other| plain(&other.name)).collect());
        let is_free = |name: &String| !shown.contains(name.as_str()) && !taken.contains(name);
        let numbered = (2_usize..).map(|n| format!("[Pasted {size} #{n}]"));
        let mut names = std::iter::once(format!("[Pasted {size}]")).chain(numbered);
        Self { name: joined(&names.find(is_free).unwrap_or_default()), text, image: None }
    }

    /// An image, counted among those that are there: `[Image 1 · shot.png]`, or of the clipboard, where the file has no name that
    /// a person knows, `[Image 1 · 320×160 · 12 kB]`.
    pub(super) fn image(mention: Arc<str>, measures: &str, shown: &str, others: &[Self]) -> Self {
        let there: Vec<String> =
            others.iter().map(|other| plain(&other.name)).chain(std::iter::once(plain(shown))).collect();
        let is_free = |n: &usize| {
            let begins = format!("[Image {n}");
            let is_there = |text: &String| {
                text.split(&begins).skip(1).any(|rest| rest.starts_with(']') || rest.starts_with(' '))
            };
            !there.iter().any(is_there)
        };
        let number = (1_usize..).find(is_free).unwrap_or_default();
        let aside = match file_name(&mention) {
            Some(name) => format!(" · {name}"),
            None if measures.is_empty() => String::new(),
            None => format!(" · {measures}"),
        };
        let name = joined(&format!("[Image {number}{aside}]"));
        let image = NamedImage { number, measures: measures.to_owned() };
        Self { name, text: mention, image: Some(image) }
    }

    /// Whether it stands for the image of this mention.
    pub(super) fn is_image(&self, mention: &str) -> bool {
        self.image.is_some() && *self.text == *mention
    }

    /// The same with a name that nothing else has.
    pub(super) fn renamed(&self, shown: &str, others: &[Self]) -> Self {
        let text = Arc::clone(&self.text);
        match &self.image {
            Some(image) => Self::image(text, &image.measures, shown, others),
            None => Self::new(text, shown, others),
        }
    }
}

/// What the file of a mention is called, in one word; `None`: it is an image of the clipboard, which we have named.
fn file_name(mention: &str) -> Option<String> {
    let path: String = mention.trim_matches(['@', '"']).chars().filter(|c| *c != '\\').collect();
    let name = path.rsplit('/').next().filter(|name| !name.is_empty() && !Image::is_of_clipboard(&path))?;
    let all: Vec<char> = name.chars().map(in_one_word).collect();
    let half = MOST_OF_NAME / 2;
    let ends = all.get(..half).zip(all.get(all.len().saturating_sub(half)..));
    Some(match ends {
        Some((first, last)) if all.len() > MOST_OF_NAME => first.iter().chain(&[MORE]).chain(last).collect(),
        Some(_) | None => all.into_iter().collect(),
    })
}

/// A character of a file's name, if a row never ends at it.
fn in_one_word(c: char) -> char {
    match c {
        ' ' | '-' | '.' | '_' => c,
        c if is_stand_in(c) || !c.is_alphanumeric() => '_',
        c if format!("a{c}a").split_word_bounds().count() > 1 => '_',
        c => c,
    }
}

/// A name in one word: see [`JOINS`].
fn joined(name: &str) -> String {
    let letter = |c| match c {
        ' ' => JOINS,
        '[' => LEFT,
        ']' => RIGHT,
        '#' => NUMBER,
        '·' => DOT,
        '×' => TIMES,
        '-' => HYPHEN,
        '.' => STOP,
        other => other,
    };
    name.chars().map(letter).collect()
}

/// Whether a character stands for another one in names, so that they are one word.
pub(in crate::ui) fn is_stand_in(c: char) -> bool {
    matches!(c, JOINS | LEFT | RIGHT | NUMBER | DOT | TIMES | HYPHEN | STOP | MORE)
}

/// Whether the name of a paste begins with this while it is edited.
pub(in crate::ui) fn begins_name(c: char) -> bool {
    c == LEFT
}

/// Whether it ends with this.
pub(in crate::ui) fn ends_name(c: char) -> bool {
    c == RIGHT
}

/// Whether a paste is recorded as one, and has a name of its own wherever people read the message. So is one that says like a called
/// command what it is from: it calls none.
pub(in crate::ui) fn is_long(pasted: &str) -> bool {
    pasted.len() > FOLD_BYTES || pasted.lines().count() > FOLD_LINES || has_source_line(pasted)
}

/// A pasted text with newlines at the ends of its lines.
pub(super) fn one_kind_of_ends(pasted: &str) -> String {
    pasted.replace("\r\n", "\n").replace('\r', "\n")
}

/// A text with names as people read them.
pub fn plain(text: &str) -> String {
    let written = |c| match c {
        JOINS => ' ',
        LEFT => '[',
        RIGHT => ']',
        NUMBER => '#',
        DOT => '·',
        TIMES => '×',
        HYPHEN => '-',
        STOP => '.',
        MORE => '…',
        other => other,
    };
    text.chars().map(written).collect()
}

/// How large the image of a message is that this mention names; empty, if the message does not bring it.
pub(in crate::ui) fn measures_in(message: &UserMessage, mention: &str) -> String {
    let image = message.images.iter().find(|image| image.is_named_by(mention));
    image.map(Image::measures).unwrap_or_default()
}

/// The parts of a message with a name for each that was pasted. `measures`: how large the image of a mention is.
pub(in crate::ui) fn named(
    parts: &[MessagePiece<'_>],
    measures: impl Fn(&str) -> String,
) -> (String, Vec<Paste>) {
    // Names must not be those of what was typed behind them.
    let typed = parts.iter().map(|part| if let MessagePiece::Typed(text) = part { text } else { "" });
    let all: String = typed.collect();
    let (mut shown, mut pastes) = (String::new(), Vec::new());
    for part in parts {
        match part {
            MessagePiece::Typed(text) => shown.push_str(&sanitize(text)),
            MessagePiece::Pasted(text) => {
                let paste = Paste::new(Arc::from(*text), &all, &pastes);
                shown.push_str(&paste.name);
                pastes.push(paste);
            }
            MessagePiece::Image(mention) => {
                // An image is one, wherever its mention stands: behind the name of a command, and in what its file says.
                if let Some(same) = pastes.iter().find(|paste: &&Paste| paste.is_image(mention)) {
                    shown.push_str(&same.name);
                    continue;
                }
                let paste = Paste::image(Arc::from(*mention), &measures(mention), &all, &pastes);
                shown.push_str(&paste.name);
                pastes.push(paste);
            }
        }
    }
    (shown, pastes)
}

/// The number in the name of the image that this mention names, where it stands as a name in a message.
pub(crate) fn image_number(message: &UserMessage, mention: &str) -> Option<usize> {
    let (_, pastes) = named(&message.pastes.parts(&message.content), |_| String::new());
    let image = pastes.into_iter().filter(|paste| *paste.text == *mention).find_map(|paste| paste.image);
    image.map(|image| image.number)
}

/// A text with each paste in the place of its name, and where these are. What is in a paste is not looked at.
pub(super) fn unfolded(shown: &str, pastes: &[Paste]) -> (String, Pastes) {
    let (mut text, mut rest, mut spans, mut images) = (String::new(), shown, Vec::new(), Vec::new());
    let next = |rest: &str| {
        let places = pastes.iter().filter_map(|paste| Some((rest.find(&paste.name)?, paste)));
        places.min_by_key(|(at, _)| *at)
    };
    while let Some((at, paste)) = next(rest) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        spans.push((text.len(), text.len() + paste.text.len()));
        images.extend(paste.image.is_some().then_some(text.len()));
        text.push_str(&paste.text);
        rest = from.get(paste.name.len()..).unwrap_or_default();
    }
    text.push_str(rest);
    let pastes = Pastes::of(&text, spans).with_images(&images);
    (text, pastes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_how_much_and_are_never_the_same() {
        let lines: Arc<str> = "x\n".repeat(5_000).into();
        let first = Paste::new(Arc::clone(&lines), "", &[]);
        assert_eq!(plain(&first.name), "[Pasted 5,000 lines]");
        assert_eq!(plain(&Paste::new(lines, "", &[first]).name), "[Pasted 5,000 lines #2]");
        let long: Arc<str> = "x".repeat(3_000).into();
        assert_eq!(plain(&Paste::new(Arc::clone(&long), "", &[]).name), "[Pasted 3 KB]");
        assert_eq!(plain(&Paste::new(long, "I typed [Pasted 3 KB] myself", &[]).name), "[Pasted 3 KB #2]");
    }

    #[test]
    fn a_paste_that_holds_the_name_of_another_stays_as_it_is() {
        let paste = |name: &str, text: &str| Paste { name: name.into(), text: text.into(), image: None };
        let pastes = [paste("[A]", "one [B]"), paste("[B]", "two [A]")];
        let (text, spans) = unfolded("x [B], [A], [A]!", &pastes);
        assert_eq!(text, "x two [A], one [B], one [B]!");
        assert_eq!(spans.spans(), [(2, 9), (11, 18), (20, 27)]);
    }

    #[test]
    fn no_row_ends_within_a_name() {
        for text in ["x\n".repeat(5_000), "x".repeat(3_000), "y\n".repeat(1_234_567)] {
            let first = Paste::new(text.as_str().into(), "", &[]);
            let second = Paste::new(text.as_str().into(), "", std::slice::from_ref(&first));
            assert_eq!(first.name.split_word_bounds().count(), 1, "{}", first.name);
            assert_eq!(second.name.split_word_bounds().count(), 1, "{}", second.name);
        }
        for (mention, measures, name) in [
            ("@/t/countersign-clipboard-x1/pasted-x1.png", "320×160 · 12 kB", "[Image 1 · 320×160 · 12 kB]"),
            ("@/t/countersign-clipboard-x1/pasted-x1.png", "12×34 · 1.2 MB", "[Image 1 · 12×34 · 1.2 MB]"),
            ("@/t/countersign-clipboard-x1/pasted-x1.png", "", "[Image 1]"),
            ("@/home/ada/pasted-1.png", "320×160 · 12 kB", "[Image 1 · pasted-1.png]"),
            ("@/home/ada/passport.png", "320×160 · 12 kB", "[Image 1 · passport.png]"),
            ("@\"/home/ada/my own shot.png\"", "", "[Image 1 · my own shot.png]"),
            ("@/a/it\\'s\\ \\\"mine\\\".png", "", "[Image 1 · it_s _mine_.png]"),
            ("@/a/Screenshot-2026-11-28.png", "", "[Image 1 · Screenshot…-11-28.png]"),
            ("@/a/\u{202f}\u{2fb}\u{1b}ü日.png", "", "[Image 1 · ___ü_.png]"),
        ] {
            let image = Paste::image(mention.into(), measures, "", &[]);
            assert_eq!(plain(&image.name), name);
            assert_eq!(image.name.split_word_bounds().count(), 1, "{}", image.name);
        }
    }

    #[test]
    fn a_folded_text_never_becomes_an_image_of_the_clipboard() {
        let folded = (FOLD_BYTES + 1..FOLD_BYTES + 40)
            .map(|bytes| format!("@/{}/countersign-clipboard-1/a.png", "a".repeat(bytes - 32)));
        for text in folded.chain(["@/countersign-clipboard-1/a.png\n".repeat(FOLD_LINES + 1)]) {
            assert!(is_long(&text), "{text}");
            let read_back = Pastes::all(&text).naming(&text, &[]);
            assert!(!read_back.has_images(), "{text}");
        }
        let image = "@/countersign-clipboard-1/a.png";
        assert!(Pastes::all(image).naming(image, &[]).has_images());
    }

    #[test]
    fn images_are_counted() {
        let image = |shown: &str, others: &[Paste]| {
            Paste::image("@/countersign-clipboard-a/a.png".into(), "320×160 · 12 kB", shown, others)
        };
        let first = image("", &[]);
        assert_eq!(plain(&first.name), "[Image 1 · 320×160 · 12 kB]");
        let second = image("", std::slice::from_ref(&first));
        assert_eq!(plain(&second.name), "[Image 2 · 320×160 · 12 kB]");
        assert_eq!(
            plain(&image("I typed [Image 1] and [Image 20]", &[]).name),
            "[Image 2 · 320×160 · 12 kB]"
        );
        assert_eq!(plain(&second.renamed("", &[]).name), plain(&first.name));
        assert_eq!(
            plain(&Paste::image("@/countersign-clipboard-a/a.png".into(), "", "", &[]).name),
            "[Image 1]"
        );
        let (text, spans) = unfolded(&format!("see {}", first.name), &[first]);
        assert_eq!(
            (text.as_str(), spans.has_images(), spans.has_text()),
            ("see @/countersign-clipboard-a/a.png", true, false)
        );
    }
}
