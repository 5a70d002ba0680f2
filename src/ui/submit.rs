//! What Enter does with the composer's text: a message now, one that steers, one for later, or a command.

use crate::agent::{Intent, OwnCommand};
use crate::ledger::{Pastes, UserMessage};
use crate::tool::ASK;
use crate::view::{CustomCall, View};

use super::command_menu::meant;
use super::commands::{self, Fronts, KEPT, KEPT_BY_COMMAND, Meaning, PICKED, Review, is_for_later, review};
use super::copying;
use super::editing;
use super::effect::UiEffect;
use super::focus;
use super::local::{Edit, Focus, Inspector, Local, Overlay};
use super::pages::{OpenPage, report, usage};
use super::pasted_words;
use super::pending_model::PendingModel;
use super::picker_keys;
use super::report::Question;
use super::request::Request;
use super::search::Search;
use super::short_hint::told;

/// Sends what was typed. While a run is under way it steers; it never answers a call that waits.
pub(super) fn send(local: &mut Local, view: &View) -> Vec<UiEffect> {
    if local.edit.as_ref().is_some_and(Edit::is_open) {
        return editing::propose(local, view);
    }
    if local.composer.is_blank() {
        return Vec::new();
    }
    // It would be in the next message. Whoever does not want it presses the key again.
    if std::mem::take(&mut local.image_comes) {
        local.hint = Some(
            "the image on the clipboard is still being read: press enter again to send without it".to_owned(),
        );
        return Vec::new();
    }
    command(local, view).unwrap_or_else(|| {
        let message = taken(local);
        say(local, view, message)
    })
}

/// Says this to the model.
fn say(local: &mut Local, view: &View, message: impl Into<UserMessage>) -> Vec<UiEffect> {
    local.notice = None;
    local.scroll.top = None;
    local.focus = Focus::Composer;
    if local.waiting(view).iter().any(|(_, asked)| asked.name == ASK) {
        let words = "the question is still waiting: tab, then r answers it";
        (local.hint, local.short_hint) = told(words, "waiting: tab, then r answers it");
    }
    vec![UiEffect::Send(Intent::Submit(message.into()))]
}

/// For after the run; with nothing under way it is a new line, as shift-enter is.
pub(super) fn send_later(local: &mut Local, view: &View) -> Vec<UiEffect> {
    if !view.status.is_busy() || local.composer.is_blank() || local.edit.is_some() {
        local.composer.newline();
        return Vec::new();
    }
    let later = |act| match act {
        UiEffect::Send(Intent::Submit(said)) => UiEffect::Send(Intent::Queue(said)),
        other => other,
    };
    let acts = command(local, view);
    acts.map(|acts| acts.into_iter().map(later).collect())
        .unwrap_or_else(|| vec![UiEffect::Send(Intent::Queue(taken(local)))])
}

/// What was typed, to be sent.
fn taken(local: &mut Local) -> UserMessage {
    local.notice = None;
    let UserMessage { content, pastes, .. } = local.composer.take_message();
    // What is in a paste stays as it is.
    let begins_pasted = pastes.spans().first().is_some_and(|(from, _)| *from == 0);
    let message = if begins_pasted { content.as_str() } else { commands::unescaped(&content) };
    let pastes = pastes.within(content.len() - message.len(), content.len());
    UserMessage { pastes, ..UserMessage::from(message) }
}

/// Obeys a command; `None` when the text is a message, as one is whose beginning is in a long paste. One that
/// is not known stays in the composer.
fn command(local: &mut Local, view: &View) -> Option<Vec<UiEffect>> {
    if let Some(own) = local.composer.own_command() {
        return Some(run_own(local, view, own));
    }
    if local.composer.has_no_name() {
        return None;
    }
    let UserMessage { content: typed, pastes, .. } = local.composer.message();
    let (text, pastes) = match meant(local, view) {
        // It waits for what belongs behind it.
        Some(offered) if offered.waits_for_more() && offered.text() != typed => {
            local.composer.replace(&format!("{} ", offered.text()));
            return Some(Vec::new());
        }
        // Nothing that is offered has a paste in it.
        Some(offered) => (offered.text(), Pastes::default()),
        None => (typed, pastes),
    };
    if let Some(call) = commands::custom_with(&text, &pastes, &view.settings.commands) {
        return Some(run_custom(local, view, call));
    }
    match commands::read(&text, Fronts::Screen)? {
        Ok(meaning) if pasted_words::must_be_typed(local, view, &meaning) => {
            local.hint = Some(pasted_words::TYPED.to_owned());
            Some(Vec::new())
        }
        // What was typed may be long, and is not written twice.
        Ok(meaning) if view.status.is_busy() && is_for_later(&meaning) => {
            keep(local, view);
            Some(Vec::new())
        }
        Ok(meaning) => {
            let acts = obey(local, view, meaning);
            local.composer.clear();
            local.obeyed = Some(text);
            local.focus = Focus::Composer;
            Some(acts)
        }
        Err(why) => {
            local.hint = Some(commands::unusable(&text, &view.settings.ignored).unwrap_or(why));
            Some(Vec::new())
        }
    }
}

