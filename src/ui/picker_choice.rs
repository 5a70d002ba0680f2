//! What taking a line of a list does.

use crate::agent::Intent;
use crate::ledger::CallId;
use crate::view::{CardId, View};

use super::commands::Meaning;
use super::effect::UiEffect;
use super::focus;
use super::gone_images;
use super::key_actions::obey;
use super::key_timing::Press;
use super::keymap::{KeyAction, KeyContext};
use super::local::{Focus, Local, Overlay};
use super::picker::{Choice, Picker, RewindWay};
use super::request::Request;
use super::submit;

/// Why a sub-agent that waits for its turn is not opened.
const NOT_BEGUN: &str = "it waits for its turn and has no session yet: what you type is for this one";

/// Does what a line means that was taken.
pub(super) fn take(local: &mut Local, view: &View, choice: Choice) -> Vec<UiEffect> {
    match choice {
        Choice::Key(place, command, key) => do_key(local, view, place, command, Press::made(key)),
        Choice::Slash(name) => submit::run(local, view, name),
        // Their words are for a message.
        Choice::Begin(_) | Choice::Prompt(_) if local.is_editing() => {
            local.hint = Some("a call is being changed: enter reviews it · esc cancels it".to_owned());
            Vec::new()
        }
        Choice::Begin(name) => {
            local.composer.hold(&format!("{name} "));
            local.focus = Focus::Composer;
            Vec::new()
        }
        Choice::Prompt(message) => {
            local.composer.hold_message(&message);
            local.focus = Focus::Composer;
            gone_images::say(local);
            Vec::new()
        }
        Choice::Session(id) => vec![UiEffect::Resume(id)],
        Choice::Model(name) => submit::obey(local, view, Meaning::Request(Request::ChooseModel(name))),
        Choice::Rewind(message) => {
            local.overlay = Some(Overlay::Picker(Picker::rewind_by(message)));
            Vec::new()
        }
        Choice::RewindBy(message, RewindWay::Files) => vec![UiEffect::Undo(Some(message))],
        Choice::RewindBy(message, RewindWay::Conversation) => {
            vec![UiEffect::Ask(Request::Rewind(message))]
        }
        Choice::RewindBy(message, RewindWay::Both) => vec![UiEffect::UndoAndRewind(message)],
        Choice::Restore { since, shown, rewinds } => {
            local.rewind = rewinds.map(|message| (since, message));
            vec![UiEffect::Ask(Request::Restore { since, shown })]
        }
        Choice::Revoke(call) => vec![UiEffect::Send(Intent::Revoke(call))],
        Choice::RefuseGaps => vec![UiEffect::Send(Intent::RefuseGaps)],
        Choice::CloseHost(host) => vec![UiEffect::Send(Intent::CloseHost(host))],
        Choice::Enter(path) => path.into_iter().map(UiEffect::Enter).collect(),
        Choice::Reveal(call) => reveal(local, call),
        Choice::RevealWaiting(call) => {
            // Else what is typed next would seem to be for the sub-agent.
            local.hint = Some(NOT_BEGUN.to_owned());
            reveal(local, call)
        }
        Choice::StopSubagents(paths) => {
            // The last first: one that waits for its turn must not start when another one is over.
            paths.iter().rev().map(|path| UiEffect::Send(Intent::Abort.within(path))).collect()
        }
        Choice::StopShell(id) => vec![UiEffect::Send(Intent::StopBackground(id))],
        Choice::Nothing(why) => {
            local.hint = Some(why);
            Vec::new()
        }
        Choice::Mode(mode) => vec![UiEffect::Send(Intent::SetMode(mode))],
        Choice::Effort(effort) => vec![UiEffect::Send(Intent::SetEffort(effort))],
        Choice::Theme(name) => {
            local.hint =
                Some(format!("{name} for now · theme = \"{name}\" in config.toml makes it permanent"));
            vec![UiEffect::SetTheme(name)]
        }
    }
}

fn reveal(local: &mut Local, call: CallId) -> Vec<UiEffect> {
    local.scroll.reveal = Some(CardId::Call(call));
    Vec::new()
}

/// What a key does in its place. A list answers no call: what waits gets the focus, and its key decides.
fn do_key(
    local: &mut Local,
    view: &View,
    place: KeyContext,
    command: KeyAction,
    press: Press,
) -> Vec<UiEffect> {
    match (place, command) {
        (KeyContext::Approval, KeyAction::Raise) if local.stop(view).is_none() => {
            local.hint = Some("no budget stopped a run".to_owned());
            Vec::new()
        }
        (KeyContext::Approval, _) if command != KeyAction::Help => {
            focus::give(local, view);
            Vec::new()
        }
        _ => obey(local, view, command, press, false),
    }
}
