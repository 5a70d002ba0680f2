//! What Enter does with the composer's text: a message now, one that steers, one for later, or a command.

use crate::agent::Intent;
use crate::ledger::UserMessage;
use crate::tool::ASK;
use crate::view::View;

use super::act::Act;
use super::coming::Coming;
use super::editing;
use super::local::{Edit, Focus, Inspector, Local, Overlay};
use super::picker::Picker;
use super::request::Request;
use super::search::Search;
use super::slash::{self, Slash};
use super::source::Source;

/// Sends what was typed. While a run is under way it steers; it never answers a call that waits.
pub(super) fn send(local: &mut Local, view: &View) -> Vec<Act> {
    if local.edit.as_ref().is_some_and(Edit::is_open) {
        return editing::propose(local, view);
    }
    if local.composer.is_blank() {
        return Vec::new();
    }
    command(local, view).unwrap_or_else(|| {
        local.scroll.top = None;
        local.focus = Focus::Composer;
        if local.waiting(view).iter().any(|(_, asked)| asked.name == ASK) {
            local.hint = Some("the question still waits: tab, then r answers it".to_owned());
        }
        vec![Act::Send(Intent::Submit(local.composer.take().into()))]
    })
}

/// For after the run; with nothing under way it is a new line, as shift-enter is.
pub(super) fn send_later(local: &mut Local, view: &View) -> Vec<Act> {
    if !view.status.is_busy() || local.composer.is_blank() || local.edit.is_some() {
        local.composer.newline();
        return Vec::new();
    }
    command(local, view).unwrap_or_else(|| vec![Act::Send(Intent::Queue(local.composer.take().into()))])
}

/// Obeys a slash command; `None` when the text is a message. One that is not known stays in the composer.
fn command(local: &mut Local, view: &View) -> Option<Vec<Act>> {
    let typed = local.composer.text();
    let text = match meant(local, view) {
        // It waits for what belongs behind it.
        Some((name, words)) if slash::takes_more(words) && name != typed => {
            local.composer.replace(&format!("{name} "));
            return Some(Vec::new());
        }
        Some((name, _)) => name.to_owned(),
        None => typed,
    };
    let obeyed = obey(local, view, &text)?;
    Some(obeyed.map_or_else(Vec::new, |acts| {
        local.composer.clear();
        local.focus = Focus::Composer;
        acts
    }))
}

/// Obeys a slash command that was picked; what is typed stays.
pub(super) fn run(local: &mut Local, view: &View, text: &str) -> Vec<Act> {
    obey(local, view, text).flatten().unwrap_or_default()
}

/// `None`: it is a message; `Some(None)`: it was not understood, and the status line says why.
fn obey(local: &mut Local, view: &View, text: &str) -> Option<Option<Vec<Act>>> {
    let command = match slash::read(text)? {
        Ok(command) => command,
        Err(why) => {
            local.hint = Some(why);
            return Some(None);
        }
    };
    Some(Some(match command {
        Slash::Compact => vec![Act::Send(Intent::Compact)],
        Slash::Goal(goal) => vec![Act::Send(Intent::Pursue(goal, UserMessage::default()))],
        Slash::ResumeGoal(words) => vec![Act::Send(Intent::ResumeGoal(words.into()))],
        Slash::Effort(level) => vec![Act::Send(Intent::SetEffort(level))],
        Slash::Model(name) => {
            local.hint = Some(Coming::words(&name, &view.session.model));
            local.next_model = Some(Coming::Sought(name.clone()));
            vec![Act::Ask(Request::ChooseModel(name))]
        }
        Slash::Mode(mode) => vec![Act::Send(Intent::SetMode(mode))],
        Slash::Quit => vec![Act::Quit],
        Slash::Help => shown(local, Overlay::Help(0)),
        Slash::Ledger => shown(local, Overlay::Ledger(Inspector::default())),
        Slash::Budgets => shown(local, Overlay::Budgets(0)),
        Slash::Permissions => shown(local, Overlay::Permissions(view.permissions(), 0)),
        Slash::Shells => shown(local, Overlay::Shells(0)),
        Slash::Plan => shown(local, Overlay::Plan(0)),
        Slash::Pick(Source::Grants) => shown(local, Overlay::Picker(Picker::grants(view))),
        Slash::Revoke(call) => vec![Act::Send(Intent::Revoke(call))],
        Slash::Pick(source) => vec![Act::Pick(source)],
        Slash::Undo => vec![Act::Undo(None)],
        Slash::Theme(name) => vec![Act::Wear(name)],
        Slash::Find(words) => {
            local.search = Some(Search { wanted: words, ..Search::new() });
            Vec::new()
        }
    }))
}

/// Tab while a command is being typed: as far as all that it can become agree, and a space behind a whole one. Says
/// whether a command is being typed.
pub(super) fn complete(local: &mut Local, view: &View) -> bool {
    let Some(offered) = completions(local, view) else { return false };
    let Some((first, _)) = offered.first() else { return false };
    let shared = offered.iter().fold((*first).to_owned(), |shared, (name, _)| {
        shared.chars().zip(name.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    });
    let whole = offered.len() == 1;
    local.composer.replace(&if whole { format!("{shared} ") } else { shared });
    true
}

/// An arrow while commands are offered: the next of them is chosen. False when none is offered, or an earlier message is
/// shown.
pub(super) fn choose(local: &mut Local, view: &View, up: bool) -> bool {
    let offered = completions(local, view).map_or(0, |all| all.len());
    if offered == 0 || local.composer.is_browsing() {
        return false;
    }
    let last = offered - 1;
    let there = match (chosen(local), up) {
        (None | Some(0), true) => last,
        (None, false) => 0,
        (Some(at), true) => at - 1,
        (Some(at), false) => {
            if at < last {
                at + 1
            } else {
                0
            }
        }
    };
    local.menu = Some((local.composer.shown(), there));
    true
}

/// The command that the arrows have chosen, while what was typed stays.
pub(super) fn chosen(local: &Local) -> Option<usize> {
    let (text, at) = local.menu.as_ref()?;
    (*text == local.composer.shown()).then_some(*at)
}

/// The command that Enter runs: the chosen one, or the only one that begins so.
fn meant(local: &Local, view: &View) -> Option<(&'static str, &'static str)> {
    let offered = completions(local, view)?;
    match chosen(local) {
        Some(at) => offered.get(at).copied(),
        None if local.composer.text().contains(char::is_whitespace) => None,
        None => offered.first().copied().filter(|_| offered.len() == 1),
    }
}

/// The commands that what is typed can still become, with what they do; `None` when no command is being typed.
pub(super) fn completions(local: &Local, view: &View) -> Option<Vec<(&'static str, &'static str)>> {
    let [word] = local.composer.area().lines() else { return None };
    let composing = local.focused(view) == Focus::Composer;
    let is_shut = local.list_shut.as_ref() == Some(word);
    if !composing || is_shut || local.overlay.is_some() || local.edit.is_some() || !word.starts_with('/') {
        return None;
    }
    let (name, rest) =
        word.split_once(char::is_whitespace).map_or((word.as_str(), None), |(n, r)| (n, Some(r)));
    let fits = |known: &str| if rest.is_some() { known == name } else { known.starts_with(name) };
    Some(slash::KNOWN.into_iter().filter(|(known, _)| fits(known)).collect())
}

fn shown(local: &mut Local, overlay: Overlay) -> Vec<Act> {
    local.overlay = Some(overlay);
    Vec::new()
}
