//! Answers to calls that wait: the keys y, s, n and r, and the reason that is written for a denial.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::agent::{Answer, Intent};
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

/// Begins to write a reason.
pub(super) fn write_reason(local: &mut Local, view: &View) {
    if let Some((request, asked)) = local.chosen(view)
        && local.shown == Some(request)
    {
        local.reason = Some(Reason { request, call: asked.call, text: String::new() });
    }
}

/// One key while a reason is written.
pub(super) fn reason(local: &mut Local, key: KeyEvent) -> Vec<Act> {
    let Some(reason) = &mut local.reason else { return Vec::new() };
    let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match key.code {
        KeyCode::Esc => local.reason = None,
        KeyCode::Enter => {
            let answer = Answer::Deny(reason.text.trim().to_owned());
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
