//! What Enter does with the composer's text: a message now, one that steers, one for later, or a command.

use std::borrow::Cow;

use crate::agent::{Intent, OwnCommand};
use crate::tool::ASK;
use crate::view::{CustomCall, NamedCommand, NamedSkill, View};

use super::commands::{self, FORK_LATER, Fronts, Meaning, STILL_BUSY, SlashCommand};
use super::copying;
use super::editing;
use super::effect::UiEffect;
use super::local::{Edit, Focus, Inspector, Local, Overlay, sent};
use super::pages::{report, usage};
use super::pending_model::PendingModel;
use super::picker::Picker;
use super::picker_source::Source;
use super::report::Question;
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
        let message = taken(local);
        say(local, view, message)
    })
}

/// Says this to the model.
fn say(local: &mut Local, view: &View, message: String) -> Vec<UiEffect> {
    local.scroll.top = None;
    local.focus = Focus::Composer;
    if local.waiting(view).iter().any(|(_, asked)| asked.name == ASK) {
        local.hint = Some("the question is still waiting: tab, then r answers it".to_owned());
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
        .unwrap_or_else(|| vec![UiEffect::Send(Intent::Queue(taken(local).into()))])
}

/// What was typed, to be sent.
fn taken(local: &mut Local) -> String {
    local.notice = None;
    commands::unescaped(&local.composer.take()).to_owned()
}

/// Obeys a slash command; `None` when the text is a message. One that is not known stays in the composer.
fn command(local: &mut Local, view: &View) -> Option<Vec<UiEffect>> {
    if let Some(own) = OwnCommand::read(&local.composer.whole()) {
        return Some(run_own(local, view, own));
    }
    let typed = local.composer.text();
    let text = match meant(local, view) {
        // It waits for what belongs behind it.
        Some(offered) if offered.waits_for_more() && offered.text() != typed => {
            local.composer.replace(&format!("{} ", offered.text()));
            return Some(Vec::new());
        }
        Some(offered) => offered.text(),
        None => typed,
    };
    if let Some(message) = commands::skill(&text, &view.settings.skills) {
        local.composer.take();
        return Some(say(local, view, message));
    }
    if let Some(call) = commands::custom(&text, &view.settings.commands) {
        return Some(run_custom(local, view, call));
    }
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

/// Sends what a custom command says; what it runs first is decided about like any call, and the message waits for it.
fn run_custom(local: &mut Local, view: &View, call: CustomCall) -> Vec<UiEffect> {
    let CustomCall { typed, message, command } = call;
    let Some(command) = command else {
        local.composer.take();
        return say(local, view, message);
    };
    if view.status.is_busy() {
        local.hint = Some(format!(
            "a turn is running: {typed} runs a command, which waits for its end, or press esc first"
        ));
        return Vec::new();
    }
    local.composer.take();
    local.scroll.top = None;
    local.focus = Focus::Composer;
    let own = OwnCommand { command, is_shared: true, typed: Some(typed) };
    vec![UiEffect::Send(Intent::Command(own)), UiEffect::Send(Intent::Queue(message.into()))]
}

/// Runs a command of the user's own; it stays in the composer where it cannot.
fn run_own(local: &mut Local, view: &View, own: OwnCommand) -> Vec<UiEffect> {
    if own.command.is_empty() {
        local.hint = Some("type a command behind the !".to_owned());
        return Vec::new();
    }
    if view.status.is_busy() {
        local.hint =
            Some("a turn is running: your command runs when it has finished, or press esc first".to_owned());
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
        Meaning::Request(request @ Request::AddUp(_)) => {
            let mut acts = shown(local, Overlay::Page(usage::awaited()));
            acts.push(UiEffect::Ask(request));
            acts
        }
        Meaning::Report(subject) => {
            let mut acts = shown(local, Overlay::Page(report::awaited(subject)));
            acts.push(UiEffect::Ask(Request::Report(Box::new(Question::of(subject, view)))));
            acts
        }
        Meaning::Say(message) => say(local, view, message.into_owned()),
        Meaning::Copy => copying::last_answer(local, view).map(UiEffect::Copy).into_iter().collect(),
        Meaning::Request(Request::Fork) if view.status.is_busy() => {
            local.hint = Some(FORK_LATER.to_owned());
            Vec::new()
        }
        Meaning::Request(request) => {
            if let Request::ChooseModel(name) = &request {
                local.hint = Some(PendingModel::words(name, &view.session.model));
                local.next_model = Some(PendingModel::Sought(name.clone()));
            }
            vec![UiEffect::Ask(request)]
        }
        Meaning::Page(page) => shown(local, Overlay::Page(page.open(view))),
        Meaning::Ledger => shown(local, Overlay::Ledger(Inspector::default())),
        Meaning::Pick(Source::Modes) => shown(local, Overlay::Picker(Picker::modes(view))),
        Meaning::Pick(Source::Efforts) => shown(local, Overlay::Picker(Picker::efforts(view))),
        Meaning::Pick(Source::Grants) => shown(local, Overlay::Picker(Picker::grants(view))),
        Meaning::Pick(Source::Shells) => shown(local, Overlay::Picker(Picker::shells(view))),
        Meaning::Pick(source) => vec![UiEffect::Pick(source)],
        Meaning::New if view.status.is_busy() => {
            local.hint = Some(STILL_BUSY.to_owned());
            Vec::new()
        }
        Meaning::New => vec![UiEffect::New],
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

/// Tab while a command is being typed: what the arrows have chosen, else as far as all that it can become agree, and a
/// space behind a whole one. Says whether a command is being typed.
pub(super) fn complete(local: &mut Local, view: &View) -> bool {
    if let Some(earlier) = earlier_command(local, view) {
        local.composer.replace(&earlier);
        return true;
    }
    let Some(offered) = completions(local, view).filter(|all| !all.is_empty()) else { return false };
    let typed = local.composer.text();
    let words = offered.iter().map(Offered::word).collect::<Vec<_>>();
    let chosen =
        chosen(local).and_then(|at| offered.get(at)).map(|chosen| (chosen.text(), !chosen.is_value()));
    // What stands behind the name is completed, never lost.
    let completed = chosen.or_else(|| match typed.split_once(char::is_whitespace) {
        Some((name, word)) if offered.iter().all(Offered::is_value) => {
            shared(&words, word.trim_start()).map(|(word, _)| (format!("{name} {word}"), false))
        }
        Some(_) => None,
        None => shared(&words, ""),
    });
    if let Some((text, is_whole)) = completed {
        local.composer.replace(&if is_whole { format!("{text} ") } else { text });
    }
    true
}

/// The last command of the user's own that begins as what is typed, for Tab; not while a call waits for that key.
fn earlier_command(local: &Local, view: &View) -> Option<String> {
    let typed = local.composer.shown();
    if !local.composer.runs_a_command() || typed.contains('\n') || !local.waiting(view).is_empty() {
        return None;
    }
    let all: Vec<&str> = local.earlier.iter().map(String::as_str).chain(sent(view)).collect();
    let begins = |text: &&&str| text.starts_with(&typed) && **text != typed;
    all.iter().rev().find(begins).map(|text| (*text).to_owned())
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
fn meant<'a>(local: &'a Local, view: &'a View) -> Option<Offered<'a>> {
    let offered = completions(local, view)?;
    match chosen(local) {
        Some(at) => offered.into_iter().nth(at),
        None if local.composer.text().contains(char::is_whitespace) => None,
        None if offered.len() == 1 => offered.into_iter().next(),
        None => None,
    }
}

/// A command that what is typed can become, or a word that can follow it.
#[derive(Debug, Clone)]
pub(super) struct Offered<'a> {
    name: Cow<'a, str>,
    help: &'a str,
    takes_more: bool,
    value: Option<Cow<'a, str>>,
}

impl<'a> Offered<'a> {
    fn command(row: &'static SlashCommand) -> Self {
        Self { name: row.name.into(), help: row.help, takes_more: row.takes_more(), value: None }
    }

    fn custom(command: &'a NamedCommand) -> Self {
        let name = format!("/{}", command.name).into();
        Self { name, help: &command.description, takes_more: false, value: None }
    }

    fn skill(skill: &'a NamedSkill) -> Self {
        let name = format!("/{}", skill.name).into();
        Self { name, help: &skill.description, takes_more: false, value: None }
    }

    /// The word that it adds.
    pub(super) fn word(&self) -> &str {
        self.value.as_deref().unwrap_or(&self.name)
    }

    /// What it does.
    pub(super) fn help(&self) -> &str {
        if self.is_value() { "" } else { self.help }
    }

    fn is_value(&self) -> bool {
        self.value.is_some()
    }

    fn waits_for_more(&self) -> bool {
        !self.is_value() && self.takes_more
    }

    fn text(&self) -> String {
        self.value.as_ref().map_or(self.name.to_string(), |value| format!("{} {value}", self.name))
    }
}

/// The commands that what is typed can still become, or the words that can follow the one that is typed; `None` when no
/// command is being typed.
pub(super) fn completions<'a>(local: &'a Local, view: &'a View) -> Option<Vec<Offered<'a>>> {
    let [line] = local.composer.area().lines() else { return None };
    let composing = local.focused(view) == Focus::Composer;
    let is_shut = local.list_shut.as_ref() == Some(line);
    if !composing || is_shut || local.overlay.is_some() || local.edit.is_some() || !line.starts_with('/') {
        return None;
    }
    let Some((name, rest)) = line.split_once(char::is_whitespace) else {
        let rows = commands::listed(Fronts::Screen).filter(|row| row.name.starts_with(line.as_str()));
        let is_ours = |name: &str| commands::COMMANDS.iter().any(|row| row.name == name);
        let skills = view.settings.skills.iter().map(Offered::skill);
        let skills = skills.chain(view.settings.commands.iter().map(Offered::custom));
        let skills = skills.filter(|skill| skill.name.starts_with(line.as_str()) && !is_ours(&skill.name));
        return Some(rows.map(Offered::command).chain(skills).collect());
    };
    let Some(row) = commands::listed(Fronts::Screen).find(|row| row.name == name) else {
        return Some(Vec::new());
    };
    let values = row.values.iter().map(|value| Cow::Borrowed(*value));
    let names = local.known_names.of(row.name).iter().map(|name| Cow::Borrowed(name.as_str()));
    // Of a name that says whose it is, either half is known to people.
    let begins = |value: &str| value.split('/').any(|half| half.starts_with(rest.trim()));
    let values = values.chain(names).filter(|value| value.starts_with(rest.trim()) || begins(value));
    let offer = |value| Offered { value: Some(value), ..Offered::command(row) };
    let values: Vec<Offered<'_>> = values.map(offer).collect();
    Some(if values.is_empty() { vec![Offered::command(row)] } else { values })
}

fn shown(local: &mut Local, overlay: Overlay) -> Vec<UiEffect> {
    local.overlay = Some(overlay);
    Vec::new()
}
