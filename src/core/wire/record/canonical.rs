//! Whether a value in a line has the bytes that we write for it. JSON has many texts for one value, and readers may differ about some of
//! them: of two members of one name, one reader takes the first and another one the last.

use memchr::memchr2;
use serde_json::Number;

use super::line::is_risky;

/// Members of an object up to which each is compared with each.
const FEW: usize = 8;
/// Digits that no number of ours can lose.
const SAFE_DIGITS: usize = 15;

/// Whether these bytes, which are JSON, are the ones that we write: no spaces, no two members of one name, and each text and number in
/// the one form that it has here.
pub(super) fn is_canonical(raw: &str) -> bool {
    // Most values are hashes, names and other short texts.
    if let [b'"', inside @ .., b'"'] = raw.as_bytes()
        && is_plain(inside)
    {
        return true;
    }
    let mut reader = CanonicalReader { raw, at: 0, names: Vec::new(), begins: Vec::new() };
    reader.read().is_some()
}

/// Reads through JSON that is known to be well-formed. Each step is `None` where the form is another one.
struct CanonicalReader<'r> {
    raw: &'r str,
    at: usize,
    /// The names in all objects that are open, with their quotes.
    names: Vec<&'r str>,
    /// Where the names of each open object or array begin.
    begins: Vec<usize>,
}

impl<'r> CanonicalReader<'r> {
    fn read(&mut self) -> Option<()> {
        while let Some(byte) = self.raw.as_bytes().get(self.at) {
            match byte {
                b'"' => {
                    let text = self.text()?;
                    if self.raw.as_bytes().get(self.at) == Some(&b':') {
                        self.names.push(text);
                    }
                }
                b'{' | b'[' => {
                    self.begins.push(self.names.len());
                    self.at += 1;
                }
                b'}' | b']' => {
                    let names = self.names.split_off(self.begins.pop()?);
                    are_different(names).then_some(())?;
                    self.at += 1;
                }
                b'-' | b'0'..=b'9' => self.number()?,
                byte if byte.is_ascii_whitespace() => return None,
                _ => self.at += 1,
            }
        }
        Some(())
    }

    /// The text that begins here, with its quotes.
    fn text(&mut self) -> Option<&'r str> {
        let begins = self.at;
        self.at += 1;
        loop {
            let rest = self.raw.as_bytes().get(self.at..)?;
            let end = memchr2(b'"', b'\\', rest)?;
            let plain = self.raw.get(self.at..self.at + end)?;
            (is_plain(plain.as_bytes()) || !plain.contains(is_risky)).then_some(())?;
            self.at += end + 1;
            if rest.get(end) == Some(&b'"') {
                return self.raw.get(begins..self.at);
            }
            self.at += escape(rest.get(end + 1..)?)?;
        }
    }

    fn number(&mut self) -> Option<()> {
        let rest = self.raw.get(self.at..)?;
        let is_of_it = |byte: u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = rest.bytes().take_while(|byte| is_of_it(*byte)).count();
        let written = rest.get(..length)?;
        let is_plain = length <= SAFE_DIGITS && written.bytes().all(|byte| byte.is_ascii_digit());
        let is_ours = || {
            let number: Option<Number> = serde_json::from_str(written).ok();
            number.is_some_and(|number| number.to_string() == written)
        };
        self.at += length;
        (is_plain || is_ours()).then_some(())
    }
}

/// Whether these bytes of a text stand for themselves in any form of it. All of them are looked at, which is faster than to stop.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~') & (*byte != b'\\'))
}

/// How many bytes behind a backslash belong to it, if they are the shortest form of a character that has to be escaped.
fn escape(rest: &[u8]) -> Option<usize> {
    match rest.first()? {
        b'"' | b'\\' | b'n' | b'r' | b't' | b'b' | b'f' => Some(1),
        b'u' => {
            let digits = std::str::from_utf8(rest.get(1..5)?).ok()?;
            let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            let has_short = matches!(character, '\u{8}' | '\t' | '\n' | '\u{c}' | '\r');
            let is_escaped = (character < ' ' && !has_short) || is_risky(character);
            let is_small = digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
            (is_escaped && is_small).then_some(5)
        }
        _ => None,
    }
}

/// Whether no two of them are the same.
pub(super) fn are_different<T: Ord>(mut names: Vec<T>) -> bool {
    if names.len() <= FEW {
        return names.iter().enumerate().all(|(at, name)| names.iter().skip(at + 1).all(|next| next != name));
    }
    names.sort_unstable();
    names.windows(2).all(|pair| !matches!(pair, [one, next] if one == next))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::line::line;
    use super::*;

    #[test]
    fn other_texts_of_the_same_value_are_not_ours() {
        for ours in [
            r#"{"a":"b","c":[1,-2,0.5,-0.0,1e+300,true,null,{}],"a\"":{"a":[]}}"#,
            r#""\u0000\u001b\u007f\u0085\u2028\n\r\t\b\f\\\"é😀/""#,
            "18446744073709551615",
            "[]",
        ] {
            let value: Value = serde_json::from_str(ours).unwrap();
            assert_eq!(line(&value), ours, "the example is written so");
            assert!(is_canonical(ours), "{ours}");
        }
        for other in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":{"b":1,"c":2,"b":1}}"#,
            r#"{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1,"1":1}"#,
            r#"{"a": 1}"#,
            "[1,\n2]",
            r#"["\u0061"]"#,
            r#"["\/"]"#,
            r#"["\u000a"]"#,
            r#"["\u001B"]"#,
            r#"["\ud83d\ude00"]"#,
            "[\"\u{7f}\"]",
            "[\"\u{9b}\"]",
            "[\"\u{2028}\"]",
            "[1.50]",
            "[1E3]",
            "[-0]",
            "[100000000000000000000]",
        ] {
            assert!(serde_json::from_str::<Value>(other).is_ok(), "{other} is JSON");
            assert!(!is_canonical(other), "{other}");
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(|number| json!(number)),
            any::<String>().prop_map(Value::from),
            "[\\x00-\\x20\"\\\\/\u{7f}-\u{a0}\u{2027}-\u{202a}]{0,9}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 12, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
                proptest::collection::btree_map(any::<String>(), inner, 0..12)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_we_write_is_ours(value in value()) {
            let text = line(&value);
            prop_assert!(is_canonical(&text), "{}", text);
        }

        #[test]
        fn a_text_is_ours_exactly_if_it_is_what_we_would_write(
            text in "[\\[\\]{}:,\"\\\\/abnu0159eE.+ -]{1,24}",
        ) {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(is_canonical(&text), line(&value) == text, "{}", text);
            }
        }
    }
}
