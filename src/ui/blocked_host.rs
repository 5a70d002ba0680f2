//! A host that the sandbox did not let a command reach: one key allows it for the session.

use crate::agent::Intent;
use crate::view::{CardId, Panel, View};

use super::effect::UiEffect;
use super::key_timing::Press;
use super::local::{Focus, Local};

/// Allows the first host that the call in focus did not reach and that is not allowed yet. A key that came together with others
/// was not pressed for this.
pub(super) fn allow(local: &mut Local, view: &View, press: Press) -> Vec<UiEffect> {
    let Focus::Card(CardId::Call(call)) = local.focused(view) else { return Vec::new() };
    let blocked = view.panel(call).map(blocked).unwrap_or_default();
    let is_open = |host: &&String| view.session.hosts.contains(host);
    match blocked.iter().find(|host| !is_open(host)) {
        Some(host) if !press.alone || press.again => {
            local.hint = Some(format!("press the key once more, on its own, to allow {host}"));
        }
        Some(host) => {
            local.hint = Some(format!("{host} is allowed for this session: ask for another try"));
            return vec![UiEffect::Send(Intent::OpenHost(host.clone()))];
        }
        None if blocked.is_empty() => local.hint = Some("the sandbox blocked no host here".to_owned()),
        None => local.hint = Some("allowed already: ask for another try".to_owned()),
    }
    Vec::new()
}

/// The first host that a card's command was not let through to and that is not allowed yet.
pub(super) fn of_card(view: &View, card: CardId) -> Option<&String> {
    let CardId::Call(call) = card else { return None };
    let blocked = view.panel(call).map(blocked).unwrap_or_default();
    blocked.iter().find(|host| !view.session.hosts.contains(host))
}

/// The hosts that the command of a call was not let through to.
pub(super) fn blocked(panel: &Panel) -> &[String] {
    panel.result().map(|result| result.facts.blocked_hosts.as_slice()).unwrap_or_default()
}
