//! How many colours a theme has, and colours brought down to those: to the 256 that nearly every terminal has, to the
//! terminal's own sixteen, to none.

use ratatui::style::{Color, Style};

use crate::tool::Colour;

use super::{Syntax, Theme};

/// The levels of the colour cube of 6 x 6 x 6, as xterm defines them.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The first index of the cube, and that of the 24 greys behind it.
const CUBE: u8 = 16;
const GREYS: u8 = 232;

/// Channels that are less apart than this make a grey; those of an ink that are this far apart or more, a hue.
const GREY: u8 = 8;
const HUED: u8 = 48;

/// The terminal's own sixteen, as xterm has them where nobody has changed them.
const SIXTEEN: [[u8; 3]; 16] = [
    [0x00, 0x00, 0x00],
    [0xcd, 0x00, 0x00],
    [0x00, 0xcd, 0x00],
    [0xcd, 0xcd, 0x00],
    [0x00, 0x00, 0xee],
    [0xcd, 0x00, 0xcd],
    [0x00, 0xcd, 0xcd],
    [0xe5, 0xe5, 0xe5],
    [0x7f, 0x7f, 0x7f],
    [0xff, 0x00, 0x00],
    [0x00, 0xff, 0x00],
    [0xff, 0xff, 0x00],
    [0x5c, 0x5c, 0xff],
    [0xff, 0x00, 0xff],
    [0x00, 0xff, 0xff],
    [0xff, 0xff, 0xff],
];

/// The same, as themes name them.
const NAMED: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

/// The colours that a theme allows itself, fewest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Depth {
    /// None.
    Plain,
    /// The terminal's own.
    Sixteen,
    /// Those and the cube.
    Indexed,
    /// All.
    Exact,
}

impl Depth {
    /// What the styles of a theme need.
    pub(super) fn of(styles: impl Iterator<Item = Style>) -> Self {
        let needed = |colour: Color| match colour {
            Color::Rgb(..) => Self::Exact,
            Color::Indexed(CUBE..) => Self::Indexed,
            _ => Self::Sixteen,
        };
        styles.flat_map(|style| [style.fg, style.bg]).flatten().map(needed).max().unwrap_or(Self::Plain)
    }

    /// The nearest colour that there is; `None` for no colour of its own.
    pub(super) fn nearest(self, colour: Colour) -> Option<Color> {
        let colour = match colour {
            Colour::Default => return None,
            Colour::Palette(index) => Color::Indexed(index),
            Colour::Exact([red, green, blue]) => Color::Rgb(red, green, blue),
        };
        match self {
            Self::Plain => None,
            Self::Sixteen => Some(nearest_of_sixteen(colour)),
            Self::Indexed => Some(nearest(colour)),
            Self::Exact => Some(colour),
        }
    }
}

/// Red, green and blue of a colour; of the terminal's own what they usually are, and `None` for what it has where none
/// is named.
pub(super) fn levels(colour: Color) -> Option<[u8; 3]> {
    let level = |index: u8| LEVELS.get(usize::from(index)).copied();
    match colour {
        Color::Rgb(red, green, blue) => Some([red, green, blue]),
        Color::Indexed(index @ GREYS..) => Some([8 + 10 * (index - GREYS); 3]),
        Color::Indexed(index @ CUBE..) => {
            let place = index - CUBE;
            Some([level(place / 36)?, level(place / 6 % 6)?, level(place % 6)?])
        }
        Color::Indexed(index) => SIXTEEN.get(usize::from(index)).copied(),
        named => {
            let own = NAMED.iter().zip(SIXTEEN).find(|(own, _)| **own == named);
            own.map(|(_, levels)| levels)
        }
    }
}

fn nearest_of_sixteen(colour: Color) -> Color {
    let (Some(wanted), false) = (levels(colour), matches!(colour, Color::Indexed(..CUBE))) else {
        return colour;
    };
    let own = (0..CUBE).zip(SIXTEEN).map(|(index, levels)| (distance(wanted, levels), index));
    own.min().map_or(colour, |(_, index)| Color::Indexed(index))
}

/// The theme with each exact colour replaced by the nearest of the 256.
pub(super) fn reduced(mut theme: Theme) -> Theme {
    theme.background = theme.background.map(nearest);
    // A grey tint is the same behind what is added and what is removed; the signs and the inks tell these apart.
    for style in
        [&mut theme.diff_add, &mut theme.diff_remove, &mut theme.diff_add_word, &mut theme.diff_remove_word]
    {
        style.bg = style.bg.filter(|tint| is_grey(*tint) || !is_grey(nearest(*tint)));
    }
    for key in Theme::KEYS {
        if let Some(style) = theme.style_mut(key) {
            *style = reduce(*style);
        }
    }
    for key in Syntax::KEYS {
        if let Some(style) = theme.syntax.style_mut(key) {
            *style = reduce(*style);
        }
    }
    theme
}

fn reduce(mut style: Style) -> Style {
    style.fg = style.fg.map(nearest_ink);
    style.bg = style.bg.map(nearest);
    style
}

