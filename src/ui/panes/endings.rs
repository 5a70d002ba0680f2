//! How a run ended, as rows; a budget stop is a question and has a box.

use ratatui::text::{Line, Span};

use crate::ledger::{Ending, Entry, MicroDollars, PriceEstimate, Reach, TurnEnded};
use crate::ui::keymap::{KeyAction, KeyContext};
use crate::ui::text::{width, wrap};
use crate::view::{CardBody, CardId, Offer, View, ending_words, ending_words_below};

use super::card_context::{CardContext, INDENT};
use super::layouts::TranscriptRow;
use super::margin::MARGIN;
use super::remarks::{amount, said};
use super::words::{count, duration, flow, keys, short};
use super::{answers, boxes};

/// What is left to do after calls were cut short, on a low screen.
const CHECK: &str = "Check what the calls did.";

/// What is left to do after a sub-agent's run: nothing in its own session.
const REPORTED: &str = "What it reported is in the session that started it.";

/// What is said of the end of a run in another program.
const UNKNOWN: &str = "its end is not known";

/// The end of a run.
pub(super) fn lay(ended: &TurnEnded, entry: &Entry, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let theme = around.theme;
    let spent = || {
        let turns = count(ended.turns as usize, "turn");
        let calls = count(ended.tool_calls as usize, "tool call");
        let hosted = match ended.hosted_tools {
            0 => String::new(),
            uses => format!(" · {}", count(uses as usize, "hosted tool")),
        };
        let took = duration(ended.wall_ms);
        // It is counted without that, also where another call ran meanwhile.
        let without = match around.view.waited_ms(entry.id) {
            0..1_000 => String::new(),
            waited => format!(" (without {} in which calls waited for you)", duration(waited)),
        };
        format!("{turns} · {calls}{hosted} · {took}{without}")
    };
    match ended.reason {
        Ending::Completed | Ending::GoalReached => {
            let (what, style) = match ended.reason {
                Ending::GoalReached => ("goal reached", theme.success),
                _ => ("done", theme.faint),
            };
            let words = if ended.is_counted() { in_parts(what, &spent(), around) } else { what.to_owned() };
            vec![TranscriptRow::new(INDENT, Line::styled(words, style)).marked("✓", style)]
        }
        Ending::AbortedStreaming | Ending::AbortedTools => interrupted(ended, entry, around),
        reason => match around.view.offer() {
            // Calls of sub-agents in the background can wait below it.
            Some(offer) if around.view.last_end_id() == Some(entry.id) => budget_stop(ended, offer, around),
            _ if follows_a_failure(entry, around.view) => {
                // Why stands above it, and what to do.
                let what = match reason {
                    Ending::ModelError => "stopped".to_owned(),
                    reason => format!("stopped · {}", ending_words(reason)),
                };
                let words = in_parts(&what, &spent(), around);
                vec![TranscriptRow::new(INDENT, Line::styled(words, theme.dim)).marked("■", theme.dim)]
            }
            _ => {
                // A sub-agent goes on with nothing, so nothing is to be raised or answered in its session.
                let (words, next) = match around.view.is_below() {
                    true => (ending_words_below(reason), REPORTED),
                    false => (ending_words(reason), ended.what_next()),
                };
                let words = format!("stopped · {words} · {}", spent());
                let mut rows = said("■", &words, theme.warning, theme.warning, around);
                rows.extend(said("", next, theme.dim, theme.dim, around));
                rows
            }
        },
    }
}

/// The end of a run that was interrupted. On a low screen fewer words say it: what may be partial stays in
/// sight above them.
fn interrupted(ended: &TurnEnded, entry: &Entry, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let (theme, reach) = (around.theme, around.view.reach(entry.id));
    if around.view.ended_elsewhere(entry.id) {
        let mut rows = said("■", UNKNOWN, theme.warning, theme.warning, around);
        rows.extend(said("", Ending::ENDED_ELSEWHERE, theme.dim, theme.dim, around));
        return rows;
    }
    // Whoever stopped a command of their own knows what it does.
    if around.view.ended_own_command(entry.id) && matches!(reach, Reach::CutShort) {
        return said("■", "your command was stopped", theme.warning, theme.warning, around);
    }
    let is_short = around.is_low() && matches!(reach, Reach::CutShort);
    let mut what = format!("interrupted · {}", reach.words());
    if is_short && width(&what) > usize::from(around.prose_width()) {
        what = format!("stopped · {}", reach.words());
    }
    let mut rows = said("■", &what, theme.warning, theme.warning, around);
    // What was cut short is said once: the sentence on record is also for those who read nothing else.
    let next = match reach {
        Reach::CutShort if is_short => CHECK,
        Reach::CutShort if around.view.is_below() => "Check the effects of the interrupted calls.",
        Reach::CutShort => ended.what_next(),
        Reach::NothingStarted | Reach::NothingCut if around.view.is_below() => REPORTED,
        Reach::NothingStarted | Reach::NothingCut => "Say what to do differently.",
    };
    rows.extend(said("", next, theme.dim, theme.dim, around));
    rows
}

