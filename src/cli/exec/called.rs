//! The skills and custom commands that a prompt calls, on the command line or in a line of `--input`: what is sent for them.

use crate::cli::skills::callable;
use crate::config::Invocation;
use crate::config::fault::one_line;
use crate::ledger::UserMessage;
use crate::session::attachments::AttachmentRefusal;
use crate::ui::commands;
use crate::view::{CustomCall, NamedCommand};

/// What can be called by its name.
#[derive(Debug, Default)]
pub(super) struct CallableNames {
    /// Skills and custom commands.
    commands: Vec<NamedCommand>,
    /// Commands that cannot be used, and why.
    ignored: Vec<(String, String)>,
}

impl CallableNames {
    /// Those of the session with this id, if there is one yet.
    pub(super) fn of(invocation: &Invocation, session: Option<&str>) -> Self {
        Self { commands: callable(invocation, session), ignored: invocation.config.commands.ignored.clone() }
    }

    /// What a prompt says. One that begins with a name that nothing has stays as it is; so does one behind two slashes, without
    /// the first.
    ///
    /// # Errors
    /// It calls a command that cannot be used, or that runs something first: nobody can approve that here.
    pub(super) fn said(&self, prompt: String) -> Result<String, AttachmentRefusal> {
        let words = commands::unescaped(&prompt);
        if words != prompt {
            // Two slashes call nothing, so it does not matter whether the command can be used.
            let is_name = !matches!(self.called(words), Ok(None));
            return Ok(if is_name { words.to_owned() } else { prompt });
        }
        Ok(self.called(&prompt)?.unwrap_or(prompt))
    }

    /// Why a message was refused, with the file of the command that said it: the path may stand there.
    pub(super) fn placed(&self, message: &str, refused: AttachmentRefusal) -> AttachmentRefusal {
        match NamedCommand::file_of(&self.commands, &UserMessage::text(message)) {
            Some(file) => {
                AttachmentRefusal { what: format!("{}: {}", one_line(file), refused.what), ..refused }
            }
            None => refused,
        }
    }

    /// What is sent for a text that calls something.
    fn called(&self, text: &str) -> Result<Option<String>, AttachmentRefusal> {
        match commands::custom(text, &self.commands) {
            Some(call @ CustomCall { command: Some(_), .. }) => {
                let runs = commands::runs_first(&call, &self.commands);
                let what = format!("{runs}, which nobody can approve here");
                Err(refusal(one_line(&what), "call it in `countersign`, or write the prompt out"))
            }
            Some(call) => Ok(Some(call.message)),
            None => match commands::unusable(text, &self.ignored) {
                Some(why) => Err(refusal(why, "correct that, or write the prompt out")),
                None => Ok(None),
            },
        }
    }
}

fn refusal(what: String, next: &str) -> AttachmentRefusal {
    AttachmentRefusal { what, next: next.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Template;

    fn command(name: &str, template: &str) -> NamedCommand {
        NamedCommand {
            name: name.to_owned(),
            description: String::new(),
            hint: String::new(),
            file: format!("{name}.md"),
            sha256: "ab".to_owned(),
            template: Template::read(template, false),
            is_skill: false,
        }
    }

    #[test]
    fn what_exists_is_called_and_all_else_stays_words() {
        let names = CallableNames {
            commands: vec![command("tidy", "Tidy $1."), command("look", "!`ls`")],
            ignored: vec![("broken".to_owned(), "it is a link to nothing".to_owned())],
        };
        let said = |text: &str| names.said(text.to_owned()).map_err(|refused| refused.what);
        assert_eq!(said("/tidy src"), Ok("/tidy src\n\n[from tidy.md, SHA-256 ab]\n\nTidy src.".to_owned()));
        assert_eq!(said("//tidy src"), Ok("/tidy src".to_owned()));
        assert_eq!(said("//broken x"), Ok("/broken x".to_owned()));
        assert_eq!(said("//look"), Ok("/look".to_owned()));
        for words in
            ["hello", "/usr/bin is a folder", "/other thing", "//other thing", "see /tidy", "// tidy"]
        {
            assert_eq!(said(words), Ok(words.to_owned()));
        }
        assert_eq!(said("/look"), Err("/look runs `ls` first, which nobody can approve here".to_owned()));
        assert!(said("/broken x").is_err_and(|why| why.contains("a link to nothing")));
        let placed = |message: &str| names.placed(message, refusal("no file at a".to_owned(), "")).what;
        assert_eq!(placed(&said("/tidy src").unwrap()), "tidy.md: no file at a");
        assert_eq!(placed("Tidy src."), "no file at a");
    }
}
