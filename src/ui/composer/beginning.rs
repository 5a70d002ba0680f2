//! How a text begins: as a command, or as words for the model. The beginning of a command was typed, or
//! pasted as one line that is in sight. A paste that is folded or has several lines begins none: people copy
//! such texts to ask about them.

use tui_textarea::CursorMove;

use crate::agent::OwnCommand;
use crate::ledger::UserMessage;

use super::Composer;
use super::name_origin::NameOrigin;
use super::origin::TextOrigin;
use super::pastes::one_kind_of_ends;

impl Composer {
    /// Whether it holds a command to be run, and not a message: `!command`. The title, the last line, the
    /// guard of Enter and what Enter does ask this. The name of a folded paste is no such beginning.
    pub fn runs_a_command(&self) -> bool {
        self.begins_with("!")
    }

    /// The command of the user's own that Enter runs.
    pub(in crate::ui) fn own_command(&self) -> Option<OwnCommand> {
        if self.runs_a_command() { OwnCommand::read(&self.whole()) } else { None }
    }

    /// Where what it holds comes from. What is gone is forgotten.
    pub(super) fn origin(&self) -> TextOrigin {
        if self.is_empty() { TextOrigin::default() } else { self.origin }
    }

    /// Where the name of a slash command comes from.
    pub(super) fn name_origin(&self) -> NameOrigin {
        self.origin().name
    }

    /// Whether all of it was typed: the name of a command and what follows it.
    pub(in crate::ui) fn all_was_typed(&self) -> bool {
        self.name_was_typed() && !self.origin().has_paste
    }

    /// Whether the name of a slash command was typed, all of it.
    pub(in crate::ui) fn name_was_typed(&self) -> bool {
        self.name_origin() == NameOrigin::Typed && !self.begins_folded()
    }

    /// Whether it begins with a paste that is folded, or has one in the first word.
    pub(in crate::ui) fn begins_folded(&self) -> bool {
        let UserMessage { content, pastes, .. } = self.message();
        let text = content.trim_start();
        let name = text.find(char::is_whitespace).unwrap_or(text.len());
        pastes.spans().first().is_some_and(|(from, _)| *from < content.len() - text.len() + name.max(1))
    }

    /// Whether the first word names no command, because a paste brought it that is folded or has several
    /// lines.
    pub(in crate::ui) fn has_no_name(&self) -> bool {
        self.name_origin() == NameOrigin::Words || self.begins_folded()
    }

    /// Takes in what was pasted as a text. Before several lines or a folded paste that would begin with `!`
    /// stands a blank, which makes it a message.
    pub fn paste_text(&mut self, pasted: &str) {
        self.leave_walk();
        let pasted = one_kind_of_ends(pasted);
        let is_long = pasted.trim_end().contains('\n') || self.folds(&pasted);
        let origin = self.brings(&pasted, if is_long { NameOrigin::Words } else { NameOrigin::PastedLine });
        self.paste(&pasted);
        self.origin.name = origin;
    }

    /// Puts in what was deleted last. What was written for something else begins no command.
    pub fn yank_text(&mut self) {
        self.leave_walk();
        let (text, _, origin) = self.killed.clone();
        let name = self.brings(&text, origin.name);
        self.yank();
        self.origin.name = name;
    }

    /// Opens a paste as [`Self::open_paste`] does. What was a message in its fold is one in sight: a blank
    /// stands before its `!`.
    pub fn open_text(&mut self) -> Result<bool, String> {
        let was_command = self.runs_a_command();
        let opened = self.open_paste();
        if !was_command && self.runs_a_command() {
            self.go(CursorMove::Jump(0, 0));
            self.area.insert_char(' ');
            self.go(CursorMove::Bottom);
            self.go(CursorMove::End);
        }
        opened
    }

    /// A text comes to the cursor that was not typed there. Says where the name comes from with it.
    fn brings(&mut self, text: &str, origin: NameOrigin) -> NameOrigin {
        let before = self.name_origin();
        if text.starts_with('!') && origin == NameOrigin::Words && self.position() == (0, 0) {
            self.insert(' ');
        }
        let is_in_name = !self.all_before_cursor().trim_start().contains(char::is_whitespace);
        if is_in_name && !text.is_empty() { before.max(origin) } else { before }
    }

    /// The lines above the cursor came as keys of one paste, and are a message. `first`: a blank comes before
    /// their `!`. `name`: their first word names no command.
    pub(in crate::ui) fn make_words(&mut self, first: bool, name: bool) {
        if first && self.runs_a_command() {
            let (row, col) = self.position();
            let cell = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
            self.go(CursorMove::Jump(0, 0));
            self.area.insert_char(' ');
            self.go(CursorMove::Jump(cell(row), cell(col)));
        }
        if name {
            self.origin = TextOrigin { name: NameOrigin::Words, has_paste: true };
        }
    }

    /// All that stands before the cursor.
    pub(in crate::ui) fn all_before_cursor(&self) -> String {
        let (row, _) = self.position();
        let above = self.area().lines().iter().take(row);
        above.flat_map(|line| [line.as_str(), "\n"]).collect::<String>() + &self.before_cursor()
    }

