//! The palette: every command and action that can be done now.

use ratatui::crossterm::event::KeyEvent;

use crate::view::View;

use super::commands::{Fronts, SlashCommand, listed};
use super::keymap::{BINDINGS, Binding, KeyAction, KeyContext};
use super::local::{Focus, Local};
use super::picker::{Choice, Item, Picker};
use super::picker_source::Source;

/// What people want to do when they look for a command, those first that are wanted most. The help of a command says what it shows and what
/// may follow its name, which is no help to whoever does not know the name.
const WISHES: &[(&str, &str)] = &[
    ("/model", "change the model"),
    ("/mode", "change the mode: what runs without asking"),
    ("/sessions", "resume a session of this folder"),
    ("/new", "start a new session; this one can be resumed"),
    ("/diff", "show the files that this session changed"),
    ("/undo", "undo: restore the files that the last turn changed"),
    ("/rewind", "rewind: go back to before one of your messages"),
    ("/permissions", "show the permissions: rules and what was granted"),
    ("/budgets", "show the budgets: used, limit, left"),
    ("/ledger", "open the ledger, entry by entry"),
    ("/find", "find in the transcript"),
    ("/compact", "compact: replace the conversation with a summary"),
    ("/review", "review the uncommitted changes"),
    ("/copy", "copy the last answer to the clipboard"),
    ("/export", "export the transcript to a file"),
    ("/effort", "change the effort: how hard the model thinks"),
    ("/theme", "change the theme"),
    ("/thinking", "show or fold reasoning"),
    ("/plan", "show the plan: the model's to-do list"),
    ("/fleet", "show what is at work: sub-agents, tasks, commands"),
    ("/shells", "show the commands running in the background"),
    ("/goal", "set a goal, and work until its check succeeds"),
    ("/race", "race several sub-agents at one task"),
    ("/adopt", "adopt what a lane of the race made"),
    ("/fork", "fork: continue in a copy of this session"),
    ("/whatif", "try what if: go on otherwise from an entry, in a branch"),
    ("/tree", "show the branches of this session"),
    ("/rename", "rename this session"),
    ("/usage", "show the usage: what all sessions have cost"),
    ("/status", "show the status: session, model, folder, configuration"),
    ("/mcp", "show the MCP servers and their tools"),
    ("/agents", "show the agents that tasks can be handed to"),
    ("/skills", "show the skills, and how each is called"),
    ("/trust", "show what this project's files may do"),
    ("/init", "propose an AGENTS.md for this folder"),
    ("/help", "show all keys and commands"),
    ("/quit", "quit countersign"),
];

/// Every slash command, then every action of the keys that can be done now and that no command does.
pub fn palette(local: &Local, view: &View) -> Picker {
    let waits = !local.waiting(view).is_empty();
    let can = |binding: &&Binding| match (binding.place, binding.command) {
        (_, KeyAction::Palette) => false,
        // It does what the same key with ctrl does anywhere.
        (KeyContext::Composer, KeyAction::End) => false,
        (KeyContext::Everywhere | KeyContext::Composer, _) => true,
        (KeyContext::Approval, KeyAction::Raise) => local.stop(view).is_some(),
        (KeyContext::Approval, _) => waits,
        (KeyContext::Panel, _) => matches!(local.focused(view), Focus::Card(_)),
        // These lie on top, and so does this list.
        (KeyContext::Ledger | KeyContext::Page | KeyContext::Picker, _) => false,
    };
    let mut commands: Vec<&'static SlashCommand> = listed(Fronts::Screen).collect();
    commands.sort_by_key(|row| WISHES.iter().position(|(name, _)| *name == row.name).unwrap_or(WISHES.len()));
    let is_there = |binding: &&Binding| commands.iter().any(|row| row.key == Some(binding.command));
    let keys = BINDINGS.iter().filter(|b| !b.words.is_empty()).filter(can).filter(|b| !is_there(b));
    let items = commands.iter().copied().map(command).chain(keys.map(action)).collect();
    Picker::new(Source::Palette, items)
}

fn action(binding: &Binding) -> Item {
    let words = match binding.place {
        KeyContext::Everywhere | KeyContext::Composer => binding.words.to_owned(),
        place => format!("{}: {}", place.words(), binding.words),
    };
    Item { words, aside: binding.keys.to_owned(), choice: pressed(binding) }
}

/// A command, with its key where it has one.
fn command(row: &SlashCommand) -> Item {
    let wish = WISHES.iter().find(|(name, _)| *name == row.name);
    let words = wish.map_or(row.help, |(_, words)| *words).to_owned();
    let binding = row.key.and_then(|key| BINDINGS.iter().find(|b| b.command == key && !b.words.is_empty()));
    match binding {
        Some(binding) => {
            Item { words, aside: format!("{}  {}", binding.keys, row.name), choice: pressed(binding) }
        }
        None if row.takes_more() => {
            Item { words, aside: row.name.to_owned(), choice: Choice::Begin(row.name) }
        }
        None => Item { words, aside: row.name.to_owned(), choice: Choice::Slash(row.name) },
    }
}

fn pressed(binding: &Binding) -> Choice {
    let key = KeyEvent::new(binding.code, binding.modifiers);
    Choice::Key(binding.place, binding.command, key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_says_what_people_want_of_it() {
        for row in listed(Fronts::Screen) {
            let count = WISHES.iter().filter(|(name, _)| *name == row.name).count();
            assert_eq!(count, 1, "{}", row.name);
        }
        for (name, words) in WISHES {
            assert!(listed(Fronts::Screen).any(|row| row.name == *name), "{name}");
            assert_eq!(WISHES.iter().filter(|(_, other)| other == words).count(), 1, "{words}");
        }
    }
}
