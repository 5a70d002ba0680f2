//! A value as it was written, and the readings of it.

use toml::Spanned;
use toml::de::DeValue;

use super::source::Source;
use super::spelling::quoted;
use crate::ledger::MicroDollars;

/// Far more than any run uses, and far from where sums overflow.
pub(super) const MOST_COUNT: u64 = 1_000_000_000_000;

/// A value before its meaning is known. Numbers keep their digits: money is never a float.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    Text(String),
    /// Decimal digits with an optional sign.
    Whole(String),
    Decimal(String),
    Switch(bool),
    List(Vec<Self>),
    /// The items of a list, each with its place.
    Placed(Vec<(Source, Self)>),
    /// Tables, of hooks alone.
    Tables(Vec<Table>),
    /// Something that no key takes: a date, a table.
    Other(&'static str),
}

/// A table in a list, with the places of its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) source: Source,
    pub(super) members: Vec<(String, Source, Written)>,
}

impl Written {
    /// Reads a list of tables with the place of every member; anything else stays as it is.
    pub(super) fn of_tables(value: &DeValue<'_>, source: &dyn Fn(usize) -> Source) -> Self {
        let DeValue::Array(items) = value else { return Self::of(value) };
        let table = |item: &Spanned<DeValue<'_>>| {
            let DeValue::Table(table) = item.get_ref() else { return None };
            let member = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
                let name: &Spanned<std::borrow::Cow<'_, str>> = name;
                (name.get_ref().to_string(), source(name.span().start), Self::of(value.get_ref()))
            };
            Some(Table { source: source(item.span().start), members: table.iter().map(member).collect() })
        };
        let tables: Option<Vec<Table>> = items.iter().map(table).collect();
        tables.map_or_else(|| Self::of(value), Self::Tables)
    }

    /// Reads a list with the place of every item; anything else stays as it is.
    pub(super) fn of_items(value: &DeValue<'_>, source: &dyn Fn(usize) -> Source) -> Self {
        let DeValue::Array(items) = value else { return Self::of(value) };
        let item = |item: &Spanned<DeValue<'_>>| (source(item.span().start), Self::of(item.get_ref()));
        Self::Placed(items.iter().map(item).collect())
    }

    pub(super) fn of(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(text.to_string()),
            DeValue::Integer(number) => {
                let digits = number.as_str().replace('_', "");
                match i128::from_str_radix(digits.trim_start_matches('+'), number.radix()) {
                    Ok(number) => Self::Whole(number.to_string()),
                    Err(_) => Self::Other("a number that is too large"),
                }
            }
            DeValue::Float(number) => Self::Decimal(number.as_str().replace('_', "")),
            DeValue::Boolean(switch) => Self::Switch(*switch),
            DeValue::Array(items) => Self::List(items.iter().map(|item| Self::of(item.get_ref())).collect()),
            DeValue::Datetime(_) => Self::Other("a date"),
            DeValue::Table(_) => Self::Other("a table"),
        }
    }

    /// What it is, in words.
    fn kind(&self) -> String {
        match self {
            Self::Text(text) => format!("the string {text:?}"),
            Self::Whole(digits) | Self::Decimal(digits) => digits.clone(),
            Self::Switch(switch) => switch.to_string(),
            Self::List(_) | Self::Placed(_) => "a list".to_owned(),
            Self::Tables(_) => "a list of tables".to_owned(),
            Self::Other(what) => (*what).to_owned(),
        }
    }

    /// As it was written, on one line.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::shown).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Placed(items) => {
                let items: Vec<String> = items.iter().map(|(_, item)| item.shown()).collect();
                format!("[{}]", items.join(", "))
            }
            other => other.kind(),
        }
    }

    /// A sentence about a value that is not what the key takes.
    fn not(&self, wanted: &str) -> String {
        format!("must be {wanted}, not {}", self.kind())
    }

    pub(super) fn text(&self) -> Result<&str, String> {
        match self {
            Self::Text(text) if !text.trim().is_empty() => Ok(text.trim()),
            other => Err(other.not("a string")),
        }
    }

    /// One text, or a list of texts, each with its own place if it has one.
    pub(super) fn placed_texts(&self) -> Result<Vec<(&str, Option<&Source>)>, String> {
        match self {
            Self::Placed(items) => {
                items.iter().map(|(source, item)| Ok((item.text()?, Some(source)))).collect()
            }
            other => Ok(other.texts()?.into_iter().map(|text| (text, None)).collect()),
        }
    }

    /// One text, or a list of texts.
    pub(super) fn texts(&self) -> Result<Vec<&str>, String> {
        match self {
            Self::List(items) => items.iter().map(Self::text).collect(),
            Self::Placed(items) => items.iter().map(|(_, item)| item.text()).collect(),
            Self::Text(_) => Ok(vec![self.text()?]),
            other => Err(other.not("a list of strings")),
        }
    }

    /// A text as it stands: the empty one too, and with the blanks around it. The sentence repeats nothing of it.
    pub(super) fn letters(&self) -> Result<&str, String> {
        match self {
            Self::Text(text) => Ok(text),
            _ => Err("must be a string".to_owned()),
        }
    }

    pub(super) fn switch(&self) -> Result<bool, String> {
        match self {
            Self::Switch(switch) => Ok(*switch),
            other => Err(other.not("true or false")),
        }
    }

    /// A whole number between `least` and `most`.
    pub(super) fn count(&self, least: u64, most: u64) -> Result<u64, String> {
        let Self::Whole(digits) = self else { return Err(self.not("a whole number")) };
        if digits.starts_with('-') && digits != "-0" {
            return Err(format!("cannot be negative: {digits}"));
        }
        match digits.trim_start_matches('-').parse() {
            Ok(number) if number < least => Err(format!("must be at least {least}, not {digits}")),
            Ok(number) if number <= most => Ok(number),
            Ok(_) | Err(_) => Err(format!("must be at most {most}, not {digits}")),
        }
    }

    /// US dollars, read from their decimal digits.
    pub(super) fn dollars(&self) -> Result<MicroDollars, String> {
        match self {
            Self::Text(digits) | Self::Whole(digits) | Self::Decimal(digits) => dollars(digits),
            other => Err(other.not("an amount in US dollars, as in 2.50")),
        }
    }
}

