//! Custom commands and skills that the user calls: Markdown files that become a message, with the words behind the name put in.
//! What such a file runs first is a call that is decided about like any other. The messages of built-in commands have the same form.

use sha2::{Digest as _, Sha256};

use crate::ledger::{Pastes, UserMessage};

use super::template::Template;

/// Letters of a session's id.
const LETTERS_OF_ID: usize = 36;
/// What stands in the place of the file. The file of a custom command or of a skill ends with `.md`, so none is called that.
const BUILT_IN: &str = "countersign, built in";

/// How the line begins that says what a message is from.
const FROM: &str = "[from ";

/// A custom command or a skill: `/NAME` with words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCommand {
    /// Its name.
    pub name: String,
    /// What it does, in one line.
    pub description: String,
    /// What can follow the name, as its file says it.
    pub hint: String,
    /// Its file, for people.
    pub file: String,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// What it says.
    pub template: Template,
    /// Whether it is a skill.
    pub is_skill: bool,
}

/// A call of a custom command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomCall {
    /// As it was typed.
    pub typed: String,
    /// The message.
    pub message: String,
    /// What of the message was pasted.
    pub pastes: Pastes,
    /// What has to run before it, if anything has.
    pub command: Option<String>,
}

impl NamedCommand {
    /// The call that a text is, if it is one of these.
    pub fn called(commands: &[Self], text: &str) -> Option<CustomCall> {
        Self::called_with(commands, text.trim(), &Pastes::default())
    }

    /// The same of a text without blank ends, of which this was pasted.
    pub fn called_with(commands: &[Self], text: &str, pastes: &Pastes) -> Option<CustomCall> {
        let (name, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let name = name.strip_prefix('/')?;
        let command = commands.iter().find(|command| command.name == name)?;
        let words = words.trim();
        let pasted_words = pastes.within(text.len() - words.len(), text.len());
        let (said, pasted, runs) = command.template.filled(words, &pasted_words);
        let before = format!("{text}{}", command.mark());
        let begins = said.len() - said.trim_start().len();
        let pasted = pasted.within(begins, begins + said.trim().len()).behind(before.len());
        let message = format!("{before}{}", said.trim());
        Some(CustomCall {
            typed: text.to_owned(),
            message,
            pastes: pastes.clone().and(&pasted),
            command: runs,
        })
    }

    /// What was typed for a message, if it is exactly what a call of one of these says today, here or in another session.
    pub fn typed(commands: &[Self], message: &str) -> Option<String> {
        let calls = commands.iter().filter_map(|command| {
            let (typed, _) = message.split_once(&command.mark())?;
            Self::called(&[command.as_said(typed, message)], typed)
        });
        calls.into_iter().find(|call| call.message == message).map(|call| call.typed)
    }

    /// The file of the one of these whose call a message is today.
    pub fn file_of<'c>(commands: &'c [Self], said: &UserMessage) -> Option<&'c str> {
        let typed = Self::typed(commands, &said.content).filter(|typed| !has_pasted_header(said, typed))?;
        let name = typed.split_whitespace().next()?.strip_prefix('/')?;
        commands.iter().find(|command| command.name == name).map(|command| command.file.as_str())
    }

    /// This command in the session of a message that it may have said: the id of that session stands in the message.
    fn as_said(&self, typed: &str, message: &str) -> Self {
        if !self.template.names_session() {
            return self.clone();
        }
        let of_session =
            |id: Option<&str>| Self { template: self.template.clone().in_session(id), ..self.clone() };
        let said = Self::called(&[of_session(None)], typed).map(|call| call.message).unwrap_or_default();
        let alike = said.bytes().zip(message.bytes()).take_while(|(a, b)| a == b).count();
        let is_id = |id: &&str| id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        of_session(message.get(alike..alike + LETTERS_OF_ID).filter(is_id))
    }

    fn mark(&self) -> String {
        mark(&self.file, &self.sha256)
    }
}

/// What stands between that which was typed and that which the file says.
fn mark(file: &str, sha256: &str) -> String {
    format!("\n\n{FROM}{file}, SHA-256 {sha256}]\n\n")
}

/// The message of a built-in command that was typed like this and says this. The hash is that of what it says.
pub fn built_in_message(typed: &str, said: &str) -> String {
    format!("{typed}{}{said}", mark(BUILT_IN, &sha256(said)))
}

/// What was typed for such a message, in whichever version: the form and the hash tell, and what it says is not looked at.
pub fn built_in_typed(message: &str) -> Option<&str> {
    let (typed, behind) = message.split_once("\n\n[").filter(|(typed, _)| typed.starts_with('/'))?;
    let (_, said) = behind.split_once("]\n\n")?;
    (built_in_message(typed, said) == message).then_some(typed)
}

/// Whether a text has the line that says what a message is from.
pub fn has_source_line(text: &str) -> bool {
    let is_it =
        |line: &str| line.starts_with(FROM) && line.contains(", SHA-256 ") && line.trim_end().ends_with(']');
    text.lines().any(is_it)
}

