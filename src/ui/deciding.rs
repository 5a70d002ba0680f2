//! Answers to what waits: the keys y, s, n and r, g after a budget stop, the choices of a question, and the words that are written for a
//! denial or an answer.

use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::Value;

use crate::agent::{Answer, Intent};
use crate::ledger::EntryId;
use crate::tool::ASK;
use crate::ui::text::counted;
use crate::view::View;

use super::composer::cut_last;
use super::effect::UiEffect;
use super::key_timing::Press;
use super::local::{Focus, Local, Overlay, ReadProgress, Reason};
use super::short_hint::{told, told_in_a_row};
use super::visible_decision::{Refusal, Shown};

impl Local {
    /// Nobody sees the last frame any more: what it showed has been there for no time, whatever the next one shows.
    pub(super) fn out_of_sight(&mut self) {
        self.stand.out_of_sight();
        self.reading.iter_mut().for_each(|reading| reading.sight.out_of_sight());
        self.host_reading.iter_mut().for_each(|reading| reading.sight.out_of_sight());
    }
}

/// Answers the call that has the keys, if the person has seen it for long enough, and whole where that matters. The keys
/// then go to the composer again: one key decides about one call.
pub(super) fn decide(local: &mut Local, view: &View, press: Press, answer: Answer) -> Vec<UiEffect> {
    let Some((request, asked, shown)) = local.subject(view) else { return Vec::new() };
    if !is_allowed(local, &shown, press) {
        return Vec::new();
    }
    let reads = !matches!(answer, Answer::Deny(_) | Answer::Edit(_));
    if reads && show_rest(local, request) {
        return Vec::new();
    }
    let call = asked.call;
    settled(local, request);
    vec![UiEffect::Send(Intent::Decide { request, call, answer })]
}

/// After a stop by a budget or a price: the limit is raised, or the price accepted, and the run goes on.
pub(super) fn raise(local: &mut Local, view: &View, press: Press) -> Vec<UiEffect> {
    let (Some(end), Some(offer)) = (local.stop(view), view.offer()) else { return Vec::new() };
    if local.focused(view) != Focus::Stop || !is_allowed(local, &Shown::Stop(end), press) {
        return Vec::new();
    }
    settled(local, end);
    vec![UiEffect::Send(offer.taken())]
}

/// Whether a key may decide what is shown; else the status line says why, or what is out of sight is brought there.
pub(super) fn is_allowed(local: &mut Local, shown: &Shown, press: Press) -> bool {
    match local.stand.allows(shown, press) {
        Ok(()) => true,
        Err(why) => {
            local.hint = why.words().map(str::to_owned);
            if why == Refusal::Unseen && local.overlay.is_none() {
                local.scroll.top = None;
            }
            false
        }
    }
}

/// It is decided: the keys go to the composer.
fn settled(local: &mut Local, what: EntryId) {
    local.answered.insert(what);
    local.key_is_spent = true;
    local.focus = Focus::Composer;
    local.always = None;
    local.stand.clear();
    if matches!(local.overlay, Some(Overlay::Output(..))) {
        local.overlay = local.below.pop();
    }
}

