//! What the terminal's background is: dark or light, from what it answers or from what its environment says.

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
