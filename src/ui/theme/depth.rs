//! Exact colours brought down to the 256 that nearly every terminal has.

use ratatui::style::{Color, Style};

use super::{Syntax, Theme};

/// The levels of the colour cube of 6 x 6 x 6, as xterm defines them.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The first index of the cube, and that of the 24 greys behind it.
const CUBE: u8 = 16;
const GREYS: u8 = 232;

/// The theme with each exact colour replaced by the nearest of the 256.
pub(super) fn reduced(mut theme: Theme) -> Theme {
    theme.background = theme.background.map(nearest);
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
    style.fg = style.fg.map(nearest);
    style.bg = style.bg.map(nearest);
    style
}

/// The nearest colour of the cube or of the greys. Colours that are no exact ones stay.
fn nearest(colour: Color) -> Color {
    let Color::Rgb(red, green, blue) = colour else { return colour };
    let wanted = [red, green, blue];
    let cube = (0..=5_u8)
        .flat_map(|red| (0..=5_u8).flat_map(move |green| (0..=5_u8).map(move |blue| [red, green, blue])));
    let in_cube = cube.filter_map(|place| {
        let [red, green, blue] = place;
        let level = |index: u8| LEVELS.get(usize::from(index)).copied();
        let index = CUBE + 36 * red + 6 * green + blue;
        Some((distance(wanted, [level(red)?, level(green)?, level(blue)?]), index))
    });
    let greys = (0..24_u8).map(|step| (distance(wanted, [8 + 10 * step; 3]), GREYS + step));
    in_cube.chain(greys).min().map_or(colour, |(_, index)| Color::Indexed(index))
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
    fn no_exact_colour_is_left() {
        let theme = reduced(Theme::builtin("countersign-dark").unwrap());
        assert!(!format!("{theme:?}").contains("Rgb"), "{theme:?}");
    }
}
