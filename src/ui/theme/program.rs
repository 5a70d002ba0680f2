//! What the looks that a program gives its text become under a theme, and that none of them hides text.

use ratatui::style::{Color, Modifier, Style};

use crate::tool::{CellStyle, Colour, Weight};

use super::depth::{Depth, levels};
use super::{Syntax, Theme};

/// Colours whose channels all differ by less than this are one to a reader.
const NEAR: u8 = 16;

/// With all channels below this a colour may be that of a dark background, and with all above that of a light one:
/// terminals do not always say which shade they have.
const DARK: u8 = 0x40;
const LIGHT: u8 = 0xd0;

/// Bright black, which programs use for what is glanced at, and which some palettes have as their background.
const FAINT: Colour = Colour::Palette(8);

/// Looks under one theme, worked out for many pieces of text.
pub struct Inks<'t> {
    theme: &'t Theme,
    /// Text without a look of its own.
    plain: Style,
    depth: Depth,
    is_diff: bool,
}

impl<'t> Inks<'t> {
    /// Looks under this theme. Text without one has the style `plain`.
    #[must_use]
    pub fn new(theme: &'t Theme, plain: Style) -> Self {
        let styles = theme.styles().chain(Syntax::styles(&theme.syntax));
        Self { theme, plain, depth: Depth::of(styles), is_diff: false }
    }

    /// The same for a diff: what git shows red, green and cyan has the looks that the theme has for that.
    #[must_use]
    pub fn of_diff(theme: &'t Theme, plain: Style) -> Self {
        Self { is_diff: true, ..Self::new(theme, plain) }
    }

    /// The style of a piece of text. The sixteen colours are the terminal's own, others as exact as the theme's; where
    /// the text would not be seen, it has none.
    #[must_use]
    pub fn style(&self, look: CellStyle, text: &str) -> Style {
        if let Some(ours) = self.of_line(look.foreground) {
            return self.plain.patch(ours).add_modifier(modifiers(look));
        }
        let (ink, ground) = (self.depth.nearest(look.foreground), self.depth.nearest(look.background));
        // What is quiet here for its place is read on a background of its own.
        let plain = if ground.is_some() { self.theme.text } else { self.plain };
        let style = if look.background == Colour::Default && look.foreground == FAINT {
            plain.patch(self.theme.dim)
        } else if text.chars().any(is_read) && self.hides(ink, ground, look.weight) {
            self.theme.text
        } else {
            Style { fg: ink.or(plain.fg), bg: ground.or(plain.bg), ..plain }
        };
        style.add_modifier(modifiers(look))
    }

    /// What the theme has for a line of a diff that git shows in this colour.
    fn of_line(&self, colour: Colour) -> Option<Style> {
        match colour {
            Colour::Palette(1) if self.is_diff => Some(self.theme.diff_remove),
            Colour::Palette(2) if self.is_diff => Some(self.theme.diff_add),
            Colour::Palette(6) if self.is_diff => Some(self.theme.diff_hunk),
            _ => None,
        }
    }

    /// Whether nobody would read this ink on this ground; `None` is what the theme has there.
    fn hides(&self, ink: Option<Color>, ground: Option<Color>, weight: Weight) -> bool {
        let levels_of = |colour: Option<Color>| colour.and_then(levels);
        let is_near = |one: Option<[u8; 3]>, other: Option<[u8; 3]>| {
            one.zip(other).is_some_and(|(one, other)| is_near(one, other))
        };
        let halved = |ink: [u8; 3]| if weight == Weight::Dim { ink.map(|level| level / 2) } else { ink };
        let (written, behind) = (levels_of(ink).map(halved), levels_of(ground));
        match (ink, ground) {
            (None, None) => false,
            (Some(one), Some(other)) => one == other || is_near(written, behind),
            (Some(_), None) => {
                self.may_be_ground(written, self.theme.is_dark)
                    || is_near(written, levels_of(self.theme.text.bg.or(self.theme.background)))
            }
            (None, Some(_)) => {
                self.may_be_ground(behind, !self.theme.is_dark)
                    || is_near(levels_of(self.theme.text.fg).map(halved), behind)
            }
        }
    }

