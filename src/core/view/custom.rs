//! Custom commands and skills that the user calls: Markdown files that become a message, with the words behind the name put in.
//! What such a file runs first is a call that is decided about like any other.

use crate::ledger::Pastes;

use super::template::Template;

/// Letters of a session's id.
const LETTERS_OF_ID: usize = 36;

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

    /// The same in the session of a message that it may have said: the id of that session stands in the message.
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

    /// What stands between that which was typed and that which the file says.
    fn mark(&self) -> String {
        format!("\n\n[from {}, SHA-256 {}]\n\n", self.file, self.sha256)
    }
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
}