/// Whether the name, or the line that says what it is from, was pasted with a message for which this seems to have been typed: then a
/// person has sent words that look like a call, and called nothing. What is behind a name can be pasted in a call, too.
pub fn has_pasted_header(message: &UserMessage, typed: &str) -> bool {
    let behind = message.content.strip_prefix(typed).and_then(|behind| behind.strip_prefix("\n\n"));
    let Some((source, _)) =
        behind.filter(|behind| behind.starts_with(FROM)).and_then(|it| it.split_once('\n'))
    else {
        return false;
    };
    let name = typed.split_whitespace().next().unwrap_or_default();
    let source_ends = typed.len() + "\n\n".len() + source.len();
    [(0, name.len()), (typed.len(), source_ends)]
        .into_iter()
        .any(|(from, to)| !message.pastes.within(from, to).is_empty())
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_names_its_file_and_hash() {
        let command = NamedCommand {
            name: "tidy".to_owned(),
            description: String::new(),
            hint: String::new(),
            file: ".claude/commands/tidy.md".to_owned(),
            sha256: "ab".to_owned(),
            template: Template::read("Tidy $1.\n", false),
            is_skill: false,
        };
        let call = NamedCommand::called(std::slice::from_ref(&command), " /tidy src ").unwrap();
        assert_eq!(call.message, "/tidy src\n\n[from .claude/commands/tidy.md, SHA-256 ab]\n\nTidy src.");
        assert_eq!((call.typed.as_str(), call.command), ("/tidy src", None));
        let typed = |message: &str| NamedCommand::typed(std::slice::from_ref(&command), message);
        assert_eq!(typed(&call.message).as_deref(), Some("/tidy src"));
        let of_another_file = call.message.replace("SHA-256 ab", "SHA-256 cd");
        for other in [of_another_file, call.message.replace("Tidy src", "Tidy all"), "/tidy src".to_owned()] {
            assert_eq!(typed(&other), None, "{other}");
        }
        for text in ["tidy", "/tidyup", "//tidy", "see /tidy"] {
            assert_eq!(NamedCommand::called(std::slice::from_ref(&command), text), None, "{text}");
        }
    }

    #[test]
    fn a_message_whose_header_was_pasted_is_no_call() {
        let content = built_in_message("/review --base main", "Review it.");
        let source = content.find("[from ").unwrap();
        let is_pasted = |from: usize, to: usize| {
            let pastes = Pastes::of(&content, vec![(from, to)]);
            has_pasted_header(&UserMessage { pastes, ..UserMessage::text(&content) }, "/review --base main")
        };
        assert!(is_pasted(0, content.len()) && is_pasted(0, 3) && is_pasted(source, source + 9));
        let body = content.find("Review it.").unwrap();
        assert!(!is_pasted(8, source - 2) && !is_pasted(body, content.len()), "what was typed was typed");
        assert!(!has_pasted_header(&UserMessage::text(&content), "/review --base main"));
        assert!(has_source_line(&content) && !has_source_line("[from here] to SHA-256"));
    }

    #[test]
    fn a_message_of_another_session_is_known_by_the_id_in_it() {
        let of_session = |id: &str| NamedCommand {
            name: "note".to_owned(),
            description: String::new(),
            hint: String::new(),
            file: ".agents/skills/note/SKILL.md".to_owned(),
            sha256: "ab".to_owned(),
            template: Template::read("${CLAUDE_SESSION_ID} of ${CLAUDE_SESSION_ID}: $1", false)
                .in_session(Some(id)),
            is_skill: true,
        };
        let (here, there) = ("0192a000-0000-7000-8000-00000000000a", "0192a000-0000-7000-8000-00000000000b");
        let said = NamedCommand::called(&[of_session(there)], "/note it").unwrap().message;
        assert!(said.ends_with(&format!("\n\n{there} of {there}: it")), "{said}");
        let typed = |message: &str| NamedCommand::typed(&[of_session(here)], message);
        assert_eq!(typed(&said).as_deref(), Some("/note it"));
        assert_eq!(typed(&said.replace("00b of", "00a of")), None, "it is one session");
        assert_eq!(typed(&said.replace(there, &"z".repeat(36))), None, "that is no id");
    }

    #[test]
    fn a_message_says_what_was_typed_that_it_is_built_in_and_the_hash_of_the_rest() {
        let message = built_in_message("/init", "abc");
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(message, format!("/init\n\n[from countersign, built in, SHA-256 {hash}]\n\nabc"));
        assert_eq!(built_in_typed(&message), Some("/init"));
        assert_eq!(built_in_typed(&built_in_message("/x --base a", "a [b]\n\nc")), Some("/x --base a"));
        let of_a_file = message.replace("countersign, built in", "init.md");
        for other in [of_a_file, format!("{message}d"), message.replace("ba78", "ba79"), "abc".to_owned()] {
            assert_eq!(built_in_typed(&other), None, "{other}");
        }
    }
}
