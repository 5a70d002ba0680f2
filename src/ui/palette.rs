//! The palette: every action and command that can be done now.

use ratatui::crossterm::event::KeyEvent;

use crate::view::View;

use super::commands::{Fronts, SlashCommand, listed};
use super::keymap::{BINDINGS, Binding, KeyAction, KeyContext};
use super::local::{Focus, Local};
use super::picker::{Choice, Item, Picker};
use super::picker_source::Source;

/// Every action of the keys that can be done now, then every slash command that does something else.
pub fn palette(local: &Local, view: &View) -> Picker {
    let waits = !local.waiting(view).is_empty();
    let can = |binding: &&Binding| match (binding.place, binding.command) {
        (_, KeyAction::Palette) => false,
        (KeyContext::Everywhere | KeyContext::Composer, _) => true,
        (KeyContext::Approval, KeyAction::Raise) => local.stop(view).is_some(),
        (KeyContext::Approval, _) => waits,
        (KeyContext::Panel, _) => matches!(local.focused(view), Focus::Card(_)),
        // These lie on top, and so does this list.
        (KeyContext::Ledger | KeyContext::Page | KeyContext::Picker, _) => false,
    };
    let actions = BINDINGS.iter().filter(|b| !b.words.is_empty()).filter(can).map(action);
    // What has a key is there already.
    let commands = listed(Fronts::Screen).filter(|row| row.key.is_none()).map(command);
    Picker::new(Source::Palette, actions.chain(commands).collect())
}

fn action(binding: &Binding) -> Item {
    let words = match binding.place {
        KeyContext::Everywhere | KeyContext::Composer => binding.words.to_owned(),
        place => format!("{}: {}", place.words(), binding.words),
    };
    let key = KeyEvent::new(binding.code, binding.modifiers);
    let row = listed(Fronts::Screen).find(|row| row.key == Some(binding.command));
    let aside = row.map_or(binding.keys.to_owned(), |row| format!("{}  {}", binding.keys, row.name));
    Item { words, aside, choice: Choice::Key(binding.place, binding.command, key) }
}

fn command(row: &SlashCommand) -> Item {
    Item {
        words: row.help.to_owned(),
        aside: row.name.to_owned(),
        choice: if row.takes_more() { Choice::Begin(row.name) } else { Choice::Slash(row.name) },
    }
}
