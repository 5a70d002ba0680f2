//! A host that the sandbox did not let a command reach: one key allows it for the session.

use crate::agent::Intent;
use crate::view::{CardId, Panel, View};

use super::effect::UiEffect;
use super::key_timing::Press;
use super::local::{Focus, Local};
use super::visible_decision::{Refusal, Shown};

/// Allows the first host that the call in focus did not reach and that is not allowed yet, if its whole name has been in sight. A key that
/// came together with others was not pressed for this.
pub(super) fn allow(local: &mut Local, view: &View, press: Press) -> Vec<UiEffect> {
    let card = match local.focused(view) {
        Focus::Card(id @ CardId::Call(_)) => id,
        _ => return Vec::new(),
    };
    let Some((host, shown)) = of_card(view, card).zip(shown(view, card)) else {
        let CardId::Call(call) = card else { return Vec::new() };
        let is_none = view.panel(call).is_none_or(|panel| blocked(panel).is_empty());
        let why =
            if is_none { "the sandbox blocked no host here" } else { "allowed already: ask for another try" };
        local.hint = Some(why.to_owned());
        return Vec::new();
    };
    match local.stand.allows(&shown, press) {
        Err(Refusal::Unseen) => {
            let reading =
                local.host_reading.filter(|reading| shown == Shown::Host(reading.call, reading.place));
            let row = reading.map_or(0, |reading| reading.next());
            local.scroll.names_host = Some((card, row));
            // Of a name with more rows than the window the next ones come then. One row, so that the window stays as it is.
            local.hint = Some("read the host's name, then press again".to_owned());
        }
        Err(Refusal::TooSoon) => local.hint = Refusal::TooSoon.words().map(str::to_owned),
        Ok(()) if !press.alone => {
            local.hint = Some(format!("press the key once more, on its own, to allow {host}"));
        }
        Ok(()) => {
            local.hint = Some(format!("{host} is allowed for this session: ask for another try"));
            return vec![UiEffect::Send(Intent::OpenHost(host.clone()))];
        }
    }
    Vec::new()
}

/// How that host stands on the screen, where its whole name does.
pub(super) fn shown(view: &View, card: CardId) -> Option<Shown> {
    let CardId::Call(call) = card else { return None };
    next(view, blocked(view.panel(call)?)).map(|at| Shown::Host(call, at))
}

/// The place of the first of these hosts that is not allowed yet: the one that the key takes.
pub(super) fn next(view: &View, hosts: &[String]) -> Option<usize> {
    hosts.iter().position(|host| !view.session.hosts.contains(host))
}

/// The first host that a card's command was not let through to and that is not allowed yet.
pub(super) fn of_card(view: &View, card: CardId) -> Option<&String> {
    let CardId::Call(call) = card else { return None };
    let hosts = view.panel(call).map(blocked).unwrap_or_default();
    next(view, hosts).and_then(|at| hosts.get(at))
}

/// The hosts that the command of a call was not let through to.
pub(super) fn blocked(panel: &Panel) -> &[String] {
    panel.result().map(|result| result.facts.blocked_hosts.as_slice()).unwrap_or_default()
}
