//! Whether a session file lacks contents, by a quick look at its lines: for searches, in which most lines are
//! not understood.

use memchr::{memchr, memchr_iter, memmem};

use super::file::numbered;

/// What a line has a hash of, its own hash, and what it has a salt of: in this order, and before all
/// contents.
const SEALED: &[u8] = br#","sealed":{"#;
const HASH: &[u8] = br#","hash":""#;
const SALTS: &[u8] = br#","salts":{"#;
/// Digits of a hash, and the quote behind them.
const DIGITS: usize = 65;

/// Whether a content field was left out of a line of this file. What else is wrong with a line is not seen.
pub fn lacks_contents(file: &[u8]) -> bool {
    numbered(file).any(|(_, line, _)| lacks(line))
}

fn lacks(line: &[u8]) -> bool {
    let Some((head, rest)) = memmem::find(line, HASH).and_then(|at| line.split_at_checked(at)) else {
        return false;
    };
    let salts = rest.get(HASH.len().saturating_add(DIGITS)..).unwrap_or_default();
    let sealed = memmem::rfind(head, SEALED).and_then(|at| head.get(at..));
    fields(sealed) != fields(Some(salts).filter(|salts| salts.starts_with(SALTS)))
}

/// How many quotes an object has that begins here, of names and of hexadecimal digits; none of one that is
/// not there.
fn fields(object: Option<&[u8]>) -> usize {
    let object = object.unwrap_or_default();
    let end = memchr(b'}', object).unwrap_or(object.len());
    let quotes = object.get(..end).map_or(0, |object| memchr_iter(b'"', object).count());
    // Those of the name of the object itself.
    quotes.saturating_sub(2)
}

#[cfg(test)]
mod tests {
    use super::super::{Chain, without};
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_lacks_what_was_left_out_of_it_and_nothing_else() {
        let mut chain = Chain::default();
        let records = [
            json!({ "type": "session_started", "version": 3 }),
            json!({ "type": "user_message", "content": ",\"hash\":\"x}\",\"salts\":{", "files": ["}"] }),
            json!({ "type": "transition", "turn": 1 }),
            json!({ "type": "sealed", "head": "x" }),
        ];
        let lines = records.map(|record| chain.line(record, &mut Default::default) + "\n");
        let whole = lines.concat();
        assert!(!lacks_contents(whole.as_bytes()) && !lacks_contents(b"{}\n\n{\"type\":\"x\"}"));
        for name in ["content", "files"] {
            let copy = without(whole.as_bytes(), &mut |field| field.name == name).unwrap();
            assert!(copy.fields == 1 && lacks_contents(copy.text.as_bytes()), "{name}");
        }
        let none = without(whole.as_bytes(), &mut |_| true).unwrap();
        assert!(lacks_contents(none.text.as_bytes()));
    }
}
