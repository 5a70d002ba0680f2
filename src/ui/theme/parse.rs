//! Theme files: TOML with a palette and roles that refer to it, and errors that say where and what instead.

use std::collections::BTreeMap;
use std::ops::Range;

use ratatui::style::{Color, Modifier, Style};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::plain;
use super::shipped::{DARK, LIGHT};
use super::{Syntax, Theme};

/// Keys at the top of a theme file.
const TOP: &[&str] = &["name", "dark", "background", "palette", "roles", "syntax"];

/// What a style may say besides its colours.
const MODIFIERS: &[(&str, Modifier)] = &[
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underline", Modifier::UNDERLINED),
    ("reverse", Modifier::REVERSED),
    ("strike", Modifier::CROSSED_OUT),
];

/// The terminal's own colours, by name.
const TERMINAL: &[(&str, Color)] = &[
    ("default", Color::Reset),
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];

type Value<'a> = Spanned<DeValue<'a>>;

/// Reads a theme file; what it leaves out comes from the built-in theme of the same shade.
pub(super) fn parse(source: &str) -> Result<Theme, String> {
    let file = ThemeFile { source };
    let table = file.table()?;
    let table = table.get_ref();
    file.known_keys(table, TOP)?;
    let is_dark = match table.get("dark") {
        Some(value) => file.boolean("dark", value)?,
        None => true,
    };
    // The built-in themes are complete, which a test holds; they must not be read in order to read them.
    let base = if is_dark { DARK } else { LIGHT };
    let mut theme = if source == base { plain::theme() } else { parse(base)? };
    theme.is_dark = is_dark;
    theme.name = match table.get("name") {
        Some(value) => file.text("name", value)?.to_owned(),
        None => "custom".to_owned(),
    };
    let palette = file.palette(table.get("palette"))?;
    theme.background = match table.get("background") {
        Some(value) => Some(file.colour("background", value, &palette)?),
        None => None,
    };
    if let Some(roles) = table.get("roles") {
        for (key, value) in file.section("roles", roles)? {
            let name: &str = key.get_ref();
            let style = theme.style_mut(name).ok_or_else(|| file.unknown(&key.span(), name, Theme::KEYS))?;
            *style = file.style(name, value, &palette)?;
        }
    }
    if let Some(syntax) = table.get("syntax") {
        for (key, value) in file.section("syntax", syntax)? {
            let name: &str = key.get_ref();
            let slot = theme.syntax.style_mut(name);
            let style = slot.ok_or_else(|| file.unknown(&key.span(), name, Syntax::KEYS))?;
            *style = file.style(name, value, &palette)?;
        }
    }
    Ok(theme)
}

/// The source, kept for the line numbers of errors.
#[derive(Clone, Copy)]
struct ThemeFile<'a> {
    source: &'a str,
}