    /// What would be sent, for another session. There nothing says that the name of a command was pasted, so
    /// it is escaped.
    pub(in crate::ui) fn draft(&self) -> UserMessage {
        let message = self.message();
        let name = message.content.split(char::is_whitespace).next().and_then(|name| name.strip_prefix('/'));
        let is_called =
            name.is_some_and(|name| name.starts_with(char::is_alphanumeric) && !name.contains('/'));
        if !is_called || self.name_was_typed() {
            return message;
        }
        let pastes = message.pastes.behind(1);
        UserMessage { pastes, ..UserMessage::text(format!("/{}", message.content)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A composer with this typed, and this pasted behind it.
    fn with(before: &str, pasted: &str) -> Composer {
        let mut composer = Composer::default();
        assert!(before.chars().all(|c| composer.insert(c)));
        composer.paste_text(pasted);
        composer
    }

    fn long(beginning: &str) -> String {
        format!("{beginning}\n{}", "x\n".repeat(24))
    }

    #[test]
    fn a_long_paste_begins_no_command_of_ones_own() {
        let one_long_line = format!("!echo {}", "x".repeat(3_000));
        for pasted in ["!ls\nrm x", "!ls\r\nrm x", &long("!ls"), &one_long_line] {
            let composer = with("", pasted);
            assert!(!composer.runs_a_command() && composer.own_command().is_none(), "{pasted:?}");
            assert!(composer.message().content.starts_with(" !"), "{:?}", composer.message());
        }
        // Where the sign was typed, it is one, however long what follows is.
        for pasted in ["ls", "ls\nrm x", &long("ls")] {
            let composer = with("!", pasted);
            let own = composer.own_command().unwrap();
            assert!(composer.runs_a_command() && own.command.starts_with("ls"), "{pasted:?}: {own:?}");
        }
        for pasted in ["!ls", "!ls\n"] {
            assert_eq!(with("", pasted).own_command().unwrap().command, "ls", "one line in sight");
        }
    }

    #[test]
    fn a_folded_paste_is_no_beginning_where_nothing_stands_before_it() {
        let mut composer = with("", &long("!touch x"));
        composer.go(CursorMove::Head);
        composer.delete();
        assert!(composer.message().content.starts_with("!touch x"));
        assert!(!composer.runs_a_command() && composer.own_command().is_none());
        // Opened, it is a message still, also as the user's editor leaves it.
        let mut edited = composer.clone();
        assert_eq!(composer.open_text(), Ok(true));
        assert!(composer.shown().starts_with(" !touch x\n") && composer.own_command().is_none());
        edited.hold_edited("!touch y\n");
        assert_eq!((edited.shown().as_str(), edited.runs_a_command()), (" !touch y\n", false));
    }

    #[test]
    fn the_name_of_a_command_is_known_to_be_pasted() {
        use NameOrigin::{PastedLine, Typed, Words};
        for (before, pasted, origin) in [
            ("", "/mode auto", PastedLine),
            (" ", "/mode auto", PastedLine),
            ("/", "mode auto", PastedLine),
            ("/mo", "de auto", PastedLine),
            ("", "/mode auto\n\n", PastedLine),
            ("", "/mode auto\nx", Words),
            ("/mode ", "auto", Typed),
            ("see ", "/mode auto", Typed),
            ("", "", Typed),
        ] {
            assert_eq!(with(before, pasted).name_origin(), origin, "{before:?} {pasted:?}");
        }
        assert!(with("", &long("/mode auto")).has_no_name());
        assert!(with("/", &long("mode auto")).has_no_name());
        assert!(!with("/fix ", &long("this")).has_no_name());
        assert!(!with("", "/help").has_no_name());
        // A name can be typed before what was pasted.
        let mut composer = with("", "these lines\ndo not work");
        assert!(composer.has_no_name());
        composer.go(CursorMove::Top);
        composer.go(CursorMove::Head);
        assert!("/fix ".chars().all(|c| composer.insert(c)));
        assert!(composer.name_was_typed() && !composer.has_no_name(), "{}", composer.shown());
    }

    #[test]
    fn where_the_name_comes_from_is_undone_put_back_and_forgotten_with_the_text() {
        let mut composer = with("", "/mode auto");
        composer.note();
        composer.kill();
        assert_eq!(composer.name_origin(), NameOrigin::Typed);
        composer.undo();
        assert_eq!(
            (composer.shown().as_str(), composer.name_origin()),
            ("/mode auto", NameOrigin::PastedLine)
        );
        composer.kill();
        composer.yank_text();
        assert_eq!(
            (composer.shown().as_str(), composer.name_origin()),
            ("/mode auto", NameOrigin::PastedLine)
        );
        composer.clear();
        composer.insert('/');
        assert_eq!(composer.name_origin(), NameOrigin::Typed);
    }

    #[test]
    fn what_was_written_for_a_call_is_put_in_as_words() {
        for (text, held) in [("! grep -q x", " ! grep -q x"), ("/mode auto", "/mode auto")] {
            let mut composer = Composer::default();
            composer.set_aside(text.to_owned());
            composer.yank_text();
            assert_eq!(composer.shown(), held);
            assert!(composer.own_command().is_none() && composer.has_no_name(), "{text}");
        }
    }

    #[test]
    fn a_draft_of_a_pasted_command_is_no_command_in_the_session_that_goes_on() {
        assert_eq!(with("", "/mode auto").draft().content, "//mode auto");
        assert_eq!(with("/mode ", "auto").draft().content, "/mode auto");
        assert_eq!(with("", "/usr/bin is odd").draft().content, "/usr/bin is odd");
        assert_eq!(with("", "a word").draft().content, "a word");
    }
}