/// Words and what was spent, on one line. Half of a number is none: its last parts are left out where they do not fit.
fn in_parts(what: &str, spent: &str, around: &CardContext<'_>) -> String {
    let words = format!("{what} · {spent}");
    let room = usize::from(around.text_width());
    let ends = words.match_indices(" · ").map(|(at, _)| at).chain([words.len()]);
    let whole = ends.filter_map(|end| words.get(..end)).filter(|part| width(part) <= room).last();
    whole.unwrap_or(what).to_owned()
}

/// Whether the card before it says what failed.
fn follows_a_failure(entry: &Entry, view: &View) -> bool {
    let before = view.place(CardId::Entry(entry.id)).and_then(|at| at.checked_sub(1));
    let before = before.and_then(|before| view.card(before));
    before.is_some_and(|card| matches!(card.body, CardBody::Error(_)))
}

/// A budget stop waits for a decision, so it has a box.
fn budget_stop(ended: &TurnEnded, offer: Offer, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let theme = around.theme;
    let total = usize::from(around.panel_width());
    let inner = total.saturating_sub(4).max(1);
    // On a low screen fewer words say it, and none of them is cut off: what is accepted is seen.
    let is_low = around.is_low();
    let (title, reached, raise) = match offer {
        Offer::Limit { limit, to } => {
            let now = around.view.meter().limits().get(limit).unwrap_or(0);
            let reached = format!("The limit of {} is reached.", amount(limit, now));
            ("budget", reached, format!("raise to {}", amount(limit, to)))
        }
        Offer::Price { estimate, up_to } => {
            let reached = if is_low { priced_shortly(&estimate) } else { priced(&estimate) };
            let scope = if is_low { "each" } else { "a request in this run" };
            ("price", reached, format!("accept up to {} {scope}", MicroDollars(up_to)))
        }
    };
    let raise = if is_low { raise } else { format!("{raise} and continue") };
    let mut body = wrap(&reached, inner, theme.text);
    // The sentence on record speaks to whoever runs the loop; here the user reads.
    let next = match ended.reason {
        Ending::PriceAsked => "Accept it, or say what to do differently.",
        Ending::MaxTurns => "Raise it and continue, or say what to do differently.",
        _ => ended.what_next(),
    };
    if !is_low {
        body.extend(wrap(next, inner, theme.dim));
    }
    let lit = around.stop_has_keys && around.is_ripe;
    let (key, word) = if lit { (theme.accent, theme.text) } else { (theme.dim, theme.dim) };
    let bound = around.keymap.first(KeyContext::Approval, KeyAction::Raise, "g").unwrap_or_default();
    let answers = keys(&[(bound.as_str(), raise.as_str())], key, word);
    body.extend(flow(answers::led(answers, around.stop_has_keys, around), 3, inner));
    let title = vec![Span::styled(title, theme.title)];
    let right = Span::styled(format!("stopped · {}", ending_words(ended.reason)), theme.warning);
    let border = boxes::edges(theme.border_waiting, around.stop_has_keys);
    boxes::boxed(title, right, body, total, border)
        .into_iter()
        .map(|line| TranscriptRow::new(MARGIN, line))
        .collect()
}

/// What the next request would cost, in one row of a narrow screen.
fn priced_shortly(estimate: &PriceEstimate) -> String {
    let (most, limit) = (MicroDollars(estimate.most()), MicroDollars(estimate.limit));
    format!("next: about {most}; asks above {limit}")
}

/// What the next request would cost, and why so much.
fn priced(estimate: &PriceEstimate) -> String {
    let tokens = match estimate.cached {
        0 => format!("{} new tokens, none of them cached", short(estimate.fresh)),
        cached => format!("{} cached and {} new tokens", short(cached), short(estimate.fresh)),
    };
    let (most, limit) = (MicroDollars(estimate.most()), MicroDollars(estimate.limit));
    format!("The next request would cost about {most} ({tokens}). You are asked above {limit}.")
}
