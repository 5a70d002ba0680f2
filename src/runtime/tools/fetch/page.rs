//! What came back, as text: by its type, its encoding and its first bytes.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use reqwest::Url;

use super::super::kind;
use super::super::words::size;
use super::html;

/// What an answer is, as its head says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ContentType {
    /// As in `text/html`; empty when the server does not say.
    pub(super) essence: String,
    charset: Option<String>,
}

impl ContentType {
    /// Reads `text/html; charset=utf-8`.
    pub(super) fn parse(header: &str) -> Self {
        let mut parts = header.split(';');
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_owned())
        });
        Self { essence, charset }
    }

    /// Whether it can be shown, as far as the head says; what is not named may turn out to be text.
    pub(super) fn may_be_text(&self) -> bool {
        let essence = self.essence.as_str();
        essence.is_empty() || essence == "application/octet-stream" || self.is_html() || self.is_text()
    }

    fn is_html(&self) -> bool {
        matches!(self.essence.as_str(), "text/html" | "application/xhtml+xml")
    }

    fn is_text(&self) -> bool {
        let essence = self.essence.as_str();
        let names = [
            "application/json",
            "application/ld+json",
            "application/x-ndjson",
            "application/jsonl",
            "application/xml",
            "application/javascript",
            "application/x-javascript",
            "application/ecmascript",
            "application/yaml",
            "application/x-yaml",
            "application/toml",
            "application/sql",
            "application/graphql",
            "application/x-sh",
            "application/x-tex",
            "image/svg+xml",
        ];
        essence.starts_with("text/")
            || essence.ends_with("+json")
            || essence.ends_with("+xml")
            || names.contains(&essence)
    }
}

/// The text of an answer.
///
/// # Errors
/// A sentence: what it is instead, or why it cannot be shown.
pub(super) fn text(kind: &ContentType, body: &[u8], url: &Url) -> Result<String, String> {
    let encoding = encoding(kind, body);
    // UTF-16 has zero bytes; no other text has any.
    let is_wide = encoding != UTF_8 && Encoding::for_bom(body).is_some();
    if !is_wide && body.iter().take(8192).any(|byte| *byte == 0) {
        return Err(refuse(kind, body, body.len() as u64));
    }
    let (text, _, _) = encoding.decode(body);
    let is_unnamed = !kind.is_html() && !kind.is_text();
    if kind.is_html() || (is_unnamed && looks_like_html(&text)) {
        return html::text(&text, url);
    }
    Ok(text.into_owned())
}

/// Why something that is no text is not shown.
pub(super) fn refuse(kind: &ContentType, start: &[u8], bytes: u64) -> String {
    let named = if kind.essence.is_empty() { "of no named type" } else { kind.essence.as_str() };
    format!(
        "it is not text: {named}, {} of {}; use `shell` with curl to save it if it is needed",
        kind::of(start),
        size(bytes)
    )
}

/// By its byte order mark, its head, what the page says of itself, or its bytes.
fn encoding(kind: &ContentType, body: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return encoding;
    }
    let named = kind.charset.as_deref().and_then(|name| Encoding::for_label(name.as_bytes()));
    let declared = || kind.is_html().then(|| declared(body)).flatten();
    let guessed = || if std::str::from_utf8(body).is_ok() { UTF_8 } else { WINDOWS_1252 };
    named.or_else(declared).unwrap_or_else(guessed)
}

/// `<meta charset="…">` or `<meta … content="…; charset=…">` in the first kilobyte.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(body.get(..1024).unwrap_or(body)).to_ascii_lowercase();
    let (_, after) = start.split_once("charset=")?;
    let name: String = after
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
        .collect();
    // A page that can be read this far is not UTF-16, whatever it says.
    Encoding::for_label(name.as_bytes()).filter(|encoding| encoding.is_ascii_compatible())
}

fn looks_like_html(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(64).collect::<String>().to_ascii_lowercase();
    ["<!doctype html", "<html", "<head", "<body"].iter().any(|begin| start.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(header: &str, body: &[u8]) -> Result<String, String> {
        text(&ContentType::parse(header), body, &Url::parse("http://a/").unwrap())
    }

    #[test]
    fn text_is_shown_as_it_is_and_pages_as_text() {
        assert_eq!(shown("application/json", b"{\"a\": 1}\n").unwrap(), "{\"a\": 1}\n");
        assert_eq!(shown("text/plain; charset=utf-8", "<b>é".as_bytes()).unwrap(), "<b>é");
        assert_eq!(shown("application/problem+json", b"{}").unwrap(), "{}");
        assert_eq!(shown("TEXT/HTML; Charset=\"utf-8\"", "<p>é <b>x</b>".as_bytes()).unwrap(), "é **x**");
        assert_eq!(shown("", b"  <!DOCTYPE html><p>x").unwrap(), "x");
        assert_eq!(shown("application/octet-stream", b"plain").unwrap(), "plain");
    }

    #[test]
    fn encodings_are_found_where_they_are_named() {
        assert_eq!(shown("text/plain; charset=iso-8859-1", b"caf\xe9").unwrap(), "café");
        assert_eq!(shown("text/plain", b"caf\xe9").unwrap(), "café");
        assert_eq!(shown("text/html", b"<meta charset='shift_jis'>\x83\x65").unwrap(), "テ");
        let meta = b"<meta http-equiv=x content=\"text/html; charset=windows-1251\">\xcf";
        assert_eq!(shown("text/html", meta).unwrap(), "П");
        assert_eq!(shown("text/plain", b"\xff\xfea\0b\0").unwrap(), "ab");
        assert_eq!(shown("text/plain; charset=latin1", b"\xef\xbb\xbf\xc3\xa9").unwrap(), "é");
    }

    #[test]
    fn what_is_no_text_is_refused_in_words() {
        let why = shown("text/plain", b"\x7fELF\0\0").unwrap_err();
        assert!(why.contains("text/plain, an ELF program") && why.contains("`shell`"), "{why}");
        assert!(!ContentType::parse("application/pdf").may_be_text());
        assert!(!ContentType::parse("image/png").may_be_text());
        assert!(ContentType::parse("image/svg+xml; a=b").may_be_text());
        assert!(ContentType::parse("").may_be_text());
        let why = refuse(&ContentType::parse("application/pdf"), b"%PDF-1.7", 1 << 20);
        assert!(why.contains("application/pdf, a PDF document of 1.0 MB"), "{why}");
    }
}
