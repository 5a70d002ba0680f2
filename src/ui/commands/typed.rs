//! What was typed for a message: what comes back to the composer is that, and not what was made of it.

use crate::agent::OwnCommand;
use crate::ledger::{Body, EntryId, UserMessage};
use crate::view::{NamedCommand, View, ViewSettings, built_in_typed, has_pasted_header};

use super::meaning::Meaning;
use super::{Fronts, custom, prompts, read};

/// What a person typed for a message. One that nothing says today stays as it is, as does one that was pasted with its header.
pub fn typed(message: &UserMessage, settings: &ViewSettings) -> String {
    let content = &message.content;
    NamedCommand::typed(&settings.commands, content)
        .or_else(|| built_in(content))
        .filter(|typed| !has_pasted_header(message, typed))
        .unwrap_or_else(|| escaped(content, settings))
}

/// What was typed for a message of a built-in command, or for the command that a review runs before it. In
/// sessions of earlier versions the message has only the prompt: that stays the words that it is.
fn built_in(message: &str) -> Option<String> {
    if let Some(command) = message.strip_prefix('!') {
        return prompts::typed_for(command);
    }
    // No other command has a message, whoever wrote this one.
    let has_message =
        |typed: &&str| matches!(read(typed, Fronts::Screen), Some(Ok(Meaning::Init | Meaning::Review(_))));
    built_in_typed(message).filter(has_message).map(str::to_owned)
}

/// A message that would be read as a command, or would call a custom one or a skill, was typed with a second
/// slash.
fn escaped(message: &str, settings: &ViewSettings) -> String {
    // Blanks before it are not read.
    let text = message.trim_start();
    let is_called = || custom(text, &settings.commands).is_some();
    let begins = text.strip_prefix('/').is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    let is_command = begins && (is_called() || read(text, Fronts::Screen).is_some());
    if is_command { format!("/{text}") } else { message.to_owned() }
}

/// A message as it was typed, and what of that was pasted. A `!` at its beginning is no sign of a command: a
/// blank stands before it.
pub fn as_typed(message: &UserMessage, view: &View) -> UserMessage {
    spelled(message, view).as_words()
}

/// The same of a message, or of a command that the user ran.
fn spelled(message: &UserMessage, view: &View) -> UserMessage {
    let content = typed(message, &view.settings);
    let pastes = message.pastes.carried(&message.content, &content);
    UserMessage { pastes, ..UserMessage::text(content) }
}

/// What the user has sent so far as it was typed, oldest first.
pub fn sent(view: &View) -> Vec<UserMessage> {
    once((0..view.rows().len()).filter_map(|at| said(view, at)).collect())
}

/// What the user said in an entry, as it was typed. What begins with `!` is a command only where the user ran
/// it here: a file from elsewhere, another program and a model can have said it, too.
pub(in crate::ui) fn said(view: &View, at: usize) -> Option<UserMessage> {
    let (row, behind) = view.rows().get(at..)?.split_first()?;
    let is_from_here = Some(row.entry.id) > view.settings.imported_to;
    let said = match &row.entry.body {
        Body::User(message) => {
            let behind = behind.iter().map(|row| &row.entry.body);
            let ran_first = is_from_here && OwnCommand::ran_first(&message.content, behind.clone());
            // What it ran is known, so this is the command itself, and no message that begins like it.
            if ran_first && custom(&message.content, &view.settings.commands).is_some() {
                return Some(UserMessage::clone(message).without_attachments());
            }
            let was_run = is_from_here && OwnCommand::was_run(&message.content, behind);
            if was_run { spelled(message, view) } else { as_typed(message, view) }
        }
        Body::Injected(said) => as_typed(&said.said()?, view),
        _ => return None,
    };
    // Which file a name stands for that comes from elsewhere is to be seen before it is sent from here.
    Some(if is_from_here { said } else { UserMessage { pastes: said.pastes.without_images(), ..said } })
}

/// The built-in command that ran what an entry says as the user's own, as it was typed. Words that only say the same are words.
pub(in crate::ui) fn built_in_run(view: &View, entry: EntryId) -> Option<String> {
    let at = view.rows().partition_point(|row| row.entry.id < entry);
    let (row, behind) = view.rows().get(at..)?.split_first().filter(|(row, _)| row.entry.id == entry)?;
    let Body::User(message) = &row.entry.body else { return None };
    let command = message.content.strip_prefix('!')?;
    let is_from_here = Some(entry) > view.settings.imported_to;
    let behind = behind.iter().map(|row| &row.entry.body);
    if is_from_here && OwnCommand::was_run(&message.content, behind) {
        prompts::typed_for(command)
    } else {
        None
    }
}

/// What was sent in earlier sessions, as it was typed, oldest first. What is no command there begins with no
/// `!`.
pub(in crate::ui) fn sent_earlier(messages: &[UserMessage], view: &View) -> Vec<UserMessage> {
    once(messages.iter().map(|message| spelled(message, view)).collect())
}

/// What a command runs first, and its message, are one thing that was typed. The later one brings its images.
fn once(mut all: Vec<UserMessage>) -> Vec<UserMessage> {
    all.dedup_by(|later, before| {
        let is_same = later.content == before.content;
        if is_same {
            std::mem::swap(later, before);
        }
        is_same
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::built_in_message;

    #[test]
    fn the_message_of_a_built_in_command_is_known_by_its_form_and_not_by_what_it_says() {
        let typed = |message: &str| typed(&message.into(), &ViewSettings::unknown());
        assert_eq!(typed(&prompts::init()), "/init");
        for (base, line) in [(None, "/review"), (Some("HEAD~2"), "/review --base HEAD~2")] {
            let review = prompts::review(base);
            let by_the_model = prompts::review_by_the_model(base);
            for message in [review.message, by_the_model, format!("!{}", review.command)] {
                assert_eq!(typed(&message), line);
            }
        }
        let of_another_version = built_in_message("/init", "Write something else.");
        assert_eq!(typed(&of_another_version), "/init");
        let (_, prompt) = of_another_version.split_once("]\n\n").unwrap();
        for words in [prompt, prompts::INIT, "!ls"] {
            assert_eq!(typed(words), words, "no form, so these are words");
        }
        let other = built_in_message("/quit", "Leave.");
        assert_eq!(typed(&other), format!("/{other}"), "no command has this message");
    }
}