    /// Whether a colour may be that of a background of this shade; of either, where the theme leaves that to the
    /// terminal.
    fn may_be_ground(&self, levels: Option<[u8; 3]>, dark: bool) -> bool {
        let Some(levels) = levels else { return false };
        let either = self.depth == Depth::Sixteen;
        let is_dark = levels.iter().all(|level| *level < DARK);
        let is_light = levels.iter().all(|level| *level > LIGHT);
        is_dark && (dark || either) || is_light && (!dark || either)
    }
}

fn modifiers(look: CellStyle) -> Modifier {
    let weight = match look.weight {
        Weight::Normal => Modifier::empty(),
        Weight::Bold => Modifier::BOLD,
        Weight::Dim => Modifier::DIM,
    };
    [
        (look.italic, Modifier::ITALIC),
        (look.underline, Modifier::UNDERLINED),
        (look.inverse, Modifier::REVERSED),
    ]
    .into_iter()
    .filter(|(has, _)| *has)
    .fold(weight, |all, (_, modifier)| all | modifier)
}

/// Blocks and their halves are painted, not read: pictures have them in the colour of what is behind them.
fn is_read(character: char) -> bool {
    !character.is_whitespace() && !matches!(character, '\u{2580}'..='\u{259f}')
}

fn is_near(one: [u8; 3], other: [u8; 3]) -> bool {
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) < NEAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn theme(name: &str) -> Theme {
        Theme::builtin(name).unwrap()
    }

    fn style(theme: &Theme, look: CellStyle) -> Style {
        Inks::new(theme, theme.text).style(look, "text")
    }

    fn on(foreground: Colour, background: Colour) -> CellStyle {
        CellStyle { foreground, background, ..CellStyle::default() }
    }

    fn exact(hex: u32) -> Colour {
        let [_, red, green, blue] = hex.to_be_bytes();
        Colour::Exact([red, green, blue])
    }

    const NONE: Colour = Colour::Default;

    #[test]
    fn looks_are_those_of_the_program() {
        let dark = theme("countersign-dark");
        assert_eq!(style(&dark, CellStyle::default()), dark.text);
        assert_eq!(style(&dark, on(Colour::Palette(2), NONE)), dark.text.fg(Color::Indexed(2)));
        let both = on(Colour::Palette(208), exact(0x10_20_30));
        assert_eq!(style(&dark, both), dark.text.fg(Color::Indexed(208)).bg(Color::Rgb(16, 32, 48)));
        for (look, modifier) in [
            (CellStyle { weight: Weight::Bold, ..CellStyle::default() }, Modifier::BOLD),
            (CellStyle { weight: Weight::Dim, ..CellStyle::default() }, Modifier::DIM),
            (CellStyle { italic: true, ..CellStyle::default() }, Modifier::ITALIC),
            (CellStyle { underline: true, ..CellStyle::default() }, Modifier::UNDERLINED),
            (CellStyle { inverse: true, ..CellStyle::default() }, Modifier::REVERSED),
        ] {
            assert_eq!(style(&dark, look), dark.text.add_modifier(modifier));
            assert_eq!(style(&Theme::plain(), look), Style::new().add_modifier(modifier));
        }
    }

    #[test]
    fn no_style_speaks_of_tags() {
        for name in Theme::names() {
            let theme = theme(name);
            for look in [on(exact(0x12_34_56), NONE), on(NONE, exact(1)), on(FAINT, NONE), on(FAINT, FAINT)] {
                assert_eq!(style(&theme, look).underline_color, None);
            }
        }
    }

    #[test]
    fn text_in_the_colour_of_what_is_behind_it_is_shown() {
        let (dark, light) = (theme("countersign-dark"), theme("countersign-light"));
        let (sixteen, ember) = (theme("sixteen"), theme("ember"));
        let Some(Color::Rgb(red, green, blue)) = dark.text.fg else { panic!("an exact ink") };
        let ink = Colour::Exact([red, green, blue]);
        let Some(Color::Rgb(red, green, blue)) = ember.background else { panic!("an exact ground") };
        let painted = Colour::Exact([red, green + 3, blue]);
        let own = Theme::parse("background = \"blue\"\n[roles]\ntext = \"yellow\"").unwrap();
        let [black, white] = [Colour::Palette(0), Colour::Palette(15)];
        for (theme, look) in [
            (&dark, on(Colour::Palette(3), Colour::Palette(3))),
            (&dark, on(exact(0x50_60_70), exact(0x50_60_70))),
            (&dark, on(exact(0x50_60_70), exact(0x54_60_6c))),
            // The same colour by two names.
            (&dark, on(Colour::Palette(231), exact(0xff_ff_ff))),
            (&dark, on(black, Colour::Palette(16))),
            (&dark, on(black, NONE)),
            (&dark, on(exact(0x28_2c_34), NONE)),
            (&dark, on(NONE, white)),
            (&dark, on(NONE, ink)),
            (&light, on(white, NONE)),
            (&light, on(exact(0xfd_f6_e3), NONE)),
            (&light, on(NONE, black)),
            (&ember, on(painted, NONE)),
            (&own, on(Colour::Palette(4), NONE)),
            (&own, on(NONE, Colour::Palette(3))),
            (&sixteen, on(black, NONE)),
            (&sixteen, on(white, NONE)),
            (&sixteen, on(NONE, black)),
            (&sixteen, on(NONE, white)),
            (&sixteen, on(exact(0x01_01_01), exact(0x08_00_00))),
            (&dark, CellStyle { weight: Weight::Dim, ..on(exact(0x60_60_60), NONE) }),
        ] {
            for inverse in [false, true] {
                let shown = style(theme, CellStyle { inverse, ..look });
                assert_eq!((shown.fg, shown.bg), (theme.text.fg, None), "{} {look:?}", theme.name);
                assert_eq!(shown.add_modifier.contains(Modifier::REVERSED), inverse);
            }
        }
    }

    #[test]
    fn what_can_be_read_keeps_its_colours() {
        let (dark, light) = (theme("countersign-dark"), theme("countersign-light"));
        for (theme, look) in [
            (&dark, on(white(), NONE)),
            (&dark, on(Colour::Palette(4), NONE)),
            (&dark, on(Colour::Palette(0), Colour::Palette(7))),
            (&dark, on(NONE, Colour::Palette(4))),
            (&dark, on(exact(0x3b_42_62), exact(0x2e_34_40))),
            (&light, on(Colour::Palette(0), NONE)),
            (&light, on(NONE, Colour::Palette(3))),
        ] {
            let shown = style(theme, look);
            assert_eq!(
                shown.fg.is_some_and(|ink| Some(ink) != theme.text.fg),
                look.foreground != NONE,
                "{look:?}"
            );
            assert_eq!(shown.bg.is_some(), look.background != NONE, "{look:?}");
        }
    }

    fn white() -> Colour {
        Colour::Palette(15)
    }

    #[test]
    fn what_is_painted_and_not_read_keeps_its_colours() {
        let dark = theme("countersign-dark");
        let same = on(Colour::Palette(1), Colour::Palette(1));
        let painted = Style { fg: Some(Color::Indexed(1)), bg: Some(Color::Indexed(1)), ..dark.text };
        assert_eq!(Inks::new(&dark, dark.text).style(same, " ▀█ "), painted);
        assert_eq!(Inks::new(&dark, dark.text).style(same, " ▀x ").fg, dark.text.fg);
    }

    #[test]
    fn bright_black_is_what_the_theme_dims() {
        for name in Theme::names() {
            let theme = theme(name);
            assert_eq!(style(&theme, on(FAINT, NONE)), theme.text.patch(theme.dim), "{name}");
        }
    }

    #[test]
    fn a_theme_says_how_many_colours_there_are() {
        let look = on(exact(0xfe_60_02), Colour::Palette(24));
        let plain = style(&Theme::plain(), look);
        assert_eq!((plain.fg, plain.bg), (None, None), "NO_COLOR");
        let sixteen = style(&theme("sixteen"), look);
        assert_eq!((sixteen.fg, sixteen.bg), (Some(Color::Indexed(9)), Some(Color::Indexed(6))));
        let reduced = style(&theme("countersign-dark").with_256_colours(), look);
        assert_eq!((reduced.fg, reduced.bg), (Some(Color::Indexed(202)), Some(Color::Indexed(24))));
    }
}