impl<'a> ThemeFile<'a> {
    fn table(self) -> Result<Spanned<DeTable<'a>>, String> {
        DeTable::parse(self.source).map_err(|error| {
            let line = error.span().map_or(1, |span| self.line(&span));
            format!("line {line}: {}", error.message())
        })
    }

    fn line(self, span: &Range<usize>) -> usize {
        self.source.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1
    }

    fn known_keys(self, table: &DeTable<'_>, known: &[&str]) -> Result<(), String> {
        match table.keys().find(|key| !known.contains(&key.get_ref().as_ref())) {
            Some(key) => Err(self.unknown(&key.span(), key.get_ref(), known)),
            None => Ok(()),
        }
    }

    fn unknown(self, span: &Range<usize>, key: &str, known: &[&str]) -> String {
        let hint = resembling(key, known.iter().copied()).map_or_else(
            || format!("known keys: {}", known.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        format!("line {}: unknown key `{key}`; {hint}", self.line(span))
    }

    fn wrong(self, key: &str, value: &Value<'_>, wanted: &str) -> String {
        let line = self.line(&value.span());
        format!("line {line}: `{key}` must be {wanted}, not {}", value.get_ref().type_str())
    }

    fn boolean(self, key: &str, value: &Value<'_>) -> Result<bool, String> {
        value.get_ref().as_bool().ok_or_else(|| self.wrong(key, value, "true or false"))
    }

    fn text<'v>(self, key: &str, value: &'v Value<'_>) -> Result<&'v str, String> {
        value.get_ref().as_str().ok_or_else(|| self.wrong(key, value, "a string"))
    }

    fn section<'v>(self, key: &str, value: &'v Value<'a>) -> Result<&'v DeTable<'a>, String> {
        value.get_ref().as_table().ok_or_else(|| self.wrong(key, value, "a table"))
    }

    /// Palette names to colours; a palette colour is itself a plain colour, never another palette name.
    fn palette(self, value: Option<&Value<'a>>) -> Result<BTreeMap<String, Color>, String> {
        let mut palette = BTreeMap::new();
        if let Some(value) = value {
            for (key, value) in self.section("palette", value)? {
                let name: &str = key.get_ref();
                palette.insert(name.to_owned(), self.colour(name, value, &BTreeMap::new())?);
            }
        }
        Ok(palette)
    }

    fn colour(
        self,
        key: &str,
        value: &Value<'_>,
        palette: &BTreeMap<String, Color>,
    ) -> Result<Color, String> {
        let line = self.line(&value.span());
        if let Some(number) = value.get_ref().as_integer() {
            let index = u8::from_str_radix(number.as_str(), number.radix());
            return index.map(Color::Indexed).map_err(|_out_of_range| {
                format!("line {line}: `{key}` must be a colour from 0 to 255, not {}", number.as_str())
            });
        }
        let Some(name) = value.get_ref().as_str() else {
            return Err(self.wrong(key, value, "a colour"));
        };
        if let Some(digits) = name.strip_prefix('#') {
            return hexadecimal(digits).ok_or_else(|| {
                format!(
                    "line {line}: `{key}` has the invalid colour `{name}`; write it as \
                    #rrggbb"
                )
            });
        }
        if let Some(colour) = palette.get(name) {
            return Ok(*colour);
        }
        if let Some((_, colour)) = TERMINAL.iter().find(|(known, _)| *known == name) {
            return Ok(*colour);
        }
        let known = palette.keys().map(String::as_str).chain(TERMINAL.iter().map(|(known, _)| *known));
        let hint = resembling(name, known).map_or_else(
            || "name one of [palette], a terminal colour, or #rrggbb".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        Err(format!("line {line}: `{key}` has the unknown colour `{name}`; {hint}"))
    }

    fn style(
        self,
        role: &str,
        value: &Value<'a>,
        palette: &BTreeMap<String, Color>,
    ) -> Result<Style, String> {
        let Some(table) = value.get_ref().as_table() else {
            return Ok(Style::new().fg(self.colour(role, value, palette)?));
        };
        let mut style = Style::new();
        for (key, value) in table {
            let name: &str = key.get_ref();
            match name {
                "fg" => style = style.fg(self.colour("fg", value, palette)?),
                "bg" => style = style.bg(self.colour("bg", value, palette)?),
                _ => {
                    let modifier =
                        MODIFIERS.iter().find(|(known, _)| *known == name).map(|(_, modifier)| *modifier);
                    let Some(modifier) = modifier else {
                        let known: Vec<&str> = ["fg", "bg"]
                            .into_iter()
                            .chain(MODIFIERS.iter().map(|(known, _)| *known))
                            .collect();
                        return Err(self.unknown(&key.span(), name, &known));
                    };
                    if self.boolean(name, value)? {
                        style = style.add_modifier(modifier);
                    }
                }
            }
        }
        Ok(style)
    }
}

/// `rrggbb` as a colour.
fn hexadecimal(digits: &str) -> Option<Color> {
    let is_hexadecimal = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = if is_hexadecimal { u32::from_str_radix(digits, 16).ok()? } else { return None };
    let [_, red, green, blue] = value.to_be_bytes();
    Some(Color::Rgb(red, green, blue))
}

/// The known word that is nearest to a wrong one, if any is near.
pub(crate) fn resembling<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    // A word that nobody types needs no neighbour.
    if word.chars().count() > LONGEST {
        return None;
    }
    let nearest = known.map(|candidate| (apart(word, candidate), candidate)).min()?;
    (nearest.0 <= word.chars().count().max(3) / 3).then_some(nearest.1)
}

/// Letters of the longest word for which a near one is looked for.
const LONGEST: usize = 64;

/// How far one word is from the other; two letters that changed places are one mistake.
fn apart(from: &str, to: &str) -> usize {
    let letters: Vec<char> = from.chars().collect();
    let swapped = (1..letters.len()).map(|at| {
        let mut letters = letters.clone();
        letters.swap(at - 1, at);
        1 + distance(&letters.into_iter().collect::<String>(), to)
    });
    swapped.chain([distance(from, to)]).min().unwrap_or(usize::MAX)
}

/// How many letters must be inserted, removed or changed to turn one word into the other.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (index, left) in from.chars().enumerate() {
        let mut diagonal = index;
        let mut previous = index + 1;
        for (cell, right) in row.iter_mut().skip(1).zip(to.chars()) {
            let changed = diagonal + usize::from(left != right);
            diagonal = *cell;
            *cell = changed.min(diagonal + 1).min(previous + 1);
            previous = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}
