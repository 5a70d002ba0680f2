//! The small grammar of the stories: parts between marks, quoted words, names of calls.

use serde_json::Value;

/// Splits at `mark`, but not within quotes. A quote that an ellipsis leaves open ends with the part.
pub fn parts<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    let (mut found, mut start, mut quoted, mut escaped) = (Vec::new(), 0, false, false);
    for (at, c) in text.char_indices() {
        if !quoted && at >= start && text[at..].starts_with(mark) {
            found.push(text[start..at].trim());
            start = at + mark.len();
        }
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            '…' if text[at + c.len_utf8()..].starts_with(mark) => quoted = false,
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found
}

/// The first word, and the rest.
pub fn word(text: &str) -> (&str, &str) {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    (first, rest.trim())
}

/// The JSON value at the beginning of `text`, and what follows it.
pub fn value(text: &str) -> Result<(Value, &str), String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => Ok((value, text[values.byte_offset()..].trim())),
        Some(Err(e)) => Err(format!("`{text}`: {e}")),
        None => Err("a value is missing".to_owned()),
    }
}

/// The words in quotes at the beginning of `text`, and what follows them; no words when there is nothing.
pub fn quoted(text: &str) -> Result<(String, &str), String> {
    if text.is_empty() {
        return Ok((String::new(), ""));
    }
    match value(text)? {
        (Value::String(words), rest) => Ok((words, rest)),
        (other, _) => Err(format!("`{other}` should be words in quotes")),
    }
}

/// `3s` or `0.2s`, in milliseconds.
pub fn duration(text: &str) -> Result<u64, String> {
    let seconds: f64 = number(text.strip_suffix('s').ok_or_else(|| format!("`{text}` is not like 3s"))?)?;
    Ok((seconds * 1_000.0).round() as u64)
}

/// A number.
pub fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}
