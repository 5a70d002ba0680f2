//! Answers to calls that wait: the keys y, s, n and r, the choices of a question, and the words that are written for a
//! denial or an answer.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use serde_json::Value;

use crate::agent::{Answer, Intent};
use crate::tool::ASK;
use crate::view::View;

use super::act::Act;
use super::composer::cut_last;
use super::local::{Local, Reason};

/// Answers the request that has the focus, if the person has seen it: a key that was pressed before the panel
/// stood on the screen, or that a held key repeats, was not meant for it.
pub(super) fn decide(local: &mut Local, view: &View, key: KeyEvent, answer: Answer) -> Vec<Act> {
    let Some((request, call)) = local.chosen(view).map(|(id, r)| (id, r.call)) else { return Vec::new() };
    if local.shown != Some(request) || key.kind == KeyEventKind::Repeat {
        local.scroll.top = None;
        return Vec::new();
    }
    local.answered.insert(request);
    local.shown = None;
    vec![Act::Send(Intent::Decide { request, call, answer })]
}

/// One key where a question has the focus: a number takes that choice, and what would allow it says how to answer.
/// `None` when the key means what it means everywhere.
pub(super) fn choose(local: &mut Local, view: &View, key: KeyEvent) -> Option<Vec<Act>> {
    let (_, asked) = local.chosen(view).filter(|(_, asked)| asked.name == ASK)?;
    let choices = asked.arguments.get("choices").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let KeyCode::Char(c) = key.code else { return None };
    let at = usize::try_from(c.to_digit(10)?).ok()?.checked_sub(1)?;
    match choices.get(at).and_then(Value::as_str) {
        Some(choice) => {
            let answer = Answer::Reply(choice.to_owned());
            Some(decide(local, view, key, answer))
        }
        None => {
            local.hint = Some(format!("there is no choice {c} · r answers in words"));
            Some(Vec::new())
        }
    }
}

/// Whether the waiting call that has the focus is a question: it is answered, not allowed or changed.
pub(super) fn is_question(local: &mut Local, view: &View) -> bool {
    let is = local.chosen(view).is_some_and(|(_, asked)| asked.name == ASK);
    if is {
        local.hint = Some("a question: a number chooses, r answers in words, n gives no answer".to_owned());
    }
    is
}

/// Begins to write a reason, or an answer.
pub(super) fn write_reason(local: &mut Local, view: &View) {
    if let Some((request, asked)) = local.chosen(view)
        && local.shown == Some(request)
    {
        let answers = asked.name == ASK;
        local.reason = Some(Reason { request, call: asked.call, text: String::new(), answers });
    }
}

/// One key while a reason is written.
pub(super) fn reason(local: &mut Local, key: KeyEvent) -> Vec<Act> {
    let Some(reason) = &mut local.reason else { return Vec::new() };
    let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match key.code {
        KeyCode::Esc => local.reason = None,
        KeyCode::Enter => {
            let words = reason.text.trim().to_owned();
            if reason.answers && words.is_empty() {
                return Vec::new();
            }
            let answer = if reason.answers { Answer::Reply(words) } else { Answer::Deny(words) };
            let (request, call) = (reason.request, reason.call);
            local.reason = None;
            local.answered.insert(request);
            return vec![Act::Send(Intent::Decide { request, call, answer })];
        }
        KeyCode::Backspace => cut_last(&mut reason.text),
        KeyCode::Char('u') if !plain => reason.text.clear(),
        KeyCode::Char('c') if !plain => local.reason = None,
        KeyCode::Char(c) if plain => reason.text.push(c),
        _ => {}
    }
    Vec::new()
}
