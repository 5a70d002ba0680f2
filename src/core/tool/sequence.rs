//! The sequences that programs send to terminals, recognised character by character. What they mean within a line is told,
//! all others are taken out; nothing of them is kept, however long they are.

use super::{CellStyle, Colour, Weight};

/// Numbers of one sequence that are read; what is more says nothing.
const MOST_NUMBERS: usize = 32;

const ESCAPE: char = '\u{1b}';

/// Where in a sequence a text stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Sequence {
    /// In none.
    #[default]
    None,
    /// Behind the escape that begins one.
    Escape,
    /// In one of a few characters, such as the choice of a character set.
    Short,
    /// In a control sequence (CSI).
    Control(Numbers),
    /// In a text for the terminal: a title, a link, a picture (OSC, DCS, SOS, PM, APC). It ends with its line at the
    /// latest, so that one without an end hides nothing below it.
    Text,
    /// Behind an escape in such a text.
    TextEscape,
}

/// What a character is to a sequence.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SequencePart {
    /// A part of it.
    Part,
    /// No part of it: the sequence was not one, and the character means what it means elsewhere.
    Stranger,
    /// No part of it, but the sequence goes on behind it, as terminals have it.
    Between,
    /// Its end: text looks otherwise from here on.
    Looks(Numbers),
    /// Its end: a part of the line is erased, by this number.
    Erases(u16),
    /// Its end: the line goes on at this column, from 1.
    Column(u16),
}

/// The numbers of a control sequence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Numbers {
    /// Each with whether it only details the one before; never none once one was begun.
    all: Vec<(Option<u16>, bool)>,
    /// It holds signs that make it another sequence than those that are obeyed.
    is_other: bool,
}

impl Sequence {
    /// Takes the next character of a sequence that was begun.
    pub(super) fn hear(&mut self, character: char) -> SequencePart {
        match (std::mem::take(self), character) {
            (Self::None, _) => SequencePart::Stranger,
            (_, '\u{18}' | '\u{1a}') => SequencePart::Part,
            (Self::Text | Self::TextEscape, '\n') => SequencePart::Stranger,
            (Self::Text, '\u{7}' | '\u{9c}') | (Self::TextEscape, '\\') => SequencePart::Part,
            (Self::Text, ESCAPE) => self.goes_on(Self::TextEscape),
            (Self::Text, _) => self.goes_on(Self::Text),
            (_, ESCAPE) => self.goes_on(Self::Escape),
            (Self::Escape | Self::TextEscape, '[') => self.goes_on(Self::Control(Numbers::default())),
            (Self::Escape | Self::TextEscape, ']' | 'P' | 'X' | '^' | '_') => self.goes_on(Self::Text),
            (Self::Escape | Self::TextEscape | Self::Short, ' '..='/') => self.goes_on(Self::Short),
            (Self::Escape | Self::TextEscape | Self::Short, '0'..='~') => SequencePart::Part,
            (Self::Control(numbers), '@'..='~') => numbers.end(character),
            (Self::Control(mut numbers), ' '..='?') => {
                numbers.add(character);
                self.goes_on(Self::Control(numbers))
            }
            // A line ends every sequence, whatever it is.
            (Self::Control(numbers), '\0'..='\u{1f}' | '\u{7f}') if character != '\n' => {
                *self = Self::Control(numbers);
                SequencePart::Between
            }
            (Self::Escape | Self::TextEscape | Self::Short | Self::Control(_), _) => SequencePart::Stranger,
        }
    }

    fn goes_on(&mut self, now: Self) -> SequencePart {
        *self = now;
        SequencePart::Part
    }
}

impl Numbers {
    fn add(&mut self, character: char) {
        match (character, character.to_digit(10)) {
            (_, Some(digit)) => {
                if self.all.is_empty() {
                    self.all.push((None, false));
                }
                let Some((last, _)) = self.all.last_mut() else { return };
                let more = last.unwrap_or_default().saturating_mul(10);
                *last = Some(more.saturating_add(u16::try_from(digit).unwrap_or_default()));
            }
            (';' | ':', _) if self.all.len() < MOST_NUMBERS => {
                if self.all.is_empty() {
                    self.all.push((None, false));
                }
                self.all.push((None, character == ':'));
            }
            // The rest of too many: it must not be read into the last of them.
            _ => self.is_other = true,
        }
    }

