//! The built-in themes are complete and legible, and wrong theme files are told where and what instead.

use ratatui::style::{Color, Style};

use super::*;

/// Backgrounds that people have: black, ours, and the palest of the dark ones in wide use; then the light ones.
const DARK_BACKGROUNDS: &[(u8, u8, u8)] =
    &[(0, 0, 0), (0x16, 0x18, 0x1d), (0x1e, 0x1e, 0x1e), (0x28, 0x2c, 0x34)];
const LIGHT_BACKGROUNDS: &[(u8, u8, u8)] = &[(255, 255, 255), (0xfb, 0xfa, 0xf7), (0xfd, 0xf6, 0xe3)];

/// Roles that are seen, not read: lines and empty cells.
const UNREAD: &[&str] = &["border", "border_live", "gauge_empty"];

fn luminance((red, green, blue): (u8, u8, u8)) -> f64 {
    let linear = |channel: u8| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

fn contrast(one: (u8, u8, u8), other: (u8, u8, u8)) -> f64 {
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    one.max(other) / one.min(other)
}

fn rgb(colour: Color) -> (u8, u8, u8) {
    match colour {
        Color::Rgb(red, green, blue) => (red, green, blue),
        other => panic!("built-in themes use exact colours, not {other:?}"),
    }
}

#[test]
fn contrast_is_measured_as_wcag_does() {
    assert!((contrast((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 0.01);
    assert!((contrast((0x77, 0x77, 0x77), (255, 255, 255)) - 4.48).abs() < 0.01);
}

/// Every style of a theme, by its key.
fn styles(theme: &mut Theme) -> Vec<(&'static str, Style)> {
    let mut all: Vec<_> = Theme::KEYS.iter().map(|key| (*key, *theme.style_mut(key).unwrap())).collect();
    all.extend(Syntax::KEYS.iter().map(|key| (*key, *theme.syntax.style_mut(key).unwrap())));
    all
}

/// Holds every style of a theme against its own ground, or else against those given: what is seen and what is read, also
/// what is read last, must reach these ratios.
fn legible(name: &str, grounds: &[(u8, u8, u8)], [unread, read]: [f64; 2]) {
    let mut theme = Theme::builtin(name).unwrap();
    for (key, style) in styles(&mut theme) {
        let Some(colour) = style.fg.map(rgb) else { continue };
        let wanted = if UNREAD.contains(&key) { unread } else { read };
        let own = style.bg.map(rgb);
        for ground in own.as_slice().iter().chain(grounds.iter().filter(|_| own.is_none())) {
            let found = contrast(colour, *ground);
            assert!(found >= wanted, "{name}: {key} has {found:.2} on {ground:?}, wanted {wanted}");
        }
    }
}

#[test]
fn the_built_in_themes_are_legible() {
    legible("countersign-dark", DARK_BACKGROUNDS, [3.0, 4.5]);
    legible("countersign-light", LIGHT_BACKGROUNDS, [3.0, 4.5]);
    for (name, wanted) in [
        ("ember", [3.0, 4.5]),
        ("paper", [3.0, 4.5]),
        ("contrast-dark", [3.0, 7.0]),
        ("contrast-light", [3.0, 7.0]),
    ] {
        let ground = Theme::builtin(name).unwrap().background.map(rgb);
        legible(name, &[ground.expect("it paints its background")], wanted);
    }
}

#[test]
fn code_is_legible_on_the_tints_of_a_diff() {
    let wanted = |name: &str| if name.starts_with("contrast") { 7.0 } else { 4.5 };
    for name in Theme::names() {
        let mut theme = Theme::builtin(name).unwrap();
        let tints = [theme.diff_add, theme.diff_remove, theme.diff_add_word, theme.diff_remove_word];
        if theme.diff_add.bg.is_none() {
            assert!(["sixteen", "plain"].contains(name), "{name} has no tint");
            continue;
        }
        for key in Syntax::KEYS {
            let colour = rgb(theme.syntax.style_mut(key).unwrap().fg.unwrap());
            let wanted = wanted(name);
            for tint in tints {
                let found = contrast(colour, rgb(tint.bg.unwrap()));
                assert!(found >= wanted, "{name}: {key} has {found:.2} on {:?}, wanted {wanted}", tint.bg);
            }
        }
    }
}

#[test]
fn sixteen_leaves_every_colour_to_the_terminal() {
    let mut theme = Theme::builtin("sixteen").unwrap();
    assert_eq!(theme.background, None);
    for (key, style) in styles(&mut theme) {
        assert_eq!(style.bg, None, "{key}: palettes do not say which colours may stand on which");
        let palette =
            matches!(style.fg, None | Some(Color::Reset | Color::Red | Color::Green | Color::Yellow))
                || matches!(style.fg, Some(Color::Blue | Color::Magenta | Color::Cyan));
        assert!(palette, "{key} is {:?}", style.fg);
    }
}

#[test]
fn the_built_in_themes_set_every_role_themselves() {
    for (name, source) in BUILTIN {
        let theme = Theme::builtin(name).unwrap_or_else(|| panic!("{name}: {:?}", Theme::parse(source)));
        assert_eq!(theme.name, *name);
        for key in Theme::KEYS.iter().chain(Syntax::KEYS) {
            assert!(
                source.lines().any(|line| line.starts_with(&format!("{key} = "))),
                "{name} leaves out {key}"
            );
        }
        assert_eq!(theme.is_dark, !["countersign-light", "paper", "contrast-light"].contains(name), "{name}");
    }
    for name in ["countersign-dark", "countersign-light"] {
        assert_eq!(Theme::builtin(name).unwrap().background, None, "the terminal keeps its background");
    }
    assert!(Theme::builtin("unheard-of").is_none());
    assert!(Theme::names().iter().all(|name| Theme::builtin(name).unwrap().name == *name));
    assert_eq!(Theme::names().len(), BUILTIN.len() + 1, "and plain");
}

#[test]
fn plain_has_no_colour_anywhere() {
    let mut plain = Theme::plain();
    for key in Theme::KEYS {
        let style = plain.style_mut(key).unwrap();
        assert_eq!((style.fg, style.bg, style.underline_color), (None, None, None), "{key}");
    }
    for key in Syntax::KEYS {
        let style = plain.syntax.style_mut(key).unwrap();
        assert_eq!((style.fg, style.bg, style.underline_color), (None, None, None), "{key}");
    }
}

#[test]
fn a_small_theme_file_changes_only_what_it_names() {
    let theme = Theme::parse(
        "name = \"mine\"\nbackground = \"sky\"\n[palette]\nsky = \"#0a141e\"\n[roles]\ntext = 7\n\
         accent = { fg = \"sky\", bg = \"bright-red\", bold = true, italic = false }\n[syntax]\ntype = \"red\"\n",
    )
    .unwrap();
    let dark = Theme::builtin("countersign-dark").unwrap();
    assert_eq!((theme.name.as_str(), theme.background), ("mine", Some(Color::Rgb(10, 20, 30))));
    assert_eq!(theme.text, Style::new().fg(Color::Indexed(7)));
    let accent = Style::new().fg(Color::Rgb(10, 20, 30)).bg(Color::LightRed);
    assert_eq!(theme.accent, accent.add_modifier(ratatui::style::Modifier::BOLD));
    assert_eq!(theme.syntax.r#type, Style::new().fg(Color::Red));
    assert_eq!((theme.error, theme.syntax.keyword), (dark.error, dark.syntax.keyword));
    let light = Theme::parse("dark = false").unwrap();
    assert_eq!(light.text, Theme::builtin("countersign-light").unwrap().text);
}

#[test]
fn errors_name_the_line_the_key_and_what_it_resembles() {
    for (source, message) in [
        ("[roles]\nacent = \"red\"", "line 2: unknown key `acent`; did you mean `accent`?"),
        ("[role]\n", "line 1: unknown key `role`; did you mean `roles`?"),
        ("dark = \"no\"", "line 1: `dark` must be true or false, not string"),
        ("\n[syntax]\nkeywrod = 3", "line 3: unknown key `keywrod`; did you mean `keyword`?"),
        ("[roles]\n\ntext = \"gren\"", "line 3: `text` has the unknown colour `gren`; did you mean `green`?"),
        ("[roles]\ntext = \"#12\"", "line 2: `text` has the invalid colour `#12`; write it as #rrggbb"),
        (
            "[roles]\ntext = \"#12345é\"",
            "line 2: `text` has the invalid colour `#12345é`; write it as \
            #rrggbb",
        ),
        ("[roles]\ntext = 256", "line 2: `text` must be a colour from 0 to 255, not 256"),
        ("[roles]\ntext = { bld = true }", "line 2: unknown key `bld`; did you mean `bold`?"),
        ("[roles]\ntext = { fg = true }", "line 2: `fg` must be a colour, not boolean"),
        ("palette = 1", "line 1: `palette` must be a table, not integer"),
        (
            "[palette]\na = \"b\"",
            "line 2: `a` has the unknown colour `b`; name one of [palette], a terminal colour, or #rrggbb",
        ),
    ] {
        assert_eq!(Theme::parse(source).unwrap_err(), message, "{source}");
    }
    let zebra = Theme::parse("[roles]\nzebra = 1").unwrap_err();
    assert!(zebra.starts_with("line 2: unknown key `zebra`; known keys: text, dim"), "{zebra}");
    let broken = Theme::parse("name = \"x\"\n[roles\n").unwrap_err();
    assert!(broken.starts_with("line 2: "), "{broken}");
}