/// Brings the next part of what has not been in sight there. Says whether there was something.
pub(super) fn show_rest(local: &mut Local, request: EntryId) -> bool {
    let unread = |reading: &&mut ReadProgress| reading.request == request && reading.is_unread();
    let Some(reading) = local.reading.as_mut().filter(unread) else { return false };
    if reading.goes_on() {
        let (words, short) = match (reading.is_page, local.always.is_some()) {
            (false, false) => ("too long to be read here: o shows all of it", "too long here: o shows all"),
            // There the key is none.
            (false, true) => {
                ("too long to be read here: esc, then o shows all", "too long: esc, then o shows all")
            }
            (true, _) => (
                "not all of this call is shown, so it cannot be allowed here",
                "not all shown: not allowed here",
            ),
        };
        (local.hint, local.short_hint) = told_in_a_row(words, short);
        local.stand.clear();
        return true;
    }
    if let Some(lines) = reading.skipped() {
        // Whoever goes to the end without reading may go on, and is told what that means.
        reading.is_waived = true;
        local.hint = Some(format!("{} unseen: press again", counted(lines as u64, "row")));
        local.stand.clear();
        return true;
    }
    reading.go_on();
    let is_end = reading.from + reading.rows >= reading.must.min(reading.all);
    // The page has more rows. On it no key stands in the way, and `a` goes on from there.
    let (words, short) = match (is_end, reading.is_page, local.always.is_some()) {
        (true, _, _) => ("now shown: press again", "now shown: press again"),
        (false, true, _) => ("more below: press again", "more below: press again"),
        (false, false, false) => {
            ("more below: press again · o: read it in full", "press again, or o: all of it")
        }
        (false, false, true) => {
            ("more below: press again · esc, o: read it in full, then a", "press again, or esc, o: all")
        }
    };
    if let Some(Overlay::Output(_, at)) = &mut local.overlay {
        *at = u16::try_from(reading.from).unwrap_or(u16::MAX);
    }
    (local.hint, local.short_hint) = told_in_a_row(words, short);
    local.stand.clear();
    true
}

/// One key where a question has the focus: a number takes that choice. `None` when the key means what it means
/// everywhere.
pub(super) fn choose(local: &mut Local, view: &View, press: Press) -> Option<Vec<UiEffect>> {
    let (_, asked, _) = local.subject(view).filter(|(_, asked, _)| asked.name == ASK)?;
    let choices = asked.arguments.get("choices").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let KeyCode::Char(c) = press.key.code else { return None };
    let at = usize::try_from(c.to_digit(10)?).ok()?.checked_sub(1);
    match at.and_then(|at| choices.get(at)).and_then(Value::as_str) {
        _ if choices.is_empty() => None,
        Some(choice) => {
            let answer = Answer::Reply(choice.to_owned());
            Some(decide(local, view, press, answer))
        }
        None => {
            let words = format!("there is no choice {c} · r answers in words");
            (local.hint, local.short_hint) = told(words, "no such choice · r: in words");
            Some(Vec::new())
        }
    }
}

/// Begins to write a reason, or an answer.
pub(super) fn write_reason(local: &mut Local, view: &View, press: Press) {
    if let Some((request, asked, shown)) = local.subject(view)
        && is_allowed(local, &shown, press)
    {
        (local.overlay, local.always, local.search) = (None, None, None);
        local.focus = Focus::Approval(asked.call);
        let answers = asked.name == ASK;
        local.reason = Some(Reason { request, call: asked.call, text: String::new(), answers });
    }
}

/// One key while a reason is written.
pub(super) fn reason(local: &mut Local, press: Press) -> Vec<UiEffect> {
    let key = press.key;
    let Some(reason) = &mut local.reason else { return Vec::new() };
    let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match key.code {
        KeyCode::Esc => local.reason = None,
        // The rest of what is pasted follows.
        KeyCode::Enter if press.breaks_pasted_line() => reason.text.push(' '),
        KeyCode::Enter => {
            let words = reason.text.trim().to_owned();
            if reason.answers && words.is_empty() {
                return Vec::new();
            }
            let answer = if reason.answers { Answer::Reply(words) } else { Answer::Deny(words) };
            let (request, call) = (reason.request, reason.call);
            local.reason = None;
            settled(local, request);
            return vec![UiEffect::Send(Intent::Decide { request, call, answer })];
        }
        KeyCode::Backspace => cut_last(&mut reason.text),
        KeyCode::Char('u') if !plain => reason.text.clear(),
        KeyCode::Char('c') if !plain => local.reason = None,
        KeyCode::Char(c) if plain => reason.text.push(c),
        _ => {}
    }
    Vec::new()
}
