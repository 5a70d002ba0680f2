//! The commands that only lines need: what keys do on the screen, and pages by their names.

use crate::ledger::{CallId, EntryId};
use crate::ui::chord::Chord;

/// Entries that `/ledger` says without a number.
const LAST: usize = 20;

/// A command of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Own {
    /// All that a call wrote; without a name the last one's.
    Output(Option<CallId>),
    /// One entry whole.
    Show(EntryId),
    /// All entries of one call.
    ShowCall(CallId),
    /// The last entries.
    Ledger(usize),
    /// After a budget stop: raise the limit and go on.
    Raise,
    /// Send what was kept.
    Send,
    /// For after the run.
    Later(String),
    /// What it is doing.
    Status,
    /// Go on with the session of this number.
    Session(usize),
    /// Have the model of this number answer.
    Model(usize),
    /// Say what taking back all since the message of this number would do.
    Rewind(usize),
    /// Do the undo that was said.
    Undo,
    /// Type this line into the terminal of the running command.
    Type(String),
    /// Press these keys there.
    Keys(Vec<Chord>),
}

/// These commands, and what they do.
pub(super) const KNOWN: [(&str, &str); 10] = [
    ("/ledger N", "the last N entries, a line each"),
    ("/show ID", "an entry whole, as in /show e12, or all entries of a call, as in /show c3"),
    ("/output ID", "all that a call wrote, as in /output c3; without a name the last one's"),
    ("/status", "what it is doing now"),
    ("/later WORDS", "say this when the run is over"),
    ("/send", "send what was kept back"),
    ("/undo yes", "after /undo, or /rewind and a number, have said what they would do: do it"),
    ("/type WORDS", "type a line into the terminal of the running command; without words enter alone"),
    ("/keys KEYS", "press keys there, as in /keys ctrl-c or /keys esc up enter"),
    ("/raise", "after a budget stop: raise the limit and go on"),
];

/// Whether a text is a command that spends, or changes files.
pub(super) fn decides(text: &str) -> bool {
    matches!(read(text), Some(Ok(Own::Raise | Own::Undo)))
}

/// Whether a text raises the limit that has stopped a run.
pub(super) fn raises(text: &str) -> bool {
    matches!(read(text), Some(Ok(Own::Raise)))
}

/// What a text means here; `None` when it is none of these commands.
pub(super) fn read(text: &str) -> Option<Result<Own, String>> {
    let (word, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    let rest = rest.trim();
    let number = || rest.parse::<usize>().ok();
    Some(Ok(match word {
        "/output" if rest.is_empty() => Own::Output(None),
        "/output" => match CallId::parse(rest) {
            Some(call) => Own::Output(Some(call)),
            None => return Some(Err("/output takes a call, as in /output c3".to_owned())),
        },
        "/show" => match (EntryId::parse(rest), CallId::parse(rest)) {
            (Some(entry), _) => Own::Show(entry),
            (None, Some(call)) => Own::ShowCall(call),
            (None, None) => {
                return Some(Err("/show takes an entry or a call, as in /show e12 or /show c3".to_owned()));
            }
        },
        "/ledger" if rest.is_empty() => Own::Ledger(LAST),
        "/ledger" => match number() {
            Some(entries) => Own::Ledger(entries),
            None => return Some(Err("/ledger takes a number of entries, as in /ledger 50".to_owned())),
        },
        "/raise" if rest.is_empty() => Own::Raise,
        "/send" if rest.is_empty() => Own::Send,
        "/status" if rest.is_empty() => Own::Status,
        "/later" if rest.is_empty() => return Some(Err("/later takes the words to say".to_owned())),
        "/later" => Own::Later(rest.to_owned()),
        "/sessions" => Own::Session(number()?),
        "/model" => Own::Model(number()?),
        "/rewind" => Own::Rewind(number()?),
        "/undo" if rest == "yes" => Own::Undo,
        "/type" => Own::Type(line(text)),
        "/keys" if rest.is_empty() => return Some(Err("/keys takes keys, as in /keys ctrl-c".to_owned())),
        "/keys" => match rest.split_whitespace().map(Chord::parse).collect() {
            Ok(keys) => Own::Keys(keys),
            Err(why) => return Some(Err(why)),
        },
        _ => return None,
    }))
}

/// What follows the command and one blank, blanks included: it may be a password.
fn line(text: &str) -> String {
    let (_, line) = text.trim_start().split_once(char::is_whitespace).unwrap_or_default();
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_screen_stay_with_the_screen() {
        for text in ["/sessions", "/model a/b", "/model", "/quit", "hello", "/raise it", "//send"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read("/model 2"), Some(Ok(Own::Model(2))));
        assert_eq!(read(" /show  c3 "), Some(Ok(Own::ShowCall(CallId(3)))));
        assert_eq!(read("/ledger"), Some(Ok(Own::Ledger(LAST))));
        assert_eq!(read("/type  a b "), Some(Ok(Own::Type(" a b ".to_owned()))));
        assert_eq!(read("/type"), Some(Ok(Own::Type(String::new()))));
        let keys = ["ctrl-c", "up"].map(|key| Chord::parse(key).unwrap()).to_vec();
        assert_eq!(read("/keys ctrl-c  up"), Some(Ok(Own::Keys(keys))));
        for text in ["/show", "/show x", "/output e1", "/ledger all", "/later", "/keys", "/keys hyper-x"] {
            assert!(matches!(read(text), Some(Err(_))), "{text}");
        }
    }
}