/// Most dollars that make sense as a limit or a price; far below what the counter holds.
const MOST_DOLLARS: u64 = 1_000_000_000;

fn dollars(digits: &str) -> Result<MicroDollars, String> {
    let wrong = || format!("must be an amount in US dollars, as in 2.50, not {digits:?}");
    if digits.trim_start().starts_with('-') {
        return Err(format!("cannot be negative: {digits}"));
    }
    let plain = digits.trim().trim_start_matches('+');
    let (whole, part) = plain.split_once('.').unwrap_or((plain, ""));
    let all_digits = |s: &str| s.chars().all(|c| c.is_ascii_digit());
    if !all_digits(whole) || !all_digits(part) || (whole.is_empty() && part.is_empty()) {
        return Err(wrong());
    }
    let part = part.trim_end_matches('0');
    if part.len() > 6 {
        return Err(format!("is finer than a millionth of a dollar: {digits}"));
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().unwrap_or(u64::MAX) };
    if whole > MOST_DOLLARS {
        return Err(format!("must be at most {MOST_DOLLARS} dollars, not {digits}"));
    }
    let micro: u64 = format!("{part:0<6}").parse().unwrap_or_default();
    Ok(MicroDollars(whole * 1_000_000 + micro))
}

/// Dollars as TOML writes them: `2.5`, `0.000001`, `3.0`.
pub(super) fn write_dollars(amount: MicroDollars) -> String {
    let part = format!("{:06}", amount.0 % 1_000_000);
    let part = part.trim_end_matches('0');
    format!("{}.{}", amount.0 / 1_000_000, if part.is_empty() { "0" } else { part })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shown_whole_and_read_back() {
        for text in [
            "plain",
            "it's \"so\"",
            "a\nb",
            "\u{1b}]0;x\u{7}",
            "a\u{202e}b\u{200b}",
            "\u{7f}\u{9b}\\",
            "漢字\t",
        ] {
            let written = quoted(text);
            assert_eq!(crate::ui::text::sanitize(&written), written);
            let read = DeValue::parse(&written).unwrap();
            assert_eq!(Written::of(read.get_ref()), Written::Text(text.to_owned()), "{written}");
        }
    }

    #[test]
    fn money_is_exact() {
        for (text, micro) in [
            ("0", 0),
            ("2", 2_000_000),
            ("2.50", 2_500_000),
            (".5", 500_000),
            ("0.000001", 1),
            ("0.1000000", 100_000),
        ] {
            assert_eq!(dollars(text), Ok(MicroDollars(micro)), "{text}");
        }
        assert_eq!(write_dollars(MicroDollars(2_500_000)), "2.5");
        assert_eq!(write_dollars(MicroDollars(1)), "0.000001");
        assert_eq!(write_dollars(MicroDollars(3_000_000)), "3.0");
    }

    #[test]
    fn money_that_is_none() {
        for text in
            ["nan", "inf", "1e3", "-1", "-0.5", "", ".", "1.2.3", "$2", "0.0000001", "99999999999999999999"]
        {
            assert!(dollars(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_have_bounds() {
        assert_eq!(Written::Whole("0".into()).count(0, 9), Ok(0));
        assert!(Written::Whole("-1".into()).count(0, 9).unwrap_err().contains("negative"));
        assert!(Written::Whole("10".into()).count(0, 9).unwrap_err().contains("at most 9"));
        assert!(Written::Whole("0".into()).count(1, 9).unwrap_err().contains("at least 1"));
        assert!(Written::Decimal("1.5".into()).count(0, 9).unwrap_err().contains("whole number"));
        assert!(Written::Text("many".into()).count(0, 9).unwrap_err().contains("\"many\""));
    }
}
