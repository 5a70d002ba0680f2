//! Keys become intents: pure, so that every rule of the focus can be tested without a terminal.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use crate::agent::{Event, Live};
use crate::ledger::{CallId, Image, UserMessage};
use crate::view::View;

use super::commands::as_typed;
use super::composer::Composer;
use super::deciding::choose;
pub use super::effect::UiEffect;
use super::key_actions::{edit, obey};
use super::key_timing::Press;
use super::keymap::{KeyAction, KeyContext};
use super::local::{Focus, Local, Overlay};
use super::mention::PastedImage;
use super::overlays;
use super::pasted_words;
use super::pending_model::PendingModel;
use super::picker_choice;
use super::picker_keys::Done;
use super::program_input;
use super::replay_keys::{Paced, pace};
use super::search::SearchStep;
use super::session_rule;
use super::text_only;
use super::{approval_keys, blocked_host, editing, file_menu_keys, focus};

/// One key. Returns what has to be done; everything else has happened to `local`.
pub fn update(local: &mut Local, view: &View, press: Press) -> Vec<UiEffect> {
    local.composer.note();
    let mut acts = pressed(local, view, press);
    if local.hint.is_none() && local.burst_text.is_words(press.burst) {
        local.hint = pasted_words::why(local, view).map(str::to_owned);
    }
    local.composer.note();
    acts.extend(file_menu_keys::settle(local, view));
    acts
}

fn pressed(local: &mut Local, view: &View, press: Press) -> Vec<UiEffect> {
    let key = press.key;
    settle(local, view);
    local.pointer.let_go();
    let was_armed = std::mem::take(&mut local.quit_armed);
    let is_spent = std::mem::take(&mut local.key_is_spent);
    local.hint = None;
    if key.code != KeyCode::Esc {
        local.esc_armed = false;
    }
    if let Some(acts) = program_input::update(local, view, key) {
        return acts;
    }
    if is_over(local, view) || text_only::refuses_image(local, key) {
        return Vec::new();
    }
    let done = overlays::update(local, view, press).map(|done| match done {
        Done::Acts(acts) => acts,
        Done::Takes(choice) => picker_choice::take(local, view, choice),
    });
    if let Some(acts) = done {
        local.key_is_spent |= !acts.is_empty();
        return acts;
    }
    match local.replay.as_mut().map_or(Paced::Elsewhere, |replay| pace(replay, key)) {
        Paced::Taken(said) => {
            local.hint = said.map(str::to_owned);
            return Vec::new();
        }
        Paced::Quit => return vec![UiEffect::Quit],
        Paced::Elsewhere => {}
    }
    if goes_back(local, key) {
        return vec![UiEffect::Back];
    }
    focus::leave_to_text(local, view, press);
    if let Some(acts) = session_rule::press(local, view, press) {
        return acts;
    }
    if searching(local, view, key) {
        return Vec::new();
    }
    if file_menu_keys::press(local, view, press) {
        return Vec::new();
    }
    in_focus(local, view, press, (was_armed, is_spent))
}

/// One key where the focus is, with what the key before has left: whether quitting was asked for, and whether
/// it was spent.
fn in_focus(
    local: &mut Local,
    view: &View,
    press: Press,
    (was_armed, is_spent): (bool, bool),
) -> Vec<UiEffect> {
    let key = press.key;
    let focus = local.focused(view);
    let place = match focus {
        Focus::Approval(_) | Focus::Stop => KeyContext::Approval,
        Focus::Card(_) => KeyContext::Panel,
        Focus::Composer => KeyContext::Composer,
    };
    if place == KeyContext::Approval
        && let Some(acts) = choose(local, view, press)
    {
        return acts;
    }
    let command = local.keymap.lookup(place, key);
    // The key before was this one, and was not meant for what is typed. Nor is this one, then.
    if is_spent && press.again && command == Some(KeyAction::Send) && !press.breaks_pasted_line() {
        local.key_is_spent = true;
        return Vec::new();
    }
    match command {
        Some(command) if approval_keys::has_meaning(local, view, command) => {
            obey(local, view, command, press, was_armed)
        }
        Some(_) | None => {
            edit(local, press);
            Vec::new()
        }
    }
}

