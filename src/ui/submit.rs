//! What Enter does with the composer's text: a message now, one that steers, one for later, or a command.

use crate::agent::Intent;
use crate::tool::ASK;
use crate::view::View;

use super::commands::{self, Fronts, Meaning, SlashCommand};
use super::editing;
use super::effect::UiEffect;
use super::local::{Edit, Focus, Inspector, Local, Overlay};
use super::pending_model::PendingModel;
use super::picker::Picker;
use super::picker_source::Source;
use super::request::Request;
use super::search::Search;

/// Sends what was typed. While a run is under way it steers; it never answers a call that waits.
pub(super) fn send(local: &mut Local, view: &View) -> Vec<UiEffect> {
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
            local.hint = Some("the question is still waiting: tab, then r answers it".to_owned());
        }
        vec![UiEffect::Send(Intent::Submit(local.composer.take().into()))]
    })
}

/// For after the run; with nothing under way it is a new line, as shift-enter is.
pub(super) fn send_later(local: &mut Local, view: &View) -> Vec<UiEffect> {
    if !view.status.is_busy() || local.composer.is_blank() || local.edit.is_some() {
        local.composer.newline();
        return Vec::new();
    }
    command(local, view).unwrap_or_else(|| vec![UiEffect::Send(Intent::Queue(local.composer.take().into()))])
}

/// Obeys a slash command; `None` when the text is a message. One that is not known stays in the composer.
fn command(local: &mut Local, view: &View) -> Option<Vec<UiEffect>> {
    let typed = local.composer.text();
    let text = match meant(local, view) {
        // It waits for what belongs behind it.
        Some(row) if row.takes_more() && row.name != typed => {
            local.composer.replace(&format!("{} ", row.name));
            return Some(Vec::new());
        }
        Some(row) => row.name.to_owned(),
        None => typed,
    };
    match commands::read(&text, Fronts::Screen)? {
        Ok(meaning) => {
            let acts = obey(local, view, meaning);
            local.composer.clear();
            local.focus = Focus::Composer;
            Some(acts)
        }
        Err(why) => {
            local.hint = Some(why);
            Some(Vec::new())
        }
    }
}

/// Obeys a slash command that was picked; what is typed stays.
pub(super) fn run(local: &mut Local, view: &View, text: &str) -> Vec<UiEffect> {
    match commands::read(text, Fronts::Screen) {
        Some(Ok(meaning)) => obey(local, view, meaning),
        Some(Err(why)) => {
            local.hint = Some(why);
            Vec::new()
        }
        None => Vec::new(),
    }
}

/// Does what a command means, on the screen.
pub(super) fn obey(local: &mut Local, view: &View, meaning: Meaning) -> Vec<UiEffect> {
    match meaning {
        Meaning::Intent(intent) => vec![UiEffect::Send(intent)],
        Meaning::Request(Request::PlanUndo(since)) => vec![UiEffect::Undo(since)],
        Meaning::Request(request) => {
            if let Request::ChooseModel(name) = &request {
                local.hint = Some(PendingModel::words(name, &view.session.model));
                local.next_model = Some(PendingModel::Sought(name.clone()));
            }
            vec![UiEffect::Ask(request)]
        }
        Meaning::Page(page) => shown(local, Overlay::Page(page.open(view))),
        Meaning::Ledger => shown(local, Overlay::Ledger(Inspector::default())),
        Meaning::Pick(Source::Grants) => shown(local, Overlay::Picker(Picker::grants(view))),
        Meaning::Pick(Source::Shells) => shown(local, Overlay::Picker(Picker::shells(view))),
        Meaning::Pick(source) => vec![UiEffect::Pick(source)],
        Meaning::Quit => vec![UiEffect::Quit],
        Meaning::Theme(name) => vec![UiEffect::SetTheme(name)],
        Meaning::Find(words) => {
            local.search = Some(Search { wanted: words, ..Search::new() });
            Vec::new()
        }
        // The table has these for lines only.
        Meaning::Linear(_) => Vec::new(),
    }
}

/// Tab while a command is being typed: as far as all that it can become agree, and a space behind a whole one. Says
/// whether a command is being typed.
pub(super) fn complete(local: &mut Local, view: &View) -> bool {
    let Some(offered) = completions(local, view) else { return false };
    let typed = local.composer.text();
    let completed = match (offered.as_slice(), typed.split_once(char::is_whitespace)) {
        ([], _) => return false,
        // What stands behind the name is completed, never lost.
        ([row], Some((name, word))) => {
            shared(row.values, word.trim_start()).map(|(word, _)| format!("{name} {word}"))
        }
        _ => shared(&offered.iter().map(|row| row.name).collect::<Vec<_>>(), "")
            .map(|(name, is_whole)| if is_whole { format!("{name} ") } else { name }),
    };
    if let Some(text) = completed {
        local.composer.replace(&text);
    }
    true
}

/// As far as all words that begin so agree, and whether it is one of them whole; `None` when none begins so.
fn shared(words: &[&str], begun: &str) -> Option<(String, bool)> {
    let fitting: Vec<&str> = words.iter().copied().filter(|word| word.starts_with(begun)).collect();
    let shared = fitting.iter().fold((*fitting.first()?).to_owned(), |shared, word| {
        shared.chars().zip(word.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    });
    Some((shared, fitting.len() == 1))
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
fn meant(local: &Local, view: &View) -> Option<&'static SlashCommand> {
    let offered = completions(local, view)?;
    match chosen(local) {
        Some(at) => offered.get(at).copied(),
        None if local.composer.text().contains(char::is_whitespace) => None,
        None => offered.first().copied().filter(|_| offered.len() == 1),
    }
}

/// The commands that what is typed can still become; `None` when no command is being typed.
pub(super) fn completions(local: &Local, view: &View) -> Option<Vec<&'static SlashCommand>> {
    let [word] = local.composer.area().lines() else { return None };
    let composing = local.focused(view) == Focus::Composer;
    let is_shut = local.list_shut.as_ref() == Some(word);
    if !composing || is_shut || local.overlay.is_some() || local.edit.is_some() || !word.starts_with('/') {
        return None;
    }
    let (name, rest) =
        word.split_once(char::is_whitespace).map_or((word.as_str(), None), |(n, r)| (n, Some(r)));
    let fits = |known: &str| if rest.is_some() { known == name } else { known.starts_with(name) };
    Some(commands::listed(Fronts::Screen).filter(|row| fits(row.name)).collect())
}

fn shown(local: &mut Local, overlay: Overlay) -> Vec<UiEffect> {
    local.overlay = Some(overlay);
    Vec::new()
}
