//! What Enter does with the composer's text: a message now, one that steers, one for later, or a command.

use crate::agent::Intent;
use crate::ledger::UserMessage;
use crate::view::View;

use super::local::{Focus, Inspector, Local, Overlay};
use super::slash::{self, Slash};
use super::update::Act;

/// Sends what was typed. While a run is under way it steers; it never answers a call that waits.
pub(super) fn send(local: &mut Local) -> Vec<Act> {
    if local.composer.is_blank() {
        return Vec::new();
    }
    command(local).unwrap_or_else(|| {
        local.scroll.top = None;
        local.focus = Focus::Auto;
        vec![Act::Send(Intent::Submit(local.composer.take().into()))]
    })
}

/// For after the run; with nothing under way it is a new line, as shift-enter is.
pub(super) fn send_later(local: &mut Local, view: &View) -> Vec<Act> {
    if !view.status.is_busy() || local.composer.is_blank() {
        local.composer.newline();
        return Vec::new();
    }
    command(local).unwrap_or_else(|| vec![Act::Send(Intent::Queue(local.composer.take().into()))])
}

/// Obeys a slash command; `None` when the text is a message. One that is not known stays in the composer.
fn command(local: &mut Local) -> Option<Vec<Act>> {
    let command = match slash::read(&local.composer.text())? {
        Ok(command) => command,
        Err(why) => {
            local.hint = Some(why);
            return Some(Vec::new());
        }
    };
    local.composer.clear();
    local.focus = Focus::Auto;
    Some(match command {
        Slash::Compact => vec![Act::Send(Intent::Compact)],
        Slash::Goal(goal) => vec![Act::Send(Intent::Pursue(goal, UserMessage::default()))],
        Slash::ResumeGoal(words) => vec![Act::Send(Intent::ResumeGoal(words.into()))],
        Slash::Effort(level) => vec![Act::Send(Intent::SetEffort(level))],
        Slash::Model(name) => vec![Act::Send(Intent::ChooseModel(name))],
        Slash::Models => vec![Act::ListModels],
        Slash::Mode(mode) => vec![Act::Send(Intent::SetMode(mode))],
        Slash::Quit => vec![Act::Quit],
        Slash::Help => shown(local, Overlay::Help(0)),
        Slash::Ledger => shown(local, Overlay::Ledger(Inspector::default())),
        Slash::Budgets => shown(local, Overlay::Budgets(0)),
    })
}

fn shown(local: &mut Local, overlay: Overlay) -> Vec<Act> {
    local.overlay = Some(overlay);
    Vec::new()
}

/// The names of the models that can be chosen, in one line.
pub(super) fn listed(models: &[(String, String)], answering: &str) -> String {
    let others: Vec<&str> =
        models.iter().map(|(name, _)| name.as_str()).filter(|name| *name != answering).collect();
    if others.is_empty() {
        return "/model NAME: no other model is known to be usable; `countersign models` says why".to_owned();
    }
    format!("/model NAME: {}", others.join(", "))
}