    fn end(self, character: char) -> SequencePart {
        let first = self.all.first().and_then(|(number, _)| *number);
        match character {
            _ if self.is_other => SequencePart::Part,
            'm' => SequencePart::Looks(self),
            'K' => SequencePart::Erases(first.unwrap_or_default()),
            'G' => SequencePart::Column(first.unwrap_or_default().max(1)),
            _ => SequencePart::Part,
        }
    }

    /// What text looks like after them (SGR). Text that a program would hide is shown.
    pub(super) fn applied(&self, mut look: CellStyle) -> CellStyle {
        let mut rest = self.all.as_slice();
        if rest.is_empty() {
            return CellStyle::default();
        }
        while let Some(((code, _), more)) = rest.split_first() {
            let details = more.iter().take_while(|(_, is_detail)| *is_detail).count();
            let (details, behind) = more.split_at_checked(details).unwrap_or((more, &[]));
            rest = behind;
            let code = code.unwrap_or_default();
            match code {
                0 => look = CellStyle::default(),
                1 => look.weight = Weight::Bold,
                2 => look.weight = Weight::Dim,
                22 => look.weight = Weight::Normal,
                3 | 23 => look.italic = code == 3,
                4 => look.underline = !matches!(details, [(Some(0), _), ..]),
                21 | 24 => look.underline = code == 21,
                7 | 27 => look.inverse = code == 7,
                30..=37 | 90..=97 => look.foreground = sixteen(code, 30),
                40..=47 | 100..=107 => look.background = sixteen(code, 40),
                39 => look.foreground = Colour::Default,
                49 => look.background = Colour::Default,
                38 | 48 | 58 => {
                    let (colour, used) =
                        if details.is_empty() { listed(behind) } else { (detailed(details), 0) };
                    rest = behind.get(used..).unwrap_or_default();
                    match (code, colour) {
                        (38, Some(colour)) => look.foreground = colour,
                        (48, Some(colour)) => look.background = colour,
                        // Underlines have the colour of their text here.
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        look
    }
}

/// The sixteen: eight from `from` on, eight bright ones sixty above.
fn sixteen(code: u16, from: u16) -> Colour {
    let place = code - from;
    let index = if place < 8 { place } else { place.saturating_sub(60) + 8 };
    Colour::Palette(u8::try_from(index).unwrap_or_default())
}

/// A colour in the numbers that follow, and how many of them say it.
fn listed(numbers: &[(Option<u16>, bool)]) -> (Option<Colour>, usize) {
    let values: Vec<u16> = numbers.iter().take(4).map(|(number, _)| number.unwrap_or_default()).collect();
    match values.as_slice() {
        [5, index, ..] => (u8::try_from(*index).ok().map(Colour::Palette), 2),
        [2, red, green, blue] => (exact([*red, *green, *blue]), 4),
        [5 | 2, ..] => (None, numbers.len()),
        _ => (None, 0),
    }
}

/// A colour in the details of one number; before red there may stand the name of a colour space.
fn detailed(numbers: &[(Option<u16>, bool)]) -> Option<Colour> {
    let values: Vec<u16> = numbers.iter().take(8).map(|(number, _)| number.unwrap_or_default()).collect();
    match values.as_slice() {
        [5, index, ..] => u8::try_from(*index).ok().map(Colour::Palette),
        [2, red, green, blue] | [2, _, red, green, blue, ..] => exact([*red, *green, *blue]),
        _ => None,
    }
}

fn exact(channels: [u16; 3]) -> Option<Colour> {
    let [red, green, blue] = channels.map(|channel| u8::try_from(channel).ok());
    Some(Colour::Exact([red?, green?, blue?]))
}
