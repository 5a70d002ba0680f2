//! What was typed for a message: what comes back to the composer is that, and not what was made of it.

use crate::ledger::{Body, UserMessage};
use crate::view::{NamedCommand, NamedSkill, View, ViewSettings};

use super::{Fronts, custom, prompts, read, skill};

/// What a person typed for a message. One that nothing says today stays as it is.
pub fn typed(message: &str, settings: &ViewSettings) -> String {
    let ours = || prompts::typed(message);
    NamedCommand::typed(&settings.commands, message)
        .or_else(|| NamedSkill::typed(&settings.skills, message))
        .or_else(ours)
        .unwrap_or_else(|| escaped(message, settings))
}

/// A message that would be read as a command was typed with a second slash.
fn escaped(message: &str, settings: &ViewSettings) -> String {
    let is_called =
        custom(message, &settings.commands).is_some() || skill(message, &settings.skills).is_some();
    let begins = message.strip_prefix('/').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    let is_command = begins && !is_called && read(message, Fronts::Screen).is_some();
    if is_command { format!("/{message}") } else { message.to_owned() }
}

/// A message as it was typed, and what of that was pasted.
pub fn as_typed(message: &UserMessage, view: &View) -> UserMessage {
    let content = typed(&message.content, &view.settings);
    let pastes = message.pastes.carried(&message.content, &content);
    UserMessage { pastes, ..UserMessage::text(content) }
}

/// What the user has sent so far as it was typed, oldest first.
pub fn sent(view: &View) -> Vec<UserMessage> {
    let words = view.rows().iter().map(|row| match &row.entry.body {
        Body::User(message) => Some(as_typed(message, view)),
        Body::Injected(said) => said.said().map(|message| as_typed(&message, view)),
        _ => None,
    });
    once(words.flatten().collect())
}

/// What was sent in earlier sessions, as it was typed, oldest first.
pub(in crate::ui) fn sent_earlier(messages: &[UserMessage], view: &View) -> Vec<UserMessage> {
    once(messages.iter().map(|message| as_typed(message, view)).collect())
}

/// What a command runs first, and its message, are one thing that was typed.
fn once(mut all: Vec<UserMessage>) -> Vec<UserMessage> {
    all.dedup();
    all
}
