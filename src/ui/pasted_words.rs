//! A paste that begins as a command does, and is words for the model: what is said of it, and what is not
//! done.

use crate::ledger::UserMessage;
use crate::policy::Mode;
use crate::view::View;

use super::commands::{self, Fronts, Meaning};
use super::composer::Composer;
use super::local::Local;

/// What is said of a folded one.
const FOLDED: &str = "a folded paste is a message, not a command · alt-o opens it";
/// What is said of several lines with `!`.
const LINES: &str = "pasted lines are a message · without the blank before the ! they run as you";
/// What is said of several lines with the name of a command.
const NAMED: &str = "pasted lines are a message · type the name of the command yourself to run it";
/// What is said of a command by which calls may do more.
pub(super) const TYPED: &str = "not done: what lets calls do more must be typed, not pasted";

/// What is said where Enter came with the letters of such a command.
pub(super) const ALONE: &str = "not done: what lets calls do more needs an enter of its own · press it again";

/// What to know of what the composer holds, if it begins as a command does and is none.
pub(super) fn why(local: &Local, view: &View) -> Option<&'static str> {
    let composer = &local.composer;
    if local.is_editing() || composer.runs_a_command() || composer.name_was_typed() {
        return None;
    }
    let message = composer.message().content;
    let text = message.trim_start();
    let is_own = text.starts_with('!');
    if !(is_own || composer.has_no_name() && is_called(text, view)) {
        return None;
    }
    Some(match (composer.begins_folded(), is_own) {
        (true, _) => FOLDED,
        (false, true) => LINES,
        (false, false) => NAMED,
    })
}

/// Whether a text would be a command.
fn is_called(text: &str, view: &View) -> bool {
    let settings = &view.settings;
    commands::custom(text, &settings.commands).is_some()
        || matches!(commands::read(text, Fronts::Screen), Some(Ok(_)))
}

/// Whether what the composer holds is a command by which calls may do more.
pub(super) fn lets_more(local: &Local, view: &View) -> bool {
    let text = local.composer.text();
    let meaning = commands::read(&text, Fronts::Screen).filter(|_| !local.is_editing());
    matches!(meaning, Some(Ok(meaning)) if meaning.lets_more(view.session.mode))
}

/// Whether a command is not obeyed: calls could do more by it, and a part of it was pasted. The word that
/// matters most stands behind the name.
pub(super) fn must_be_typed(local: &Local, view: &View, meaning: &Meaning) -> bool {
    let composer = &local.composer;
    // A terminal that does not mark a paste brings its empty lines, too.
    let is_line = composer.area().lines().len() == 1;
    let is_typed = || is_line && composer.all_was_typed() && composer.message().pastes.is_empty();
    meaning.lets_more(view.session.mode) && !is_typed()
}

/// What would be sent, for another session. There nothing says that a part of it was pasted, so what lets calls
/// do more is escaped, in whatever mode that session is.
pub(super) fn draft(composer: &Composer) -> UserMessage {
    let message = composer.draft();
    if composer.all_was_typed() {
        return message;
    }
    match commands::read(&message.content, Fronts::Screen) {
        Some(Ok(meaning)) if meaning.lets_more(Mode::Plan) => escaped(message),
        Some(_) | None => message,
    }
}

fn escaped(message: UserMessage) -> UserMessage {
    let pastes = message.pastes.behind(1);
    UserMessage { pastes, ..UserMessage::text(format!("/{}", message.content)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_with_a_pasted_argument_lets_calls_do_no_more_in_the_session_that_goes_on() {
        for (typed, pasted, held) in [
            ("/mode ", "unrestricted", "//mode unrestricted"),
            ("/mode ", "edit", "//mode edit"),
            ("/mode edit", "", "/mode edit"),
            ("", "/mode edit", "//mode edit"),
            ("/race ", "fix it", "/race fix it"),
            ("/export ", "a.md", "/export a.md"),
        ] {
            let mut composer = Composer::default();
            assert!(typed.chars().all(|c| composer.insert(c)));
            composer.paste_text(pasted);
            assert_eq!(draft(&composer).content, held, "{typed:?} {pasted:?}");
        }
    }
}
