//! What picking a line does, and the keys while a picker lies on top.

use crate::agent::Intent;
use crate::view::View;

use super::deciding::is_allowed;
use super::focusing;
use super::keymap::{Command, Place};
use super::local::{Focus, Inspector, Local, Overlay, sent};
use super::overlays;
use super::picker::{Choice, Picker, Step};
use super::request::Request;
use super::rhythm::Press;
use super::sending;
use super::source::Source;
use super::stand::Shown;
use super::update::{Act, obey};

/// Opens a picker: those that the screen can fill itself at once, the others by whoever has what is in them.
pub(super) fn open(local: &mut Local, view: &View, source: Source) -> Vec<Act> {
    local.overlay = Some(Overlay::Picker(match source {
        Source::Palette => Picker::palette(),
        Source::Prompts => {
            let sent = sent(view);
            Picker::prompts(local.earlier.iter().map(String::as_str).chain(sent.iter().copied()))
        }
        Source::Grants => Picker::grants(view),
        Source::Sessions | Source::Models | Source::Themes | Source::Rewind | Source::Undo => {
            return vec![Act::Pick(source)];
        }
    }));
    Vec::new()
}

/// One key in the picker that lies on top; `None` when there is none.
pub(super) fn update(local: &mut Local, view: &View, press: Press, page: i32) -> Option<Vec<Act>> {
    let Some(Overlay::Picker(picker)) = &mut local.overlay else { return None };
    let was = worn(picker);
    Some(match picker.press(press.key, page) {
        Step::Stays => {
            let now = worn(picker);
            if now == was { Vec::new() } else { now.map(Act::Wear).into_iter().collect() }
        }
        Step::Leaves => {
            let before = (picker.source == Source::Themes).then(|| Act::Wear(picker.before.clone()));
            local.overlay = None;
            before.into_iter().collect()
        }
        // What puts files back must have been seen, and not be taken by a burst of keys.
        Step::Takes(Choice::Restore { since, .. })
            if !local.stand.is_meant(press) || !is_allowed(local, &Shown::Plan(since), press) =>
        {
            Vec::new()
        }
        Step::Takes(choice) => {
            local.overlay = None;
            take(local, view, choice)
        }
    })
}

/// Chooses a line among those that fit.
pub(super) fn choose(local: &mut Local, line: usize) -> Vec<Act> {
    let Some(Overlay::Picker(picker)) = &mut local.overlay else { return Vec::new() };
    let was = worn(picker);
    picker.chosen = line;
    let now = worn(picker);
    if now == was { Vec::new() } else { now.map(Act::Wear).into_iter().collect() }
}

/// The theme that the chosen line would put on.
fn worn(picker: &Picker) -> Option<String> {
    match &picker.current()?.choice {
        Choice::Theme(name) => Some(name.clone()),
        _ => None,
    }
}

fn take(local: &mut Local, view: &View, choice: Choice) -> Vec<Act> {
    match choice {
        Choice::Key(place, command, key) => do_key(local, view, place, command, Press::made(key)),
        Choice::Slash(name) => sending::run(local, view, name),
        Choice::Begin(name) => {
            local.composer.replace(&format!("{name} "));
            local.focus = Focus::Composer;
            Vec::new()
        }
        Choice::Prompt(text) => {
            local.composer.replace(&text);
            local.focus = Focus::Composer;
            Vec::new()
        }
        Choice::Session(id) => vec![Act::Resume(id)],
        Choice::Model(name) => sending::run(local, view, &format!("/model {name}")),
        Choice::Rewind(message) => vec![Act::Undo(Some(message))],
        Choice::Restore { since, shown } => vec![Act::Ask(Request::Restore { since, shown })],
        Choice::Revoke(call) => vec![Act::Send(Intent::Revoke(call))],
        Choice::Nothing(why) => {
            local.hint = Some(why);
            Vec::new()
        }
        Choice::Theme(name) => {
            local.hint = Some(format!("{name} for now · theme = \"{name}\" in config.toml keeps it"));
            vec![Act::Wear(name)]
        }
    }
}

/// What a key does in its place. A list answers no call: what waits gets the focus, and its key decides.
fn do_key(local: &mut Local, view: &View, place: Place, command: Command, press: Press) -> Vec<Act> {
    match (place, command) {
        (Place::Ledger, _) => local.overlay = Some(Overlay::Ledger(Inspector::default())),
        (Place::Page, _) => local.overlay = Some(Overlay::Help(0)),
        (Place::Picker, _) => return open(local, view, Source::Palette),
        (Place::Approval, Command::Raise) if local.stop(view).is_none() => {
            local.hint = Some("no budget has stopped it".to_owned());
            return Vec::new();
        }
        (Place::Approval, _) if command != Command::Help => {
            focusing::give(local, view);
            return Vec::new();
        }
        _ => return obey(local, view, command, press, false),
    }
    overlays::update(local, view, press).unwrap_or_default()
}