/// Says that what is typed waits for the end of what runs.
fn keep(local: &mut Local, view: &View) {
    let why = if view.runs_own_command() { KEPT_BY_COMMAND } else { KEPT };
    waits(local, why.to_owned());
}

/// Says this until what runs has ended.
fn waits(local: &mut Local, why: String) {
    local.hint = Some(why.clone());
    local.hint_of_run = Some(why);
}

/// Sends what a custom command says; what it runs first is decided about like any call, and the message waits for it.
fn run_custom(local: &mut Local, view: &View, call: CustomCall) -> Vec<UiEffect> {
    let CustomCall { typed, message, pastes, command } = call;
    let message = UserMessage { pastes, ..UserMessage::from(message) };
    let Some(command) = command else {
        local.composer.take();
        return say(local, view, message);
    };
    let pastes = message.pastes.carried(&message.content, &typed).without_brought(&typed);
    if view.status.is_busy() {
        let typed = pastes.titled(&typed);
        let why =
            format!("a turn is running: {typed} runs a command, which waits for its end, or press esc first");
        waits(local, why);
        return Vec::new();
    }
    local.composer.take();
    local.scroll.top = None;
    local.focus = Focus::Composer;
    let typed = Some(UserMessage { pastes, ..UserMessage::from(typed) });
    let then = Some(Box::new(message));
    let own = OwnCommand { command, is_shared: true, typed, then, must_succeed: false };
    vec![UiEffect::Send(Intent::Command(own))]
}

/// Runs a command of the user's own; it stays in the composer where it cannot.
fn run_own(local: &mut Local, view: &View, own: OwnCommand) -> Vec<UiEffect> {
    if own.command.is_empty() {
        local.hint = Some("type a command after the !".to_owned());
        return Vec::new();
    }
    if view.status.is_busy() {
        keep(local, view);
        return Vec::new();
    }
    local.composer.take();
    local.scroll.top = None;
    local.focus = Focus::Composer;
    vec![UiEffect::Send(Intent::Command(own))]
}

/// Obeys a slash command that was picked; what is typed stays.
pub(super) fn run(local: &mut Local, view: &View, text: &str) -> Vec<UiEffect> {
    match commands::read(text, Fronts::Screen) {
        Some(Ok(meaning)) if view.status.is_busy() && is_for_later(&meaning) => {
            waits(local, PICKED.to_owned());
            Vec::new()
        }
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
        Meaning::AcceptGaps => {
            vec![UiEffect::Send(Intent::AcceptGaps { call: None, gaps: view.gaps_asked_about() })]
        }
        Meaning::Request(Request::PlanUndo(since)) => vec![UiEffect::Undo(since)],
        Meaning::Request(request @ Request::AddUp(_)) => awaited(local, usage::awaited(), request),
        Meaning::Report(subject) => {
            let request = Request::Report(Box::new(Question::of(subject, view)));
            awaited(local, report::awaited(subject), request)
        }
        Meaning::Init => say(local, view, commands::init()),
        Meaning::Review(base) => {
            let Review { command, message } = review(base.as_deref());
            local.scroll.top = None;
            let then = Some(Box::new(message.into()));
            let own = OwnCommand { command, is_shared: true, typed: None, then, must_succeed: true };
            vec![UiEffect::Send(Intent::Command(own))]
        }
        Meaning::Copy => copying::last_answer(local, view).map(UiEffect::Copy).into_iter().collect(),
        Meaning::Request(request) => {
            // In the session of a sub-agent it is refused: nothing is looked for there.
            if let Request::ChooseModel(name) = &request
                && local.lineage.is_empty()
            {
                local.hint = Some(PendingModel::words(name, &view.session.model));
                local.next_model = Some(PendingModel::Sought(name.clone()));
            }
            vec![UiEffect::Ask(request)]
        }
        Meaning::Page(page) => shown(local, Overlay::Page(page.open(view))),
        Meaning::Ledger => shown(local, Overlay::Ledger(Inspector::default())),
        Meaning::Pick(source) => picker_keys::open(local, view, source),
        Meaning::New => vec![UiEffect::New],
        Meaning::Quit => vec![UiEffect::Quit],
        Meaning::Theme(name) => vec![UiEffect::SetTheme(name)],
        Meaning::Thinking => {
            local.thinking_open = !local.thinking_open;
            Vec::new()
        }
        Meaning::Find(words) => {
            focus::to_text(local, view);
            local.search = Some(Search { wanted: words, ..Search::new() });
            Vec::new()
        }
        // The table has these for lines only.
        Meaning::Linear(_) => Vec::new(),
    }
}

/// Shows a page that is filled by the answer to this. In the session of a sub-agent it is refused, and the
/// page would wait for ever.
fn awaited(local: &mut Local, page: OpenPage, request: Request) -> Vec<UiEffect> {
    if local.lineage.is_empty() {
        local.overlay = Some(Overlay::Page(page));
    }
    vec![UiEffect::Ask(request)]
}

fn shown(local: &mut Local, overlay: Overlay) -> Vec<UiEffect> {
    local.overlay = Some(overlay);
    Vec::new()
}
