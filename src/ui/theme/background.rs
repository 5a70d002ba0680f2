//! What the terminal's background is: dark or light, from what it answers or from what its environment says.

use ratatui::style::Color;

use super::Theme;
use super::depth::{Depth, levels, reduced};

/// What a theme stands on that leaves the background to a terminal of the other shade.
const NIGHT: Color = Color::Rgb(0x16, 0x18, 0x1d);
const PAPER: Color = Color::Rgb(0xfb, 0xfa, 0xf7);

impl Theme {
    /// For which background its words are made; `None` where they have the terminal's own colour, which is read on both.
    #[must_use]
    pub fn shade(&self) -> Option<Background> {
        self.text.fg.and_then(levels)?;
        Some(if self.is_dark { Background::Dark } else { Background::Light })
    }

    /// The theme on a terminal with this background: where its words would not be read there, it paints one of its own. On a terminal
    /// that is not known it does so, too.
    #[must_use]
    pub fn standing_on(mut self, ground: Option<Background>) -> Self {
        let Some(shade) = self.shade().filter(|shade| Some(*shade) != ground) else { return self };
        if self.background.is_some() {
            return self;
        }
        self.background = Some(match shade {
            Background::Dark => NIGHT,
            Background::Light => PAPER,
        });
        // All else of it has as many colours as it shall have.
        let is_exact = Depth::of(self.styles()) == Depth::Exact;
        if is_exact { self } else { reduced(self) }
    }
}

/// Whether the words must be light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// Light words stand on it.
    Dark,
    /// Dark words stand on it.
    Light,
}

impl Background {
    /// The name of the theme for it, among those that come with the program.
    #[must_use]
    pub const fn theme(self) -> &'static str {
        match self {
            Self::Dark => "countersign-dark",
            Self::Light => "countersign-light",
        }
    }

    /// Reads `COLORFGBG`, which some terminals set: two or three indices of the 16 colours, the background last.
    #[must_use]
    pub fn of_variable(value: &str) -> Option<Self> {
        let (_, last) = value.rsplit_once(';')?;
        match last.trim().parse().ok()? {
            0..=6 | 8_u8 => Some(Self::Dark),
            7 | 9..=15 => Some(Self::Light),
            _ => None,
        }
    }

    /// Reads a colour as terminals answer it: `rgb:` with one to four hexadecimal digits a channel (`rgba:` where it
    /// may be seen through), or `#rrggbb`.
    #[must_use]
    pub fn of_colour(answer: &str) -> Option<Self> {
        let [red, green, blue] = match answer.strip_prefix('#') {
            Some(digits) if digits.len() == 6 && digits.is_ascii() => {
                let channel = |at: usize| digits.get(at..at + 2).and_then(share);
                [channel(0)?, channel(2)?, channel(4)?]
            }
            Some(_) => return None,
            None => {
                let channels = answer.strip_prefix("rgb:").or_else(|| answer.strip_prefix("rgba:"))?;
                let mut channels = channels.split('/').map(share);
                [channels.next()??, channels.next()??, channels.next()??]
            }
        };
        // How bright it seems, in thousandths of white (ITU-R BT.601).
        let bright = (299 * red + 587 * green + 114 * blue) / 1_000;
        Some(if bright < 500 { Self::Dark } else { Self::Light })
    }
}

/// One channel, in thousandths of the most that its digits can say.
fn share(digits: &str) -> Option<u32> {
    let most = (1_u32 << (4 * u32::try_from(digits.len()).ok().filter(|n| (1..=4).contains(n))?)) - 1;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = u32::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal)?;
    Some(value * 1_000 / most)
}

#[cfg(test)]
mod tests {
    use super::Background::{Dark, Light};
    use super::*;

    /// Brightness as WCAG defines it, and from it how well one colour is told from another.
    fn contrast(one: Color, other: Color) -> f64 {
        let light = |colour: Color| {
            let channel = |level: u8| {
                let share = f64::from(level) / 255.0;
                if share <= 0.03928 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
            };
            let [red, green, blue] = levels(colour).unwrap().map(channel);
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        let (one, other) = (light(one), light(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn the_words_of_each_theme_are_read_on_each_terminal() {
        let grounds = [(Dark, Color::Rgb(0, 0, 0)), (Light, Color::Rgb(255, 255, 255))];
        for name in Theme::names() {
            for (ground, terminal) in grounds {
                for known in [Some(ground), None] {
                    for few in [false, true] {
                        let theme = Theme::builtin(name).unwrap();
                        let theme = if few { theme.with_256_colours() } else { theme };
                        let theme = theme.standing_on(known);
                        let behind = theme.background.unwrap_or(terminal);
                        // The terminal's own colour is read on its own background, and on no other.
                        let Some(ink) = theme.text.fg.filter(|ink| levels(*ink).is_some()) else {
                            assert_eq!(theme.background, None, "{name}");
                            continue;
                        };
                        assert!(contrast(ink, behind) > 7.0, "{name} on {ground:?}, told {known:?}");
                        let is_exact = matches!(behind, Color::Rgb(..));
                        assert!(!few || theme.background.is_none() || !is_exact, "{name}: {behind:?}");
                    }
                }
            }
        }
        let own = Theme::builtin("countersign-dark").unwrap();
        assert_eq!(
            own.clone().standing_on(Some(Dark)),
            own,
            "a terminal of its shade keeps its own background"
        );
    }

    #[test]
    fn colours_are_dark_or_light() {
        for (answer, ground) in [
            ("rgb:0000/0000/0000", Some(Dark)),
            ("rgb:ffff/ffff/ffff", Some(Light)),
            ("rgb:28/2c/34", Some(Dark)),
            ("rgb:f/f/e", Some(Light)),
            ("rgba:fdfd/f6f6/e3e3/8000", Some(Light)),
            ("#16181d", Some(Dark)),
            ("#fbfaf7", Some(Light)),
            // Green is bright and blue is not, though both are half of what they could be.
            ("rgb:0000/ffff/0000", Some(Light)),
            ("rgb:0000/0000/ffff", Some(Dark)),
            ("rgb:00/00", None),
            ("rgb:00000/0/0", None),
            ("rgb:+f/0/0", None),
            ("#12345é", None),
            ("blue", None),
            ("", None),
        ] {
            assert_eq!(Background::of_colour(answer), ground, "{answer}");
        }
    }

    #[test]
    fn the_variable_tells_the_background_last() {
        for (value, ground) in [
            ("15;0", Some(Dark)),
            ("0;15", Some(Light)),
            ("0;default;15", Some(Light)),
            ("12;8", Some(Dark)),
            ("0;7", Some(Light)),
            ("default;default", None),
            ("7", None),
            ("0;255", None),
        ] {
            assert_eq!(Background::of_variable(value), ground, "{value}");
        }
    }
}