/// Whether the call that was being changed waits no more, which is said.
fn is_over(local: &mut Local, view: &View) -> bool {
    let is_over = editing::settle(local, view);
    if is_over {
        local.key_is_spent = true;
        local.hint = Some(
            "the call that you were editing is no longer waiting · ctrl-y puts in what you wrote".to_owned(),
        );
    }
    is_over
}

/// Whether a key leads back from the session of a sub-agent: it moves no cursor then.
fn goes_back(local: &Local, key: KeyEvent) -> bool {
    let is_empty = local.composer.is_empty() && local.reason.is_none() && local.search.is_none();
    key.code == KeyCode::Left && key.modifiers.is_empty() && is_empty && !local.lineage.is_empty()
}

/// One key while the transcript is searched; false when it means what it always means.
fn searching(local: &mut Local, view: &View, key: KeyEvent) -> bool {
    let Some(search) = &mut local.search else { return false };
    let is_left = match search.press(view, key) {
        SearchStep::Shows(card) => {
            local.scroll.reveal = card.or(local.scroll.reveal);
            local.key_is_spent = key.code == KeyCode::Enter;
            return true;
        }
        SearchStep::Over => {
            local.search = None;
            return true;
        }
        SearchStep::Left => true,
        SearchStep::Not => false,
    };
    // What the line above the composer says of the keys was about the search: this one decides nothing,
    // whatever it is bound to.
    let decides = can_decide(local, view, key);
    if decides {
        local.hint = Some("the search is over: press the key again".to_owned());
        local.stand.clear();
    }
    if is_left || decides {
        local.search = None;
    }
    decides
}

/// Whether a key can decide something where the focus is: about what waits, or a host that the sandbox
/// blocked.
fn can_decide(local: &Local, view: &View, key: KeyEvent) -> bool {
    match local.focused(view) {
        Focus::Approval(_) | Focus::Stop => true,
        Focus::Card(card) => {
            let allows = local.keymap.lookup(KeyContext::Panel, key) == Some(KeyAction::AllowHost);
            allows && blocked_host::of_card(view, card).is_some()
        }
        Focus::Composer => false,
    }
}

/// News that concern the screen alone.
pub fn hear(local: &mut Local, view: &View, live: &Live) {
    match live {
        Live::Refused(why) => {
            local.answered.clear();
            editing::refused(local);
            local.hint = Some(why.clone());
        }
        // Before the first message nothing else says it.
        Live::Unreached(why) => local.found(why),
        Live::Answering { model, waits, said, .. } => {
            if !local.next_model.as_ref().is_some_and(|coming| coming.goes_on(model)) {
                local.next_model = waits.then(|| PendingModel::Next(model.to_string()));
            }
            local.hint = said.clone().or(local.hint.take());
        }
        Live::Returned(messages) => {
            // The books are shut: what was looked for is not taken either.
            local.next_model.take_if(|_| local.shut.is_some());
            let typed = messages.iter().map(|message| as_typed(message, view));
            let all = typed.fold(UserMessage::default(), UserMessage::followed_by);
            local.message_composer().give_back_message(&all);
        }
        Live::ReturnedLine(line) => local.message_composer().give_back_message(line),
        Live::LedgerUnwritable { why, entries, said } => {
            local.shut =
                Some(super::local::Unwritable { why: why.clone(), entries: *entries, said: said.clone() });
        }
        Live::LedgerWritable => {
            local.shut = None;
            local.hint = None;
        }
        Live::Subagent { call, event } => hear_below(local, view, *call, event),
        Live::ModeChanged(_)
        | Live::Waiting { .. }
        | Live::Text { .. }
        | Live::Thinking { .. }
        | Live::Hosted { .. }
        | Live::CallForming { .. }
        | Live::Allowed { .. }
        | Live::Progress { .. }
        | Live::ToolOutput { .. }
        | Live::Screen { .. }
        | Live::ToolFinished { .. }
        | Live::Retrying { .. }
        | Live::Asked { .. }
        | Live::AskingHooks(_)
        | Live::Discovering
        | Live::Discovered(_)
        | Live::Next(_)
        | Live::SubagentWaits { .. }
        | Live::Undecided(_)
        | Live::Compacting(_) => {}
    }
}