/// The nearest colour of the cube or of the greys. Colours that are no exact ones stay.
fn nearest(colour: Color) -> Color {
    let Color::Rgb(red, green, blue) = colour else { return colour };
    let wanted = [red, green, blue];
    // Each channel of the cube is chosen for itself: the nearest of all has the nearest of each.
    let step = |wanted: u8| (0..6_u8).zip(LEVELS).min_by_key(|(_, level)| level.abs_diff(wanted));
    let in_cube = wanted.map(|level| step(level).map_or(0, |(index, _)| index));
    let [red, green, blue] = in_cube;
    let in_cube = std::iter::once(CUBE + 36 * red + 6 * green + blue);
    // Of the greys one of the two around the middle of the channels.
    let middle = wanted.map(u16::from).iter().sum::<u16>() / 3;
    let grey = GREYS + u8::try_from(middle.saturating_sub(8) / 10).unwrap_or_default().min(22);
    let near = in_cube.chain([grey, grey + 1]).map(Color::Indexed);
    near.min_by_key(|near| levels(*near).map(|levels| distance(wanted, levels))).unwrap_or(colour)
}

/// The same for words: an ink that says something by its hue does not become grey.
fn nearest_ink(colour: Color) -> Color {
    let near = nearest(colour);
    let Color::Rgb(red, green, blue) = colour else { return near };
    let wanted = [red, green, blue];
    if spread(wanted) < HUED || !is_grey(near) {
        return near;
    }
    let cube = (CUBE..GREYS).filter_map(|index| Some((levels(Color::Indexed(index))?, index)));
    let alike = cube.filter(|(levels, _)| has_hue_of(*levels, wanted));
    let found = alike.map(|(levels, index)| (distance(wanted, levels), index)).min();
    found.map_or(near, |(_, index)| Color::Indexed(index))
}

/// Whether the channels of a colour are as far apart as those of another, nearly.
fn has_hue_of(one: [u8; 3], other: [u8; 3]) -> bool {
    let apart = |[red, green, blue]: [u8; 3]| {
        let [red, green, blue] = [red, green, blue].map(i16::from);
        [red - green, green - blue, blue - red]
    };
    apart(one).into_iter().zip(apart(other)).all(|(one, other)| one.abs_diff(other) < u16::from(HUED))
}

/// How far the channels of a colour are apart.
fn spread(levels: [u8; 3]) -> u8 {
    let most = levels.into_iter().max().unwrap_or_default();
    most - levels.into_iter().min().unwrap_or_default()
}

fn is_grey(colour: Color) -> bool {
    levels(colour).is_some_and(|levels| spread(levels) < GREY)
}

fn distance(one: [u8; 3], other: [u8; 3]) -> u32 {
    one.iter().zip(other).map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_colours_find_their_neighbours() {
        for (exact, index) in
            [((0, 0, 0), 16), ((255, 255, 255), 231), ((95, 135, 175), 67), ((0x80, 0x80, 0x80), 244)]
        {
            assert_eq!(nearest(Color::Rgb(exact.0, exact.1, exact.2)), Color::Indexed(index));
        }
        assert_eq!(nearest(Color::Red), Color::Red);
    }

    #[test]
    fn levels_are_those_of_xterm() {
        for (index, hex) in
            [(16, [0; 3]), (67, [95, 135, 175]), (231, [255; 3]), (232, [8; 3]), (255, [238; 3])]
        {
            assert_eq!(levels(Color::Indexed(index)), Some(hex));
            let [red, green, blue] = hex;
            assert_eq!(nearest(Color::Rgb(red, green, blue)), Color::Indexed(index), "and back");
        }
        assert_eq!(levels(Color::Indexed(9)), Some([255, 0, 0]));
        assert_eq!(levels(Color::LightRed), Some([255, 0, 0]));
        assert_eq!(levels(Color::Reset), None);
    }

    /// Every fifteenth level of each channel, against all of the cube and the greys one by one.
    #[test]
    fn nothing_is_nearer_than_the_nearest() {
        let all: Vec<[u8; 3]> = (CUBE..=u8::MAX).filter_map(|index| levels(Color::Indexed(index))).collect();
        let some = || (0..=u8::MAX).step_by(15);
        for wanted in some().flat_map(|r| some().flat_map(move |g| some().map(move |b| [r, g, b]))) {
            let [red, green, blue] = wanted;
            let found = levels(nearest(Color::Rgb(red, green, blue))).unwrap();
            let least = all.iter().map(|one| distance(wanted, *one)).min().unwrap();
            assert_eq!(distance(wanted, found), least, "{wanted:?}");
        }
    }

    #[test]
    fn a_diff_has_no_grey_tints_and_no_ink_loses_its_hue() {
        for name in Theme::names() {
            let (mut exact, mut few) =
                (Theme::builtin(name).unwrap(), reduced(Theme::builtin(name).unwrap()));
            for style in [few.diff_add, few.diff_remove, few.diff_add_word, few.diff_remove_word] {
                assert!(!style.bg.is_some_and(is_grey), "{name}: {style:?}");
            }
            for key in Theme::KEYS {
                let inks = [exact.style_mut(key).unwrap().fg, few.style_mut(key).unwrap().fg];
                let [Some(wanted), Some(found)] = inks.map(|ink| ink.and_then(levels)) else { continue };
                assert!(spread(wanted) < HUED || spread(found) >= GREY, "{name}: {key}: {found:?}");
            }
        }
        let light = reduced(Theme::builtin("countersign-light").unwrap());
        assert_eq!((light.diff_add.fg, light.diff_add.bg), (Some(Color::Indexed(22)), None));
        assert_eq!(light.diff_add_word.bg, Some(Color::Indexed(194)));
    }

    #[test]
    fn no_exact_colour_is_left() {
        let theme = reduced(Theme::builtin("countersign-dark").unwrap());
        assert!(!format!("{theme:?}").contains("Rgb"), "{theme:?}");
    }
}
