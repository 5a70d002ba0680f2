//! What was pasted of a message is recorded as it was said, also of one that was sent while the model worked.

use countersign::ledger::{Body, Pastes, UserMessage};

/// A message; its number counts as pasted.
pub fn numbered(what: &str, number: u32) -> UserMessage {
    let content = format!("{what} {number}");
    let pastes = Pastes::of(&content, vec![(what.len() + 1, content.len())]);
    UserMessage { pastes, ..UserMessage::text(content) }
}

/// A message is recorded with the paste that [`numbered`] gave it.
pub fn are_kept(body: &Body) -> Result<(), String> {
    let (words, pastes) = match body {
        Body::User(said) => (&said.content, &said.pastes),
        Body::Injected(said) => (&said.text, &said.pastes),
        _ => return Ok(()),
    };
    let number =
        ["message ", "steer ", "later ", "behind "].into_iter().find_map(|what| words.strip_prefix(what));
    match number {
        Some(number) if pastes.spans() != [(words.len() - number.len(), words.len())] => {
            Err(format!("{words:?} lost what was pasted of it: {pastes:?}"))
        }
        _ => Ok(()),
    }
}