/// News of the session of a sub-agent that is not shown: a decision about its call was not accepted there, or what was typed there comes
/// back, as it was stopped before it heard that.
fn hear_below(local: &mut Local, view: &View, call: CallId, event: &Event) {
    let (below, event) = event.located();
    let Event::Live(live) = event else { return };
    if matches!(live, Live::Refused(_)) {
        return hear(local, view, live);
    }
    let path: Vec<CallId> = [call].into_iter().chain(below).collect();
    let is_back = matches!(live, Live::Returned(_) | Live::ReturnedLine(_));
    if is_back {
        hear(local, view, live);
        let by = view.asked_by(&path);
        local.hint = Some(format!("what you had written to {by} is back: it did not read it"));
    }
}

/// Text that came whole: a bracketed paste. Returns what has to be done.
pub fn paste(local: &mut Local, view: &View, text: &str) -> Vec<UiEffect> {
    let typed = program_input::paste(local, view, text);
    typed.unwrap_or_else(|| {
        let (was_words, is_call) = (pasted_words::why(local, view).is_some(), local.is_editing());
        // Into a call goes what was pasted, and nothing else.
        let compose: fn(&mut Composer, &str) = if is_call { Composer::paste } else { Composer::paste_text };
        place(local, view, text, compose);
        if !was_words && let Some(why) = pasted_words::why(local, view) {
            local.hint = Some(why.to_owned());
        }
        file_menu_keys::settle(local, view).into_iter().collect()
    })
}

/// A paste of nothing but the paths of images: chips in the composer, their mentions where else something is typed.
/// More than go with one message are refused at once.
pub fn mention(local: &mut Local, view: &View, images: &[PastedImage]) {
    let words: Vec<&str> = images.iter().map(|image| image.mention.as_str()).collect();
    let mut are_too_many = false;
    place(local, view, &words.join(" "), |composer, _| {
        are_too_many = images.len() > Image::MOST;
        if !are_too_many {
            composer.attach(images);
        }
    });
    if are_too_many {
        let (count, most) = (images.len(), Image::MOST);
        local.hint =
            Some(format!("{most} images go with one message, and these are {count}: none was pasted"));
    }
}

fn place(local: &mut Local, view: &View, text: &str, compose: impl FnOnce(&mut Composer, &str)) {
    settle(local, view);
    local.pointer.let_go();
    local.hint = None;
    (local.quit_armed, local.key_is_spent) = (false, false);
    let is_uncovered = local.overlay.is_none();
    if let Some(Overlay::Picker(picker)) = &mut local.overlay {
        picker.type_in(text);
    } else if let Some(reason) = &mut local.reason {
        reason.text.push_str(&text.replace(['\n', '\r'], " "));
    } else if let Some(search) = local.search.as_mut().filter(|search| search.typing && is_uncovered) {
        let wanted = format!("{}{}", search.wanted, text.replace(['\n', '\r'], " "));
        if let SearchStep::Shows(card) = search.look(view, wanted) {
            local.scroll.reveal = card;
        }
    } else if local.overlay.is_none() && !local.read_only && local.replay.is_none() {
        let text = editing::with_marks(local, text);
        compose(&mut local.composer, &text);
        focus::to_text(local, view);
    }
}

/// Drops what names a request that is gone, and what was below something that is.
fn settle(local: &mut Local, view: &View) {
    if local.overlay.is_none() {
        local.below.clear();
    }
    let waiting = view.waiting();
    let end = view.offer().and(view.last_end_id());
    local.answered.retain(|id| waiting.iter().any(|(request, _)| request == id) || end == Some(*id));
    if local.reason.as_ref().is_some_and(|r| !waiting.iter().any(|(id, _)| *id == r.request)) {
        local.reason = None;
    }
    if local.always.as_ref().is_some_and(|a| !waiting.iter().any(|(id, _)| *id == a.request)) {
        local.always = None;
    }
    local.focus = local.focused(view);
}
