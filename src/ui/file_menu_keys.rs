//! The keys that open the list of files, narrow it and choose from it.

use ratatui::crossterm::event::KeyCode;

use crate::view::View;

use super::effect::UiEffect;
use super::file_menu::OpenMenu;
use super::key_timing::Press;
use super::local::{Focus, Local};
use super::mention::written;
use super::request::Request;

/// What stands behind a path without a space: the lines that are meant, and the sentence's own punctuation.
const FOLLOWS: &str = "#:,.;)?!";

/// After a key: what the composer holds before the cursor opens the list, narrows it or closes it. Asks for the files when
/// an `@` has begun.
pub(super) fn settle(local: &mut Local, view: &View) -> Option<UiEffect> {
    let typed = if can_choose(local, view) { mentioned(&local.composer.before_cursor()) } else { None };
    let menu = &mut local.files;
    let Some(typed) = typed else {
        (menu.open, menu.was_asked, menu.is_shut) = (None, false, false);
        return None;
    };
    if menu.open.as_ref().is_none_or(|open| open.typed != typed) {
        menu.open = Some(OpenMenu::new(&menu.list, typed));
    }
    let asks = !std::mem::replace(&mut menu.was_asked, true);
    asks.then_some(UiEffect::Ask(Request::ListFiles))
}

/// A key while files are offered; false when it means what it always means.
pub(super) fn press(local: &mut Local, view: &View, press: Press) -> bool {
    let key = press.key;
    let was_picked = std::mem::take(&mut local.files.was_picked);
    if was_picked && matches!(key.code, KeyCode::Char(c) if FOLLOWS.contains(c)) {
        // The space behind the path was ours.
        local.composer.backspace();
    }
    // The rest of what is pasted follows: nobody chooses.
    if press.more || !key.modifiers.is_empty() || !local.files.is_offering() || !can_choose(local, view) {
        return false;
    }
    let Some(open) = &mut local.files.open else { return false };
    let last = open.found.best.len().saturating_sub(1);
    match key.code {
        KeyCode::Up => open.chosen = open.chosen.checked_sub(1).unwrap_or(last),
        KeyCode::Down => open.chosen = if open.chosen < last { open.chosen + 1 } else { 0 },
        // What runs is stopped first.
        KeyCode::Esc if view.status.is_busy() => return false,
        KeyCode::Esc => {
            local.files.is_shut = true;
            return true;
        }
        // Nobody has read the list who presses Enter with the letters before it.
        KeyCode::Enter if !press.alone => return false,
        KeyCode::Enter | KeyCode::Tab => return pick(local, key.code == KeyCode::Enter),
        _ => return false,
    }
    open.was_moved = true;
    true
}

/// Puts the chosen path in the place of what is typed. Enter sends the message where it does not mean the path.
fn pick(local: &mut Local, by_enter: bool) -> bool {
    let menu = &local.files;
    let Some(open) = &menu.open else { return false };
    let Some(path) = open.path(&menu.list) else { return false };
    if by_enter && !menu.enter_picks() {
        return false;
    }
    let goes_on = menu.opens_a_folder();
    let mention = written(path);
    let end = if goes_on { "" } else { " " };
    let count = open.typed.chars().count() + 1;
    local.composer.exchange(count, &format!("{mention}{end}"));
    local.files.was_picked = !goes_on;
    true
}

/// Whether keys go to the composer, and it holds a message.
fn can_choose(local: &Local, view: &View) -> bool {
    let is_elsewhere = local.overlay.is_some() || local.edit.is_some() || local.reason.is_some();
    let is_search = local.search.as_ref().is_some_and(|search| search.typing);
    let is_past = local.read_only || local.replay.is_some();
    let moves = local.vim.word().is_some_and(|word| word != "insert");
    let is_message = !is_elsewhere && !is_search && !is_past && !moves && !local.composer.is_browsing();
    is_message && local.focused(view) == Focus::Composer
}

/// What is typed of a path behind an `@`: up to the cursor, while it can still become the name of a file.
fn mentioned(before: &str) -> Option<String> {
    let (head, typed) = before.rsplit_once('@')?;
    let begins = head.chars().next_back().is_none_or(|c| c.is_whitespace() || "([{<\"'".contains(c));
    let is_path =
        !typed.contains(|c: char| c.is_whitespace() || "\"'`\\".contains(c)) && !typed.contains("#L");
    (begins && is_path).then(|| typed.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_typed_behind_an_at_sign_that_begins_a_word() {
        let typed = |before: &str| mentioned(before);
        assert_eq!(typed("see @src/m"), Some("src/m".into()));
        assert_eq!(typed("@"), Some(String::new()));
        assert_eq!(typed("(@a"), Some("a".into()));
        for none in ["", "me@home", "@a b", "`@a`", "@\"my fi", "@a.rs#L1", "no sign"] {
            assert_eq!(typed(none), None, "{none}");
        }
    }
}
